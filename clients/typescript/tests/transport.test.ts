import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect, promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { createSkillmount, InvalidSettings, SkillmountError, UnknownReply, Unreachable, type Options } from "../src/index.ts";
import { isLoopback } from "../src/proxy.ts";
import { failing, front, service, until, type Whim } from "./server.ts";

const held = service();
const stops: (() => void)[] = [];
afterAll(() => stops.forEach((stop) => stop()));

/** A client behind a server that does as these say with one request after another, and passes on what comes then. */
async function behind(whims: Whim[], options: Options = {}) {
  const before = await front(held.current.url, (_, at) => whims[at] ?? "pass");
  stops.push(before.stop);
  const client = createSkillmount({ server: before.url, retry: { base: 1 }, ...options });
  return { client, session: client.session("ana", "transport"), before };
}

/** An address at which nothing listens. */
async function nowhere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return `http://127.0.0.1:${port}`;
}

test("a service that is not there is unreachable, with its address, and the call may be repeated", async () => {
  const server = await nowhere();
  const session = createSkillmount({ server, retry: { base: 1 } }).session("ana", "s");
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
  const before = timers();
  for (const call of [() => session.ls(), () => session.write("/workspace/a", "x"), () => session.get("/workspace/a")]) {
    const { error } = await failing(call);
    expect(error).toBeInstanceOf(Unreachable);
    expect(error).toMatchObject({ code: "unreachable", retryable: true, outcome: "not_applied", status: undefined });
    expect(error["detail"]).toContain(server);
    expect(error["detail"]).toContain("ECONNREFUSED");
  }
  // A timer that is left would keep the process from ending.
  expect(timers()).toBeLessThanOrEqual(before + 1);
});

test("an answer that is no problem document is an unknown reply, which names the address", async () => {
  const html = { "content-type": "text/html" };
  for (const body of ["<h1>Bad gateway</h1>", "null", "[]", '"x"', '{"message":"no"}', ""]) {
    for (const [status, retryable] of [[502, true], [503, true], [504, true], [429, true], [500, false], [404, false]] as const) {
      const { session, before } = await behind([{ status, headers: html, body }], { retry: { attempts: 1 } });
      const { error } = await failing(() => session.ls());
      expect(error).toBeInstanceOf(UnknownReply);
      expect(error).toMatchObject({ code: "unknown_reply", status, retryable });
      expect(error["detail"]).toContain(before.url);
    }
  }
  const { session } = await behind([{ status: 200, headers: html, body: "<h1>Please log in</h1>" }]);
  expect((await failing(() => session.ls())).error).toMatchObject({ code: "unknown_reply", status: 200, retryable: false });
});

test("a process with too many open files and a port that fetch rejects are called by their names", async () => {
  const full = Object.assign(new Error("x"), { code: "EMFILE" });
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause: full }));
  const { error } = await failing(() => createSkillmount({ fetch, retry: { attempts: 1 } }).session("ana", "s").ls());
  expect(error).toMatchObject({ code: "unreachable", outcome: "not_applied", detail: expect.stringContaining("too many files are open") });
  const blocked = await failing(() => createSkillmount({ server: "http://127.0.0.1:6000" }).session("ana", "s").ls());
  expect(blocked.error).toMatchObject({ code: "invalid_settings", retryable: false, detail: expect.stringContaining("127.0.0.1:6000") });
});

test("a connection that is cut in the middle of an answer is unreachable", async () => {
  const cut = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
    response.write("{");
    setTimeout(() => response.destroy(), 10);
  });
  await new Promise<void>((listening) => cut.listen(0, "127.0.0.1", listening));
  stops.push(() => cut.close());
  const server = `http://127.0.0.1:${(cut.address() as AddressInfo).port}`;
  const client = createSkillmount({ server, retry: { attempts: 2, base: 1 } });
  const { error } = await failing(() => client.session("ana", "s").ls());
  expect(error).toMatchObject({ code: "unreachable", retryable: true, outcome: "unknown" });
  const stream = (await client.user("ana").export()).getReader();
  await stream.read();
  expect((await failing(() => stream.read())).error).toMatchObject({ code: "unreachable", retryable: true });
});

