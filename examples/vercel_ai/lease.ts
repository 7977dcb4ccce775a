/**
 * An agent of the AI SDK with its user's skills and files.
 *
 *     cargo build
 *     clients/typescript/run node examples/vercel_ai/lease.ts
 *
 * A service is started on a store in memory unless SKILLMOUNT_SERVER names one. The model says what is written below.
 */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { generateText, isStepCount } from "../../clients/typescript/node_modules/ai/dist/index.js";
import { MockLanguageModelV4 } from "../../clients/typescript/node_modules/ai/dist/test/index.js";
import { createSkillmount } from "../../clients/typescript/src/index.ts";
import { skillmountTools } from "../../clients/typescript/src/ai.ts";

const TASK = "Which lease do I need for a garage? Write it to /workspace/lease.md.";

const SCRIPT: [tool: string, input: object][] = [
  ["load_skill", { skill: "law/leases" }],
  ["read", { file_path: "/skills/leases/garage.md" }],
  ["write", { file_path: "/workspace/lease.md", content: "LEASE OF A GARAGE\n" }],
];

/** Says one line of the script after another. */
function scripted(): InstanceType<typeof MockLanguageModelV4> {
  let at = 0;
  return new MockLanguageModelV4({
    doGenerate: (async () => {
      const line = SCRIPT[at++];
      const content = line
        ? [{ type: "tool-call", toolCallId: `${at}`, toolName: line[0], input: JSON.stringify(line[1]) }]
        : [{ type: "text", text: "The lease is in /workspace/lease.md." }];
      const unified = line ? "tool-calls" : "stop";
      return { content, finishReason: { unified, raw: unified }, usage: { inputTokens: {}, outputTokens: {} }, warnings: [] };
    }) as never,
  });
}

/** The address of a service, and what stops it. */
async function service(): Promise<[string, () => void]> {
  const known = process.env["SKILLMOUNT_SERVER"];
  if (known) return [known, () => undefined];
  const program = process.env["SKILLMOUNT_PROGRAM"] ?? "skillmount";
  const given = ["serve", "--store", "memory:", "--listen", "127.0.0.1:0", "--json", "--drain", "0"];
  const running = spawn(program, given, { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: running.stdout })) {
    return [JSON.parse(line).listening, () => running.kill()];
  }
  throw new Error(`${program} did not start`);
}

const [server, stop] = await service();
const client = createSkillmount({ server });
await client.user("ana").publish("law/leases", {
  description: "Drafts leases. Use when someone rents something out.",
  body: "# Leases\nA garage has its own form: /skills/leases/garage.md.\n",
  files: { "garage.md": "LEASE OF A GARAGE\n" },
});
const { tools, prepareStep } = await skillmountTools(client, { user: "ana", session: "garage" });
const done = await generateText({ model: scripted(), tools, prepareStep, prompt: TASK, stopWhen: isStepCount(9) });
for (const step of done.steps) {
  for (const call of step.toolCalls) console.log(`model: ${call.toolName} ${JSON.stringify(call.input)}`);
  for (const result of step.toolResults) console.log(`tool:  ${String(result.output).trim().split("\n")[0]}`);
}
console.log(done.text);
stop();
