/** How a request is sent: with a time limit, again if it may be, and with an error that says what went wrong. */

import { failure, InvalidSettings, SkillmountError, UnknownReply, Unreachable } from "./problem.ts";
import { proxyOf, withoutProxy } from "./proxy.ts";
import { delay, isSafe } from "./retry.ts";
import type { Settings } from "./settings.ts";

/** What the caller wants of an answer. */
export interface Wish {
  /** The path of the route, as the contract has it. */
  route: string;
  /** How the body is read: a `stream` is passed on as it comes. */
  parseAs: string;
}

// With these the request was never sent, so nothing was changed.
const NEVER_SENT = new Set([
  "ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "EMFILE", "ENFILE", "UND_ERR_CONNECT_TIMEOUT",
]);
const EMPTY = [204, 205, 304];

/**
 * Sends a request and repeats it if it may be.
 *
 * @param settings - Those of the client.
 * @param request - What to send. Its signal ends the call at once, with the signal's reason.
 * @param wish - What the caller wants of the answer.
 * @returns The answer, with a status below 400.
 * @throws SkillmountError by its code; `Unreachable` if no answer came in time.
 */
export async function send(settings: Settings, request: Request, wish: Wish): Promise<Response> {
  const body = request.body ? await request.arrayBuffer() : undefined;
  const safe = isSafe(request.method, wish.route, body);
  const ends = Date.now() + settings.timeout;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once(settings, request, body, wish, ends);
    } catch (error) {
      const wait = error instanceof SkillmountError ? delay(settings.retry, error, attempt, safe) : undefined;
      if (wait === undefined || Date.now() + wait >= ends) throw error;
      await pause(wait, request.signal);
    }
  }
}

/** Ends a request when the caller does or when its time is over. */
class Limit {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #forward = () => this.#controller.abort(this.#caller.reason);
  #timer: NodeJS.Timeout | undefined;

  constructor(caller: AbortSignal) {
    this.#caller = caller;
    if (caller.aborted) this.#forward();
    caller.addEventListener("abort", this.#forward);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Lets the request go on for so many milliseconds from now, and then ends it with this error. */
  allow(millis: number, error: () => Error): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(error()), Math.max(0, millis));
  }

  /** Lets the request go on without a limit until `allow` is called again. */
  allowAlways(): void {
    clearTimeout(this.#timer);
  }

  /** The result of a step, or the reason for which the request ended, whatever comes first. */
  async race<T>(step: Promise<T>): Promise<T> {
    const { signal } = this;
    let stop: () => void = () => undefined;
    const ended = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop);
    });
    try {
      return await Promise.race([step, ended]);
    } finally {
      signal.removeEventListener("abort", stop);
      // The step that lost settles later, and nobody waits for it.
      step.catch(() => undefined);
    }
  }

  /** Forgets the caller and the time. */
  end(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener("abort", this.#forward);
  }
}

async function once(
  settings: Settings, request: Request, body: ArrayBuffer | undefined, wish: Wish, ends: number,
): Promise<Response> {
  const limit = new Limit(request.signal);
  limit.allow(ends - Date.now(), () => late(settings));
  let passedOn = false;
  try {
    const sent = new Request(request, { signal: limit.signal, ...(body ? { body } : {}) });
    const response = await limit.race(fetching(settings, sent));
    const isEvents = /^text\/event-stream/.test(response.headers.get("content-type") ?? "");
    const read = reading(settings, limit);
    if (response.ok && response.body && (isEvents || wish.parseAs === "stream")) {
      passedOn = true;
      limit.allowAlways();
      // Events come when something happens, so there is no limit between them.
      const next: Read = isEvents ? (reader) => limit.race(reader.read()) : read;
      return copy(response, passing(settings, response.body, limit, next));
    }
    const whole = copy(response, EMPTY.includes(response.status) ? null : await collect(response, read));
    if (whole.status >= 400) throw await failure(whole, route(settings));
    if (wish.parseAs === "json") await expectJson(settings, whole);
    return whole;
  } catch (error) {
    // A reason of the caller's is thrown as it is.
    if (error instanceof SkillmountError || request.signal.aborted) throw error;
    throw noAnswer(settings, error);
  } finally {
    if (!passedOn) limit.end();
  }
}

