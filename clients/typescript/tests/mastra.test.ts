import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { inspect } from "node:util";
import { Agent } from "@mastra/core/agent";
import { RequestContext } from "@mastra/core/request-context";
import { createTool } from "@mastra/core/tools";
import { Workspace } from "@mastra/core/workspace";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { createSkillmount, type Client } from "../src/index.ts";
import { SkillmountSkillSource, type SourceOptions } from "../src/mastra.ts";
import { given, scripted, type Step } from "./model.ts";
import { failing, front, publish, service, startOn, until, type Whim } from "./server.ts";

const held = service();
const stops: (() => void)[] = [];
afterAll(() => stops.forEach((stop) => stop()));
afterEach(() => vi.useRealTimers());

function workspaceOf(client: Client, user: string, options: Partial<SourceOptions> = {}): Workspace {
  return new Workspace({ skills: ["skills"], skillSource: new SkillmountSkillSource(client, { user, ...options }) });
}

/** Runs an agent of Mastra whose model says these steps. */
async function run(workspace: Workspace, steps: Step[], settings: object = {}, call: object = {}) {
  const model = scripted(steps);
  const agent = new Agent({ id: "a", name: "a", instructions: "You are a pirate.", model, workspace, ...settings } as never);
  const done = await agent.generate("go", { maxSteps: 9, ...call } as never);
  return { done, turns: given(model), agent, model };
}

/** A client behind a server that decides about each request. */
async function behind(decide: (url: string, at: number) => Whim, timeout = 30_000) {
  const before = await front(held.current.url, (request, at) => decide(request.url ?? "", at));
  stops.push(before.stop);
  return { client: createSkillmount({ server: before.url, timeout, retry: { base: 1 } }), before };
}

test("an agent of Mastra lists the skills of its user, loads one and reads a file of it", async () => {
  await publish(held.current.client, "ana", "law/deeds", "Drafts deeds. Use when someone sells.", "SECRET-OF-DEEDS\n", {
    "references/house.md": "DEED OF A HOUSE\n",
  });
  const { turns } = await run(workspaceOf(held.current.client, "ana"), [
    [["skill", { name: "deeds" }]],
    [["skill_read", { skillName: "deeds", path: "references/house.md" }]],
  ]);
  expect(turns[0]?.system).toContain("You are a pirate.");
  expect(turns[0]?.system).toContain("Drafts leases. Use when someone rents.");
  expect(turns[0]?.system).not.toContain("SECRET-OF-DEEDS");
  expect(turns[1]?.results).toContain("SECRET-OF-DEEDS");
  expect(turns[2]?.results).toContain("DEED OF A HOUSE");
});

