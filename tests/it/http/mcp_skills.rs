//! The Skills extension of MCP: skills as a host lists and fetches them.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use skillmount::limits::{MCP_PAGE_FILES, MCP_PAGE_SKILLS, MCP_SKILL_BYTES, MCP_SKILL_FILES};

use super::{
    Server,
    mcp::{call, config, tool},
};

fn main_of(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Hace {name}.\n---\nPasos.\n")
}

/// The result of a call that succeeds.
async fn result(server: &Server, method: &str, params: Value) -> Value {
    let answer = call(server, &[], method, params).await;
    let result = answer.is(200)["result"].clone();
    assert!(result.is_object(), "{method}: {}", answer.json);
    result
}

/// The code of the error of a call that fails.
async fn refused(server: &Server, method: &str, params: Value) -> Value {
    let answer = call(server, &[], method, params).await;
    assert!(answer.json["result"].is_null(), "{method}: {}", answer.json);
    answer.json["error"]["code"].clone()
}

async fn listed(server: &Server) -> Vec<Value> {
    result(server, "skills/list", json!({})).await["skills"].as_array().unwrap().clone()
}

fn names(skills: &[Value]) -> Vec<&str> {
    skills.iter().map(|skill| skill["frontmatter"]["name"].as_str().unwrap()).collect()
}

async fn bytes_of(server: &Server, uri: &str) -> (Vec<u8>, String) {
    let read = result(server, "resources/read", json!({"uri": uri})).await;
    let contents = &read["contents"][0];
    assert_eq!(contents["uri"], uri);
    let bytes = match contents["text"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => BASE64_STANDARD.decode(contents["blob"].as_str().unwrap()).unwrap(),
    };
    (bytes, contents["mimeType"].as_str().unwrap().to_owned())
}

async fn refresh(server: &Server) {
    let url = format!("{}/v1/users/me/catalog/refresh", server.base);
    server.send(Method::POST, &url, &json!({})).await.is(200);
}

// S-MCP-7: A host that supports the Skills extension lists the skills of the catalog and fetches their files, without
// loading them. It gets the whole frontmatter, and the SHA-256 and the size of the bytes of each file.
#[tokio::test]
async fn a_host_is_shown_every_file_with_the_digest_of_what_it_reads() {
    let server = Server::with(config()).await;
    let text = "---\nname: compraventa\ndescription: Redacta.\nfecha: 2025-01-31\nextra: {a: [1, true]}\n---\nPasos.\n";
    server.memory.put_raw("me/skills/escrituras/compraventa/SKILL.md", text);
    server.memory.put_raw("me/skills/escrituras/compraventa/anexo/año 1.md", "uno\r\n");
    server.memory.put_raw("me/skills/escrituras/compraventa/anexo/logo.png", b"\x89PNG\r\n\x1a\n\0\0".to_vec());
    let uri = "skill://escrituras/compraventa/SKILL.md";
    let skills = listed(&server).await;
    assert_eq!((&skills[0]["uri"], &skills[0]["resources"]), (&json!(uri), &json!("dynamic")), "not known yet");
    let whole = json!({
        "name": "compraventa", "description": "Redacta.", "fecha": "2025-01-31", "extra": {"a": [1, true]}
    });
    assert_eq!(skills[0]["frontmatter"], whole);

    let got = result(&server, "skills/get", json!({"uri": uri})).await;
    assert_eq!((&got["cacheScope"], &got["ttlMs"]), (&json!("private"), &json!(30_000)));
    assert_eq!(got["skill"]["frontmatter"], whole);
    assert_eq!(listed(&server).await, [got["skill"].clone()], "from now on the listing has them too");
    let mut types = Vec::new();
    for file in got["skill"]["resources"].as_array().unwrap() {
        let (bytes, media_type) = bytes_of(&server, file["uri"].as_str().unwrap()).await;
        assert_eq!(file["size"], bytes.len());
        assert_eq!(file["digest"], format!("sha256:{}", hex::encode(Sha256::digest(&bytes))));
        types.push((file["uri"].as_str().unwrap().to_owned(), media_type));
    }
    let file = |path: &str, kind: &str| (format!("skill://escrituras/compraventa/{path}"), kind.to_owned());
    assert_eq!(
        types,
        [
            file("SKILL.md", "text/markdown"),
            file("anexo/a%C3%B1o%201.md", "text/markdown"),
            file("anexo/logo.png", "image/png")
        ]
    );
    assert!(tool(&server, &[], "ls", json!({"path": "/skills"})).await.0, "nothing was loaded");

    server.memory.put_raw("me/skills/escrituras/compraventa/anexo/año 1.md", "dos");
    assert_eq!(bytes_of(&server, &types[1].0).await.0, b"dos", "the bytes that there are");
    refresh(&server).await;
    let changed = result(&server, "skills/get", json!({"uri": uri})).await;
    let digest = |got: &Value, at: usize| got["skill"]["resources"][at]["digest"].clone();
    assert_eq!(digest(&changed, 1), format!("sha256:{}", hex::encode(Sha256::digest("dos"))));
    assert_eq!((digest(&changed, 0), digest(&changed, 2)), (digest(&got, 0), digest(&got, 2)));
}

