import { Workspace } from "@mastra/core/workspace";
import { expect, test } from "vitest";
import { SkillmountSkillSource } from "../src/mastra.ts";
import { publish, service } from "./server.ts";

const held = service();

test("a workspace of Mastra lists, loads and reads the skills of its user", async () => {
  const skillSource = new SkillmountSkillSource(held.current.client, { user: "ana" });
  const { skills } = new Workspace({ skills: ["skills"], skillSource });
  expect((await skills?.list())?.map((skill) => skill.name)).toEqual(["leases"]);
  const leases = await skills?.get("leases");
  expect(leases?.description).toBe("Drafts leases. Use when someone rents.");
  expect(leases?.instructions).toContain("SECRET-OF-LEASES");
  const bob = new Workspace({
    skills: ["skills"],
    skillSource: new SkillmountSkillSource(held.current.client, { user: "bob" }),
  });
  expect(await bob.skills?.list()).toEqual([]);
});

test("skills are folders that hold their files, and nothing else is there", async () => {
  const { client } = held.current;
  await publish(client, "eva", "a/same", "Is the first. Use when asked.", "A\n", { "x.bin": "x", "deep/er/y.md": "y\n" });
  await publish(client, "eva", "b/same", "Is the second. Use when asked.", "B\n");
  const source = new SkillmountSkillSource(client, { user: "eva", root: "/mine/" });
  const names = async (path: string) => (await source.readdir(path)).map((entry) => `${entry.type} ${entry.name}`);
  expect(await names("mine")).toEqual(["directory a-same", "directory b-same"]);
  expect(await names("/mine/a-same")).toEqual(["file SKILL.md", "directory deep", "file x.bin"]);
  expect(await names("mine/a-same/deep")).toEqual(["directory er"]);
  expect(await source.readFile("mine/a-same/deep/er/y.md")).toBe("y\n");
  expect(await source.stat("mine/a-same/x.bin")).toMatchObject({ name: "x.bin", type: "file", size: 1 });
  for (const path of ["mine/a-same", "mine/a-same/deep", "mine"]) expect(await source.exists(path)).toBe(true);
  for (const path of ["", "other", "mine/same", "mine/a-same/none", "mine/a-same/../b-same/SKILL.md"]) {
    expect(await source.exists(path)).toBe(false);
  }
  await expect(source.readFile("mine/a-same")).rejects.toMatchObject({ code: "ENOENT" });
  await expect(source.readdir("mine/a-same/x.bin")).rejects.toMatchObject({ code: "ENOENT" });
});
