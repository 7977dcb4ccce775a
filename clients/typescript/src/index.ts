/**
 * The client of skillmount: a typed call for every route of the API, made from its contract.
 *
 * Adapters are in `skillmount/ai` (the AI SDK) and `skillmount/mastra`. Importing this needs neither framework.
 */

import createClient, { type Client as FetchClient, type Middleware } from "openapi-fetch";
import type { components, paths } from "./schema.ts";

export type { components, paths } from "./schema.ts";
/** The documents of requests and replies, by their names. */
export type Schemas = components["schemas"];
/** The calls: `GET`, `POST` and so on, by path. */
export type Client = FetchClient<paths>;

const DEFAULT_SERVER = "http://127.0.0.1:8787";
const VERSION = "x-skillmount-session-version";
const SESSION = /\/v1\/users\/[^/]+\/sessions\/[^/]+/;
const REMEMBERED_SESSIONS = 10_000;

export interface Options {
  /** The address of the service; that of `SKILLMOUNT_SERVER` if absent. */
  server?: string;
  /** The key to show; that of `SKILLMOUNT_API_KEY` if absent. */
  apiKey?: string;
  /** What sends requests; the global `fetch` if absent. */
  fetch?: (request: Request) => Promise<Response>;
}

/** One user and one session. */
export interface Place {
  user: string;
  session: string;
}

/** A call that the service refused. `detail` is written for the agent that reads it and says what to do next. */
export class SkillmountError extends Error {
  override readonly name = "SkillmountError";
  /** The stable code, such as `skill_not_found`. */
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** The whole problem document. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(status: number, problem: Record<string, unknown>) {
    const code = typeof problem["code"] === "string" ? problem["code"] : "unknown";
    const detail = typeof problem["detail"] === "string" ? problem["detail"] : `the service answered ${status}`;
    super(`${code}: ${detail}`);
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.retryable = problem["retryable"] === true;
    this.problem = problem;
  }
}

/**
 * A client. A call that the service refuses rejects with a `SkillmountError`. The version of a session is always sent back, so
 * that no replica answers from an older one.
 */
export function createSkillmount(options: Options = {}): Client {
  const env = globalThis.process?.env ?? {};
  const baseUrl = (options.server ?? env["SKILLMOUNT_SERVER"] ?? DEFAULT_SERVER).replace(/\/+$/, "");
  const client = createClient<paths>({ baseUrl, ...(options.fetch ? { fetch: options.fetch } : {}) });
  client.use(sessionVersions(options.apiKey ?? env["SKILLMOUNT_API_KEY"]));
  return client;
}

function sessionVersions(apiKey: string | undefined): Middleware {
  const versions = new Map<string, string>();
  const session = (request: Request) => SESSION.exec(new URL(request.url).pathname)?.[0];
  return {
    onRequest({ request }) {
      const known = versions.get(session(request) ?? "");
      if (known !== undefined) request.headers.set(VERSION, known);
      if (apiKey) request.headers.set("authorization", `Bearer ${apiKey}`);
      return request;
    },
    async onResponse({ request, response }) {
      const at = session(request);
      const version = response.headers.get(VERSION);
      if (at && version) {
        versions.delete(at);
        versions.set(at, version);
        const oldest = versions.keys().next().value;
        if (versions.size > REMEMBERED_SESSIONS && oldest !== undefined) versions.delete(oldest);
      }
      if (response.status < 400) return undefined;
      const text = await response.text();
      let problem: unknown;
      try {
        problem = JSON.parse(text);
      } catch {
        problem = { detail: `the service answered ${response.status} without saying why` };
      }
      throw new SkillmountError(response.status, problem as Record<string, unknown>);
    },
  };
}

/** The body of an answer. Without one the service is of another version, and this says so. */
export function body<T>(answer: { data?: T; response: Response }): T {
  if (answer.data !== undefined) return answer.data;
  const detail = "the answer has no body that this version of the package knows; install the version of the service";
  throw new SkillmountError(answer.response.status, { code: "unknown_reply", detail });
}
