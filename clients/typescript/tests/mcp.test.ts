import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema, ElicitRequestSchema, ToolListChangedNotificationSchema, type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, expect, test } from "vitest";
import { failing, front, PROGRAM, publish, service, startOn, until, type Whim } from "./server.ts";

const held = service();
const stops: (() => unknown)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

/** A host that is connected to a session over HTTP. */
async function host(session: string | undefined, { url = held.current.url, user = "ana" } = {}): Promise<Client> {
  const headers = { "x-skillmount-user": user, ...(session ? { "x-skillmount-session": session } : {}) };
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }) as never);
  stops.push(() => client.close());
  return client;
}

/** Calls a tool, and returns whether it failed and its text. */
async function call(client: Client, name: string, input: Record<string, unknown>, options: object = {}) {
  const result = CallToolResultSchema.parse(await client.callTool({ name, arguments: input }, undefined, options));
  const [block] = result.content;
  return { failed: result.isError === true, text: block?.type === "text" ? block.text : "" };
}

const names = async (client: Client) => (await client.listTools()).tools.map((tool) => tool.name);

test("headers or the address say whose session it is, and a conversation without them has one of its own", async () => {
  const named = await host("named");
  await call(named, "load_skill", { skill: "leases" });
  expect((await held.current.client.session("ana", "named").show()).loaded_skills).toHaveLength(1);
  const url = new URL("/v1/users/eva/sessions/addressed/mcp", held.current.url);
  const addressed = new Client({ name: "test", version: "1" });
  await addressed.connect(new StreamableHTTPClientTransport(url) as never);
  stops.push(() => addressed.close());
  await call(addressed, "write", { file_path: "/workspace/a", content: "of eva" });
  expect((await held.current.client.session("eva", "addressed").read("/workspace/a")).content).toContain("of eva");
  const [one, other] = [await host(undefined), await host(undefined)];
  await call(one, "write", { file_path: "/workspace/a", content: "of one" });
  expect((await call(one, "read", { file_path: "/workspace/a" })).text).toContain("of one");
  expect((await call(other, "read", { file_path: "/workspace/a" })).failed).toBe(true);
});

test("a host is told when its tools change, and its next listing has them", async () => {
  const { client } = held.current;
  await client.session("ana", "modes").create({ policy: { prompt_mode: "discover" } });
  const mcp = await host("modes");
  let changes = 0;
  mcp.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes += 1;
  });
  const before = await names(mcp);
  await call(mcp, "discover_skills", { query: "leases" });
  const loaded = await call(mcp, "load_skill", { skill: "leases" });
  expect(loaded.text).toContain("SECRET-OF-LEASES");
  await until(() => changes > 0);
  expect(await names(mcp)).toEqual(expect.arrayContaining([...before, "read"]));
  await client.session("ana", "modes").change({ policy: { plan_mode: true } });
  expect(await names(mcp)).not.toContain("write");
});

test("a call that the service refuses is a result with isError, whose words the model reads", async () => {
  const mcp = await host("fails");
  const missing = await call(mcp, "read", { file_path: "/nothing" });
  expect(missing).toEqual({ failed: true, text: expect.stringMatching(/^Error: File not found: \/nothing/) });
  expect((await call(mcp, "load_skill", { skill: "law/lease" })).text).toContain("law/leases");
  expect((await call(mcp, "ls", { path: "/" })).failed).toBe(false);
});

test("a person is asked with the facts by the host, and the model reads that the person said no", async () => {
  const folder = mkdtempSync(`${tmpdir()}/skillmount-`);
  stops.push(() => rmSync(folder, { recursive: true }));
  const service = await startOn(`file:${folder}`);
  await publish(service.client, "ana", "law/leases", "Drafts leases. Use when someone rents.", "SECRET-OF-LEASES\n");
  await service.client.user("ana").setPolicy({ tools: { "*": "auto", write: "ask" }, skills: { "*": "enabled" } });
  const asked: string[] = [];
  let answer: ElicitResult = { action: "accept", content: { decision: "allow" } };
  const mcp = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
  mcp.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(JSON.stringify(params));
    return answer;
  });
  const args = ["mcp", "--store", `file:${folder}`, "--user", "ana", "--session", "asked"];
  await mcp.connect(new StdioClientTransport({ command: PROGRAM, args }) as never);
  stops.push(() => mcp.close(), service.stop);
  expect((await call(mcp, "load_skill", { skill: "leases" })).text).toContain("SECRET-OF-LEASES");
  expect(asked[0]).toMatch(/load_skill.*law\/leases, version sha256:[0-9a-f]{64}.*waits for \d+ seconds/);
  answer = { action: "accept", content: { decision: "deny", message: "archive it instead" } };
  const denied = await call(mcp, "write", { file_path: "/workspace/a", content: "one" });
  expect(denied).toEqual({ failed: true, text: expect.stringContaining("archive it instead") });
  expect(asked[1]).toMatch(/call write.*one.*waits for \d+ seconds/);
  answer = { action: "decline" };
  expect((await call(mcp, "write", { file_path: "/workspace/b", content: "two" })).text).toContain("denied");
  expect(asked).toHaveLength(3);
});

