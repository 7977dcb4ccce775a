/** The skills, sessions and records of one user, for authors, operators and people who decide. */

import { bytesOf, decoded, eventsOf, init, pages, published, type CallOptions, type SkillFiles, type SkillmountEvent } from "./content.ts";
import { body, SkillmountError } from "./problem.ts";
import type { Client, Schemas } from "./index.ts";
import type { SessionClient } from "./session.ts";

/** What calls take that change or read the versions of a skill. */
export interface AuthorOptions extends CallOptions {
  /** Whose skill it is: the user's own if absent. Another layer needs its control key. */
  layer?: Schemas["SkillLayer"] | undefined;
  /** The digest that the published version must have. If it has another, that is `version_conflict`. */
  ifMatch?: string | undefined;
}

type Found<Name extends keyof Schemas> = Promise<Schemas[Name]>;
type Each<Name extends keyof Schemas> = AsyncGenerator<Schemas[Name], void>;

const USER = "/v1/users/{user}";

/**
 * One user, made by `client.user`. All calls reject with a `SkillmountError` by its code, and with the reason of the signal that
 * ended them. Lists come page by page.
 */
export class UserClient {
  readonly #client: Client;
  /** Whose skills they are. */
  readonly id: string;

  constructor(client: Client, user: string) {
    this.#client = client;
    this.id = user;
  }

  #path = () => ({ user: this.id });

  /**
   * What an agent does in one session. Nothing is sent.
   *
   * @param session - Its id; it need not exist before.
   * @example `const session = client.user("ana").session("monday");`
   */
  session(session: string): SessionClient {
    return this.#client.session(this.id, session);
  }

