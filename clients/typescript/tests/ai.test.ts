import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { generateText, isStepCount, streamText, tool, ToolLoopAgent, jsonSchema, type ToolSet } from "ai";
import { afterAll, expect, test } from "vitest";
import { skillmountTools, ToolCallFailed, type ApprovalRequest, type ToolOptions } from "../src/ai.ts";
import { createSkillmount, type Client } from "../src/index.ts";
import { given, scripted, type Step } from "./model.ts";
import { failing, front, publish, service, start, until, type Whim } from "./server.ts";

const held = service();
const stops: (() => void)[] = [];
afterAll(() => stops.forEach((stop) => stop()));
const ROOT = new URL("../../../", import.meta.url).pathname;

const weather = tool({
  description: "The weather.",
  inputSchema: jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } } }),
  execute: async ({ city }) => `sunny in ${city}`,
});

interface Given {
  client?: Client;
  user?: string;
  options?: Partial<ToolOptions>;
  settings?: object;
  more?: ToolSet;
}

async function run(session: string, steps: Step[], { client, user = "ana", options, settings, more }: Given = {}) {
  const model = scripted(steps, session);
  const made = await skillmountTools(client ?? held.current.client, { user, session, ...options });
  const { prepareStep } = made;
  const tools = { ...made.tools, ...more };
  const done = await generateText({ model, tools, prepareStep, prompt: "go", stopWhen: isStepCount(9), ...settings });
  const parts = done.steps.flatMap((step) => step.content);
  const results = parts.flatMap((part) => (part.type === "tool-result" ? [String(part.output)] : []));
  const errors = parts.flatMap((part) => (part.type === "tool-error" ? [part.error] : []));
  return { text: done.text, results, errors, turns: given(model), model };
}

test("a model loads a skill and reads its files in the same step", async () => {
  const { results } = await run("load", [
    [["load_skill", { skill: "law/leases" }], ["read", { file_path: "/skills/leases/forms/garage.md" }]],
  ]);
  expect(results[0]).toContain("Loaded skill leases");
  expect(results[1]).toContain("LEASE OF A GARAGE");
});

test("prompt and tools are read again before each step, so what is loaded shows in the next", async () => {
  const { turns } = await run("refresh", [[["load_skill", { skill: "law/leases" }]], "done"]);
  expect(turns[0]?.system).toContain("law/leases");
  expect(turns[0]?.system).not.toContain("SECRET-OF-LEASES");
  expect(turns[1]?.system).toContain("SECRET-OF-LEASES");
});

test("tools follow the mode and the policy, and a user without skills has none of them", async () => {
  const session = held.current.client.session("ana", "grows");
  await session.create({ policy: { prompt_mode: "discover", load_tool: "Skill", plan_mode: true } });
  const steps: Step[] = [[["discover_skills", { query: "leases" }]], [["Skill", { skill: "leases" }]], "done"];
  const { turns } = await run("grows", steps, { more: { weather } });
  expect(turns[0]?.tools).toEqual(["discover_skills", "weather"]);
  expect(turns[1]?.tools).toEqual(["discover_skills", "Skill", "weather"]);
  expect(turns[2]?.tools).toContain("read");
  expect(turns[2]?.tools).not.toContain("write");
  const bob = await run("new", ["done"], { user: "bob" });
  expect(bob.turns[0]?.tools).toContain("read");
  expect(bob.turns[0]?.tools).not.toContain("load_skill");
});

test("the developer's instructions come first in every step, in each of their forms", async () => {
  const steps: Step[] = [[["load_skill", { skill: "law/leases" }]], "done"];
  const pirate = { role: "system", content: "You are a pirate.", providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };
  const forms = ["You are a pirate.", pirate, [pirate, { role: "system", content: "Be brief." }]];
  for (const [at, instructions] of forms.entries()) {
    const { turns } = await run(`pirate-${at}`, steps, { settings: { instructions } });
    for (const turn of turns) {
      expect(turn.system).toMatch(/^You are a pirate\./);
      expect(turn.system.split("You are a pirate.")).toHaveLength(2);
      expect(turn.system).toContain("law/leases");
    }
    if (at > 0) expect(turns[1]?.systems[0]).toMatchObject(pirate);
  }
  const none = await run("none", ["done"], { user: "nobody", settings: { instructions: "You are a pirate." } });
  expect(none.turns[0]?.system).toMatch(/^You are a pirate\./);
});

