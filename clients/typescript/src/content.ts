/** Options and contents of calls: bytes, forms and streams of events. */

import type { Schemas } from "./index.ts";
import { body } from "./problem.ts";
import { key } from "./settings.ts";

/** What every call takes. */
export interface CallOptions {
  /** Ends the call at once. It then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Another key for this call alone, such as one of scope `control`. */
  apiKey?: string | undefined;
}

/** What every call of an operation takes. */
export interface OperationOptions extends CallOptions {
  /**
   * The id that the model gave to the call, which its event and its audit record have: 128 characters of it. An id with other
   * characters than printable ASCII is omitted. Without one they have a new id.
   */
  callId?: string | undefined;
}

const LONGEST_CALL_ID = 128;

/** The files of a skill: content by the path below its folder. */
export type SkillFiles = Record<string, string | Uint8Array>;

/** What happened in a session. `data` has the form that docs/book/reference/events.md names for the event. */
export interface SkillmountEvent {
  /** Its position, from which `events` goes on. */
  id: string | undefined;
  /** Such as `tool_use_start` or `catalog_changed`. */
  event: string;
  data: unknown;
}

/**
 * What a request has of the options of a call.
 *
 * @param options - Signal, key and id.
 * @param headers - Further headers.
 */
export function init(
  options: OperationOptions | undefined, headers: Record<string, string> = {},
): { signal?: AbortSignal; headers: Record<string, string> } {
  const { signal, apiKey, callId = "" } = options ?? {};
  const id = callId.slice(0, LONGEST_CALL_ID).trim();
  return {
    ...(signal ? { signal } : {}),
    headers: {
      ...headers,
      ...(/^[ -~]+$/.test(id) ? { "x-skillmount-call-id": id } : {}),
      ...(apiKey ? { authorization: `Bearer ${key(apiKey)}` } : {}),
    },
  };
}

/** A body that is sent as it is. */
export function raw(content: Uint8Array): { body: never; bodySerializer: (given: unknown) => never } {
  return { body: content as never, bodySerializer: (given: unknown) => given as never };
}

/** The bytes of an answer. */
export function bytesOf(answer: { data?: unknown; response: Response }): Uint8Array {
  return answer.data instanceof ArrayBuffer ? new Uint8Array(answer.data) : new Uint8Array();
}

/** The bytes behind base64. */
export function decoded(content: string | null | undefined): Uint8Array | undefined {
  return content == null ? undefined : new Uint8Array(Buffer.from(content, "base64"));
}

/**
 * A form with a part for each file, its name the path. It is written here since HTTP libraries disagree on how a quote stands in a
 * name. Percent-encoded, a name is read in one way only.
 *
 * @param files - Content by path.
 * @returns The bytes and their content type.
 */
export function form(files: Record<string, string | Uint8Array>): [bytes: Uint8Array, type: string] {
  const parts = Object.entries(files).map(([path, content]) => [path, Buffer.from(content as Uint8Array)] as const);
  let boundary = "skillmount-part";
  while (parts.some(([, content]) => content.includes(boundary))) boundary += "-";
  const written = parts.flatMap(([path, content]) => [
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name*=UTF-8''${escaped(path)}; filename=file\r\n\r\n`),
    content,
    Buffer.from("\r\n"),
  ]);
  return [Buffer.concat([...written, Buffer.from(`--${boundary}--\r\n`)]), `multipart/form-data; boundary=${boundary}`];
}

function escaped(path: string): string {
  return encodeURIComponent(path).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The body of a request that publishes. */
export function published(
  content: Schemas["PublishRequest"] | SkillFiles | Uint8Array, options: CallOptions,
): { body: never; headers: Record<string, string> } {
  if (content instanceof Uint8Array) return { ...raw(content), ...init(options, { "content-type": "application/zip" }) };
  if (!("SKILL.md" in content)) return { body: content as never, ...init(options) };
  const [bytes, type] = form(content as SkillFiles);
  return { ...raw(bytes), ...init(options, { "content-type": type }) };
}

/** The entries of a list that comes page by page. */
export async function* pages<T>(
  page: (cursor: string | undefined) => Promise<[entries: T[], next: string | null | undefined]>,
): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    const [entries, next] = await page(cursor);
    yield* entries;
    cursor = next ?? undefined;
  } while (cursor);
}

/** The events of a stream, as they come. */
export async function* eventsOf(answer: { data?: unknown; response: Response }): AsyncGenerator<SkillmountEvent, void> {
  const stream = body(answer) as ReadableStream<Uint8Array>;
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of stream) {
    text += decoder.decode(part, { stream: true });
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parsed(block);
      if (event) yield event;
    }
  }
}

function parsed(block: string): SkillmountEvent | undefined {
  const fields = block.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/.exec(line));
  const all = (name: string) => fields.flatMap((field) => (field?.[1] === name ? [field[2] ?? ""] : []));
  const data = all("data").join("\n");
  return data ? { id: all("id").at(-1), event: all("event").at(-1) ?? "message", data: JSON.parse(data) } : undefined;
}