  /**
   * All skills that the user's sessions see, one after another.
   *
   * @param options - `category`: only those below it. `fresh: true` reads the store anew.
   * @example `for await (const { skill } of client.user("ana").skills()) console.log(skill);`
   */
  async *skills(options: CallOptions & { category?: string | undefined; fresh?: boolean | undefined } = {}): Each<"SkillReply"> {
    const { signal, apiKey, ...query } = options;
    yield* pages(async (cursor) => {
      const params = { path: this.#path(), query: { ...query, cursor } };
      const page = body(await this.#client.GET(`${USER}/skills`, { params, ...init({ signal, apiKey }) }));
      return [page.skills, page.next_cursor];
    });
  }

  /**
   * One skill with its instructions and its list of files.
   *
   * @param skill - Its path.
   * @param options - `digest`: a version; the present files if absent.
   * @throws SkillmountError `skill_not_found` with `suggestions`, `version_not_found`.
   * @example `const { body, file_list } = await client.user("ana").skill("law/leases");`
   */
  async skill(skill: string, options: CallOptions & { digest?: string | undefined } = {}): Found<"SkillPage"> {
    const params = { path: { ...this.#path(), skill }, query: { digest: options.digest } };
    return body(await this.#client.GET(`${USER}/skills/{skill}`, { params, ...init(options) })) as Schemas["SkillPage"];
  }

  /**
   * The folder of a skill as a zip.
   *
   * @param skill - Its path.
   * @example `await writeFile("leases.zip", await client.user("ana").skillZip("law/leases"));`
   */
  async skillZip(skill: string, options?: CallOptions): Promise<Uint8Array> {
    const request = { params: { path: { ...this.#path(), skill } }, ...init(options, { accept: "application/zip" }) };
    return bytesOf(await this.#client.GET(`${USER}/skills/{skill}`, { ...request, parseAs: "arrayBuffer" }));
  }

  /**
   * The bytes of one file of a skill, without loading it.
   *
   * @param skill - Its path.
   * @param path - The path of the file below the skill's folder; `SKILL.md` if absent.
   * @example `const bytes = await client.user("ana").skillFile("law/leases", "forms/garage.md");`
   */
  async skillFile(skill: string, path = "SKILL.md", options?: CallOptions): Promise<Uint8Array> {
    const params = { path: { ...this.#path(), skill }, query: { path } };
    const request = { params, parseAs: "arrayBuffer" as const, ...init(options) };
    return bytesOf(await this.#client.GET(`${USER}/skill_files/{skill}`, request));
  }

  /**
   * Files of a skill by their paths below its folder, without loading it.
   *
   * @param skill - Its path.
   * @param options - `paths`: which files; all if absent.
   * @throws SkillmountError also if one of the files cannot be read.
   * @example `const files = await client.user("ana").skillFiles("law/leases");`
   */
  async skillFiles(
    skill: string, options: CallOptions & { paths?: readonly string[] | undefined } = {},
  ): Promise<Record<string, Uint8Array>> {
    const wanted = { skill, ...(options.paths ? { paths: [...options.paths] } : {}) };
    const request = { params: { path: this.#path() }, body: { skills: [wanted] }, ...init(options) };
    const { files } = body(await this.#client.POST(`${USER}/skills/download`, request)) as Schemas["DownloadReply"];
    return Object.fromEntries(
      files.map((file) => {
        const content = decoded(file.content);
        const detail = file.detail ?? `${file.path} was not sent`;
        if (!content) throw new SkillmountError({ code: file.error ?? "unknown_reply", detail });
        return [file.path.startsWith(`${skill}/`) ? file.path.slice(skill.length + 1) : file.path, content];
      }),
    );
  }

  /**
   * Publishes a skill whole. All or nothing is changed.
   *
   * @param skill - Its path.
   * @param content - Description, instructions and files; or all files with `SKILL.md` among them; or a zip of them.
   * @param options - `state: "draft"` hides it from agents. `source` is kept with the version. `ifNoneMatch: "*"`: only if it is new.
   * @throws SkillmountError `invalid_skill` with `findings`, `version_conflict` with `current`.
   * @example `await client.user("ana").publish("law/leases", { description: "Drafts leases. Use …", body: "# Leases\n" });`
   */
  async publish(
    skill: string, content: Schemas["PublishRequest"] | { "SKILL.md": string | Uint8Array } & SkillFiles | Uint8Array,
    options: AuthorOptions & {
      state?: Schemas["SkillState"] | undefined; source?: string | undefined; ifNoneMatch?: "*" | undefined;
    } = {},
  ): Found<"PublishReply"> {
    const { layer, state, source, ifMatch, ifNoneMatch } = options;
    const params = {
      path: { ...this.#path(), skill }, query: { layer, state, source },
      header: { "If-Match": ifMatch, "If-None-Match": ifNoneMatch },
    };
    return body(await this.#client.PUT(`${USER}/skills/{skill}`, { params, ...published(content, options) }));
  }

  /**
   * Changes a skill. What is not named stays.
   *
   * @param skill - Its path.
   * @param changes - `state`, `description` or `body`.
   * @example `await client.user("ana").change("law/leases", { state: "published" });`
   */
  async change(skill: string, changes: Schemas["ChangeSkillRequest"], options: AuthorOptions = {}): Found<"PublishReply"> {
    const request = { params: this.#authored(skill, options), body: changes, ...init(options) };
    return body(await this.#client.PATCH(`${USER}/skills/{skill}`, request));
  }

  /**
   * Deletes a skill. Its versions are kept.
   *
   * @param skill - Its path.
   * @example `await client.user("ana").deleteSkill("law/leases");`
   */
  async deleteSkill(skill: string, options: AuthorOptions = {}): Promise<void> {
    await this.#client.DELETE(`${USER}/skills/{skill}`, { params: this.#authored(skill, options), ...init(options) });
  }

  /**
   * The versions of a skill, the newest first.
   *
   * @param skill - Its path.
   * @example `for await (const { digest, published_at } of client.user("ana").versions("law/leases")) console.log(digest);`
   */
  async *versions(skill: string, options: Omit<AuthorOptions, "ifMatch"> = {}): Each<"SkillVersion"> {
    yield* pages(async (cursor) => {
      const params = { path: { ...this.#path(), skill }, query: { layer: options.layer, cursor } };
      const page = body(await this.#client.GET(`${USER}/versions/{skill}`, { params, ...init(options) }));
      return [page.versions, page.next_cursor];
    });
  }

  /**
   * What differs between two versions of a skill.
   *
   * @param skill - Its path.
   * @param options - `from` and `to`: digests; the version before the published one, and the published one, if absent.
   * @example `const { diff } = await client.user("ana").diff("law/leases");`
   */
  async diff(
    skill: string, options: Omit<AuthorOptions, "ifMatch"> & { from?: string | undefined; to?: string | undefined } = {},
  ): Found<"VersionDiff"> {
    const { from, to, layer } = options;
    const params = { path: { ...this.#path(), skill }, query: { from, to, layer } };
    return body(await this.#client.GET(`${USER}/diff/{skill}`, { params, ...init(options) }));
  }

  /**
   * Publishes an earlier version of a skill again.
   *
   * @param skill - Its path.
   * @param digest - The digest of the version.
   * @throws SkillmountError `version_not_found`, `version_conflict`.
   * @example `await client.user("ana").rollback("law/leases", digest);`
   */
  async rollback(skill: string, digest: string, options: AuthorOptions = {}): Found<"PublishReply"> {
    const request = { params: this.#authored(skill, options), body: { digest }, ...init(options) };
    return body(await this.#client.POST(`${USER}/rollback/{skill}`, request));
  }

  /**
   * Skills for a task, the best first. The question counts as one of a session.
   *
   * @param query - The task in words.
   * @param options - `session`: whose question it is, `discover` if absent. `category` and `limit` (10 if absent) narrow the answer.
   * @example `const { skills } = await client.user("ana").discover("rent out a garage");`
   */
  async discover(
    query: string, options: CallOptions & Omit<Schemas["DiscoverRequest"], "query"> & { session?: string | undefined } = {},
  ): Found<"DiscoverReply"> {
    const { session = "discover", ...rest } = options;
    return this.session(session).discoverSkills(query, rest);
  }

  /**
   * What lint finds in the skills, one skill after another.
   *
   * @param options - `skill`: only this one.
   * @example `for await (const { skill, findings } of client.user("ana").lint()) console.log(skill, findings.length);`
   */
  async *lint(options: CallOptions & { skill?: string | undefined } = {}): Each<"LintedSkill"> {
    yield* pages(async (cursor) => {
      const params = { path: this.#path(), query: { skill: options.skill, cursor } };
      const page = body(await this.#client.GET(`${USER}/lint`, { params, ...init(options) }));
      return [page.skills, page.next_cursor];
    });
  }

  /**
   * How the catalog is: counts, and the age of its index.
   *
   * @example `const { skills, errors } = await client.user("ana").catalog();`
   */
  async catalog(options?: CallOptions): Found<"CatalogStatus"> {
    return body(await this.#client.GET(`${USER}/catalog`, { params: { path: this.#path() }, ...init(options) }));
  }

  /**
   * Looks for skills that other tools changed in the bucket.
   *
   * @example `const { changed } = await client.user("ana").refreshCatalog();`
   */
  async refreshCatalog(options?: CallOptions): Found<"RefreshReply"> {
    return body(await this.#client.POST(`${USER}/catalog/refresh`, { params: { path: this.#path() }, ...init(options) }));
  }

  /**
   * Reads all skills and writes the index anew; needs a key of scope `control`.
   *
   * @example `const { skills } = await client.user("ana").rebuildCatalog();`
   */
  async rebuildCatalog(options?: CallOptions): Found<"CatalogStatus"> {
    return body(await this.#client.POST(`${USER}/catalog/rebuild`, { params: { path: this.#path() }, ...init(options) }));
  }

  /**
   * What was done, one record after another, the oldest first; needs a key of scope `control`.
   *
   * @param options - `session` and `operation` choose records. `since`: a time by RFC 3339.
   * @example `for await (const { operation, subject } of client.user("ana").audit({ since: "2026-01-01T00:00:00Z" })) …`
   */
  async *audit(
    options: CallOptions & {
      session?: string | undefined; operation?: string | undefined; since?: string | undefined;
    } = {},
  ): Each<"AuditRecord"> {
    const { session, operation, since } = options;
    yield* pages(async (cursor) => {
      const params = { path: this.#path(), query: { session, operation, since, cursor } };
      const page = body(await this.#client.GET(`${USER}/audit`, { params, ...init(options) }));
      // The last page has a cursor too, for records that are still to come.
      return [page.records, page.records.length > 0 ? page.next_cursor : undefined];
    });
  }

  /**
   * How the skills are used: loads, shares and candidates; needs a key of scope `control`.
   *
   * @param options - `since`: a time by RFC 3339.
   * @example `const { skills } = await client.user("ana").usage();`
   */
  async usage(options: CallOptions & { since?: string | undefined } = {}): Found<"Usage"> {
    const params = { path: this.#path(), query: { since: options.since } };
    return body(await this.#client.GET(`${USER}/usage`, { params, ...init(options) }));
  }

  /**
   * The calls of all sessions that wait for a person, each with its session; needs a key of scope `control`. One request a session.
   *
   * @example `for await (const { session, waiting } of client.user("ana").approvals()) console.log(session, waiting.tool);`
   */
  async *approvals(options?: CallOptions): AsyncGenerator<{ session: string; waiting: Schemas["WaitingCall"] }, void> {
    for await (const { session_id } of this.sessions(options)) {
      for (const waiting of await this.session(session_id).approvals(options)) yield { session: session_id, waiting };
    }
  }

  /**
   * What all sessions of the user may do.
   *
   * @example `const { tools } = await client.user("ana").policy();`
   */
  async policy(options?: CallOptions): Found<"UserPolicy"> {
    return body(await this.#client.GET(`${USER}/policy`, { params: { path: this.#path() }, ...init(options) }));
  }

  /**
   * Sets what all sessions of the user may do; needs a key of scope `control`.
   *
   * @param policy - The new policy, whole.
   * @example `await client.user("ana").setPolicy({ tools: { "*": "auto", delete: "ask" } });`
   */
  async setPolicy(policy: Schemas["Policy"], options?: CallOptions): Found<"UserPolicy"> {
    return body(await this.#client.PUT(`${USER}/policy`, { params: { path: this.#path() }, body: policy, ...init(options) }));
  }

  /**
   * All sessions, one after another.
   *
   * @example `for await (const { session_id } of client.user("ana").sessions()) console.log(session_id);`
   */
  async *sessions(options?: CallOptions): Each<"Session"> {
    yield* pages(async (cursor) => {
      const params = { path: this.#path(), query: { cursor } };
      const page = body(await this.#client.GET(`${USER}/sessions`, { params, ...init(options) }));
      return [page.sessions, page.next_cursor];
    });
  }

  /**
   * Removes sessions whose time is over.
   *
   * @example `const { removed } = await client.user("ana").collectSessions();`
   */
  async collectSessions(options?: CallOptions): Found<"SessionGcReply"> {
    return body(await this.#client.POST(`${USER}/session_gc`, { params: { path: this.#path() }, ...init(options) }));
  }

  /**
   * What happens in all sessions, as it happens; needs a key of scope `control`. The stream ends with the signal.
   *
   * @param options - `after`: the `id` of an event to go on from.
   * @example `for await (const { event } of client.user("ana").events({ signal })) console.log(event);`
   */
  async *events(options: CallOptions & { after?: string | undefined } = {}): AsyncGenerator<SkillmountEvent, void> {
    const params = { path: this.#path(), header: { "Last-Event-ID": options.after } };
    yield* eventsOf(await this.#client.GET(`${USER}/events`, { params, parseAs: "stream", ...init(options) }));
  }

  /**
   * Everything that the store has of the user, as a tar archive; needs a key of scope `control`.
   *
   * @returns The bytes as they come.
   * @example `await pipeline(await client.user("ana").export(), createWriteStream("ana.tar"));`
   */
  async export(options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    const request = { params: { path: this.#path() }, parseAs: "stream" as const, ...init(options) };
    return body(await this.#client.GET(`${USER}/export`, request)) as ReadableStream<Uint8Array>;
  }

  /**
   * Deletes everything that the store has of the user; needs a key of scope `control`. `deletion` says how far it is.
   *
   * @example `const { state } = await client.user("ana").delete();`
   */
  async delete(options?: CallOptions): Found<"Deletion"> {
    return body(await this.#client.DELETE(USER, { params: { path: this.#path() }, ...init(options) }));
  }

  /**
   * The receipt of a deletion: what was removed, and whether it is finished.
   *
   * @example `const { state, sweeps } = await client.user("ana").deletion();`
   */
  async deletion(options?: CallOptions): Found<"Deletion"> {
    return body(await this.#client.GET("/v1/deletions/{user}", { params: { path: this.#path() }, ...init(options) }));
  }

  #authored(skill: string, options: AuthorOptions) {
    return { path: { ...this.#path(), skill }, query: { layer: options.layer }, header: { "If-Match": options.ifMatch } };
  }
}
