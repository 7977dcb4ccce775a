/** Errors of calls: `SkillmountError` with the code of the service, and a class for each fault that this package finds itself. */

import type { components } from "./schema.ts";

/** The codes of the service. README.md has a table with the status and the meaning of each. */
export type ErrorCode = components["schemas"]["ErrorCode"];

/** The codes of this package: no answer, an answer of an unknown form, wrong settings, and a clash of tool names. */
export type OwnErrorCode = "unreachable" | "unknown_reply" | "invalid_settings" | "tool_name_clash";

/** Whether a failed change is in the store. */
export type Outcome = components["schemas"]["ChangeOutcome"];

/** The facts of an error. All but `code` and `detail` may be absent. */
export interface ErrorFacts {
  /** The stable code. Later versions of the service add codes. */
  code: ErrorCode | OwnErrorCode | (string & {});
  /** What is wrong and what to do next, written for the agent that reads it. */
  detail: string;
  /** The HTTP status, if there was an answer. */
  status?: number | undefined;
  /** Whether the same call may succeed later; `false` if absent. */
  retryable?: boolean | undefined;
  /** Whether a failed change is in the store. */
  outcome?: Outcome | undefined;
  /** The id of the request in the service's log. */
  requestId?: string | undefined;
  /** Milliseconds that the service asks to wait. */
  retryAfter?: number | undefined;
  /** The whole problem document. */
  problem?: Readonly<Record<string, unknown>> | undefined;
  /** The error below this one. */
  cause?: unknown;
}

/**
 * A call that failed.
 *
 * @example
 * ```ts
 * try {
 *   await session.read("/workspace/a.md");
 * } catch (error) {
 *   if (error instanceof SkillmountError && error.code === "file_not_found") console.log(error.detail);
 *   else throw error;
 * }
 * ```
 */
export class SkillmountError extends Error {
  override readonly name: string = "SkillmountError";
  /** The stable code, such as `skill_not_found`. */
  readonly code: ErrorFacts["code"];
  /** The HTTP status; `undefined` if no answer came. */
  readonly status: number | undefined;
  /** What is wrong and what to do next, written for the agent that reads it. */
  readonly detail: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** Whether a failed change is in the store: `not_applied`, `partial`, `unknown` or `applied`. */
  readonly outcome: Outcome | undefined;
  /** The id of the request in the service's log. */
  readonly requestId: string | undefined;
  /** Milliseconds that the service asks to wait. */
  readonly retryAfter: number | undefined;
  /** The whole problem document, with further members such as `suggestions` or `approval_id`. */
  readonly problem: Readonly<Record<string, unknown>>;

  /**
   * Keeps the facts. The message is code and detail.
   *
   * @param facts - What is known of the failure.
   */
  constructor(facts: ErrorFacts) {
    super(`${facts.code}: ${facts.detail}`, facts.cause === undefined ? {} : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status;
    this.detail = facts.detail;
    this.retryable = facts.retryable ?? false;
    this.outcome = facts.outcome;
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
    this.problem = facts.problem ?? {};
  }
}

/** No answer came: the service is down, restarting or too slow. Code `unreachable`, always retryable. */
export class Unreachable extends SkillmountError {
  override readonly name = "Unreachable";
}

/** The answer is none that this version of the package knows. Code `unknown_reply`. */
export class UnknownReply extends SkillmountError {
  override readonly name = "UnknownReply";
}

/** An address, a key or a limit that cannot work. Code `invalid_settings`, found before anything is sent. */
export class InvalidSettings extends SkillmountError {
  override readonly name = "InvalidSettings";

  /** @param detail - Which setting is wrong and what its right form is. */
  constructor(detail: string) {
    super({ code: "invalid_settings", detail });
  }
}

// A gateway answers these for a service that is not there yet, or that has too much to do.
const RETRYABLE = [429, 502, 503, 504];

/**
 * The error that an answer with status 400 or higher is.
 *
 * @param response - The answer; its body is read.
 * @param route - How the answer came, for an answer that is not the service's, such as `through the proxy http://p:1`.
 * @returns An error with the members of the problem document, or `UnknownReply` if there is none.
 */
export async function failure(response: Response, route: string): Promise<SkillmountError> {
  const { status } = response;
  const retryAfter = waiting(response.headers.get("retry-after"));
  const problem = document(await response.text());
  if (!problem) {
    return new UnknownReply({
      code: "unknown_reply",
      detail:
        `status ${status} without a problem document came ${route}; ` +
        "is a proxy before the service, or is another service at this address?",
      status,
      retryable: RETRYABLE.includes(status),
      outcome: status === 429 ? "not_applied" : "unknown",
      retryAfter,
    });
  }
  const { code, detail } = problem;
  const versions = code === "route_not_found" ? " (the service and this package may be of different versions)" : "";
  return new SkillmountError({
    code,
    detail: detail + versions,
    status,
    retryable: problem["retryable"] === true,
    outcome: problem["outcome"] as Outcome | undefined,
    requestId: problem["request_id"] as string | undefined,
    retryAfter,
    problem,
  });
}

function document(text: string): (Record<string, unknown> & { code: string; detail: string }) | undefined {
  try {
    const read = JSON.parse(text) as { code?: unknown; detail?: unknown } | null;
    const whole = typeof read?.code === "string" && typeof read.detail === "string";
    return whole ? (read as Record<string, unknown> & { code: string; detail: string }) : undefined;
  } catch {
    return undefined;
  }
}

/** The header has seconds or a date. */
function waiting(header: string | null): number | undefined {
  if (!header) return undefined;
  const millis = /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(millis) ? undefined : Math.max(0, millis);
}

/**
 * The body of an answer.
 *
 * @param answer - What a call by path returned.
 * @throws UnknownReply if there is none: the service is of another version.
 * @example `const { skills } = body(await client.GET("/v1/users/{user}/skills", { params: { path: { user: "ana" } } }));`
 */
export function body<T>(answer: { data?: T; response: Response }): T {
  if (answer.data !== undefined) return answer.data;
  const detail = "the answer has no body that this version of the package knows; install the version of the service";
  throw new UnknownReply({ code: "unknown_reply", detail, status: answer.response.status });
}
