//! Skills that people call, in the menus of hosts.

use rmcp::{
    ServiceError,
    model::{ErrorCode, GetPromptRequestParams, PaginatedRequestParams},
};
use serde_json::{Value, json};
use skillmount::limits::MCP_PAGE_SKILLS;

use super::Conversation;
use crate::cli::{Home, skill};

const CARTA: &str = "---\nname: carta\ndescription: Escribe cartas. Úsala siempre.\nparameters:\n  - name: destino\n    \
                     description: A quién va\n    required: true\n  - name: tono\n    required: true\n    default: formal\n---\n\n\
                     Para [{{destino}}] en tono [{{tono}}].\n";

// S-MCP-3: Each skill that a person may call is a prompt, and getting it loads the skill. Its declared parameters are
// arguments of the prompt, and `arguments` takes all of them as a person types them behind a command.
#[tokio::test]
async fn the_parameters_of_a_skill_are_arguments_of_its_prompt() {
    let home = Home::with_skills();
    home.file("more/carta/SKILL.md", CARTA);
    home.ok(&["push", "more"]);
    let conversation = Conversation::begin(&home, &[]).await;
    let prompts = serde_json::to_value(conversation.host.list_all_prompts().await.unwrap()).unwrap();
    let shown: Vec<_> = prompts[0]["arguments"].as_array().unwrap().iter().collect();
    assert_eq!(prompts[0]["name"], "carta");
    assert_eq!(*shown[0], json!({"name": "destino", "description": "A quién va", "required": true}));
    assert_eq!(*shown[1], json!({"name": "tono", "required": false}), "it has a default");
    assert_eq!((&shown[2]["name"], &shown[2]["required"], shown.len()), (&json!("arguments"), &json!(false), 3));

    let get = async |given: Value| {
        let mut wanted = GetPromptRequestParams::new("carta");
        wanted.arguments = given.as_object().cloned();
        let prompt = conversation.host.get_prompt(wanted).await;
        prompt.map(|prompt| prompt.messages[0].content.as_text().unwrap().text.clone())
    };
    for (given, said) in [
        (json!({"destino": "Ana"}), "Para [Ana] en tono [formal]."),
        (
            json!({"destino": "Ana \"la\" \\ de 'aquí'", "tono": "serio y claro"}),
            "[Ana \"la\" \\ de 'aquí'] en tono [serio y claro]",
        ),
        (json!({"arguments": "destino=Ana tono=serio"}), "Para [Ana] en tono [serio]."),
        (json!({"arguments": "Ana", "tono": "serio"}), "Para [Ana] en tono [serio]."),
    ] {
        let text = get(given.clone()).await.unwrap();
        assert!(text.contains(said), "{given}: {text}");
    }
    for odd in [json!({"destin": "Ana"}), json!({"destino": 3}), json!({"arguments": null})] {
        let refused = get(odd.clone()).await.unwrap_err();
        assert!(refused.to_string().contains("destino, tono, arguments"), "{odd}: {refused}");
    }
}

// S-MCP-10: Skills come 100 at a time, and fewer if they have more than 2,000 files; a cursor serves its own user
// alone. Prompts come 100 at a time too, and tools all at once. Any other cursor gets -32602.
#[tokio::test]
async fn prompts_are_paged_and_foreign_cursors_refused() {
    let home = Home::new();
    let name = |number: usize| format!("s{number:03}");
    for number in 0..=MCP_PAGE_SKILLS {
        home.file(&format!("skills/{0}/SKILL.md", name(number)), &skill(&name(number), "Hace algo."));
    }
    home.ok(&["push", "skills"]);
    let host = Conversation::begin(&home, &[]).await.host;
    let page = |cursor: Option<&str>| {
        let mut page = PaginatedRequestParams::default();
        page.cursor = cursor.map(str::to_owned);
        Some(page)
    };
    let first = host.list_prompts(None).await.unwrap();
    let next = host.list_prompts(page(first.next_cursor.as_deref())).await.unwrap();
    assert_eq!((first.prompts.len(), next.prompts.len(), next.next_cursor), (MCP_PAGE_SKILLS, 1, None));
    assert_eq!(next.prompts[0].name, name(MCP_PAGE_SKILLS));

    // Once it was used, the last one is on the first page of later conversations, and the rest is in order behind it.
    host.get_prompt(GetPromptRequestParams::new(name(MCP_PAGE_SKILLS))).await.unwrap();
    host.cancel().await.unwrap();
    let host = Conversation::begin(&home, &[]).await.host;
    let first = host.list_prompts(None).await.unwrap();
    let next = host.list_prompts(page(first.next_cursor.as_deref())).await.unwrap();
    assert_eq!((first.prompts[0].name.clone(), next.prompts[0].name.clone()), (name(MCP_PAGE_SKILLS), name(99)));
    assert_eq!((first.prompts.len(), next.prompts.len(), next.next_cursor), (MCP_PAGE_SKILLS, 1, None));

    let other = Conversation::begin(&home, &["--user", "otto"]).await.host;
    let own = first.next_cursor.as_deref();
    for refused in [
        other.list_prompts(page(own)).await.map(drop),
        host.list_prompts(page(Some("x"))).await.map(drop),
        host.list_tools(page(own)).await.map(drop),
        host.list_resource_templates(page(own)).await.map(drop),
    ] {
        let ServiceError::McpError(error) = refused.unwrap_err() else { panic!() };
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    }
}