test("Mastra shows every skill, whatever its folder, name, description and further fields are", async () => {
  // The service publishes no such skills, but other tools write them into the bucket.
  const folder = mkdtempSync(`${tmpdir()}/skillmount-`);
  const plain = (name: string) => `---\nname: ${name}\ndescription: Does ${name}. Use when asked.\n---\nBODY of ${name}\n`;
  const odd: Record<string, string> = {
    "law/leases": plain("leases"),
    "work/leases": plain("leases"),
    "Big/Minutes_2": plain("Minutes_2"),
    "n/123": plain("123"),
    "n/x": plain("another-name"),
    "d/long": `---\nname: long\ndescription: ${"Long 😀. ".repeat(400)}\n---\nBODY of long\n`,
    "d/quotes": `---\nname: quotes\ndescription: "Says \\"a: b\\" # and \\\\ 'c'. Use when asked."\n---\n---\nBODY\n---\n`,
    "d/fields": "---\nname: fields\ndescription: Has fields. Use when asked.\nlicense: 2024\nmetadata: [a]\nuser-invocable: maybe\nzeta: 1\n---\nBODY\n",
    [`d/${"x".repeat(64)}y`.slice(0, 66)]: plain("x".repeat(64)),
  };
  for (const [path, text] of Object.entries(odd)) {
    mkdirSync(`${folder}/odd/skills/${path}`, { recursive: true });
    writeFileSync(`${folder}/odd/skills/${path}/SKILL.md`, text);
  }
  const { client, stop } = await startOn(`file:${folder}`);
  stops.push(stop, () => rmSync(folder, { recursive: true }));
  const listed: string[] = [];
  for await (const { skill } of client.user("odd").skills()) listed.push(skill);
  expect(listed.length).toBe(Object.keys(odd).length);
  const said = [vi.spyOn(console, "error"), vi.spyOn(console, "warn")];
  const workspace = workspaceOf(client, "odd");
  const skills = (await workspace.skills?.list()) ?? [];
  for (const spy of said) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
  expect(skills.map((skill) => skill.name).sort()).toEqual(
    ["law-leases", "work-leases", "big-minutes-2", "123", "another-name", "long", "quotes", "fields", "x".repeat(64)].sort(),
  );
  for (const { name, path, description } of skills) {
    expect(path.split("/").at(-1)).toBe(name);
    expect(description.length).toBeLessThanOrEqual(1024);
    expect(description).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  }
  expect((await workspace.skills?.get("quotes"))?.description).toBe(`Says "a: b" # and \\ 'c'. Use when asked.`);
  expect((await workspace.skills?.get("quotes"))?.instructions).toContain("---\nBODY\n---");
  expect((await workspace.skills?.get("work-leases"))?.instructions).toBe("BODY of leases");
});

test("skills are folders that hold their files, and nothing else is there", async () => {
  const { client } = held.current;
  await publish(client, "eva", "a/same", "Is the first. Use when asked.", "A\n", { "x.bin": "x", "deep/er/y.md": "y\n" });
  await publish(client, "eva", "b/same", "Is the second. Use when asked.", "B\n");
  const source = new SkillmountSkillSource(client, { user: "eva", root: "/mine/" });
  const names = async (path: string) => (await source.readdir(path)).map((entry) => `${entry.type} ${entry.name}`);
  expect(await names("mine")).toEqual(["directory a-same", "directory b-same"]);
  expect(await names("/mine/a-same")).toEqual(["file SKILL.md", "directory deep", "file x.bin"]);
  expect(await names("mine/a-same/deep")).toEqual(["directory er"]);
  expect(await source.readFile("mine/a-same/deep/er/y.md")).toBe("y\n");
  expect(await source.stat("mine/a-same/x.bin")).toMatchObject({ name: "x.bin", type: "file", size: 1 });
  const readme = String(await source.readFile("mine/a-same/SKILL.md"));
  expect(readme).toMatch(/^---\n(.*\n)*"name": "a-same"\n(.*\n)*---\n\n?A\n$/);
  expect(await source.stat("mine/a-same/SKILL.md")).toMatchObject({ type: "file", size: Buffer.byteLength(readme) });
  for (const path of ["mine/a-same", "mine/a-same/deep", "mine"]) expect(await source.exists(path)).toBe(true);
  for (const path of ["", "other", "mine/same", "mine/a-same/none", "mine/a-same/../b-same/SKILL.md"]) {
    expect(await source.exists(path)).toBe(false);
  }
  await expect(source.readFile("mine/a-same")).rejects.toMatchObject({ code: "ENOENT" });
  await expect(source.readdir("mine/a-same/x.bin")).rejects.toMatchObject({ code: "ENOENT" });
});

