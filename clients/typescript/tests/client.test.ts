import { expect, test } from "vitest";
import { skillmountTools } from "../src/ai.ts";
import { createSkillmount, SkillmountError, type SkillmountEvent } from "../src/index.ts";
import { SkillmountSkillSource } from "../src/mastra.ts";
import { failing, service, start, until } from "./server.ts";

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
  const session = held.current.client.session("ana", "client");
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  for (const path of ["/workspace/ñ [1] #?%.bin", "/workspace/a+b&c=d/'quoted\" (2)*!.bin", "/workspace/😀.bin"]) {
    await session.put(path, bytes);
    expect(await session.get(path)).toEqual(bytes);
    const { files } = await session.upload({ [`${path}.up`]: bytes, [`${path}.text`]: "--skillmount-part\r\n" });
    expect(files.map((file) => file.error)).toEqual([undefined, undefined]);
    const [up, text, none] = await session.download([`${path}.up`, `${path}.text`, "/workspace/none"]);
    expect(up).toEqual({ path: `${path}.up`, content: bytes, error: undefined });
    expect(Buffer.from(text?.content ?? []).toString()).toBe("--skillmount-part\r\n");
    expect(none).toMatchObject({ content: undefined, error: "file_not_found" });
  }
});

test("the id of a call that the caller gives is that of its record, and one that no header can hold is omitted", async () => {
  const session = held.current.client.user("ana").session("ids");
  await session.write("/workspace/a.md", "one\n", { callId: "toolu_write" });
  await session.read("/workspace/a.md", { limit: 1, callId: `toolu_${"x".repeat(200)}` });
  await session.put("/workspace/b.bin", new Uint8Array(1), { callId: "toolu_put" });
  await session.ls("/workspace", { callId: "caf\u00e9" });
  const [failed] = await session.toolCalls([{ type: "tool_use", id: "toolu_read", name: "read", input: { file_path: "/workspace/none" } }], {
    details: true,
  });
  expect(failed).toMatchObject({ is_error: true, code: "file_not_found" });
  const called: Record<string, string[]> = {};
  for await (const { operation, call } of held.current.client.user("ana").audit({ session: "ids" })) {
    (called[operation] ??= []).push(call ?? "");
  }
  expect(called).toMatchObject({ write: ["toolu_write", "toolu_put"], read: [`toolu_${"x".repeat(122)}`, "toolu_read"] });
  expect(called["ls"]?.[0]).not.toContain("caf");
});

test("a session has the operations of an agent", async () => {
  const session = held.current.client.user("ana").session("all");
  await session.create({ vars: undefined });
  await session.write("/workspace/a.md", "one\ntwo\nthree\n", { overwrite: undefined });
  await expect(session.write("/workspace/a.md", "x")).rejects.toMatchObject({ code: "already_exists" });
  await session.write("/workspace/a.md", "one\ntwo\nthree\n", { overwrite: true });
  expect((await session.read("/workspace/a.md", { offset: 1, limit: 1 })).content).toContain("two");
  expect((await session.edit("/workspace/a.md", "two", "2")).occurrences).toBe(1);
  expect((await session.grep("^T", { path: "/workspace", ignore_case: true })).matches).toHaveLength(1);
  expect((await session.glob("*.md", "/workspace")).matches).toHaveLength(1);
  await session.move("/workspace/a.md", "/workspace/deep/b.md");
  expect((await session.ls("/workspace")).entries.map((entry) => entry.path)).toEqual(["/workspace/deep"]);
  await session.delete("/workspace/deep");
  expect((await session.discoverSkills("lease")).skills[0]?.skill).toBe("law/leases");
  expect((await session.loadSkill("leases", { arguments: "garage" })).body).toContain("SECRET-OF-LEASES");
  expect((await session.prompt({ mode: "listing", max_tokens: 500 })).mode).toBe("listing");
  expect((await session.tools({ format: "openai" }))[0]).toMatchObject({ type: "function" });
  const [result] = await session.toolCalls([{ type: "tool_use", id: "1", name: "ls", input: { path: "/" } }]);
  expect(result).toMatchObject({ tool_use_id: "1", content: expect.stringContaining("/skills") });
  expect((await session.message("/leases garage")).command).toMatchObject({ skill: "law/leases" });
  const drafting = session.createSkill({ name: "drafted", description: "Is a draft. Use when asked.", body: "# Draft\nRead the file and say what is in it, step by step.\n" });
  await expect(drafting).rejects.toMatchObject({ code: "approval_required" });
  expect((await session.change({ current_skill: null })).current_skill).toBeNull();
  expect((await session.unloadSkill("leases")).status).toBe("unloaded");
  expect((await session.show()).loaded_skills).toEqual([]);
  await session.forget({ workspace: true });
});

