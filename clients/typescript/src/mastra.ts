/** skillmount for Mastra: `SkillmountSkillSource`, the skills of one user as the folders that a workspace looks for. */

import type { SkillSource, SkillSourceEntry, SkillSourceStat } from "@mastra/core/workspace";
import type { Client, Schemas } from "./index.ts";
import { byName, short } from "./names.ts";
import { kept } from "./outage.ts";
import { SkillmountError } from "./problem.ts";
import type { UserClient } from "./user.ts";

type Skill = Schemas["SkillReply"];
type Page = Schemas["SkillPage"];

/** Whose skills they are, and where they lie. */
export interface SourceOptions {
  /** Whose skills they are. */
  user: string;
  /** The folder that holds them, which the workspace names in `skills`; `skills` if absent. */
  root?: string | undefined;
  /** Milliseconds for which a listing is believed; 5,000 if absent. */
  maxAge?: number | undefined;
  /** Says that the service went away; `console.warn` if absent. */
  log?: ((message: string) => void) | undefined;
}

/** A path taken apart: the root, a skill by its name here, or a file or folder of one. */
type Spot = { kind: "root" } | { kind: "skill"; name: string; skill: Skill } | Inside;
type Inside = { kind: "inside"; name: string; skill: Skill; path: string };

interface Listing {
  skills: Map<string, Skill>;
  /** When the source found that it differs from the one before. */
  changedAt: Date;
}

const README = "SKILL.md";

/**
 * The skills of one user as the catalog has them, read-only: `skills/{name}/SKILL.md` and its files. No skill is loaded. Each folder
 * has the name of the skill, or its path with hyphens if Mastra rejects the name or if several skills have it. SKILL.md is shown with
 * that name, and with fields that Mastra takes. A skill that needs an approval is left out, since Mastra has no place to ask. If the
 * service is away, listing and SKILL.md stay as they were last.
 *
 * @example
 * ```ts
 * const skillSource = new SkillmountSkillSource(client, { user: "ana" });
 * const workspace = new Workspace({ skills: ["skills"], skillSource });
 * ```
 */
export class SkillmountSkillSource implements SkillSource {
  readonly #user: UserClient;
  readonly #root: string;
  readonly #maxAge: number;
  readonly #ask: () => Promise<Listing>;
  readonly #pages = new Map<string, { stamp: string; page: Promise<Page> }>();
  #listed: { at: number; listing: Promise<Listing> } | undefined;
  #last: { listing: Listing; stamp: string } | undefined;

  /**
   * Nothing is sent.
   *
   * @param client - What sends the calls.
   * @param options - Whose skills they are, and where they lie.
   */
  constructor(client: Client, options: SourceOptions) {
    this.#user = client.user(options.user);
    this.#root = clean(options.root ?? "skills");
    this.#maxAge = options.maxAge ?? 5000;
    this.#ask = kept(() => this.#list(), `skills of user ${options.user}`, options.log);
  }