/** A host behind a server that decides about each request. */
async function behind(session: string, decide: (at: number) => Whim) {
  let calls = 0;
  const before = await front(held.current.url, (request) => (request.method === "POST" ? decide(calls++) : "pass"));
  stops.push(before.stop);
  return { mcp: await host(session, { url: before.url }), before, calls: () => calls };
}

test("a service that does not answer costs the time limit of the call, and the next call works", async () => {
  let hang = false;
  const { mcp } = await behind("slow", () => (hang ? "hang" : "pass"));
  hang = true;
  const { error, took } = await failing(() => call(mcp, "ls", { path: "/" }, { timeout: 200 }));
  expect(String(error["message"])).toContain("timed out");
  expect(took).toBeLessThan(2000);
  hang = false;
  expect((await call(mcp, "ls", { path: "/" })).failed).toBe(false);
});

test("cancelling a call tells the service, and the next call does not wait behind it", async () => {
  let hang = false;
  const { mcp, before } = await behind("cancelled", () => (hang ? "hang" : "pass"));
  hang = true;
  const controller = new AbortController();
  const waiting = failing(() => call(mcp, "ls", { path: "/" }, { signal: controller.signal }));
  await until(() => before.hanging() === 1);
  hang = false;
  const posts = before.seen.length;
  controller.abort("enough");
  expect(String((await waiting).error["message"])).toContain("enough");
  expect((await waiting).took).toBeLessThan(2000);
  await until(() => before.seen.length > posts);
  expect((await call(mcp, "ls", { path: "/" })).failed).toBe(false);
});

test("if the service goes away a call fails with words, and the same host goes on when it is back", async () => {
  let away = false;
  const { mcp } = await behind("outage", () => (away ? "cut" : "pass"));
  const instructions = mcp.getInstructions();
  away = true;
  const { error, took } = await failing(() => call(mcp, "ls", { path: "/" }));
  expect(String(error["message"])).toContain("fetch failed");
  expect(took).toBeLessThan(2000);
  expect(mcp.getInstructions()).toBe(instructions);
  expect(instructions).toContain("discover_skills");
  away = false;
  expect((await call(mcp, "ls", { path: "/" })).failed).toBe(false);
});

test("a process that closes its host ends at once", async () => {
  const program = `
    import { Client } from "@modelcontextprotocol/sdk/client/index.js";
    import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", ${JSON.stringify(held.current.url)})));
    await client.callTool({ name: "ls", arguments: { path: "/" } });
    await client.close();
    process.stdout.write(String(Date.now()));`;
  const cwd = new URL("../", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], { cwd });
  expect(Date.now() - Number(stdout)).toBeLessThan(3500);
});

test("one host makes many calls at once, and each is answered by its own result", async () => {
  const mcp = await host("many");
  const texts = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      await call(mcp, "write", { file_path: `/workspace/${at}`, content: `number ${at}.` });
      return (await call(mcp, "read", { file_path: `/workspace/${at}` })).text;
    }),
  );
  texts.forEach((text, at) => expect(text).toContain(`number ${at}.`));
});

test("hosts of two users at the same time see only their own skills", async () => {
  await publish(held.current.client, "rui", "cook/soup", "Cooks soup. Use when someone is hungry.", "SECRET-OF-SOUP\n");
  const hosts = await Promise.all(["ana", "rui", "ana", "rui"].map((user, at) => host(`both-${at}`, { user })));
  const all = await Promise.all(
    hosts.map(async (mcp) => {
      const loads = [await call(mcp, "load_skill", { skill: "leases" }), await call(mcp, "load_skill", { skill: "soup" })];
      return { failed: loads.map((load) => load.failed), text: loads.map((load) => load.text).join() + mcp.getInstructions() };
    }),
  );
  for (const [at, { failed, text }] of all.entries()) {
    const [mine, other] = at % 2 ? ["SECRET-OF-SOUP", /SECRET-OF-LEASES|Drafts/] : ["SECRET-OF-LEASES", /SECRET-OF-SOUP|Cooks/];
    expect(failed).toEqual(at % 2 ? [true, false] : [false, true]);
    expect(text).toContain(mine);
    expect(text).not.toMatch(other);
  }
});
