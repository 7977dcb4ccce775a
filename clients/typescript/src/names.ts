/** Names for skills that every framework takes: lowercase letters, digits and single hyphens, each name once. */

import type { Schemas } from "./index.ts";

type Skill = Schemas["SkillReply"];

const TAKEN = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LONGEST = 64;
const LONGEST_DESCRIPTION = 1024;

/**
 * The skills by a name that frameworks take: the name in the frontmatter, or the path with hyphens if that name is not of the form
 * that the Agent Skills specification asks for, or if several skills have it.
 *
 * @param skills - Skills of one user.
 * @returns Each of them by its name, in the same order.
 */
export function byName(skills: readonly Skill[]): Map<string, Skill> {
  const times = new Map<string, number>();
  for (const { name } of skills) times.set(name, (times.get(name) ?? 0) + 1);
  const named = new Map<string, Skill>();
  for (const skill of skills) {
    const isPlain = TAKEN.test(skill.name) && skill.name.length <= LONGEST && times.get(skill.name) === 1;
    const hyphened = withHyphens(skill.skill);
    let name = isPlain && !named.has(skill.name) ? skill.name : hyphened;
    for (let number = 2; named.has(name); number += 1) name = `${hyphened.slice(0, LONGEST - 4)}-${number}`;
    named.set(name, skill);
  }
  return named;
}

/** A description that is no longer than the specification allows. */
export function short(description: string): string {
  if (description.length <= LONGEST_DESCRIPTION) return description;
  // A cut inside a pair of surrogates would leave half a character.
  return `${description.slice(0, LONGEST_DESCRIPTION - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function withHyphens(path: string): string {
  const ends = (text: string) => text.replace(/^-+|-+$/g, "");
  return ends(ends(path.toLowerCase().replace(/[^a-z0-9]+/g, "-")).slice(0, LONGEST)) || "skill";
}
