//! What a person's typing may go on as.

use rmcp::{
    ServiceError,
    model::{ArgumentInfo, CompleteRequestParams, ErrorCode, Reference},
};

use super::Conversation;
use crate::cli::Home;

// S-MCP-11: Hosts complete the paths of skills in the template of their addresses, and the parameters of a skill in the argument
// of its prompt.
#[tokio::test]
async fn a_host_completes_skills_and_their_parameters() {
    let home = Home::with_skills();
    home.file(
        "more/carta/SKILL.md",
        "---\nname: carta\ndescription: Escribe cartas.\nparameters:\n  - name: destino\n  - name: tono\n    default: formal\n---\n\n{{destino}} {{tono}}\n",
    );
    home.ok(&["push", "more"]);
    let conversation = Conversation::begin(&home, &[]).await;
    let complete = async |at: Reference, argument: &str, typed: &str| {
        let wanted = CompleteRequestParams::new(at, ArgumentInfo::new(argument, typed));
        conversation.host.complete(wanted).await.map(|reply| reply.completion.values)
    };
    let templates = conversation.host.list_all_resource_templates().await.unwrap();
    let template = || Reference::for_resource(templates[0].uri_template.clone());
    assert_eq!(complete(template(), "skill", "").await.unwrap(), ["carta", "escrituras/compraventa", "notas"]);
    assert_eq!(complete(template(), "skill", "escr").await.unwrap(), ["escrituras/compraventa"]);
    let carta = || Reference::for_prompt("carta");
    assert_eq!(complete(carta(), "arguments", "").await.unwrap(), ["destino=", "tono="]);
    assert_eq!(complete(carta(), "arguments", "destino=Ana t").await.unwrap(), ["destino=Ana tono="]);
    assert_eq!(complete(carta(), "tono", "for").await.unwrap(), ["formal"], "what it is if nothing is given");
    assert_eq!(complete(carta(), "destino", "").await.unwrap(), Vec::<String>::new());
    for (at, argument, code) in [
        (Reference::for_prompt("none"), "arguments", ErrorCode::INVALID_PARAMS),
        (carta(), "other", ErrorCode::INVALID_PARAMS),
        (Reference::for_resource("skill://x"), "skill", ErrorCode::INVALID_PARAMS),
    ] {
        let ServiceError::McpError(error) = complete(at, argument, "").await.unwrap_err() else { panic!() };
        assert_eq!(error.code, code);
    }
}
