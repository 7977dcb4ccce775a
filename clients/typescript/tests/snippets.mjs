// Runs snippets one after another: `node tests/snippets.mjs '{"NAME": [[TOOL, INPUT], …], …}'`. A model that is named by a text says
// the script of the snippet, and "done" behind it. The last line says when the last of them was done.
let script = [];

async function doGenerate() {
  const call = script.shift();
  const content = call
    ? [{ type: "tool-call", toolCallId: `${script.length}`, toolName: call[0], input: JSON.stringify(call[1]) }]
    : [{ type: "text", text: "done" }];
  const unified = call ? "tool-calls" : "stop";
  return { content, finishReason: { unified, raw: unified }, usage: { inputTokens: {}, outputTokens: {} }, warnings: [] };
}

// The SDK asks for the model before each step.
const model = { specificationVersion: "v4", provider: "scripted", modelId: "scripted", supportedUrls: {}, doGenerate };
globalThis.AI_SDK_DEFAULT_PROVIDER = { specificationVersion: "v4", languageModel: () => model };

for (const [name, steps] of Object.entries(JSON.parse(process.argv[2]))) {
  script = steps;
  console.log(`${name}:`);
  await import(`../snippets/${name}.ts`);
}
process.stdout.write(String(Date.now()));
