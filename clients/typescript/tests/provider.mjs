// Preloaded into snippets: a model that is named by a text says this script, and "done" behind it.
const script = JSON.parse(process.env.SCRIPT ?? "[]");
let at = 0;

async function doGenerate() {
  const call = script[at++];
  const content = call
    ? [{ type: "tool-call", toolCallId: `${at}`, toolName: call[0], input: JSON.stringify(call[1]) }]
    : [{ type: "text", text: "done" }];
  const unified = call ? "tool-calls" : "stop";
  return { content, finishReason: { unified, raw: unified }, usage: { inputTokens: {}, outputTokens: {} }, warnings: [] };
}

// The SDK asks for the model before each step.
const model = { specificationVersion: "v4", provider: "scripted", modelId: "scripted", supportedUrls: {}, doGenerate };
globalThis.AI_SDK_DEFAULT_PROVIDER = { specificationVersion: "v4", languageModel: () => model };
