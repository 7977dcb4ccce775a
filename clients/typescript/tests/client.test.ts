import { expect, test } from "vitest";
import { createSkillmount, SkillmountError } from "../src/index.ts";
import { service, start } from "./server.ts";

const held = service();

test("a call is typed by its path, and what the service refuses rejects with its code", async () => {
  const { client } = held.current;
  const path = { user: "ana", session: "client" };
  const file_path = "/workspace/a.md";
  const written = await client.POST("/v1/users/{user}/sessions/{session}/write", {
    params: { path }, body: { file_path, content: "one\n" },
  });
  expect(written.data?.created).toBe(true);
  const edit = { file_path, old_string: "two", new_string: "three" };
  const refused = client.POST("/v1/users/{user}/sessions/{session}/edit", { params: { path }, body: edit });
  await expect(refused).rejects.toMatchObject({ code: "old_string_not_found", status: 409 });
  await expect(refused).rejects.toBeInstanceOf(SkillmountError);
});

test("a path with anything in it comes back as it was", async () => {
  const { client } = held.current;
  const path = { user: "ana", session: "client", path: "workspace/ñ [1] #?%.bin" };
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  await client.PUT("/v1/users/{user}/sessions/{session}/files/{path}", {
    params: { path }, body: bytes as never, bodySerializer: (given) => given as never,
    headers: { "content-type": "application/octet-stream" },
  });
  const read = await client.GET("/v1/users/{user}/sessions/{session}/files/{path}", { params: { path }, parseAs: "arrayBuffer" });
  expect(new Uint8Array(read.data as unknown as ArrayBuffer)).toEqual(bytes);
});

test("the version of a session is sent back, and so is the key", async () => {
  const guarded = await start("--api-key", "the-key");
  const sent: Headers[] = [];
  const noted = (request: Request) => {
    sent.push(request.headers);
    return fetch(request);
  };
  const client = createSkillmount({ server: `${guarded.url}/`, apiKey: "the-key", fetch: noted });
  const params = { path: { user: "ana", session: "s" } };
  for (const content of ["1", "2"]) {
    const body = { file_path: `/workspace/${content}`, content };
    await client.POST("/v1/users/{user}/sessions/{session}/write", { params, body });
  }
  expect(sent.map((headers) => headers.get("authorization"))).toEqual(["Bearer the-key", "Bearer the-key"]);
  expect(sent[0]?.get("x-skillmount-session-version")).toBeNull();
  expect(sent[1]?.get("x-skillmount-session-version")).toMatch(/\d/);
  const other = createSkillmount({ server: guarded.url, apiKey: "another" });
  await expect(other.GET("/v1/users/{user}/skills", { params: { path: { user: "ana" } } })).rejects.toMatchObject({
    code: "unauthenticated",
  });
  guarded.stop();
});