test("the developer's tools stay, beside those of the service or given with them, in agents and in streams too", async () => {
  const steps: Step[] = [[["weather", { city: "Vigo" }]], "done"];
  const beside = await run("beside", steps, { more: { weather } });
  expect(beside.results).toEqual(["sunny in Vigo"]);
  const own = await run("own", steps, { options: { tools: { weather }, only: ["read"] } });
  expect(own.results).toEqual(["sunny in Vigo"]);
  expect(own.turns[1]?.tools).toEqual(["read", "weather"]);
  const { tools, prepareStep } = await skillmountTools(held.current.client, { user: "ana", session: "stream" });
  const model = scripted(steps);
  const agent = new ToolLoopAgent({ model, tools: { ...tools, weather }, prepareStep, instructions: "You are a pirate." });
  expect((await agent.generate({ prompt: "go" })).steps[0]?.toolResults[0]?.output).toBe("sunny in Vigo");
  const streaming = scripted(steps);
  const streamed = streamText({
    model: streaming, tools: { ...tools, weather }, prepareStep, instructions: "You are a pirate.", prompt: "go", stopWhen: isStepCount(3),
  });
  expect(await streamed.text).toBe("done");
  for (const each of [...given(model), ...given(streaming)]) {
    expect(each.system).toMatch(/^You are a pirate\..*law\/leases/s);
    expect(each.tools).toContain("weather");
  }
});

test("the developer's tools and instructions stay, and a name that a tool of the service has is rejected", async () => {
  const { client } = held.current;
  const kept = await run("kept", [[["weather", { city: "Vigo" }]]], {
    more: { weather }, settings: { instructions: "You are a pirate." },
  });
  expect(kept.results).toEqual(["sunny in Vigo"]);
  for (const turn of kept.turns) expect(turn.system).toMatch(/^You are a pirate\./);
  const place = { user: "ana", session: "clash" };
  for (const name of ["read", "load_skill"]) {
    const { error } = await failing(() => skillmountTools(client, { ...place, tools: { weather, [name]: weather } }));
    expect(error["code"]).toBe("tool_name_clash");
    expect(error["detail"]).toContain(name);
    expect(error["detail"]).not.toContain("weather");
  }
  const { tools } = await skillmountTools(client, { ...place, tools: { read: weather }, only: ["load_skill"] });
  expect(tools["read"]).toBe(weather);
});

test("a call that the service refuses is a failed call, whose words the model reads, and the run goes on", async () => {
  const calls: Step = [["read", { file_path: "/nothing" }], ["load_skill", { skill: "law/lease" }], ["ls", { path: "/" }]];
  const { errors, turns, results, text } = await run("fails", [calls, "done"]);
  expect(errors).toHaveLength(2);
  for (const error of errors) expect(error).toBeInstanceOf(ToolCallFailed);
  expect((errors[0] as Error).message).toMatch(/^Error: File not found: \/nothing/);
  expect(turns[1]?.results).toContain('"error-text","value":"Error: File not found: /nothing');
  expect(turns[1]?.results).toContain("law/leases");
  expect(turns[1]?.results).not.toContain("ToolCallFailed");
  expect(results).toHaveLength(1);
  expect(text).toBe("done");
});

