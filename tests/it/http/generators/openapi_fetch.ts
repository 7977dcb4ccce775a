// A session with openapi-fetch over the types that openapi-typescript generates. Takes the address of a service.

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

const USER = "/v1/users/{user}";
const SESSION = "/v1/users/{user}/sessions/{session}";

async function main() {
  const api = createClient<paths>({ baseUrl: process.argv[2], headers: { accept: "application/json" } });
  const params = { path: { user: "u1", session: "from-openapi-fetch" } };
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);

  const made = await api.PUT(SESSION, { params });
  assert.equal(made.response.status, 201);
  assert.equal((await api.GET(`${USER}/skills`, { params })).data?.skills.length, 2);
  const shown = await api.GET(`${USER}/skills/{skill}`, { params: { path: { user: "u1", skill: "escrituras/compraventa" } } });
  const page = typeof shown.data === "object" ? shown.data.body : "";
  assert.match(page, /^# Compraventa/);
  const prompt = await api.GET(`${SESSION}/prompt`, { params });
  const text = typeof prompt.data === "object" ? prompt.data.prompt : "";
  assert.match(text, /compraventa/);
  const unchanged = { ...params, header: { "If-None-Match": prompt.response.headers.get("etag") ?? "" } };
  assert.equal((await api.GET(`${SESSION}/prompt`, { params: unchanged })).response.status, 304);
  const loaded = await api.POST(`${SESSION}/load_skill`, { params, body: { skill: "escrituras/compraventa", invoker: "model" } });
  assert.equal(loaded.data?.mount, "/skills/compraventa");

  const file_path = "/workspace/acta.md";
  await api.POST(`${SESSION}/write`, { params, body: { file_path, content: "uno\ndos\n", overwrite: false } });
  const body = { file_path, old_string: "dos", new_string: "tres", replace_all: false };
  assert.equal((await api.POST(`${SESSION}/edit`, { params, body })).data?.occurrences, 1);
  const read = await api.POST(`${SESSION}/read`, { params, body: { file_path, offset: 0, limit: 10 } });
  assert.equal(read.data?.content, "uno\ntres\n");
  const refused: components["schemas"]["ErrorCode"] | undefined = (await api.POST(`${SESSION}/edit`, { params, body })).error?.code;
  assert.equal(refused, "old_string_not_found");

  const file = { path: { ...params.path, path: "workspace/ñ [1]/all.bin" } };
  const written = await api.PUT(`${SESSION}/files/{path}`, {
    params: file,
    headers: { "content-type": "application/octet-stream" },
    body: "",
    bodySerializer: () => new Blob([bytes]),
  });
  assert.equal(written.data?.path, "/workspace/ñ [1]/all.bin");
  const got = await api.GET(`${SESSION}/files/{path}`, { params: file, parseAs: "arrayBuffer" });
  assert.deepEqual(new Uint8Array(got.data as ArrayBuffer), bytes);
  const many = await api.POST(`${SESSION}/download`, { params, body: { paths: ["/workspace/ñ [1]/all.bin", "/workspace/none"] } });
  const files = many.data as components["schemas"]["DownloadReply"];
  assert.deepEqual(new Uint8Array(Buffer.from(files.files[0].content ?? "", "base64")), bytes);
  assert.equal(files.files[1].error, "file_not_found");

  const content = [{ type: "tool_use", id: "c1", name: "ls", input: { path: "/workspace" } }];
  const turn = (await api.POST(`${SESSION}/tool_calls`, { params, body: { content } })).data;
  assert.ok(turn && "content" in turn);
  assert.equal(turn.content[0].tool_use_id, "c1");
  assert.equal((await api.POST(`${SESSION}/delete`, { params, body: { path: file_path } })).data?.deleted, 1);
  assert.equal((await api.DELETE(SESSION, { params })).response.status, 204);
  console.log("the session is over");
}

main().catch(error => {
  console.error(error);
  process.exit(1);
});