// S-MCP-8: The digests of a published skill are there from its publish on. The service computes the digests of any
// other skill on a host's request, and in the background, with a second between two skills. Until then its files are
// `dynamic`.
#[tokio::test]
async fn a_published_skill_is_listed_with_its_digests_at_once() {
    let server = Server::with(config()).await;
    let files = json!({"description": "Toma notas.", "body": "Pasos.\n", "files": {"r/a.md": "texto"}});
    server.send(Method::PUT, &format!("{}/v1/users/me/skills/notas", server.base), &files).await.is(201);
    let skills = listed(&server).await;
    let resources = skills[0]["resources"].as_array().unwrap();
    assert_eq!(resources[1]["uri"], "skill://notas/r/a.md");
    assert_eq!(resources[1]["digest"], format!("sha256:{}", hex::encode(Sha256::digest("texto"))));
    assert_eq!(bytes_of(&server, "skill://notas/r/a.md").await, (b"texto".to_vec(), "text/markdown".to_owned()));
}

#[tokio::test]
async fn resources_are_the_main_files_and_a_folder_has_what_lies_directly_in_it() {
    let server = Server::with(config()).await;
    server.memory.put_raw("me/skills/a/notas/SKILL.md", main_of("notas"));
    server.memory.put_raw("me/skills/a/notas/r/uno.json", "{}");
    server.memory.put_raw("me/skills/a/notas/r/s/dos", "x");
    let resources = result(&server, "resources/list", json!({})).await["resources"].clone();
    let main = json!({
        "uri": "skill://a/notas/SKILL.md", "name": "notas", "description": "Hace notas.", "mimeType": "text/markdown"
    });
    assert_eq!((&resources[0]["uri"], &resources[1]), (&json!("skill://index.json"), &main));
    let (index, _) = bytes_of(&server, "skill://index.json").await;
    let index: Value = serde_json::from_slice(&index).unwrap();
    let entry = json!({
        "name": "notas", "type": "skill-md", "description": "Hace notas.", "url": "skill://a/notas/SKILL.md"
    });
    assert_eq!(index["skills"], json!([entry]));

    let folder = async |uri: &str| {
        let read = result(&server, "resources/directory/read", json!({"uri": uri})).await;
        let children = read["resources"].as_array().unwrap().clone();
        children.iter().map(|child| (child["uri"].clone(), child["mimeType"].clone())).collect::<Vec<_>>()
    };
    let child = |path: &str, kind: Value| (json!(format!("skill://a/notas/{path}")), kind);
    let folders = json!("inode/directory");
    assert_eq!(
        folder("skill://a/notas").await,
        [child("SKILL.md", json!("text/markdown")), child("r", folders.clone())]
    );
    assert_eq!(
        folder("skill://a/notas/r").await,
        [child("r/s", folders), child("r/uno.json", json!("application/json"))]
    );
    for uri in ["skill://a/notas/SKILL.md", "skill://a/notas/none", "skill://a", "skill://none", "skill://a/notas/"] {
        assert_eq!(refused(&server, "resources/directory/read", json!({"uri": uri})).await, -32602, "{uri}");
    }
    for uri in ["skill://a/notas", "skill://a/notas/none", "skill://a/notas/r", "skill://none/SKILL.md", "x", ""] {
        assert_eq!(refused(&server, "resources/read", json!({"uri": uri})).await, -32602, "{uri}");
        assert_eq!(refused(&server, "skills/get", json!({"uri": uri})).await, -32602, "{uri}");
    }
    assert_eq!(refused(&server, "skills/get", json!({"uri": "skill://a/notas/r/uno.json"})).await, -32602);
}