test("a person decides with the facts, and the model reads the reason of a denial", async () => {
  const guarded = await start();
  stops.push(guarded.stop);
  const { client } = guarded;
  await publish(client, "ana", "law/leases", "Drafts leases. Use when someone rents.", "SECRET\n");
  await client.user("ana").setPolicy({ tools: { "*": "auto", write: "ask" }, skills: { "law/*": "enabled" } });
  const asked: ApprovalRequest[] = [];
  const approvals: ToolOptions["approvals"] = {
    ask: async (request) => {
      asked.push(request);
      const no = request.tool === "write" && request.input["content"] === "x".repeat(9000);
      return no ? { decision: "deny", message: "archive it instead" } : { decision: "allow" };
    },
  };
  const steps: Step[] = [
    [["load_skill", { skill: "law/leases" }], ["write", { file_path: "/workspace/a.md", content: "one" }]],
    [["read", { file_path: "/nothing" }], ["write", { file_path: "/workspace/b.md", content: "two" }]],
  ];
  const { results, errors } = await run("asks", steps, { client, options: { approvals } });
  expect(results).toHaveLength(3);
  expect(errors).toHaveLength(1);
  expect(asked.map((request) => request.tool)).toEqual(["load_skill", "write", "write"]);
  expect(asked[0]).toMatchObject({ skill: "law/leases", digest: expect.stringMatching(/^sha256:/), input: { skill: "law/leases" } });
  expect(asked[1]).toMatchObject({ input: { content: "one" }, seconds_left: expect.any(Number) });
  const deny: ToolOptions["approvals"] = { ask: async () => ({ decision: "deny", message: "archive it instead" }) };
  const denied = await run("denies", [[["write", { file_path: "/workspace/c.md", content: "x".repeat(9000) }]]], {
    client, options: { approvals: deny },
  });
  expect(denied.turns[1]?.results).toContain("archive it instead");
  expect(denied.results).toEqual([]);
  const alone = await run("alone", [[["write", { file_path: "/workspace/c.md", content: "x" }]], "done"], { client });
  expect(alone.turns[1]?.results).toContain("needs a person's approval");
  expect(alone.text).toBe("done");
});

/** A client behind a server that decides about each request. */
async function behind(decide: (url: string, at: number) => Whim, timeout = 30_000) {
  const before = await front(held.current.url, (request, at) => decide(request.url ?? "", at));
  stops.push(before.stop);
  return { client: createSkillmount({ server: before.url, timeout, retry: { base: 1 } }), before };
}

test("a service that does not answer costs the time limit, and the run goes on with words for the model", async () => {
  let first = true;
  const { client } = await behind((url) => (url.endsWith("tool_calls") && first ? ((first = false), "hang") : "pass"), 300);
  let ticks = 0;
  const clock = setInterval(() => (ticks += 1), 10);
  const { errors, turns, results } = await run("slow", [[["ls", { path: "/" }]], [["ls", { path: "/" }]]], { client });
  clearInterval(clock);
  expect(ticks).toBeGreaterThan(10);
  expect((errors[0] as Error).message).toContain("within 0.3 s");
  expect(turns[1]?.results).toContain("within 0.3 s");
  expect(results).toHaveLength(1);
});

test("cancelling a run ends its request at once, and the next call does not wait behind it", async () => {
  let hang = true;
  const { client, before } = await behind((url) => (url.endsWith("tool_calls") && hang ? "hang" : "pass"));
  const { tools, prepareStep } = await skillmountTools(client, { user: "ana", session: "cancel" });
  const controller = new AbortController();
  const steps: Step[] = [[["ls", { path: "/" }], ["ls", { path: "/workspace" }]], "done"];
  const model = scripted(steps);
  const running = failing(() => generateText({ model, tools, prepareStep, prompt: "go", abortSignal: controller.signal, stopWhen: isStepCount(3) }));
  await until(() => before.hanging() === 1);
  const begun = performance.now();
  controller.abort();
  expect((await running).error["name"]).toBe("AbortError");
  await until(() => before.hanging() === 0);
  hang = false;
  const listing = tools["ls"]?.execute?.({ path: "/" }, { toolCallId: "after", messages: [], context: undefined });
  expect(String(await listing)).toContain("/workspace");
  expect(performance.now() - begun).toBeLessThan(3000);
  expect(before.seen.filter((each) => each.endsWith("tool_calls"))).toHaveLength(2);
});

test("the signal of a run ends what prepares a step at once", async () => {
  for (const part of ["/prompt", "/tools"]) {
    let hang = false;
    const { client, before } = await behind((url) => (hang && url.endsWith(part) ? "hang" : "pass"));
    const controller = new AbortController();
    const { signal } = controller;
    const { tools, prepareStep } = await skillmountTools(client, { user: "ana", session: "prepare", signal });
    hang = true;
    const running = failing(() => generateText({ model: scripted([]), tools, prepareStep, prompt: "go", abortSignal: signal }));
    await until(() => before.hanging() === 1);
    controller.abort();
    expect((await running).error["name"]).toBe("AbortError");
    expect((await running).took).toBeLessThan(3000);
    await until(() => before.hanging() === 0);
  }
});

