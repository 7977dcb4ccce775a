/** skillmount for the AI SDK: the tools of a session, and what each step of the model needs. */

import { dynamicTool, jsonSchema, type Instructions, type ToolExecutionOptions, type ToolSet } from "ai";
import type { Client, Place, Schemas } from "./index.ts";
import { kept } from "./outage.ts";
import { SkillmountError } from "./problem.ts";
import type { SessionClient } from "./session.ts";

/** What a conversation is given. */
export interface SkillmountTools {
  /** The tools of the session, and your own, for `generateText`, `streamText` and agents. */
  tools: ToolSet;
  /**
   * Asks before a step what the model is told and which of the tools it may use now: two requests. Your own instructions come first,
   * and your own tools stay. If the service is away, the last answer stays, and the log says so once.
   */
  prepareStep: <Name extends string>(
    options?: { initialInstructions?: Instructions | undefined },
  ) => Promise<{ instructions: Instructions; activeTools: Name[] }>;
}

/** A call that waits for a person: tool, input, the seconds left, and skill and digest of a load. */
export type ApprovalRequest = Schemas["WaitingCall"];

/** What a person decides. The model reads the message of a denial, which has at most 1,000 characters. */
export type ApprovalAnswer = Schemas["DecideApprovalRequest"];

/** Whose conversation it is, and what belongs to it. */
export interface ToolOptions extends Place {
  /** Your own tools. A name that a tool of the service has too is rejected. */
  tools?: ToolSet | undefined;
  /** Only these tools of the service; all that the policy allows if absent. */
  only?: readonly string[] | undefined;
  /** Asks a person about a call that needs an approval. Without it the model reads that the call waits for one. */
  approvals?: {
    /** A key of scope `control`, which the model never sees; none for a service without keys. */
    controlKey?: string | undefined;
    /** Asks the person. The call waits meanwhile, and the signal is that of the run. */
    ask: (request: ApprovalRequest, signal: AbortSignal | undefined) => Promise<ApprovalAnswer>;
  } | undefined;
  /** The signal of the run. The SDK gives it to tools, and not to what prepares a step. */
  signal?: AbortSignal | undefined;
  /** Says that the service went away; `console.warn` if absent. */
  log?: ((message: string) => void) | undefined;
}

/** A call of a tool that failed. The message is what the model reads. */
export class ToolCallFailed extends Error {
  override readonly name = "ToolCallFailed";

  // The SDK shows the model an error as a text, without its stack.
  override toString(): string {
    return this.message;
  }
}

interface Definition {
  name: string;
  description: string;
  input_schema: Parameters<typeof jsonSchema>[0];
}

/**
 * The tools of one user and session: those for skills and for files. Make them for each conversation, such as in `prepareCall` of a
 * `ToolLoopAgent`; user and session come from your server, never from the model. Calls of one step run one after another, since a
 * call may load what the next one reads. What the service refuses is a failed call, with the words of the service for the model.
 *
 * @param client - What sends the calls.
 * @param options - Whose conversation it is.
 * @returns Tools, and what prepares each step.
 * @throws SkillmountError if the service does not answer, or with code `tool_name_clash` if a tool of yours has a name of its tools.
 * @example
 * ```ts
 * const { tools, prepareStep } = await skillmountTools(client, { user: "ana", session: "monday" });
 * await generateText({ model, tools, prepareStep, prompt: "Turn my notes into minutes.", stopWhen: isStepCount(20) });
 * ```
 */
export async function skillmountTools(client: Client, options: ToolOptions): Promise<SkillmountTools> {
  const { only, signal, tools: own = {} } = options;
  const session = client.session(options.user, options.session);
  const listed = async (mode?: "two_state") => {
    const definitions = (await session.tools({ mode, signal })) as unknown as Definition[];
    return definitions.filter(({ name }) => only === undefined || only.includes(name));
  };
  const inTurn = turns();
  // In the mode `discover` tools come as skills are found: all of them are known, and each step has those of its moment.
  const definitions = await listed("two_state");
  const theirs: ToolSet = Object.fromEntries(
    definitions.map(({ name, description, input_schema }) => [
      name,
      dynamicTool({
        description,
        inputSchema: jsonSchema(input_schema),
        execute: (input, call) => inTurn(() => run(session, options, name, input, call), call.abortSignal),
      }),
    ]),
  );
  rejectClash(own, theirs);

  const ask = kept(
    async () => {
      const [{ prompt }, now] = await Promise.all([session.prompt({ signal }), listed()]);
      return { prompt, names: now.map(({ name }) => name) };
    },
    `skills of user ${options.user} in session ${options.session}`,
    options.log,
  );
  const prepareStep = async <Name extends string>(step?: { initialInstructions?: Instructions | undefined }) => {
    const { prompt, names } = await ask();
    const activeTools = new ActiveTools(Object.keys(theirs), [...names.filter((name) => name in theirs), ...Object.keys(own)]);
    return { instructions: joined(step?.initialInstructions, prompt), activeTools: activeTools as string[] as Name[] };
  };
  return { tools: { ...theirs, ...own }, prepareStep };
}