  /** Whether a file or folder is at a path. */
  async exists(path: string): Promise<boolean> {
    try {
      await this.stat(path);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /**
   * What is at a path.
   *
   * @throws Error with the code `ENOENT` if nothing is there; `SkillmountError` if the service does not answer.
   */
  async stat(path: string): Promise<SkillSourceStat> {
    const spot = await this.#find(path);
    const name = clean(path).split("/").at(-1) ?? "";
    if (spot.kind === "root") return about(name, "directory", 0, (await this.#listing()).changedAt);
    const at = new Date(spot.skill.updated_at);
    if (spot.kind === "skill") return about(name, "directory", 0, at);
    const page = await this.#page(spot.skill);
    if (spot.path === README) return about(name, "file", Buffer.byteLength(shown(spot.name, page)), at);
    const file = page.file_list.find((each) => each.path === spot.path);
    if (file) return about(name, "file", file.size, at);
    if (page.file_list.some((each) => each.path.startsWith(`${spot.path}/`))) return about(name, "directory", 0, at);
    throw missing(path);
  }

  /**
   * The text of a file, or its bytes if it is none.
   *
   * @throws Error with the code `ENOENT` if no file is there; `SkillmountError` if the service does not answer.
   */
  async readFile(path: string): Promise<string | Buffer> {
    const spot = await this.#find(path);
    if (spot.kind !== "inside") throw missing(path);
    if (spot.path === README) return shown(spot.name, await this.#page(spot.skill));
    const bytes = Buffer.from(await this.#user.skillFile(spot.skill.skill, spot.path));
    const text = bytes.toString("utf8");
    return Buffer.from(text, "utf8").equals(bytes) ? text : bytes;
  }

  /**
   * The entries of a folder.
   *
   * @throws Error with the code `ENOENT` if no folder is there; `SkillmountError` if the service does not answer.
   */
  async readdir(path: string): Promise<SkillSourceEntry[]> {
    const spot = await this.#find(path);
    if (spot.kind === "root") {
      return [...(await this.#listing()).skills.keys()].map((name) => ({ name, type: "directory" }));
    }
    const below = spot.kind === "skill" ? "" : `${spot.path}/`;
    const files = (await this.#page(spot.skill)).file_list.filter((file) => file.path.startsWith(below));
    if (files.length === 0) throw missing(path);
    const entries = new Map<string, SkillSourceEntry>();
    for (const file of files) {
      const [name = "", ...deeper] = file.path.slice(below.length).split("/");
      entries.set(name, { name, type: deeper.length > 0 ? "directory" : "file" });
    }
    return [...entries.values()];
  }

  async #find(path: string): Promise<Spot> {
    const whole = clean(path);
    if (whole === this.#root) return { kind: "root" };
    if (!whole.startsWith(`${this.#root}/`)) throw missing(path);
    const [name = "", ...rest] = whole.slice(this.#root.length + 1).split("/");
    const skill = (await this.#listing()).skills.get(name);
    if (!skill) throw missing(path);
    return rest.length === 0 ? { kind: "skill", name, skill } : { kind: "inside", name, skill, path: rest.join("/") };
  }

  /** The page of a skill, asked for once while the listing has the same version of it. */
  async #page(skill: Skill): Promise<Page> {
    const known = this.#pages.get(skill.skill);
    const stamp = stampOf(skill);
    if (known?.stamp === stamp) return known.page;
    const page = this.#user.skill(skill.skill);
    this.#pages.set(skill.skill, { stamp, page });
    try {
      return await page;
    } catch (error) {
      if (known) this.#pages.set(skill.skill, known);
      else this.#pages.delete(skill.skill);
      if (known && error instanceof SkillmountError && error.retryable) return known.page;
      throw error;
    }
  }

  #listing(): Promise<Listing> {
    const now = Date.now();
    if (!this.#listed || now - this.#listed.at > this.#maxAge) {
      const listing = this.#ask();
      const listed = { at: now, listing };
      this.#listed = listed;
      listing.catch(() => {
        if (this.#listed === listed) this.#listed = undefined;
      });
    }
    return this.#listed.listing;
  }

  async #list(): Promise<Listing> {
    const { skills: rules } = await this.#user.policy();
    const all: Skill[] = [];
    for await (const skill of this.#user.skills()) if (ruleOf(skill.skill, rules) === "auto_approve") all.push(skill);
    const stamp = all.map((skill) => `${skill.skill} ${stampOf(skill)}`).join("\n");
    if (this.#last?.stamp === stamp) return this.#last.listing;
    const paths = new Set(all.map((skill) => skill.skill));
    for (const path of this.#pages.keys()) if (!paths.has(path)) this.#pages.delete(path);
    const listing = { skills: byName(all), changedAt: new Date() };
    this.#last = { listing, stamp };
    return listing;
  }
}

/** The rule of the longest pattern that matches a skill. */
function ruleOf(skill: string, rules: Schemas["UserPolicy"]["skills"]): string {
  const matching = Object.keys(rules ?? {}).filter((pattern) =>
    pattern.endsWith("*") ? skill.startsWith(pattern.slice(0, -1)) : skill === pattern,
  );
  const longest = matching.sort((a, b) => b.length - a.length)[0];
  return (longest !== undefined && rules?.[longest]) || "auto_approve";
}

function stampOf(skill: Skill): string {
  return `${skill.updated_at} ${skill.digest} ${skill.size} ${skill.name} ${skill.description}`;
}

/** SKILL.md with a name and fields that Mastra takes: it drops a skill whose fields have other types. */
function shown(name: string, page: Page): string {
  const { license, metadata, "user-invocable": invocable, ...others } = page.frontmatter;
  const fields: Record<string, unknown> = { ...others, name, description: short(page.description.trim() || page.skill) };
  if (license != null) fields["license"] = typeof license === "string" ? license : JSON.stringify(license);
  if (typeof metadata === "object" && !Array.isArray(metadata)) fields["metadata"] = metadata;
  if (typeof invocable === "boolean") fields["user-invocable"] = invocable;
  const lines = Object.entries(fields).map(([key, value]) => `${yaml(key)}: ${yaml(value)}\n`);
  return `---\n${lines.join("")}---\n${page.body}`;
}

/** JSON is YAML, except for characters that YAML takes only as escapes. */
function yaml(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function clean(path: string): string {
  return path.split("/").filter((part) => part !== "" && part !== ".").join("/");
}

function about(name: string, type: "file" | "directory", size: number, at: Date): SkillSourceStat {
  return { name, type, size, createdAt: at, modifiedAt: at };
}

function missing(path: string): Error {
  return Object.assign(new Error(`ENOENT: there is no ${path}`), { code: "ENOENT" });
}

function isMissing(error: unknown): boolean {
  const code = error instanceof SkillmountError ? error.code : (error as { code?: string } | null)?.code;
  return code === "ENOENT" || code === "file_not_found" || code === "skill_not_found" || code === "invalid_path";
}
