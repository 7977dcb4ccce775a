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

// Mastra asks the API of the model itself. Behind the script this model repeats what it was told last.
const send = globalThis.fetch;
globalThis.fetch = async (url, init) => {
  if (!String(url).startsWith("https://api.anthropic.com/")) return send(url, init);
  const call = script.shift();
  const content = call
    ? [{ type: "tool_use", id: "toolu_1", name: call[0], input: call[1] }]
    : [{ type: "text", text: JSON.stringify(JSON.parse(init.body).messages.at(-1)) }];
  const usage = { input_tokens: 1, output_tokens: 1 };
  const stop_reason = call ? "tool_use" : "end_turn";
  return Response.json({ id: "m", type: "message", role: "assistant", model: "scripted", content, stop_reason, usage });
};

for (const [name, steps] of Object.entries(JSON.parse(process.argv[2]))) {
  script = steps;
  console.log(`${name}:`);
  await import(`../snippets/${name}.ts`);
}
process.stdout.write(String(Date.now()));