/** The tools of a step. The SDK asks by name, so tools that the developer added beside those of the service are included too. */
class ActiveTools extends Array<string> {
  readonly #theirs: ReadonlySet<string>;

  constructor(theirs: readonly string[], active: readonly string[]) {
    super();
    this.push(...active);
    this.#theirs = new Set(theirs);
  }

  // Methods such as `map` return plain arrays.
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  override includes(name: string): boolean {
    return super.includes(name) || !this.#theirs.has(name);
  }
}

function rejectClash(own: ToolSet, theirs: ToolSet): void {
  const both = Object.keys(own).filter((name) => name in theirs);
  if (both.length === 0) return;
  const detail = `your tools and those of skillmount both have ${both.join(", ")}; rename yours, or leave theirs out with \`only\``;
  throw new SkillmountError({ code: "tool_name_clash", detail });
}

function joined(initial: Instructions | undefined, prompt: string): Instructions {
  if (!prompt) return initial ?? "";
  if (initial === undefined || typeof initial === "string") return [initial, prompt].filter(Boolean).join("\n\n");
  return [...(Array.isArray(initial) ? initial : [initial]), { role: "system", content: prompt }];
}

/** Runs steps one after another. A step whose run ends is left at once, and no later step waits for it. */
function turns(): <T>(step: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (step, signal) => {
    const begun = last.then(() => {
      signal?.throwIfAborted();
      return step();
    });
    const ended = untilAborted(begun, signal);
    last = Promise.allSettled([last, ended]);
    return ended;
  };
}

function untilAborted<T>(step: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return step;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    step.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

async function run(
  session: SessionClient, options: ToolOptions, name: string, input: unknown, call: ToolExecutionOptions<unknown>,
): Promise<string> {
  const signal = call.abortSignal;
  const once = async () => {
    const [result] = await session.toolCalls([{ type: "tool_use", id: call.toolCallId, name, input }], { signal, details: true });
    return result as Schemas["ToolResult"];
  };
  try {
    let result = await once();
    if (result.is_error && options.approvals && (await decided(session, options.approvals, result, { name, input }, signal))) {
      result = await once();
    }
    if (result.is_error) throw new ToolCallFailed(result.content);
    return result.content;
  } catch (error) {
    // The model reads what the service wrote for it, and no stack.
    if (error instanceof SkillmountError) throw new ToolCallFailed(`Error: ${error.detail}`, { cause: error });
    throw error;
  }
}

/** Asks a person about the call, if it waits for one, and posts the decision. Returns whether there was one. */
async function decided(
  session: SessionClient, approvals: NonNullable<ToolOptions["approvals"]>, result: Schemas["ToolResult"],
  call: { name: string; input: unknown }, signal: AbortSignal | undefined,
): Promise<boolean> {
  if (result.code && !result.approval_id) return false;
  const options = { signal, apiKey: approvals.controlKey };
  const listed = await session.approvals(options);
  // An earlier service says no code and no id.
  const waiting = result.code
    ? listed.find((each) => each.approval_id === result.approval_id)
    : matching(listed, call.name, call.input);
  if (!waiting) return false;
  const answer = await untilAborted(approvals.ask(waiting, signal), signal);
  await session.decide(waiting.approval_id, answer, options);
  return true;
}

/** The waiting call that is this one: of the same tool with the same input, the newest if there are several. */
function matching(waiting: ApprovalRequest[], name: string, input: unknown): ApprovalRequest | undefined {
  const tool = name === "Skill" ? "load_skill" : name;
  const given = Object.entries((input ?? {}) as Record<string, unknown>).filter(([, value]) => value != null);
  return waiting
    .filter((each) => each.tool === tool && given.every(([member, value]) => isLike(each.input[member], value)))
    .sort((a, b) => b.expires_at.localeCompare(a.expires_at))[0];
}

/** Whether the service shows a value like this: folders without the last slash, numbers as numbers, and long texts cut. */
function isLike(shown: unknown, given: unknown): boolean {
  const plain = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));
  const [a, b] = [plain(shown), plain(given)];
  const cut = /^(.*)… \(\d+ bytes in all\)$/s.exec(a)?.[1];
  return a === b || `${a}/` === b || (cut !== undefined && b.startsWith(cut));
}