test("a call without an effect is repeated, and a write only if it is certain that nothing was changed", async () => {
  const busy = (status: number) => ({ status, body: "busy" });
  const read = await behind([busy(502), "cut", busy(503), "pass"]);
  await read.session.ls();
  expect(read.before.seen).toHaveLength(4);
  const limited = await behind([busy(429), busy(429)]);
  expect(await limited.session.write("/workspace/limited", "x")).toMatchObject({ created: true });
  expect(limited.before.seen).toHaveLength(3);
  for (const whim of [busy(502), busy(504), "cut"] as Whim[]) {
    const { session, before } = await behind([whim]);
    await failing(() => session.write("/workspace/once", "x"));
    expect(before.seen).toHaveLength(1);
    const turn = await behind([whim]);
    await failing(() => turn.session.toolCalls([{ type: "tool_use", id: "1", name: "write", input: {} }]));
    expect(turn.before.seen).toHaveLength(1);
    const reading = await behind([whim]);
    await reading.session.toolCalls([{ type: "tool_use", id: "1", name: "ls", input: { path: "/" } }]);
    expect(reading.before.seen).toHaveLength(2);
  }
  const problem = (code: string, outcome?: string) => ({
    status: 503, body: JSON.stringify({ code, detail: "later", retryable: true, outcome }),
  });
  const nothing = await behind([problem("store_unavailable", "not_applied")]);
  await nothing.session.write("/workspace/nothing", "x");
  const unsure = await behind([problem("store_unavailable", "unknown")]);
  expect((await failing(() => unsure.session.write("/workspace/unsure", "x"))).error).toMatchObject({ outcome: "unknown" });
  expect(unsure.before.seen).toHaveLength(1);
});

test("a call that was refused is not repeated, and no call more often than the limit", async () => {
  const { session, before } = await behind([]);
  await failing(() => session.read("/workspace/none"));
  expect(before.seen).toHaveLength(1);
  const often = await behind(Array(9).fill({ status: 503, body: "" }), { retry: { attempts: 3, base: 1 } });
  await failing(() => often.session.ls());
  expect(often.before.seen).toHaveLength(3);
});

test("retry-after is waited for, in seconds and as a date, unless it asks for more than the patience or the time", async () => {
  const after = (header: string): Whim => ({ status: 503, headers: { "retry-after": header }, body: "" });
  const { session } = await behind([after("0.2")]);
  const begun = performance.now();
  await session.ls();
  expect(performance.now() - begun).toBeGreaterThan(190);
  for (const header of ["3600", new Date(Date.now() + 3_600_000).toUTCString()]) {
    const { session, before } = await behind([after(header)]);
    const { error, took } = await failing(() => session.ls());
    expect(error["retryAfter"]).toBeGreaterThan(3_500_000);
    expect(took).toBeLessThan(2000);
    expect(before.seen).toHaveLength(1);
  }
  const short = await behind([after("5")], { timeout: 300 });
  expect((await failing(() => short.session.ls())).took).toBeLessThan(2000);
});

test("a service that does not answer costs the time limit once, repetitions included", async () => {
  for (const call of ["ls", "write"] as const) {
    const { session, before } = await behind(["hang", "hang", "hang"], { timeout: 200 });
    const { error, took } = await failing(() => (call === "ls" ? session.ls() : session.write("/workspace/a", "x")));
    expect(error).toMatchObject({ code: "unreachable", retryable: true, outcome: "unknown" });
    expect(error["detail"]).toContain("within 0.2 s");
    expect(took).toBeGreaterThan(190);
    expect(took).toBeLessThan(2000);
    await until(() => before.hanging() === 0);
  }
  expect((await failing(async () => createSkillmount({ timeout: 0 }))).error).toBeInstanceOf(InvalidSettings);
  for (const timeout of [-1, NaN, Infinity, 2 ** 31]) expect(() => createSkillmount({ timeout })).toThrow("timeout");
  for (const attempts of [0, 1.5, NaN]) expect(() => createSkillmount({ retry: { attempts } })).toThrow("attempts");
});

