import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { skillmountTools } from "../src/ai.ts";
import { service } from "./server.ts";

const held = service();
const ROOT = new URL("../../../", import.meta.url).pathname;

type Step = [name: string, input: object][] | string;

/** A model that says these steps. */
function scripted(steps: Step[]): MockLanguageModelV4 {
  const usage = { inputTokens: {}, outputTokens: {} };
  let at = 0;
  const doGenerate = async () => {
    const step = steps[at++] ?? "done";
    const content =
      typeof step === "string"
        ? [{ type: "text", text: step }]
        : step.map(([toolName, input], call) => ({
            type: "tool-call", toolCallId: `${at}-${call}`, toolName, input: JSON.stringify(input),
          }));
    const unified = typeof step === "string" ? "stop" : "tool-calls";
    return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
  };
  return new MockLanguageModelV4({ doGenerate: doGenerate as never });
}

async function run(session: string, steps: Step[], user = "ana") {
  const model = scripted(steps);
  const { tools, prepareStep } = await skillmountTools(held.current.client, { user, session, instructions: "Be brief." });
  const done = await generateText({ model, tools, prepareStep, prompt: "go", stopWhen: isStepCount(9) });
  const results = done.steps.flatMap((step) => step.toolResults.map((result) => String(result.output)));
  const offered = model.doGenerateCalls.map((call) => call.tools?.map((tool) => tool.name) ?? []);
  return { results, offered, seen: model.doGenerateCalls.map((call) => JSON.stringify(call.prompt[0])) };
}

test("a model loads a skill and reads its files in the same step", async () => {
  const { results, seen } = await run("load", [
    [["load_skill", { skill: "law/leases" }], ["read", { file_path: "/skills/leases/forms/garage.md" }]],
    [["write", { file_path: "/workspace/a.md", content: "x" }], ["read", { file_path: "/nothing" }]],
    "done",
  ]);
  expect(results[0]).toContain("Loaded skill leases");
  expect(results[1]).toContain("LEASE OF A GARAGE");
  expect(results[3]).toMatch(/^Error: /);
  expect(seen[0]).toContain("Be brief.");
  expect(seen[0]).toContain("law/leases");
  expect(seen[0]).not.toContain("SECRET-OF-LEASES");
  expect(seen[1]).toContain("SECRET-OF-LEASES");
});

test("tools follow the mode and the policy, and a user without skills has none of them", async () => {
  await held.current.client.PUT("/v1/users/{user}/sessions/{session}", {
    params: { path: { user: "ana", session: "grows" } },
    body: { policy: { prompt_mode: "discover", load_tool: "Skill", plan_mode: true } } as never,
  });
  const { offered } = await run("grows", [[["discover_skills", { query: "leases" }]], [["Skill", { skill: "leases" }]], "done"]);
  expect(offered[0]).toEqual(["discover_skills"]);
  expect(offered[1]).toEqual(["discover_skills", "Skill"]);
  expect(offered[2]).toContain("read");
  expect(offered[2]).not.toContain("write");
  const bob = await run("new", ["done"], "bob");
  expect(bob.offered[0]).toContain("read");
  expect(bob.offered[0]).not.toContain("load_skill");
});

test("the example prints what the README shows", () => {
  const shown = /node examples\/vercel_ai\/lease.ts\n```\n\n.*?```\n(.*?)```/s.exec(readFileSync(`${ROOT}clients/typescript/README.md`, "utf8"));
  const program = process.env["SKILLMOUNT_PROGRAM"] ?? `${ROOT}target/debug/skillmount`;
  const env = { ...process.env, SKILLMOUNT_PROGRAM: program };
  expect(execFileSync(process.execPath, [`${ROOT}examples/vercel_ai/lease.ts`], { env, encoding: "utf8" })).toBe(shown?.[1]);
});
