/** A model of the AI SDK that says what a test wrote. */

import { MockLanguageModelV4 } from "ai/test";

/** Calls of tools, or a text. */
export type Step = [name: string, input: object][] | string;

/** A model that says these steps, and "done" behind them. The ids of its calls are such as `s1-0`. */
export function scripted(steps: Step[], ids = "s"): MockLanguageModelV4 {
  const usage = { inputTokens: {}, outputTokens: {} };
  let at = 0;
  const doGenerate = async () => {
    const step = steps[at++] ?? "done";
    const content =
      typeof step === "string"
        ? [{ type: "text", text: step }]
        : step.map(([toolName, input], call) => ({
            type: "tool-call", toolCallId: `${ids}${at}-${call}`, toolName, input: JSON.stringify(input),
          }));
    const unified = typeof step === "string" ? "stop" : "tool-calls";
    return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
  };
  const doStream = async () => {
    const { content, finishReason } = await doGenerate();
    const parts: object[] = [{ type: "stream-start", warnings: [] }];
    for (const part of content) {
      if (part.type !== "text") parts.push(part);
      else parts.push({ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: (part as { text: string }).text }, { type: "text-end", id: "t" });
    }
    parts.push({ type: "finish", finishReason, usage });
    const start = (stream: ReadableStreamDefaultController) => {
      for (const part of parts) stream.enqueue(part);
      stream.close();
    };
    return { stream: new ReadableStream({ start }) };
  };
  return new MockLanguageModelV4({ doGenerate: doGenerate as never, doStream: doStream as never });
}

interface Call {
  prompt: { role: string; content: unknown }[];
  tools?: { name: string }[] | undefined;
}

/** What each call of the model was given: its system messages as one text, the names of its tools, and the last results. */
export function given(model: { doGenerateCalls: unknown[]; doStreamCalls: unknown[] }) {
  const calls = [...model.doGenerateCalls, ...model.doStreamCalls] as Call[];
  return calls.map(({ prompt, tools }) => ({
    system: prompt.filter(({ role }) => role === "system").map(({ content }) => String(content)).join("\n"),
    systems: prompt.filter(({ role }) => role === "system"),
    tools: tools?.map((tool) => tool.name) ?? [],
    results: JSON.stringify(prompt.filter(({ role }) => role === "tool").at(-1)?.content ?? []),
  }));
}
