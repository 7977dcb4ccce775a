import { execFile, execFileSync } from "node:child_process";
import {
  cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { service } from "./server.ts";

const held = service();
const HERE = new URL("../", import.meta.url).pathname;
const copy = mkdtempSync(`${tmpdir()}/skillmount-`);
afterAll(() => rmSync(copy, { recursive: true }));
const run = promisify(execFile);

test("a clean checkout builds, and the snippets of the README run with what it made and end at once", async () => {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: HERE, encoding: "utf8" });
  for (const file of files.trim().split("\n")) if (existsSync(HERE + file)) cpSync(HERE + file, `${copy}/${file}`);
  symlinkSync(`${HERE}node_modules`, `${copy}/node_modules`);
  await run("npm", ["run", "build"], { cwd: copy });
  expect(readdirSync(`${copy}/dist`)).toEqual(expect.arrayContaining(["index.js", "index.d.ts", "ai.js", "mastra.js", "schema.d.ts"]));

  const write = (path: string): [string, object] => ["write", { file_path: path, content: "x" }];
  const scripts = {
    ai: [["load_skill", { skill: "leases" }], write("/workspace/minutes.md")],
    agent: [write("/workspace/agent.md")],
    approvals: [write("/workspace/tidy.md"), ["delete", { path: "/workspace/tidy.md" }], ["read", { file_path: "/workspace/tidy.md" }]],
    mastra: [["skill", { name: "leases" }]], client: [], path: [],
  };
  await held.current.client.user("ana").setPolicy({ tools: { "*": "auto", delete: "ask" } });
  const env = { ...process.env, SKILLMOUNT_SERVER: held.current.url, ANTHROPIC_API_KEY: "none" };
  const { stdout, stderr } = await run(process.execPath, ["tests/snippets.mjs", JSON.stringify(scripts)], { cwd: copy, env });
  const ended = Date.now();
  expect(stderr).toBe("");
  const printed = /^ai:\ndone\nagent:\ndone\napprovals:\n(.*)mastra:\n(.*)client:\n(.*)path:\n\d+ \w+\n(\d+)$/s.exec(stdout);
  const [, approvals, mastra, client, done] = printed ?? [stdout];
  expect(approvals).toMatch(/^delete {"path":"\/workspace\/tidy.md"} waits for \d+ seconds\ndone\n$/);
  expect(mastra).toContain("SECRET-OF-LEASES");
  expect(client).toMatch(/^law\/leases Drafts leases.*\nlaw\/minutes Writes minutes.*\nfile_not_found false .*\n$/s);
  // Nothing that is left open keeps the process.
  expect(ended - Number(done)).toBeLessThan(3500);
  const { session } = held.current.client;
  expect((await session("ana", "monday").show()).loaded_skills).toHaveLength(1);
  for (const [chat, file] of [["monday", "minutes.md"], ["tuesday", "agent.md"], ["wednesday", "tidy.md"]] as const) {
    expect((await session("ana", chat).read(`/workspace/${file}`)).content).toContain("x");
  }
});

test("packages that npm has emptied or changed behind the link are installed again", () => {
  const root = mkdtempSync(`${tmpdir()}/skillmount-`);
  const [modules, log] = [`${root}/.cache/npm/typescript/node_modules`, `${root}/log`];
  mkdirSync(`${root}/clients/typescript`, { recursive: true });
  mkdirSync(`${root}/bin`);
  cpSync(`${HERE}../packages`, `${root}/clients/packages`);
  for (const name of ["package.json", "package-lock.json"]) cpSync(HERE + name, `${root}/clients/typescript/${name}`);
  const npm = `#!/bin/sh\nmkdir -p node_modules && echo {} >node_modules/.package-lock.json && echo installed >>"${log}"\n`;
  writeFileSync(`${root}/bin/npm`, npm, { mode: 0o755 });
  const env = { ...process.env, PATH: `${root}/bin:${process.env["PATH"]}` };
  const installs = () => {
    execFileSync(`${root}/clients/packages`, ["npm/typescript"], { env, stdio: "pipe" });
    return readFileSync(log, "utf8").trim().split("\n").length;
  };
  expect([installs(), installs()]).toEqual([1, 1]);
  for (const name of readdirSync(modules)) rmSync(`${modules}/${name}`);
  expect([installs(), installs()]).toEqual([2, 2]);
  const later = new Date(Date.now() + 5000);
  utimesSync(`${modules}/.package-lock.json`, later, later);
  expect(installs()).toBe(3);
  rmSync(root, { recursive: true });
});

test("every code block of the README is a snippet, and every snippet is shown", () => {
  const shown = [...readFileSync(`${HERE}README.md`, "utf8").matchAll(/```ts\n(.*?)```/gs)].map((block) => block[1]);
  const snippets = readdirSync(`${HERE}snippets`).map((name) => readFileSync(`${HERE}snippets/${name}`, "utf8"));
  expect(shown.sort()).toEqual(snippets.sort());
});

test("what is made from the contract is that of the service", async () => {
  const program = process.env["SKILLMOUNT_PROGRAM"] ?? `${HERE}../../target/debug/skillmount`;
  await run(process.execPath, ["scripts/models.ts", program, "--check"], { cwd: HERE });
});