test("a user has skills with their versions, and everything that authors do with them", async () => {
  const user = held.current.client.user("author");
  const one = await user.publish("law/deeds", { description: "Drafts deeds. Use when someone sells.", body: "ONE\n" });
  const text = "---\nname: deeds\ndescription: Drafts deeds. Use when someone sells.\n---\nTWO\n";
  const files = { "SKILL.md": text, "forms/a 'b'.md": "FORM\n" };
  const two = await user.publish("law/deeds", files, { ifMatch: one.digest, source: "test" });
  await expect(user.publish("law/deeds", files, { ifNoneMatch: "*" })).rejects.toBeInstanceOf(SkillmountError);
  await expect(user.change("law/deeds", { body: "x" }, { ifMatch: one.digest })).rejects.toMatchObject({ code: "version_conflict" });
  const versions = await Array.fromAsync(user.versions("law/deeds"));
  expect(versions.map((version) => version.digest)).toEqual([two.digest, one.digest]);
  expect((await user.diff("law/deeds", { from: one.digest, to: two.digest })).diff).toContain("+TWO");
  expect((await user.skill("law/deeds", { digest: one.digest })).body).toContain("ONE");
  expect(Buffer.from(await user.skillFile("law/deeds", "forms/a 'b'.md")).toString()).toBe("FORM\n");
  expect(Object.keys(await user.skillFiles("law/deeds")).sort()).toEqual(["SKILL.md", "forms/a 'b'.md"]);
  expect(Object.keys(await user.skillFiles("law/deeds", { paths: ["SKILL.md"] }))).toEqual(["SKILL.md"]);
  await expect(user.skillFiles("law/deeds", { paths: ["none"] })).rejects.toBeInstanceOf(SkillmountError);
  const zip = await user.skillZip("law/deeds");
  expect(Buffer.from(zip.slice(0, 2)).toString()).toBe("PK");
  expect((await user.publish("work/deeds", zip, { state: "draft" })).state).toBe("draft");
  expect((await user.change("work/deeds", { state: "published" })).state).toBe("published");
  await user.rollback("law/deeds", one.digest);
  expect((await user.skill("law/deeds")).body).toContain("ONE");
  await user.deleteSkill("work/deeds");
  expect((await Array.fromAsync(user.skills({ category: "law", fresh: true }))).map((skill) => skill.skill)).toEqual(["law/deeds"]);
  expect((await user.discover("someone sells a house")).skills[0]?.skill).toBe("law/deeds");
  expect((await Array.fromAsync(user.lint({ skill: "law/deeds" }))).map((linted) => linted.skill)).toEqual(["law/deeds"]);
  expect((await user.catalog()).skills).toBe(1);
  expect((await user.refreshCatalog()).skills).toBe(1);
  expect((await user.rebuildCatalog()).skills).toBe(1);
});

test("a user has sessions, a policy, records and approvals, and can be exported and deleted", async () => {
  const { client } = held.current;
  const user = client.user("operated");
  await user.setPolicy({ tools: { "*": "auto", write: "ask" } });
  expect((await user.policy()).tools).toMatchObject({ write: "ask" });
  await user.session("s").upload({ "/workspace/a": "x" }).catch(() => undefined);
  await expect(user.session("s").write("/workspace/a", "x")).rejects.toMatchObject({ code: "approval_required" });
  const waiting = await Array.fromAsync(user.approvals());
  const write = waiting.find((each) => each.waiting.tool === "write");
  expect(write).toMatchObject({ session: "s", waiting: { seconds_left: expect.any(Number) } });
  await user.session("s").decide(String(write?.waiting.approval_id), { decision: "allow", remember: undefined });
  expect((await user.session("s").write("/workspace/a", "x")).created).toBe(true);
  expect((await Array.fromAsync(user.sessions())).map((session) => session.session_id)).toEqual(["s"]);
  const records = await Array.fromAsync(user.audit({ session: "s", operation: "write" }));
  expect(records.map((record) => record.outcome)).toEqual(["approval_required", "ok"]);
  expect((await user.usage()).conversations).toBe(1);
  expect((await user.collectSessions()).removed).toBe(0);
  const parts = await Array.fromAsync(await user.export());
  expect(Buffer.concat(parts).includes("operated/")).toBe(true);
  expect((await Array.fromAsync(client.users())).map((each) => each.user_id)).toContain("operated");
  await user.delete();
  expect((await user.deletion()).user_id).toBe("operated");
});