test("the SDK's id of a call is that of the event and of the audit record", async () => {
  const { client } = held.current;
  const events: string[] = [];
  const watching = new AbortController();
  const watched = (async () => {
    for await (const { data } of client.user("ana").events({ signal: watching.signal })) events.push(JSON.stringify(data));
  })().catch(() => undefined);
  const calls: Step = [["write", { file_path: "/workspace/1", content: "1" }], ["write", { file_path: "/workspace/2", content: "2" }]];
  await run("ids", [calls]);
  await until(() => events.some((data) => data.includes('"id":"ids1-1"')));
  expect(events.some((data) => data.includes('"id":"ids1-0"'))).toBe(true);
  watching.abort();
  await watched;
  const records: (string | undefined)[] = [];
  for await (const record of client.user("ana").audit({ session: "ids" })) records.push(record.call);
  expect(records).toEqual(["ids1-0", "ids1-1"]);
});

test("a call without effect is repeated, a write only if nothing was changed, and a refused call never", async () => {
  const fails = (at: number, whim: Whim) => {
    let calls = 0;
    return behind((url) => (url.endsWith("tool_calls") && calls++ < at ? whim : "pass"));
  };
  const count = (seen: string[]) => seen.filter((each) => each.endsWith("tool_calls")).length;
  const busy = { status: 503, body: "busy" };
  const read = await fails(3, busy);
  expect((await run("again", [[["ls", { path: "/" }]]], { client: read.client })).results).toHaveLength(1);
  expect(count(read.before.seen)).toBe(4);
  const write: Step = [["write", { file_path: "/workspace/once", content: "x" }]];
  const limited = await fails(2, { status: 429, body: "busy" });
  expect((await run("limited", [write], { client: limited.client })).results).toHaveLength(1);
  const unsure = await fails(1, busy);
  expect((await run("unsure", [write], { client: unsure.client })).errors).toHaveLength(1);
  expect(count(unsure.before.seen)).toBe(1);
  const refused = await fails(0, busy);
  expect((await run("refused", [[["read", { file_path: "/none" }]]], { client: refused.client })).errors).toHaveLength(1);
  expect(count(refused.before.seen)).toBe(1);
});

test("if the service goes away in mid-run the last prompt stays, the log says so once, and calls fail with words", async () => {
  let away = false;
  const { client } = await behind(() => (away ? "cut" : "pass"));
  const log: string[] = [];
  const outage = tool({
    description: "Takes the service away.", inputSchema: jsonSchema({ type: "object" }),
    execute: async () => { away = !away; return "done"; },
  });
  const ls: Step = [["ls", { path: "/" }]];
  const { turns, errors, text } = await run("outage", [[["outage", {}]], ls, ls, [["outage", {}]], ls, "done"], {
    client, more: { outage }, options: { log: (line) => log.push(line) },
  });
  for (const turn of turns) expect(turn.system).toContain("law/leases");
  for (const turn of turns) expect(turn.tools).toContain("read");
  expect(errors).toHaveLength(2);
  expect(turns[2]?.results).toContain("check that it runs");
  expect(log).toHaveLength(2);
  expect(log[0]).toContain("check that it runs");
  expect(log[1]).toContain("answers again");
  expect(text).toBe("done");
  away = true;
  await expect(skillmountTools(client, { user: "ana", session: "first" })).rejects.toMatchObject({ code: "unreachable" });
  const denied = await behind((url) => (url.includes("/prompt") ? { status: 401, body: '{"code":"unauthenticated","detail":"no"}' } : "pass"));
  await expect(run("denied", ["done"], { client: denied.client })).rejects.toMatchObject({ code: "unauthenticated" });
});

