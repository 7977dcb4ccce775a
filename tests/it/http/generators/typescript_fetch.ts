// A session with the client that openapi-generator generates for TypeScript. Takes the address of a service.

import assert from "node:assert/strict";
import { Configuration, ErrorCode, FilesApi, ResponseError, SessionsApi, SkillsApi, ToolsApi } from "./client";

async function main() {
  const configuration = new Configuration({ basePath: process.argv[2], headers: { accept: "application/json" } });
  const [files, skills] = [new FilesApi(configuration), new SkillsApi(configuration)];
  const [sessions, tools] = [new SessionsApi(configuration), new ToolsApi(configuration)];
  const at = { user: "u1", session: "from-typescript-fetch" };
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);

  const made = await sessions.createSessionRaw(at);
  assert.equal(made.raw.status, 201);
  assert.equal((await skills.listSkills({ user: "u1" })).skills.length, 2);
  assert.match((await skills.showSkill({ user: "u1", skill: "escrituras/compraventa" })).body, /^# Compraventa/);
  assert.match((await skills.renderPrompt(at)).prompt, /compraventa/);
  const loaded = await skills.loadSkill({ ...at, loadSkillRequest: { skill: "escrituras/compraventa" } });
  assert.equal(loaded.mount, "/skills/compraventa");

  await files.writeFile({ ...at, writeRequest: { filePath: "/workspace/acta.md", content: "uno\ndos\n" } });
  const editRequest = { filePath: "/workspace/acta.md", oldString: "dos", newString: "tres" };
  assert.equal((await files.editFile({ ...at, editRequest })).occurrences, 1);
  assert.equal((await files.readFile({ ...at, readRequest: { filePath: "/workspace/acta.md" } })).content, "uno\ntres\n");
  const refused: ResponseError = await files.editFile({ ...at, editRequest }).then(() => assert.fail(), error => error);
  assert.equal((await refused.response.json()).code, ErrorCode.OldStringNotFound);

  const path = "workspace/ñ [1]/all.bin";
  assert.equal((await files.putFile({ ...at, path, body: new Blob([bytes]) })).path, `/${path}`);
  assert.deepEqual(new Uint8Array(await (await files.getFile({ ...at, path })).arrayBuffer()), bytes);
  const part = await files.getFileRaw({ ...at, path, range: "bytes=1-3" });
  assert.equal(part.raw.status, 206);
  const got = await files.downloadFiles({ ...at, downloadRequest: { paths: [`/${path}`, "/workspace/none"] } });
  assert.deepEqual(new Uint8Array(Buffer.from(got.files[0].content ?? "", "base64")), bytes);
  assert.equal(got.files[1].error, ErrorCode.FileNotFound);

  assert.ok((await tools.listTools(at)).tools.length > 0);
  const content = [{ type: "tool_use", id: "c1", name: "ls", input: { path: "/workspace" } }];
  const turn = await tools.runToolCalls({ ...at, toolCallsRequest: { content } });
  assert.ok("content" in turn);
  assert.equal(turn.content[0].toolUseId, "c1");
  assert.equal((await tools.sendMessage({ ...at, messageRequest: { text: "hola" } })).text, "hola");
  assert.equal((await files.deletePath({ ...at, deleteRequest: { path: "/workspace/acta.md" } })).deleted, 1);
  await sessions.forgetSession(at);
  console.log("the session is over");
}

main().catch(error => {
  console.error(error);
  process.exit(1);
});