async function fetching(settings: Settings, request: Request): Promise<Response> {
  if (settings.fetch) return settings.fetch(request);
  const dispatcher = withoutProxy(settings.server);
  return fetch(request, (dispatcher ? { dispatcher } : {}) as RequestInit);
}

type Read = (reader: ReadableStreamDefaultReader<Uint8Array>) => Promise<ReadableStreamReadResult<Uint8Array>>;

/** Reads parts of an answer. The time begins anew with each, and runs only while one is waited for. */
function reading(settings: Settings, limit: Limit): Read {
  return async (reader) => {
    limit.allow(settings.timeout, () => late(settings));
    const part = await limit.race(reader.read());
    limit.allowAlways();
    return part;
  };
}

async function collect(response: Response, read: Read): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  for (let part = reader && (await read(reader)); reader && part && !part.done; part = await read(reader)) {
    parts.push(part.value as Uint8Array<ArrayBuffer>);
  }
  return new Blob(parts);
}

/** Passes parts of an answer on as they are asked for. */
function passing(settings: Settings, source: ReadableStream<Uint8Array>, limit: Limit, read: Read): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(out) {
      try {
        const { done, value } = await read(reader);
        if (!done) return out.enqueue(value);
        out.close();
      } catch (error) {
        out.error(error instanceof SkillmountError || limit.signal.aborted ? error : noAnswer(settings, error));
      }
      limit.end();
    },
    cancel(reason) {
      limit.end();
      return reader.cancel(reason);
    },
  });
}

function copy(response: Response, body: BodyInit | null): Response {
  const { status, statusText, headers } = response;
  return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", { value: response.url });
}

async function expectJson(settings: Settings, response: Response): Promise<void> {
  if (EMPTY.includes(response.status)) return;
  const text = await response.clone().text();
  try {
    if (text) JSON.parse(text);
  } catch (cause) {
    throw new UnknownReply({
      code: "unknown_reply",
      detail: `status ${response.status} without JSON came ${route(settings)}; is another service at this address?`,
      status: response.status,
      cause,
    });
  }
}

function pause(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, millis);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** From where an answer came, for messages. */
export function route(settings: Settings): string {
  const proxy = proxyOf(settings.server);
  return `from ${settings.server}${proxy ? ` through ${proxy}` : ""}`;
}

function late(settings: Settings): Unreachable {
  return new Unreachable({
    code: "unreachable",
    detail: `no answer came ${route(settings)} within ${settings.timeout / 1000} s; check that it runs, then try again`,
    retryable: true,
    outcome: "unknown",
  });
}

function noAnswer(settings: Settings, cause: unknown): SkillmountError {
  const code = codeOf(cause);
  if (code === "bad port") return new InvalidSettings(`fetch calls no service at the port of ${settings.server}; take another port`);
  const proxy = proxyOf(settings.server);
  const where = `the skillmount service at ${settings.server}${proxy ? `, asked through ${proxy},` : ""}`;
  const sent = !NEVER_SENT.has(code);
  const advice = ["EMFILE", "ENFILE"].includes(code)
    ? "cannot be asked, because too many files are open; close what is not needed, or raise the limit (ulimit -n)"
    : `${sent ? "gave no answer" : "cannot be reached"} (${code}); check that it runs, then try again`;
  return new Unreachable({
    code: "unreachable",
    detail: `${where} ${advice}`,
    retryable: true,
    outcome: sent ? "unknown" : "not_applied",
    cause,
  });
}

/** The code of the system behind `TypeError: fetch failed`, such as `ECONNREFUSED`. */
function codeOf(error: unknown): string {
  const { cause, code, message, errors } = error as { cause?: unknown; code?: string; message?: string; errors?: unknown[] };
  if (code) return code;
  if (errors?.length) return codeOf(errors[0]);
  return cause ? codeOf(cause) : (message ?? String(error));
}