test("one agent serves every user: the options of a call say whose session it is", async () => {
  const { client } = held.current;
  await publish(client, "eva", "cook/soup", "Cooks soup. Use when someone is hungry.", "SECRET-OF-SOUP\n");
  const systems: Record<string, string> = {};
  const agent = new ToolLoopAgent<{ user: string; chat: string }>({
    model: scripted([]),
    prepareCall: async ({ options, ...settings }) => {
      const { user, chat } = options;
      const model = scripted([[["load_skill", { skill: user === "ana" ? "leases" : "soup" }]], "done"], user);
      const { tools, prepareStep } = await skillmountTools(client, { user, session: chat });
      const noting = async (step: Parameters<typeof prepareStep>[0]) => {
        const prepared = await prepareStep<never>(step);
        systems[user] = `${systems[user] ?? ""}${String(prepared.instructions)}`;
        return prepared;
      };
      return { ...settings, model, tools, prepareStep: noting };
    },
  });
  await Promise.all(["ana", "eva"].map((user) => agent.generate({ prompt: "go", options: { user, chat: `chat-of-${user}` } })));
  expect(systems["ana"]).toContain("SECRET-OF-LEASES");
  expect(systems["ana"]).not.toContain("soup");
  expect(systems["eva"]).toContain("SECRET-OF-SOUP");
  expect(systems["eva"]).not.toContain("lease");
  expect((await client.session("ana", "chat-of-ana").show()).loaded_skills).toHaveLength(1);
  expect((await client.session("eva", "chat-of-eva").show()).loaded_skills).toHaveLength(1);
});

test("two users at the same time see only their own skills", async () => {
  const { client } = held.current;
  await publish(client, "rui", "cook/bread", "Bakes bread. Use when someone is hungry.", "SECRET-OF-BREAD\n");
  const runs = await Promise.all(
    Array.from({ length: 8 }, (_, at) => {
      const [user, skill] = at % 2 ? ["rui", "bread"] : ["ana", "leases"];
      return run(`both-${at}`, [[["load_skill", { skill }]], [["load_skill", { skill: at % 2 ? "leases" : "bread" }]], "done"], { user });
    }),
  );
  for (const [at, { turns, errors }] of runs.entries()) {
    const [mine, other] = at % 2 ? ["BREAD", "LEASES"] : ["LEASES", "BREAD"];
    const all = turns.map((turn) => turn.system + turn.results).join();
    expect(all).toContain(`SECRET-OF-${mine}`);
    expect(all).not.toContain(`SECRET-OF-${other}`);
    expect(errors).toHaveLength(1);
  }
});

test("one set of tools serves many runs at the same time, and each of its calls is answered", async () => {
  const { client, before } = await behind(() => "pass");
  const { tools, prepareStep } = await skillmountTools(client, { user: "ana", session: "parallel" });
  const texts = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => {
      const model = scripted([[["write", { file_path: `/workspace/p${at}`, content: `${at}` }], ["read", { file_path: `/workspace/p${at}` }]]]);
      const done = await generateText({ model, tools, prepareStep, prompt: "go", stopWhen: isStepCount(3) });
      return String(done.steps[0]?.toolResults[1]?.output);
    }),
  );
  texts.forEach((text, at) => expect(text).toContain(`${at}`));
  expect(before.hanging()).toBe(0);
});

test("a copy of an agent's settings works beside the first, and neither shows the key", async () => {
  const client = createSkillmount({ server: held.current.url, apiKey: "open-sesame" });
  const settings = { ...(await skillmountTools(client, { user: "ana", session: "copy" })), stopWhen: isStepCount(3) };
  const copy = { ...settings, tools: { ...settings.tools } };
  const both = [settings, copy].map(({ tools, prepareStep, stopWhen }) =>
    generateText({ model: scripted([[["ls", { path: "/" }]]]), tools, prepareStep, stopWhen, prompt: "go" }),
  );
  for (const { steps } of await Promise.all(both)) expect(steps[0]?.toolResults).toHaveLength(1);
  for (const each of [settings, copy]) {
    expect(inspect(each, { depth: 9, showHidden: true }) + JSON.stringify(each)).not.toContain("open-sesame");
  }
});

test("the example prints what the README shows", () => {
  const shown = /node examples\/vercel_ai\/lease.ts\n```\n\n.*?```\n(.*?)```/s.exec(readFileSync(`${ROOT}clients/typescript/README.md`, "utf8"));
  const program = process.env["SKILLMOUNT_PROGRAM"] ?? `${ROOT}target/debug/skillmount`;
  const env = { ...process.env, SKILLMOUNT_PROGRAM: program };
  expect(execFileSync(process.execPath, [`${ROOT}examples/vercel_ai/lease.ts`], { env, encoding: "utf8" })).toBe(shown?.[1]);
});