test("one agent serves every user at the same time, whom the request context names", async () => {
  const { client } = held.current;
  await publish(client, "rui", "cook/soup", "Cooks soup. Use when someone is hungry.", "SECRET-OF-SOUP\n");
  const workspace = ({ requestContext }: { requestContext: RequestContext }) =>
    workspaceOf(client, requestContext.get("user") as string);
  const runs = await Promise.all(
    ["ana", "rui", "ana", "rui"].map((user) => {
      const requestContext = new RequestContext();
      requestContext.set("user", user);
      return run(workspace as never, [[["skill", { name: user === "ana" ? "leases" : "soup" }]]], {}, { requestContext });
    }),
  );
  for (const [at, { turns }] of runs.entries()) {
    const [mine, other] = at % 2 ? [/soup/i, /lease/i] : [/lease/i, /soup/i];
    expect(turns[0]?.system).toMatch(mine);
    expect(turns[0]?.system).not.toMatch(other);
    expect(turns[1]?.results).toContain(at % 2 ? "SECRET-OF-SOUP" : "SECRET-OF-LEASES");
  }
});

test("new, changed and deleted skills show in a later turn, once Mastra looks again", async () => {
  const { client } = held.current;
  const user = client.user("grows");
  await publish(client, "grows", "a/first", "Is the first. Use when asked.", "ONE\n");
  await publish(client, "grows", "a/gone", "Goes away. Use when asked.", "GONE\n");
  const workspace = workspaceOf(client, "grows", { maxAge: 0 });
  const shown = async () => (await run(workspace, ["done"])).turns[0]?.system ?? "";
  expect(await shown()).toContain("Goes away.");
  await user.deleteSkill("a/gone");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  await until(async () => {
    vi.setSystemTime(Date.now() + 60_000);
    return !(await shown()).includes("Goes away.");
  });
  vi.setSystemTime(Date.now() + 60_000);
  await publish(client, "grows", "a/second", "Is the second. Use when asked.", "TWO\n");
  await until(async () => {
    vi.setSystemTime(Date.now() + 60_000);
    return (await shown()).includes("Is the second.");
  });
});

test("the developer's tools and instructions stay beside those of Mastra for skills", async () => {
  const weather = createTool({ id: "weather", description: "The weather.", execute: async () => ({ sky: "sunny" }) });
  const { turns } = await run(workspaceOf(held.current.client, "ana"), [[["weather", {}]]], { tools: { weather } });
  expect(turns[0]?.tools).toEqual(expect.arrayContaining(["weather", "skill"]));
  expect(turns[0]?.system).toContain("You are a pirate.");
  expect(turns[1]?.results).toContain("sunny");
});

test("a file that is not there is a failed call with words for the model, and the run goes on", async () => {
  const { turns, done } = await run(workspaceOf(held.current.client, "ana"), [
    [["skill_read", { skillName: "leases", path: "none.md" }]],
    [["skill", { name: "lease" }]],
    "done",
  ]);
  expect(turns[1]?.results).toContain("none.md");
  expect(turns[2]?.results).toContain("lease");
  expect(done.text).toBe("done");
});

test("if the service goes away in mid-run the skills stay, the log says so once, and reading fails with words", async () => {
  let away = false;
  const { client } = await behind(() => (away ? "cut" : "pass"));
  const log: string[] = [];
  const workspace = workspaceOf(client, "ana", { maxAge: 0, log: (line) => log.push(line) });
  expect((await run(workspace, ["done"])).turns[0]?.system).toContain("Drafts leases.");
  away = true;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  const read: Step = [["skill_read", { skillName: "leases", path: "forms/garage.md" }]];
  for (let times = 0; times < 2; times += 1) {
    const { turns, done } = await run(workspace, [[["skill", { name: "leases" }]], read, "done"]);
    expect(turns[0]?.system).toContain("Drafts leases.");
    expect(turns[1]?.results).toContain("SECRET-OF-LEASES");
    expect(done.text).toBe("done");
    await workspace.skills?.maybeRefresh();
    vi.setSystemTime(Date.now() + 60_000);
  }
  expect((await workspace.skills?.list())?.map((skill) => skill.name)).toContain("leases");
  expect(log).toHaveLength(1);
  expect(log[0]).toContain("check that it runs");
});