test("a signal ends the request at once, while it waits for an answer, for a repetition and in its own fetch", async () => {
  const { session, before } = await behind(["hang", { status: 503, headers: { "retry-after": "20" }, body: "" }]);
  for (const waits of ["for an answer", "for a repetition"]) {
    const controller = new AbortController();
    const at = before.seen.length;
    const call = failing(() => session.ls("/", { signal: controller.signal }));
    await until(() => before.seen.length > at);
    controller.abort(new Error(waits));
    expect((await call).error["message"]).toBe(waits);
    expect((await call).took).toBeLessThan(2000);
    await until(() => before.hanging() === 0);
  }
  const { error } = await failing(() => session.ls("/", { signal: AbortSignal.abort() }));
  expect(error["name"]).toBe("AbortError");
  const deaf = createSkillmount({ server: before.url, timeout: 100, fetch: () => new Promise(() => undefined) });
  expect((await failing(() => deaf.session("ana", "s").ls())).error).toMatchObject({ code: "unreachable" });
});

test("keys and addresses that cannot work are an error at once, which prints no key and is not retryable", async () => {
  const keys = ["sesame\n", "\rsesame", "ses\name", "sesame\t", "sésame", "sesame\u2028", "sesame\0", " sesame", "sesame ", "Bearer sesame"];
  for (const apiKey of keys) {
    const { error } = await failing(async () => createSkillmount({ apiKey }));
    expect(error).toMatchObject({ name: "InvalidSettings", code: "invalid_settings", retryable: false });
    expect(inspect(error) + JSON.stringify(error)).not.toMatch(/s[eé]s/);
    expect((await failing(() => held.current.client.session("ana", "s").ls("/", { apiKey }))).error["code"]).toBe("invalid_settings");
  }
  for (const server of ["127.0.0.1:8787", "localhost:8787", "skills.example.org", "//h", "ftp://h", "http:/h", "http//h:1"]) {
    expect(() => createSkillmount({ server })).toThrow(/begins with http:\/\/ or https:\/\//);
  }
  for (const server of ["http://", "http://h:99999", "http://[::1", "http://a b", "http://h/?x=1", "http://h/#x"]) {
    expect(() => createSkillmount({ server })).toThrow(InvalidSettings);
  }
  for (const server of ["http://ana:sesame@h", "ana:sesame@h:1", "http://sesame@h"]) {
    const { error } = await failing(async () => createSkillmount({ server }));
    expect(error).toBeInstanceOf(InvalidSettings);
    expect(inspect(error)).not.toContain("sesame");
  }
  expect(await createSkillmount({ server: ` ${held.current.url}// ` }).session("ana", "s").ls("/workspace")).toBeDefined();
});

test("variables of the environment count if the options are absent or undefined, and empty ones do not", async () => {
  const before = { ...process.env };
  Object.assign(process.env, { SKILLMOUNT_SERVER: held.current.url, SKILLMOUNT_API_KEY: "bad\nkey" });
  expect(() => createSkillmount({ server: undefined, apiKey: undefined })).toThrow("line end");
  process.env["SKILLMOUNT_API_KEY"] = "";
  expect((await createSkillmount().session("ana", "s").ls()).entries).toBeDefined();
  process.env["SKILLMOUNT_SERVER"] = "";
  expect(() => createSkillmount()).not.toThrow();
  process.env = before;
});

test("neither a client nor its errors show the key when they are printed or made JSON", async () => {
  const client = createSkillmount({ server: await nowhere(), apiKey: "open-sesame", retry: { attempts: 1 } });
  const { error } = await failing(() => client.session("ana", "s").ls());
  for (const each of [client, client.user("ana"), client.session("ana", "s"), error]) {
    expect(inspect(each, { depth: 9, showHidden: true }) + JSON.stringify(each)).not.toContain("open-sesame");
  }
});

/** Calls the service at these addresses in another process, whose `fetch` takes proxies from its environment. */
async function withProxy(servers: string[], proxies: Record<string, string>): Promise<{ ok: boolean; detail?: string }[]> {
  const program = `
    import { createSkillmount } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
    const call = (server) => createSkillmount({ server, retry: { attempts: 1 }, apiKey: "open-sesame" }).session("ana", "s").ls();
    const done = ${JSON.stringify(servers)}.map((each) => call(each).then(() => ({ ok: true }), ({ detail }) => ({ ok: false, detail })));
    console.log(JSON.stringify(await Promise.all(done)));`;
  const env = { PATH: process.env["PATH"], NODE_USE_ENV_PROXY: "1", ...proxies };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], { env });
  return JSON.parse(stdout) as { ok: boolean; detail?: string }[];
}

