/** skillmount for the AI SDK: the tools of a session, and what each step of the model needs. */

import { dynamicTool, jsonSchema, type ToolSet } from "ai";
import { body, SkillmountError, type Client, type Place, type Schemas } from "./index.ts";

export interface SkillmountTools {
  /** The tools of the session, for `generateText`, `streamText` and agents. */
  tools: ToolSet;
  /** Asks before a step what the model is told and which of the tools it may use now: two requests. */
  prepareStep: (options?: object) => Promise<{ instructions: string; activeTools: string[] }>;
}

export interface ToolOptions extends Place {
  /** What the model is told beside its skills. */
  instructions?: string;
  /** Only these tools of the service; all that the policy allows if absent. */
  only?: readonly string[];
}

interface Definition {
  name: string;
  description: string;
  input_schema: Parameters<typeof jsonSchema>[0];
}

/**
 * The tools of one user and session: those for skills and for files. Make them for each conversation; user and session come from
 * your server, never from the model. Calls of one step run one after another, since a call may load what the next one reads.
 */
export async function skillmountTools(client: Client, options: ToolOptions): Promise<SkillmountTools> {
  const { user, session, only } = options;
  const path = { user, session };
  const wanted = (name: string) => only === undefined || only.includes(name);
  const listed = async (mode?: "two_state") => {
    const answer = await client.GET("/v1/users/{user}/sessions/{session}/tools", {
      params: { path, query: mode ? { mode } : {} },
    });
    return (body(answer).tools as unknown as Definition[]).filter((tool) => wanted(tool.name));
  };

  let last: Promise<unknown> = Promise.resolve();
  const run = async (name: string, input: unknown): Promise<string> => {
    const answer = await client.POST("/v1/users/{user}/sessions/{session}/tool_calls", {
      params: { path },
      body: { content: [{ type: "tool_use", id: "call", name, input }] } as never,
    });
    const [result] = (body(answer) as unknown as { content: [{ content: unknown; is_error?: boolean }] }).content;
    return typeof result.content === "string" ? result.content : JSON.stringify(result.content);
  };
  const inTurn = (name: string, input: unknown): Promise<string> => {
    const next = last.then(() => run(name, input));
    last = next.catch(() => undefined);
    return next.catch((error: unknown) => {
      // The model reads what the service wrote for it, and no stack.
      if (error instanceof SkillmountError) return `Error: ${error.detail}`;
      throw error;
    });
  };

  // In the mode `discover` tools come as skills are found: all of them are known, and each step has those of its moment.
  const definitions = await listed("two_state");
  const tools: ToolSet = Object.fromEntries(
    definitions.map(({ name, description, input_schema }) => [
      name,
      dynamicTool({ description, inputSchema: jsonSchema(input_schema), execute: (input) => inTurn(name, input) }),
    ]),
  );
  const prepareStep = async () => {
    const asked = client.GET("/v1/users/{user}/sessions/{session}/prompt", { params: { path } });
    const [answer, now] = await Promise.all([asked, listed()]);
    const { prompt } = body(answer) as Schemas["PromptReply"];
    const told = [options.instructions, prompt].filter(Boolean);
    return { instructions: told.join("\n\n"), activeTools: now.map((tool) => tool.name).filter((name) => name in tools) };
  };
  return { tools, prepareStep };
}