test("a service that does not answer costs the time limit, and the run goes on", async () => {
  const { client, before } = await behind((url) => (url.includes("/skill_files/") ? "hang" : "pass"), 300);
  const workspace = workspaceOf(client, "ana");
  await workspace.skills?.list();
  const source = new SkillmountSkillSource(client, { user: "ana" });
  const { error, took } = await failing(() => source.readFile("skills/leases/forms/garage.md"));
  expect(error["message"]).toContain("within 0.3 s");
  expect(took).toBeLessThan(2000);
  await until(() => before.hanging() === 0);
  const { done } = await run(workspace, [[["skill_read", { skillName: "leases", path: "forms/garage.md" }]], "done"]);
  expect(done.text).toBe("done");
});

test("reading is repeated while the service is busy, and what was refused is not", async () => {
  let busy = 0;
  const { client, before } = await behind(() => (busy++ % 2 ? "pass" : { status: 503, body: "" }));
  const source = new SkillmountSkillSource(client, { user: "ana" });
  expect(await source.readFile("skills/leases/forms/garage.md")).toBe("LEASE OF A GARAGE\n");
  expect(before.seen).toHaveLength(6);
  const denied = await behind(() => ({ status: 401, body: '{"code":"unauthenticated","detail":"no key"}' }));
  const refused = new SkillmountSkillSource(denied.client, { user: "ana" });
  await expect(refused.readdir("skills")).rejects.toMatchObject({ code: "unauthenticated" });
  expect(denied.before.seen).toHaveLength(1);
});

test("many runs of one workspace at the same time ask for the listing and for each skill once", async () => {
  const { client, before } = await behind(() => "pass");
  const workspace = workspaceOf(client, "ana");
  const runs = await Promise.all(
    Array.from({ length: 6 }, () => run(workspace, [[["skill", { name: "leases" }]]])),
  );
  for (const { turns } of runs) expect(turns[1]?.results).toContain("SECRET-OF-LEASES");
  expect(before.seen.filter((each) => each.endsWith("/skills"))).toHaveLength(1);
  expect(before.seen.filter((each) => each.includes("/skills/law%2Fleases"))).toHaveLength(1);
  expect(before.hanging()).toBe(0);
});

test("a second agent over the same workspace works beside the first, and neither shows the key", async () => {
  const client = createSkillmount({ server: held.current.url, apiKey: "open-sesame" });
  const workspace = workspaceOf(client, "ana");
  const both = await Promise.all([run(workspace, ["done"]), run(workspace, ["done"])]);
  for (const { turns } of both) expect(turns[0]?.system).toContain("Drafts leases.");
  const source = new SkillmountSkillSource(client, { user: "ana" });
  expect(inspect([workspace, source], { depth: 9, showHidden: true }) + JSON.stringify(source)).not.toContain("open-sesame");
});

test("a skill that needs an approval is not listed, and nothing of it reaches the model", async () => {
  const { client } = held.current;
  await publish(client, "ann", "law/leases", "Drafts leases. Use when someone rents.", "SECRET-OF-LEASES\n");
  await publish(client, "ann", "cook/soup", "Cooks soup. Use when someone is hungry.", "SOUP\n");
  await publish(client, "ann", "law/deeds", "Drafts deeds. Use when someone sells.", "SECRET-OF-DEEDS\n");
  await client.user("ann").setPolicy({ skills: { "*": "auto_approve", "law/*": "enabled", "law/deeds": "auto_approve" } });
  const workspace = workspaceOf(client, "ann");
  expect((await workspace.skills?.list())?.map((skill) => skill.name).sort()).toEqual(["deeds", "soup"]);
  const { turns, done } = await run(workspace, [[["skill", { name: "leases" }]], "done"]);
  expect(turns.map((turn) => turn.system + turn.results).join()).not.toMatch(/SECRET-OF-LEASES|Drafts leases/);
  expect(done.text).toBe("done");
  const source = new SkillmountSkillSource(client, { user: "ann" });
  await expect(source.readFile("skills/leases/SKILL.md")).rejects.toMatchObject({ code: "ENOENT" });
});
