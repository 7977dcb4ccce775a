/**
 * The client of skillmount: the calls of users and sessions by name, and a typed call for every route, made from the contract.
 *
 * Adapters are in `skillmount/ai` (the AI SDK) and `skillmount/mastra`. Importing this needs neither framework.
 */

import createClient, { type Client as FetchClient, type Middleware } from "openapi-fetch";
import { init, pages, type CallOptions } from "./content.ts";
import { body, failure } from "./problem.ts";
import type { components, paths } from "./schema.ts";
import { SessionClient } from "./session.ts";
import { settings, type Options } from "./settings.ts";
import { route, send, type Wish } from "./transport.ts";
import { UserClient } from "./user.ts";

export {
  body, InvalidSettings, SkillmountError, UnknownReply, Unreachable,
  type ErrorCode, type ErrorFacts, type Outcome, type OwnErrorCode,
} from "./problem.ts";
export type { Retry } from "./retry.ts";
export type { components, paths } from "./schema.ts";
export type { CallOptions, OperationOptions, SkillFiles, SkillmountEvent } from "./content.ts";
export { SessionClient } from "./session.ts";
export type { Options } from "./settings.ts";
export { UserClient, type AuthorOptions } from "./user.ts";

/** The documents of requests and replies, by their names. */
export type Schemas = components["schemas"];

/** The calls: by name with `user` and `session`, and `GET`, `POST` and so on by path. One serves any number of users and runs. */
export interface Client extends FetchClient<paths> {
  /**
   * The skills, sessions and records of one user. Nothing is sent.
   *
   * @param user - Whose they are.
   * @example `const skills = await Array.fromAsync(client.user("ana").skills());`
   */
  user(user: string): UserClient;
  /**
   * What an agent does in one session of a user. Nothing is sent, and the session need not exist before.
   *
   * @param user - Whose session it is.
   * @param session - Its id.
   * @example `const { content } = await client.session("ana", "monday").read("/workspace/notes.md");`
   */
  session(user: string, session: string): SessionClient;
  /**
   * All users, one after another; needs a control key for all users.
   *
   * @param options - A signal that ends the call.
   * @throws SkillmountError by its code.
   * @example `for await (const { user_id } of client.users()) console.log(user_id);`
   */
  users(options?: CallOptions): AsyncGenerator<Schemas["User"], void>;
}

/** One user and one session. */
export interface Place {
  user: string;
  session: string;
}

const VERSION = "x-skillmount-session-version";
const SESSION = /\/v1\/users\/[^/]+\/sessions\/[^/]+/;
const REMEMBERED_SESSIONS = 10_000;

/**
 * A client. A call that fails rejects with a `SkillmountError`. A call that may be repeated is repeated. The version of a session is
 * always sent back, so that no replica answers from an older one.
 *
 * @param options - Address, key, time limit and repetitions; the environment has what is absent.
 * @returns A client. It holds no connection of its own, so it need not be closed.
 * @throws InvalidSettings if the address, the key or a limit cannot work. The key is not printed.
 * @example
 * ```ts
 * const client = createSkillmount({ server: "http://127.0.0.1:8787", timeout: 10_000 });
 * await client.session("ana", "monday").write("/workspace/a.md", "one\n");
 * ```
 */
export function createSkillmount(options: Options = {}): Client {
  const known = settings(options);
  const wishes = new WeakMap<Request, Wish>();
  const sending = (request: Request) => send(known, request, wishes.get(request) ?? { route: "", parseAs: "stream" });
  const calls = createClient<paths>({ baseUrl: known.server, fetch: sending });
  calls.use(sessionVersions(known.apiKey));
  // The last one sees the request as it is sent.
  calls.use({
    onRequest({ request, schemaPath, options: { parseAs } }) {
      // Some routes have other forms than JSON too.
      if (parseAs === "json" && !request.headers.has("accept")) request.headers.set("accept", "application/json");
      wishes.set(request, { route: schemaPath, parseAs });
    },
    async onResponse({ response }) {
      // Only a `fetch` that a single call was given returns such an answer.
      if (response.status >= 400) throw await failure(response, route(known));
    },
  });
  const client: Client = Object.assign(calls, {
    user: (user: string) => new UserClient(client, user),
    session: (user: string, session: string) => new SessionClient(client, user, session),
    users: (given?: CallOptions) =>
      pages(async (cursor) => {
        const page = body(await client.GET("/v1/users", { params: { query: { cursor } }, ...init(given) }));
        return [page.users, page.next_cursor];
      }),
  });
  return client;
}

function sessionVersions(apiKey: string | undefined): Middleware {
  const versions = new Map<string, string>();
  const session = (request: Request) => SESSION.exec(new URL(request.url).pathname)?.[0];
  return {
    onRequest({ request }) {
      const known = versions.get(session(request) ?? "");
      if (known !== undefined) request.headers.set(VERSION, known);
      // A call may show another key, such as one of scope `control`.
      if (apiKey && !request.headers.has("authorization")) request.headers.set("authorization", `Bearer ${apiKey}`);
      return request;
    },
    onResponse({ request, response }) {
      const at = session(request);
      const version = response.headers.get(VERSION);
      if (!at || !version) return;
      const known = versions.get(at);
      versions.delete(at);
      // Answers of calls at the same time come in any order, so an older one does not replace a newer one.
      versions.set(at, known !== undefined && isOlder(version, known) ? known : version);
      const oldest = versions.keys().next().value;
      if (versions.size > REMEMBERED_SESSIONS && oldest !== undefined) versions.delete(oldest);
    },
  };
}

/** A version is the life of a session and a number, which grows within one life. */
function isOlder(version: string, known: string): boolean {
  const [life, number] = parts(version);
  const [knownLife, knownNumber] = parts(known);
  return life === knownLife && Number(number) < Number(knownNumber);
}

function parts(version: string): [life: string, number: string] {
  const dot = version.lastIndexOf(".");
  return [version.slice(0, Math.max(0, dot)), version.slice(dot + 1)];
}