test("lists come page by page, and every entry once", async () => {
  const user = held.current.client.user("pages");
  for (let at = 0; at < 3; at += 1) await user.session(`s${at}`).create();
  const seen: string[] = [];
  const paged = createSkillmount({
    server: held.current.url,
    fetch: (request) => {
      const url = new URL(request.url);
      url.searchParams.set("limit", "1");
      seen.push(url.search);
      return fetch(new Request(url, request));
    },
  });
  expect((await Array.fromAsync(paged.user("pages").sessions())).map((session) => session.session_id)).toEqual(["s0", "s1", "s2"]);
  expect(seen.length).toBeGreaterThanOrEqual(3);
  expect((await Array.fromAsync(paged.user("ana").versions("law/leases"))).length).toBe(1);
});

test("events come as they happen, go on from one of them, and end with the signal", async () => {
  const { client } = held.current;
  const controller = new AbortController();
  const seen: SkillmountEvent[] = [];
  const watch = async (after?: string) => {
    for await (const event of client.session("ana", "watched").events({ signal: controller.signal, after })) seen.push(event);
  };
  const watching = failing(() => watch());
  const call = { type: "tool_use" as const, name: "ls", input: { path: "/" } };
  const session = client.session("ana", "watched");
  await until(async () => (await session.toolCalls([{ ...call, id: `ñ${seen.length}` }])) && seen.filter((event) => event.id).length >= 2);
  expect(seen.map((event) => JSON.stringify(event.data)).join()).toContain('"id":"ñ0"');
  const [first, second] = seen.flatMap((event) => event.id ?? []);
  const before = seen.length;
  const again = failing(() => watch(first));
  await until(() => seen.slice(before).some((event) => event.id === second));
  expect(seen.slice(before).some((event) => event.id === first)).toBe(false);
  controller.abort();
  expect((await watching).error["name"]).toBe("AbortError");
  expect((await again).error["name"]).toBe("AbortError");
  expect(seen.map((event) => event.event)).toContain("tool_use_start");
});

test("every option may be undefined, so a variable that may be absent can be given", async () => {
  const absent = undefined as undefined;
  const client = createSkillmount({ server: held.current.url, apiKey: absent, timeout: absent, retry: absent, fetch: absent });
  const session = client.session("ana", "absent");
  await session.read("/workspace/none", { offset: absent, limit: absent, signal: absent, apiKey: absent }).catch(() => undefined);
  await session.grep("x", { path: absent, glob: absent, literal: absent, max_count: absent, signal: absent });
  await session.prompt({ mode: absent, format: absent, category: absent, max_tokens: absent });
  await session.loadSkill("leases", { arguments: absent, mount_as: absent, digest: absent, body: absent });
  await client.user("ana").diff("law/leases", { from: absent, to: absent, layer: absent }).catch(() => undefined);
  await client.GET("/v1/users/{user}/skills", { params: { path: { user: "ana" }, query: { category: absent, cursor: absent } } });
  await skillmountTools(client, { user: "ana", session: "absent", tools: absent, only: absent, approvals: absent, log: absent });
  const source = new SkillmountSkillSource(client, { user: "ana", root: absent, maxAge: absent, log: absent });
  expect(await source.exists("skills/leases")).toBe(true);
});

test("an older answer that comes later does not replace the version of a session", async () => {
  const versions = ["life.2", "life.1", "next.1", undefined];
  const sent: (string | null)[] = [];
  const client = createSkillmount({
    server: held.current.url,
    fetch: async (request) => {
      sent.push(request.headers.get("x-skillmount-session-version"));
      const version = versions[sent.length - 1];
      return Response.json({ entries: [] }, { headers: version ? { "x-skillmount-session-version": version } : {} });
    },
  });
  for (const _ of versions) await client.session("ana", "s").ls();
  expect(sent).toEqual([null, "life.2", "life.2", "next.1"]);
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
