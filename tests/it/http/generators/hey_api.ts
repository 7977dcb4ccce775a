// A session with the client that @hey-api/openapi-ts generates. Takes the address of a service.

import assert from "node:assert/strict";
import * as api from "./client";
import { client } from "./client/client.gen";

async function main() {
  client.setConfig({ baseUrl: process.argv[2] as `http://${string}`, headers: { accept: "application/json" } });
  const path = { user: "u1", session: "from-hey-api" };
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);

  assert.equal((await api.createSession({ path })).response?.status, 201);
  assert.equal((await api.listSkills({ path })).data?.skills.length, 2);
  const shown = await api.showSkill({ path: { user: "u1", skill: "escrituras/compraventa" } });
  assert.match(shown.data?.body ?? "", /^# Compraventa/);
  const loaded = await api.loadSkill({ path, body: { skill: "escrituras/compraventa" } });
  assert.equal(loaded.data?.mount, "/skills/compraventa");

  const file_path = "/workspace/acta.md";
  await api.writeFile({ path, body: { file_path, content: "uno\ndos\n" } });
  const edit = { path, body: { file_path, old_string: "dos", new_string: "tres" } };
  assert.equal((await api.editFile(edit)).data?.occurrences, 1);
  assert.equal((await api.readFile({ path, body: { file_path } })).data?.content, "uno\ntres\n");
  assert.equal((await api.editFile(edit)).error?.code, "old_string_not_found");

  const file = { path: { ...path, path: "workspace/ñ [1]/all.bin" } };
  assert.equal((await api.putFile({ ...file, body: new Blob([bytes]) })).data?.path, "/workspace/ñ [1]/all.bin");
  const got = await api.getFile({ ...file, parseAs: "blob" });
  assert.deepEqual(new Uint8Array(await (got.data as Blob).arrayBuffer()), bytes);
  const uploaded = await api.uploadFiles({ path, body: { '/workspace/a "b".md': new Blob(["quoted"]) } });
  assert.equal(uploaded.data?.files[0].path, '/workspace/a "b".md');
  const many = await api.downloadFiles({ path, body: { paths: ['/workspace/a "b".md', "/workspace/none"] } });
  const files = many.data as api.DownloadReply;
  assert.equal(Buffer.from(files.files[0].content ?? "", "base64").toString(), "quoted");
  assert.equal(files.files[1].error, "file_not_found");

  const content = [{ type: "tool_use", id: "c1", name: "ls", input: { path: "/workspace" } }];
  const turn = (await api.runToolCalls({ path, body: { content } })).data;
  assert.ok(turn && "content" in turn);
  assert.equal(turn.content[0].tool_use_id, "c1");
  assert.equal((await api.deletePath({ path, body: { path: file_path } })).data?.deleted, 1);
  assert.equal((await api.forgetSession({ path })).response?.status, 204);
  console.log("the session is over");
}

main().catch(error => {
  console.error(error);
  process.exit(1);
});
