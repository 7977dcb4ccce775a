/** What an agent does in one session, by the names that agents know, and what a person decides about it. */

import { bytesOf, decoded, eventsOf, form, init, raw, type CallOptions, type OperationOptions, type SkillmountEvent } from "./content.ts";
import { body } from "./problem.ts";
import type { Client, Schemas } from "./index.ts";

type Found<Name extends keyof Schemas> = Promise<Schemas[Name]>;

const SESSION = "/v1/users/{user}/sessions/{session}";

/**
 * One session of a user, made by `client.session`. All calls reject with a `SkillmountError` by its code, and with the reason of the
 * signal that ended them.
 */
export class SessionClient {
  readonly #client: Client;
  /** Whose session it is. */
  readonly user: string;
  /** Its id. */
  readonly id: string;

  /** Made by `client.session`. */
  constructor(client: Client, user: string, session: string) {
    this.#client = client;
    this.user = user;
    this.id = session;
  }

  #params() {
    return { path: { user: this.user, session: this.id } };
  }

  /**
   * The entries of a folder.
   *
   * @param path - Its virtual path; `/` if absent.
   * @example `const { entries } = await session.ls("/workspace");`
   */
  async ls(path = "/", options?: OperationOptions): Found<"LsReply"> {
    return body(await this.#client.POST(`${SESSION}/ls`, { params: this.#params(), body: { path }, ...init(options) }));
  }

  /**
   * Lines of a text file.
   *
   * @param file_path - Its virtual path.
   * @param options - `offset`: lines to skip, 0 if absent. `limit`: lines to read, 2,000 if absent.
   * @throws SkillmountError `file_not_found`, `is_a_directory`, `binary_file`, `offset_out_of_range`.
   * @example `const { content } = await session.read("/workspace/a.md", { offset: 100, limit: 50 });`
   */
  async read(
    file_path: string, options: OperationOptions & { offset?: number | undefined; limit?: number | undefined } = {},
  ): Found<"ReadReply"> {
    const { signal, apiKey, callId, ...window } = options;
    const request = { params: this.#params(), body: { file_path, ...window }, ...init({ signal, apiKey, callId }) };
    return body(await this.#client.POST(`${SESSION}/read`, request));
  }

  /**
   * Searches the contents of files.
   *
   * @param pattern - A Rust regular expression, or plain text with `literal`.
   * @param options - `path` and `glob` choose files. `context`: lines around a match, 0 if absent. `max_count`: matches at most.
   * @throws SkillmountError `invalid_pattern`, `too_expensive`.
   * @example `const { matches } = await session.grep("rent", { path: "/workspace", ignore_case: true });`
   */
  async grep(pattern: string, options: OperationOptions & Omit<Schemas["GrepRequest"], "pattern"> = {}): Found<"GrepReply"> {
    const { signal, apiKey, callId, ...rest } = options;
    const request = { params: this.#params(), body: { pattern, ...rest }, ...init({ signal, apiKey, callId }) };
    return body(await this.#client.POST(`${SESSION}/grep`, request));
  }

  /**
   * Files by their names.
   *
   * @param pattern - Such as `*.md`.
   * @param path - The folder to look in; everywhere if absent.
   * @example `const { matches } = await session.glob("*.md", "/workspace");`
   */
  async glob(pattern: string, path?: string, options?: OperationOptions): Found<"GlobReply"> {
    return body(await this.#client.POST(`${SESSION}/glob`, { params: this.#params(), body: { pattern, path }, ...init(options) }));
  }

  /**
   * Makes a text file.
   *
   * @param file_path - Its virtual path.
   * @param content - Its text.
   * @param options - `overwrite`: whether to replace a file that is there; if absent, that is `already_exists`.
   * @throws SkillmountError `already_exists`, `read_only`, `plan_mode`, `approval_required`.
   * @example `await session.write("/workspace/a.md", "one\n");`
   */
  async write(
    file_path: string, content: string, options: OperationOptions & { overwrite?: boolean | undefined } = {},
  ): Found<"WriteReply"> {
    const request = { file_path, content, overwrite: options.overwrite };
    return body(await this.#client.POST(`${SESSION}/write`, { params: this.#params(), body: request, ...init(options) }));
  }

  /**
   * Replaces exact text in a file.
   *
   * @param file_path - Its virtual path.
   * @param old_string - The text, which occurs once unless `replace_all` is set.
   * @param new_string - What takes its place.
   * @param options - `newlines: "file"` lets either kind of line end match.
   * @throws SkillmountError `old_string_not_found`, `old_string_not_unique`, `edit_conflict`.
   * @example `await session.edit("/workspace/a.md", "one", "two");`
   */
  async edit(
    file_path: string, old_string: string, new_string: string,
    options: OperationOptions & { replace_all?: boolean | undefined; newlines?: "exact" | "file" | undefined } = {},
  ): Found<"EditReply"> {
    const { signal, apiKey, callId, ...rest } = options;
    const request = { file_path, old_string, new_string, ...rest };
    return body(await this.#client.POST(`${SESSION}/edit`, { params: this.#params(), body: request, ...init({ signal, apiKey, callId }) }));
  }

  /**
   * Moves a file or a folder.
   *
   * @param from - Its virtual path.
   * @param to - Where it goes.
   * @example `await session.move("/workspace/a.md", "/workspace/old/a.md");`
   */
  async move(from: string, to: string, options?: OperationOptions): Found<"MoveReply"> {
    return body(await this.#client.POST(`${SESSION}/move`, { params: this.#params(), body: { from, to }, ...init(options) }));
  }

  /**
   * Deletes a file, or a folder and everything below it.
   *
   * @param path - Its virtual path.
   * @example `await session.delete("/workspace/old");`
   */
  async delete(path: string, options?: OperationOptions): Found<"DeleteReply"> {
    return body(await this.#client.POST(`${SESSION}/delete`, { params: this.#params(), body: { path }, ...init(options) }));
  }

  /**
   * The bytes of a file.
   *
   * @param file_path - Its virtual path.
   * @example `const bytes = await session.get("/workspace/photo.png");`
   */
  async get(file_path: string, options?: OperationOptions): Promise<Uint8Array> {
    const params = { path: { ...this.#params().path, path: file_path.replace(/^\/+/, "") } };
    const answer = await this.#client.GET(`${SESSION}/files/{path}`, { params, parseAs: "arrayBuffer", ...init(options) });
    return bytesOf(answer);
  }

  /**
   * Stores bytes, replacing what is there.
   *
   * @param file_path - The virtual path.
   * @param content - The bytes.
   * @param options - `ifMatch`: the ETag that the file must have.
   * @example `await session.put("/workspace/photo.png", bytes);`
   */
  async put(
    file_path: string, content: Uint8Array, options: OperationOptions & { ifMatch?: string | undefined } = {},
  ): Promise<void> {
    const path = { ...this.#params().path, path: file_path.replace(/^\/+/, "") };
    await this.#client.PUT(`${SESSION}/files/{path}`, {
      params: { path, header: { "If-Match": options.ifMatch } },
      ...raw(content),
      ...init(options, { "content-type": "application/octet-stream" }),
    });
  }

  /**
   * Stores files, each by itself. Files that are there are replaced.
   *
   * @param files - Content by virtual path.
   * @returns An outcome for each file, in order.
   * @example `const { files } = await session.upload({ "/workspace/a.md": "one\n" });`
   */
  async upload(files: Record<string, string | Uint8Array>, options?: OperationOptions): Found<"UploadReply"> {
    const [content, type] = form(files);
    const request = { params: this.#params(), ...raw(content), ...init(options, { "content-type": type }) };
    return body(await this.#client.POST(`${SESSION}/upload`, request));
  }

  /**
   * Files by their paths.
   *
   * @param paths - Virtual paths.
   * @returns Path, and bytes or the code of the error, of each, in order.
   * @example `const [a] = await session.download(["/workspace/a.md"]);`
   */
  async download(
    paths: readonly string[], options?: OperationOptions,
  ): Promise<{ path: string; content: Uint8Array | undefined; error: string | undefined }[]> {
    const request = { params: this.#params(), body: { paths: [...paths] }, ...init(options) };
    const { files } = body(await this.#client.POST(`${SESSION}/download`, request)) as Schemas["DownloadReply"];
    return files.map(({ path, content, error }) => ({ path, content: decoded(content), error: error ?? undefined }));
  }

  /**
   * Loads a skill. Its files are below `/skills` from then on.
   *
   * @param skill - Its path or its name.
   * @param options - `arguments`: the text for its parameters. `digest`: a version. `body: false` leaves out its instructions.
   * @throws SkillmountError `skill_not_found` with `suggestions`, `ambiguous_skill`, `approval_required`.
   * @example `const { body } = await session.loadSkill("law/leases", { arguments: "garage" });`
   */
  async loadSkill(
    skill: string, options: OperationOptions & Omit<Schemas["LoadSkillRequest"], "skill"> = {},
  ): Found<"LoadSkillReply"> {
    const { signal, apiKey, callId, ...rest } = options;
    const request = { params: this.#params(), body: { skill, ...rest }, ...init({ signal, apiKey, callId }) };
    return body(await this.#client.POST(`${SESSION}/load_skill`, request));
  }

  /**
   * Unloads a skill. Its files are gone from `/skills`.
   *
   * @param skill - Its path or its name.
   * @example `await session.unloadSkill("law/leases");`
   */
  async unloadSkill(skill: string, options?: OperationOptions): Found<"UnloadSkillReply"> {
    return body(await this.#client.POST(`${SESSION}/unload_skill`, { params: this.#params(), body: { skill }, ...init(options) }));
  }

  /**
   * Skills for a task, the best first.
   *
   * @param query - The task in words.
   * @param options - `category`: only skills below it. `limit`: how many at most, 10 if absent.
   * @example `const { skills } = await session.discoverSkills("rent out a garage");`
   */
  async discoverSkills(
    query: string, options: OperationOptions & Omit<Schemas["DiscoverRequest"], "query"> = {},
  ): Found<"DiscoverReply"> {
    const { signal, apiKey, callId, ...rest } = options;
    const request = { params: this.#params(), body: { query, ...rest }, ...init({ signal, apiKey, callId }) };
    return body(await this.#client.POST(`${SESSION}/discover_skills`, request));
  }

  /**
   * Makes a draft of a skill.
   *
   * @param skill - Name, description and instructions.
   * @example `await session.createSkill({ name: "minutes", description: "Writes minutes. Use after a meeting.", body: "…" });`
   */
  async createSkill(skill: Schemas["CreateSkillRequest"], options?: OperationOptions): Found<"CreateSkillReply"> {
    return body(await this.#client.POST(`${SESSION}/create_skill`, { params: this.#params(), body: skill, ...init(options) }));
  }

  /**
   * What to put before the model.
   *
   * @param options - `mode` and `max_tokens` (2,000 if absent) change the listing of skills; the policy has the usual mode.
   * @example `const { prompt } = await session.prompt({ max_tokens: 500 });`
   */
  async prompt(
    options: CallOptions & {
      mode?: Schemas["PromptMode"] | undefined; format?: Schemas["PromptFormat"] | undefined;
      category?: string | undefined; max_tokens?: number | undefined;
    } = {},
  ): Found<"PromptReply"> {
    const { signal, apiKey, ...query } = options;
    const request = { params: { ...this.#params(), query }, ...init({ signal, apiKey }) };
    return body(await this.#client.GET(`${SESSION}/prompt`, request)) as Schemas["PromptReply"];
  }

  /**
   * The tools that the session may use now.
   *
   * @param options - `format`: the shape of the definitions, `anthropic` if absent. `mode`: the mode of the prompt.
   * @example `const tools = await session.tools({ format: "openai" });`
   */
  async tools(
    options: CallOptions & {
      format?: "anthropic" | "openai" | "mcp" | undefined; mode?: Schemas["PromptMode"] | undefined;
    } = {},
  ): Promise<Record<string, unknown>[]> {
    const { signal, apiKey, ...query } = options;
    const request = { params: { ...this.#params(), query }, ...init({ signal, apiKey }) };
    return body(await this.#client.GET(`${SESSION}/tools`, request)).tools as Record<string, unknown>[];
  }

  /**
   * Runs the `tool_use` blocks of one turn.
   *
   * @param content - The blocks: `id`, `name` and `input` of each.
   * @param options - `details`: whether the result of a failed call has its `code`, and `approval_id` if it waits for a person. APIs
   *   of models reject both.
   * @returns The `tool_result` blocks, in order.
   * @example `const [result] = await session.toolCalls([{ type: "tool_use", id: "1", name: "ls", input: { path: "/" } }]);`
   */
  async toolCalls(
    content: readonly { type: "tool_use"; id: string; name: string; input: unknown }[],
    options: CallOptions & { details?: boolean | undefined } = {},
  ): Promise<Schemas["ToolResult"][]> {
    const { details, ...given } = options;
    const headers: Record<string, string> = details ? { "x-skillmount-result-details": "true" } : {};
    const request = { params: this.#params(), body: { content: content.map((block) => ({ ...block })) }, ...init(given, headers) };
    return (body(await this.#client.POST(`${SESSION}/tool_calls`, request)) as Schemas["ToolResults"]).content;
  }

  /**
   * What a slash command in a person's message does.
   *
   * @param text - The message.
   * @example `const { loaded } = await session.message("/leases garage");`
   */
  async message(text: string, options?: CallOptions): Found<"MessageReply"> {
    return body(await this.#client.POST(`${SESSION}/messages`, { params: this.#params(), body: { text }, ...init(options) }));
  }

  /**
   * The session as it is.
   *
   * @example `const { loaded_skills } = await session.show();`
   */
  async show(options?: CallOptions): Found<"Session"> {
    return body(await this.#client.GET(SESSION, { params: this.#params(), ...init(options) }));
  }

  /**
   * Makes the session, if it is not there. A session that exists stays as it is, and `unchanged` of the result names the
   * members of `given` that differ from it.
   *
   * @param given - `parent`: the session whose workspace it shares. `policy` needs a key of scope `control`.
   * @example `await session.create({ vars: { ticket: "T-1" } });`
   */
  async create(given: Schemas["CreateSessionRequest"] = {}, options?: CallOptions): Found<"Session"> {
    return body(await this.#client.PUT(SESSION, { params: this.#params(), body: given, ...init(options) }));
  }

  /**
   * Changes the session. What is not named stays.
   *
   * @param changes - `current_skill: null` ends it. `policy` needs a key of scope `control`.
   * @example `await session.change({ current_skill: null });`
   */
  async change(changes: Schemas["ChangeSessionRequest"], options?: CallOptions): Found<"Session"> {
    return body(await this.#client.PATCH(SESSION, { params: this.#params(), body: changes, ...init(options) }));
  }

  /**
   * Forgets the session.
   *
   * @param options - `workspace: true` deletes its files too.
   * @example `await session.forget({ workspace: true });`
   */
  async forget(options: CallOptions & { workspace?: boolean | undefined } = {}): Promise<void> {
    const query = options.workspace ? { workspace: "delete" as const } : {};
    await this.#client.DELETE(SESSION, { params: { ...this.#params(), query }, ...init(options) });
  }

  /**
   * The calls that wait for a person; needs a key of scope `control`.
   *
   * @returns Tool, input and the seconds left of each, and skill and digest of a load.
   * @example `const [waiting] = await session.approvals();`
   */
  async approvals(options?: CallOptions): Promise<Schemas["WaitingCall"][]> {
    return body(await this.#client.GET(`${SESSION}/approvals`, { params: this.#params(), ...init(options) })).approvals;
  }

  /**
   * Decides about a call that waits; needs a key of scope `control`.
   *
   * @param approval - The `approval_id` of the call.
   * @param decision - `message`: the reason of a denial for the model, at most 1,000 characters. `remember`: for all such calls.
   * @throws SkillmountError `approval_not_found` if the call waits no more.
   * @example `await session.decide(waiting.approval_id, { decision: "deny", message: "archive it instead" });`
   */
  async decide(approval: string, decision: Schemas["DecideApprovalRequest"], options?: CallOptions): Found<"Session"> {
    const params = { path: { ...this.#params().path, approval_id: approval } };
    return body(await this.#client.POST(`${SESSION}/approvals/{approval_id}`, { params, body: decision, ...init(options) }));
  }

  /**
   * What happens in the session, as it happens. The stream ends with the signal, or if the service closes it.
   *
   * @param options - `after`: the `id` of an event to go on from.
   * @example `for await (const { event, data } of session.events({ signal })) console.log(event, data);`
   */
  async *events(options: CallOptions & { after?: string | undefined } = {}): AsyncGenerator<SkillmountEvent, void> {
    const params = { ...this.#params(), header: { "Last-Event-ID": options.after } };
    yield* eventsOf(await this.#client.GET(`${SESSION}/events`, { params, parseAs: "stream", ...init(options) }));
  }
}
