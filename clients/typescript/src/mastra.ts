/** skillmount for Mastra: `SkillmountSkillSource`, the skills of one user as the folders that a workspace looks for. */

import type { SkillSource, SkillSourceEntry, SkillSourceStat } from "@mastra/core/workspace";
import { body, SkillmountError, type Client, type Schemas } from "./index.ts";

type Skill = Schemas["SkillReply"];

export interface SourceOptions {
  /** Whose skills they are. */
  user: string;
  /** The folder that holds them, which the workspace names in `skills`; `skills` if absent. */
  root?: string;
  /** Milliseconds for which a listing is believed; 5000 if absent. */
  maxAge?: number;
}

/** A path taken apart: nothing below the root, a skill, or a file or folder of one. */
type Spot = { kind: "root" } | { kind: "skill"; skill: Skill } | { kind: "inside"; skill: Skill; path: string };

/**
 * The skills of one user as the catalog has them, read-only: `skills/{name}/SKILL.md` and its files. No skill is loaded. Of several
 * skills whose folders have one name, each has its path with hyphens.
 */
export class SkillmountSkillSource implements SkillSource {
  readonly #client: Client;
  readonly #user: string;
  readonly #root: string;
  readonly #maxAge: number;
  #listed: { at: number; skills: Promise<Map<string, Skill>> } | undefined;

  constructor(client: Client, options: SourceOptions) {
    this.#client = client;
    this.#user = options.user;
    this.#root = clean(options.root ?? "skills");
    this.#maxAge = options.maxAge ?? 5000;
  }

  async exists(path: string): Promise<boolean> {
    try {
      await this.stat(path);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async stat(path: string): Promise<SkillSourceStat> {
    const spot = await this.#find(path);
    const name = clean(path).split("/").at(-1) ?? "";
    if (spot.kind === "root") return about(name, "directory", 0, new Date(0));
    const at = new Date(spot.skill.updated_at);
    if (spot.kind === "skill") return about(name, "directory", 0, at);
    const files = await this.#files(spot.skill);
    const file = files.find((each) => each.path === spot.path);
    if (file) return about(name, "file", file.size, at);
    if (files.some((each) => each.path.startsWith(`${spot.path}/`))) return about(name, "directory", 0, at);
    throw missing(path);
  }

  async readFile(path: string): Promise<string | Buffer> {
    const spot = await this.#find(path);
    if (spot.kind !== "inside") throw missing(path);
    const answer = await this.#client.GET("/v1/users/{user}/skill_files/{skill}", {
      params: { path: { user: this.#user, skill: spot.skill.skill }, query: { path: spot.path } },
      parseAs: "arrayBuffer",
    });
    const bytes = Buffer.from(body(answer) as unknown as ArrayBuffer);
    const text = bytes.toString("utf8");
    return Buffer.from(text, "utf8").equals(bytes) ? text : bytes;
  }

  async readdir(path: string): Promise<SkillSourceEntry[]> {
    const spot = await this.#find(path);
    if (spot.kind === "root") return [...(await this.#skills()).keys()].map((name) => ({ name, type: "directory" }));
    const below = spot.kind === "skill" ? "" : `${spot.path}/`;
    const files = (await this.#files(spot.skill)).filter((file) => file.path.startsWith(below));
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
    const skill = (await this.#skills()).get(name);
    if (!skill) throw missing(path);
    return rest.length === 0 ? { kind: "skill", skill } : { kind: "inside", skill, path: rest.join("/") };
  }

  async #files(skill: Skill): Promise<{ path: string; size: number }[]> {
    const answer = await this.#client.GET("/v1/users/{user}/skills/{skill}", {
      params: { path: { user: this.#user, skill: skill.skill } },
    });
    return (body(answer) as Schemas["SkillPage"]).file_list;
  }

  #skills(): Promise<Map<string, Skill>> {
    const now = Date.now();
    if (!this.#listed || now - this.#listed.at > this.#maxAge) {
      const skills = this.#list();
      this.#listed = { at: now, skills };
      skills.catch(() => (this.#listed = undefined));
    }
    return this.#listed.skills;
  }

  async #list(): Promise<Map<string, Skill>> {
    const all: Skill[] = [];
    let cursor: string | null | undefined;
    do {
      const answer = await this.#client.GET("/v1/users/{user}/skills", {
        params: { path: { user: this.#user }, query: cursor ? { cursor } : {} },
      });
      const page = body(answer);
      all.push(...page.skills);
      cursor = page.next_cursor;
    } while (cursor);
    const folder = (skill: Skill) => skill.skill.split("/").at(-1) ?? "";
    const times = new Map<string, number>();
    for (const skill of all) times.set(folder(skill), (times.get(folder(skill)) ?? 0) + 1);
    const name = (skill: Skill) => (times.get(folder(skill)) === 1 ? folder(skill) : skill.skill.replaceAll("/", "-"));
    return new Map(all.map((skill) => [name(skill), skill]));
  }
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
