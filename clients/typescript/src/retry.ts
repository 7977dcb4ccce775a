/** Which calls are sent again, and after how long. */

import { InvalidSettings, type SkillmountError } from "./problem.ts";

/**
 * How often and how patiently. A call is repeated if it may succeed later, and only if repeating it changes nothing twice: it
 * is safe by itself, or it is certain that nothing was changed.
 */
export interface Retry {
  /** How often a call is sent at most; 4 if absent, and 1 never repeats. */
  attempts: number;
  /** Milliseconds that the first wait is at most, and each further one twice as long; 100 if absent. */
  base: number;
  /** Milliseconds that a wait is at most, unless the service asks for more; 5,000 if absent. */
  cap: number;
  /** Milliseconds of `retry-after` that are waited for; 30,000 if absent. If the service asks for more, the call fails. */
  patience: number;
}

/**
 * The settings of repetitions.
 *
 * @param given - What the developer gives.
 * @throws InvalidSettings if a number is negative, none, or `attempts` is not whole.
 */
export function retry(given: { [Name in keyof Retry]?: Retry[Name] | undefined }): Retry {
  const { attempts = 4, base = 100, cap = 5000, patience = 30_000 } = given;
  if (!Number.isInteger(attempts) || attempts < 1) {
    throw new InvalidSettings(`retry.attempts is a whole number from 1, not ${attempts}`);
  }
  for (const [name, value] of Object.entries({ base, cap, patience })) {
    if (!(value >= 0)) throw new InvalidSettings(`retry.${name} is a number of milliseconds from 0, not ${value}`);
  }
  return { attempts, base, cap, patience };
}

/**
 * Milliseconds to wait before the next attempt.
 *
 * @param settings - How often and how patiently.
 * @param error - What came of the last attempt.
 * @param attempt - How often the call was sent.
 * @param safe - Whether sending the call twice is the same as sending it once.
 * @returns A random time, so that many callers do not come back together; `undefined` if there is no next attempt.
 */
export function delay(settings: Retry, error: SkillmountError, attempt: number, safe: boolean): number | undefined {
  if (attempt >= settings.attempts || !error.retryable) return undefined;
  // A call that was refused at the door, such as by a limit, changed nothing either.
  if (!safe && error.outcome !== "not_applied" && error.code !== "rate_limited") return undefined;
  const asked = error.retryAfter ?? 0;
  if (asked > settings.patience) return undefined;
  return asked + Math.random() * Math.min(settings.cap, settings.base * 2 ** (attempt - 1));
}

// Routes that change nothing more if they are called twice, by their last part. All calls with GET and HEAD are such, too.
const SAFE = new Set([
  "POST ls", "POST read", "POST grep", "POST glob", "POST download", "POST discover_skills", "POST load_skill",
  "POST unload_skill", "POST refresh", "PUT {session}", "PUT policy",
]);

/**
 * Whether sending a call twice is the same as sending it once.
 *
 * @param method - The HTTP method.
 * @param route - The path of the route, as the contract has it.
 * @param body - The bytes of the request.
 */
export function isSafe(method: string, route: string, body: ArrayBuffer | undefined): boolean {
  const last = route.split("/").at(-1) ?? "";
  if (last === "tool_calls") return turn(body).every((tool) => SAFE.has(`POST ${tool === "Skill" ? "load_skill" : tool}`));
  return method === "GET" || method === "HEAD" || SAFE.has(`${method} ${last}`);
}

/** The tools that a turn calls. A turn of another form counts as one unknown tool. */
function turn(body: ArrayBuffer | undefined): string[] {
  try {
    const { content } = JSON.parse(new TextDecoder().decode(body)) as { content: { name?: string }[] };
    return content.map((block) => block.name ?? "");
  } catch {
    return [""];
  }
}