// S-MCP-9: A skill that is not there for hosts gets -32602. The service hides skills that a policy hides, skills with
// approval for each use, and skills over 512 files or 16 MiB. It also hides skills that the protocol does not take: for
// example, the name must equal the folder's name.
#[tokio::test]
async fn a_skill_that_hosts_are_not_shown_costs_no_other() {
    let server = Server::with(config()).await;
    for name in ["bien", "oculta", "aprobada", "llena", "rebosa", "pesada", "gorda"] {
        server.memory.put_raw(&format!("me/skills/{name}/SKILL.md"), main_of(name));
    }
    server.memory.put_raw("me/skills/Mal/SKILL.md", main_of("Mal"));
    server.memory.put_raw("me/skills/otra/SKILL.md", main_of("distinta"));
    server.memory.put_raw("me/skills/anon/SKILL.md", "---\ndescription: Sin nombre.\n---\nx\n");
    for number in 1..=MCP_SKILL_FILES {
        server.memory.put_raw(&format!("me/skills/rebosa/{number}"), "x");
        if number < MCP_SKILL_FILES {
            server.memory.put_raw(&format!("me/skills/llena/{number}"), "x");
        }
    }
    let rest = usize::try_from(MCP_SKILL_BYTES).unwrap() - main_of("gorda").len();
    server.memory.put_raw("me/skills/gorda/a.bin", vec![b'a'; rest]);
    server.memory.put_raw("me/skills/pesada/a.bin", vec![b'a'; rest]);
    let policy = json!({"skills": {"oculta": "disabled", "aprobada": "enabled"}});
    server.send(Method::PUT, &format!("{}/v1/users/me/policy", server.base), &policy).await.is(200);
    assert_eq!(names(&listed(&server).await), ["bien", "gorda", "llena"]);
    let full = result(&server, "skills/get", json!({"uri": "skill://llena/SKILL.md"})).await;
    assert_eq!(full["skill"]["resources"].as_array().unwrap().len(), MCP_SKILL_FILES);
    assert_eq!(bytes_of(&server, "skill://gorda/a.bin").await.0.len(), rest);
    for name in ["oculta", "aprobada", "rebosa", "pesada", "Mal", "otra", "anon"] {
        let uri = json!({"uri": format!("skill://{name}/SKILL.md")});
        assert_eq!(refused(&server, "skills/get", uri).await, -32602, "{name}");
    }

    let closed = json!({"catalog_reads": false});
    server.send(Method::PUT, &format!("{}/v1/users/me/policy", server.base), &closed).await.is(200);
    assert_eq!(listed(&server).await, Vec::<Value>::new());
    assert_eq!(result(&server, "resources/list", json!({})).await["resources"], json!([]));
    for uri in ["skill://bien/SKILL.md", "skill://index.json"] {
        assert_eq!(refused(&server, "resources/read", json!({"uri": uri})).await, -32602, "{uri}");
    }
}

// S-MCP-10: Skills come 100 at a time, and fewer if they have more than 2,000 files; a cursor serves its own user
// alone.
#[tokio::test]
async fn a_listing_is_paged_and_a_cursor_belongs_to_its_user() {
    let server = Server::with(config()).await;
    let name = |number: usize| format!("s{number:03}");
    for number in 0..=MCP_PAGE_SKILLS {
        server.memory.put_raw(&format!("me/skills/{}/SKILL.md", name(number)), main_of(&name(number)));
    }
    let pages = async |method: &str, items: &str| {
        let first = result(&server, method, json!({})).await;
        let next = result(&server, method, json!({"cursor": first["nextCursor"]})).await;
        assert!(next["nextCursor"].is_null());
        let counts = (first[items].as_array().unwrap().len(), next[items].as_array().unwrap().len());
        (counts, next[items][0]["uri"].clone(), first["nextCursor"].clone())
    };
    let last = json!(format!("skill://{}/SKILL.md", name(MCP_PAGE_SKILLS)));
    let (counts, uri, cursor) = pages("skills/list", "skills").await;
    assert_eq!((counts, uri), ((MCP_PAGE_SKILLS, 1), last.clone()));
    let (counts, uri, _) = pages("resources/list", "resources").await;
    assert_eq!((counts, uri), ((MCP_PAGE_SKILLS + 1, 1), last), "the list of all skills comes first");

    let other = call(&server, &[("x-skillmount-user", "u2")], "skills/list", json!({"cursor": cursor})).await;
    assert_eq!(other.json["error"]["code"], -32602);
    for odd in [":", "s001", "é", &format!("{}/..", cursor.as_str().unwrap())] {
        assert_eq!(refused(&server, "skills/list", json!({"cursor": odd})).await, -32602, "{odd}");
    }
    assert_eq!(
        refused(&server, "resources/directory/read", json!({"uri": "skill://s000", "cursor": "x"})).await,
        -32602
    );
}

#[tokio::test]
async fn a_page_has_no_more_files_than_it_may() {
    let server = Server::with(config()).await;
    let each = MCP_PAGE_FILES / 4;
    for name in ["a", "b", "c", "d", "e"] {
        server.memory.put_raw(&format!("me/skills/{name}/SKILL.md"), main_of(name));
        for number in 1..each {
            server.memory.put_raw(&format!("me/skills/{name}/{number}"), "x");
        }
        result(&server, "skills/get", json!({"uri": format!("skill://{name}/SKILL.md")})).await;
    }
    let first = result(&server, "skills/list", json!({})).await;
    assert_eq!(names(first["skills"].as_array().unwrap()), ["a", "b", "c", "d"]);
    let next = result(&server, "skills/list", json!({"cursor": first["nextCursor"]})).await;
    assert_eq!((names(next["skills"].as_array().unwrap()), &next["nextCursor"]), (vec!["e"], &Value::Null));
}