test("loopback addresses never use a proxy, and an error names the proxy that another address used", async () => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(String(request.url));
    response.writeHead(502).end("no such host");
  });
  proxy.on("connect", (request, socket) => {
    asked.push(String(request.url));
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  stops.push(() => proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const named = `http://ana:sesame@127.0.0.1:${port}`;
  const elsewhere = ["http://skills.example.org", "https://skills.example.org"];
  const servers = [held.current.url, held.current.url.replace("127.0.0.1", "localhost"), "http://skills.invalid", ...elsewhere];
  const [all, lower] = await Promise.all([
    withProxy(servers, { HTTP_PROXY: named, NO_PROXY: ".invalid" }),
    withProxy([elsewhere[1] ?? ""], { https_proxy: named, HTTP_PROXY: "http://127.0.0.1:1" }),
  ]);
  const [numbers, name, excluded, http, https] = all;
  expect([numbers, name]).toEqual([{ ok: true }, { ok: true }]);
  expect(excluded?.detail).not.toContain("proxy");
  for (const [answer, variable] of [[http, "HTTP_PROXY"], [https, "HTTP_PROXY"], [lower[0], "https_proxy"]] as const) {
    expect(answer?.detail).toContain(`the proxy http://127.0.0.1:${port} of ${variable}`);
    expect(answer?.detail).not.toContain("sesame");
  }
  expect(asked).toHaveLength(3);
});

test("addresses of this machine are known in every form", () => {
  for (const host of ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.1", "0x7f.1", "[::1]", "[::ffff:127.0.0.9]"]) {
    expect(isLoopback(new URL(`http://${host}:1`).hostname)).toBe(true);
  }
  for (const host of ["localhost.example.org", "128.0.0.1", "127.0.0.1.example.org", "[::2]", "[::ffff:8.8.8.8]", "0.0.0.0"]) {
    expect(isLoopback(new URL(`http://${host}:1`).hostname)).toBe(false);
  }
});

test("one client serves many calls at once, each of them for its own user", async () => {
  const { client } = held.current;
  const users = Array.from({ length: 60 }, (_, at) => `many-${at % 10}`);
  await Promise.all(users.map((user, at) => client.session(user, "s").write(`/workspace/${at}`, `${user} ${at}.`)));
  const read = await Promise.all(users.map((user, at) => client.session(user, "s").read(`/workspace/${at}`)));
  read.forEach(({ content }, at) => expect(content).toContain(`${users[at]} ${at}.`));
});

test("errors are one kind with the code of the service, its status and the id of the request", async () => {
  const { error } = await failing(() => held.current.client.user("ana").skill("law/lease"));
  expect(error).toBeInstanceOf(SkillmountError);
  expect(error).toMatchObject({ code: "skill_not_found", status: 404, retryable: false, requestId: expect.any(String) });
  expect(error["problem"]).toMatchObject({ suggestions: expect.arrayContaining(["law/leases"]) });
  expect(String(error)).toContain("skill_not_found: ");
});
