// Opens the page of three services and plays a person on it. Takes the program of a Chromium and the addresses: of a
// service without any skill, of one whose user `u1` has those of the examples, and of one that needs the key `k`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { faint, openAll, unnamed, widths } from "./looks.mjs";
import { DocsPage, launch } from "./page.mjs";

const [chromium, empty, full, guarded] = process.argv.slice(2);
const folder = resolve("files");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const browser = await launch(chromium);

/** Presses Send on every call of the document, in the order of its examples, and returns what each answered. */
async function sendEach(page) {
  const answers = {};
  for (const operation of page.operations()) {
    const { id } = operation;
    // Who is deleted is denied all else for a minute, so it is somebody else.
    if (id === "delete_user") await page.as("leaver", "cli");
    await page.openCard(id);
    const { status, text } = await page.send(id);
    assert.ok(operation.responses[status], `${id} answered ${status}, which its contract lacks: ${text}`);
    assert.notEqual(status, "400", `${id} is malformed: ${text}`);
    answers[id] = [Number(status), /"code": "(\w+)"/.exec(text)?.[1]];
  }
  return answers;
}

/** Without any skill, what needs one says that it is not there, and every other call works at the first click. */
async function everyCallOfANewUser() {
  const page = await DocsPage.open(browser, empty);
  assert.equal(await page.tab.$eval("#user", input => input.value), "me");
  assert.equal(await page.tab.$eval("#session", input => input.value), "cli");
  const answers = await sendEach(page);
  const refused = Object.fromEntries(Object.entries(answers).filter(([, [status]]) => status >= 300));
  assert.deepEqual(refused, {
    show_skill: [404, "skill_not_found"],
    get_skill_file: [404, "skill_not_found"],
    load_skill: [404, "skill_not_found"],
    create_skill: [403, "approval_required"],
    list_folder: [404, "file_not_found"],
    decide_approval: [404, "approval_not_found"],
  });
  await page.close();
}

/** With the skills of the examples, every call works, save that nothing waits for a decision. */
async function everyCallOfTheExamples() {
  const page = await DocsPage.open(browser, full);
  await page.as("u1", "chat-7");
  const answers = await sendEach(page);
  const refused = Object.entries(answers).filter(([, [status]]) => status >= 300);
  assert.deepEqual(refused, [["decide_approval", [404, "approval_not_found"]]]);
  const sent = page.requests.filter(one => one.url().endsWith("/read")).map(one => one.headers());
  assert.match(sent[0]["x-skillmount-session-version"] ?? "", /\d/, "the session's version goes back");
  await page.close();
}

/** What a PUT replaces is filled in as it is, so that pressing Send changes nothing. */
async function aPolicyIsFilledInAsItIs() {
  const url = `${empty}/v1/users/anna/policy`;
  const policy = async () => (await fetch(url)).json();
  const other = { ...(await policy()), skills_access: "write", plan_mode: true, skills: { "secret/*": "blocked" } };
  await fetch(url, { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(other) });
  const page = await DocsPage.open(browser, empty);
  await page.openCard("set_user_policy");
  assert.notDeepEqual(JSON.parse(await page.body("set_user_policy")), other, "the policy of another user");
  await page.as("anna", "cli");
  await page.until("the policy of anna", async () => /"secret/.test(await page.body("set_user_policy")));
  // A policy leaves out who is handed what, and who approves, if it does not say; the page shows it.
  assert.deepEqual(JSON.parse(await page.body("set_user_policy")), { ...other, agents: {}, approve_by: null });
  assert.equal((await page.send("set_user_policy")).status, "200");
  assert.deepEqual(await policy(), other);
  // What was written for one user is not kept for the next.
  await page.tab.type("#set_user_policy-body", " ");
  await page.as("bob", "cli");
  await page.until("the policy of bob", async () => !/"secret/.test(await page.body("set_user_policy")));
  await page.openCard("change_session");
  assert.deepEqual(JSON.parse(await page.body("change_session")), { vars: {} });
  // A policy that cannot be read is not guessed.
  const closed = await DocsPage.open(browser, guarded);
  await closed.openCard("set_user_policy");
  await closed.until("the reason", () => closed.tab.$eval("#set_user_policy .note", note => note.textContent.includes("401")));
  assert.deepEqual((await closed.send("set_user_policy")).status, "none", "an empty body is not sent");
  await closed.type("#key", "k");
  await closed.tab.$eval("#caller", form => form.dispatchEvent(new Event("change")));
  assert.match(await closed.body("set_user_policy"), /skills_access/);
  assert.equal((await closed.send("set_user_policy")).status, "200");
  assert.match(await closed.curl("set_user_policy"), /"authorization: Bearer \$SKILLMOUNT_API_KEY"/);
  const kept = await closed.tab.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage), document.cookie]);
  assert.deepEqual(kept, [[], [], ""]);
  await closed.close();
  await page.close();
}

/** Optional members, parameters of the query and headers go where they belong. */
async function optionsAreSent() {
  const page = await DocsPage.open(browser, full);
  await page.as("u1", "options");
  const last = () => page.requests.at(-1);
  await page.openCard("search_files");
  await page.tab.click('#search_files [aria-label="Add output_mode to the body"]');
  assert.deepEqual(JSON.parse(await page.body("search_files")), { pattern: "Defin\\w+", path: "/workspace", output_mode: "content" });
  assert.equal((await page.send("search_files")).status, "200");

  await page.openCard("render_prompt");
  await page.tab.select("#render_prompt-format", "markdown");
  await page.type("#render_prompt-max_tokens", "500");
  assert.match((await page.send("render_prompt")).text, /"format": "markdown"/);
  assert.equal(new URL(last().url()).search, "?format=markdown&max_tokens=500");
  await page.tab.click("#render_prompt form summary");
  const tag = (await fetch(last().url(), { headers: { accept: "application/json" } })).headers.get("etag");
  await page.type("#render_prompt-If-None-Match", tag);
  assert.equal((await page.send("render_prompt")).status, "304");
  await page.tab.select("#render_prompt-accept", "text/plain");
  assert.match((await page.send("render_prompt")).text, /compraventa/);

  // What is not JSON is not sent.
  const sent = page.requests.length;
  await page.type("#search_files-body", "{");
  const { status, text } = await page.send("search_files");
  assert.deepEqual([status, page.requests.length], ["none", sent]);
  assert.match(text, /The body is not JSON/);
  await page.close();
}

/** Files go up as they are, several in one form, and come back as a file to save. */
async function filesGoUpAndDown() {
  const bytes = Buffer.from(Uint8Array.from({ length: 2048 }, (_, at) => at % 256));
  const files = { "a b.bin": bytes, "ñ.txt": Buffer.from("one\r\ntwo\n") };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const page = await DocsPage.open(browser, empty);
  await page.as("filer", "s1");
  const stored = async name => {
    const reply = await fetch(`${empty}/v1/users/filer/sessions/s1/files/workspace/${encodeURIComponent(name)}`);
    return Buffer.from(await reply.arrayBuffer());
  };

  await page.openCard("upload_files");
  const chooser = await page.tab.$("#upload_files-files");
  await chooser.uploadFile(...Object.keys(files).map(name => join(folder, name)));
  assert.equal((await page.send("upload_files")).status, "200");
  for (const [name, content] of Object.entries(files)) assert.deepEqual(await stored(name), content, name);
  assert.deepEqual(await stored("notes.md"), Buffer.from("One note\n"));

  await page.openCard("put_file");
  await page.type("#put_file-path", "workspace/put.bin");
  await (await page.tab.$("#put_file-file")).uploadFile(join(folder, "a b.bin"));
  assert.equal((await page.send("put_file")).status, "200");
  assert.deepEqual(await stored("put.bin"), bytes);

  await page.openCard("get_file");
  await page.type("#get_file-path", "/workspace/put.bin");
  const { text } = await page.send("get_file");
  assert.match(text, /Save put\.bin, 2\.0 KiB/);
  const session = await page.tab.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  await page.tab.click("#get_file .save");
  await page.until("the file", () => existsSync(join(folder, "put.bin")) && readFileSync(join(folder, "put.bin")).length === bytes.length);
  assert.deepEqual(readFileSync(join(folder, "put.bin")), bytes);

  await page.openCard("download_files");
  assert.match((await page.send("download_files")).text, /"error": "file_not_found"/);
  await page.tab.select("#download_files-accept", "multipart/mixed");
  assert.match((await page.send("download_files")).text, /Save download_files\.bin/);
  await page.close();
}

/** The line for a shell does what the button does. */
async function curlDoesTheSame() {
  const page = await DocsPage.open(browser, empty);
  await page.as("curler", "s1");
  const text = "it's \"quoted\" $HOME `x` \\n\n";
  for (const id of ["write_file", "upload_files", "put_file", "head_file", "list_tools", "create_session"]) {
    await page.openCard(id);
    if (id === "write_file") {
      const body = JSON.stringify({ file_path: "/workspace/quoted", content: text });
      await page.tab.$eval("#write_file-body", (area, value) => { area.value = value; }, body);
    }
    const line = (await page.curl(id)).replace(/^curl /, "curl --silent --noproxy '*' --output /dev/null --write-out '%{http_code}' ");
    const status = execFileSync("bash", ["-c", line], { encoding: "utf8" });
    assert.match(status, /^20[014]$/, line);
  }
  const read = await fetch(`${empty}/v1/users/curler/sessions/s1/files/workspace/quoted`);
  assert.equal(await read.text(), text);
  await page.close();
}

/** A call is found by its words, by its address, and without a mouse. */
async function callsAreFound() {
  const page = await DocsPage.open(browser, empty);
  const shown = () => page.tab.$$eval("main .card", cards => cards.filter(card => card.checkVisibility()).map(card => card.id));
  assert.deepEqual((await shown()).toSorted(), page.operations().map(one => one.id).toSorted());
  await page.type("#filter", "old_string replace_all");
  assert.deepEqual(await shown(), ["edit_file"]);
  await page.type("#filter", "no such word");
  assert.deepEqual(await shown(), []);
  await page.tab.goto(`${empty}/docs#search_files`);
  await page.tab.waitForSelector("#search_files .send");
  await page.tab.evaluate(() => { location.hash = "#edit_file"; });
  await page.tab.waitForSelector("#edit_file .send");

  await page.tab.focus("#check_health > summary");
  await page.tab.keyboard.press("Enter");
  await page.tab.waitForSelector("#check_health .send");
  assert.equal(new URL(page.tab.url()).hash, "#check_health", "an open card has an address");
  const isAt = selector => page.tab.evaluate(wanted => document.activeElement.matches(wanted), selector);
  for (let steps = 0; !(await isAt("#check_health .send")); steps += 1) {
    assert.ok(steps < 10, "Send is out of reach");
    await page.tab.keyboard.press("Tab");
  }
  await page.tab.keyboard.press("Enter");
  await page.tab.waitForSelector("#check_health .answer[data-status='200']");
  await page.close();
}

/** What the contract says of a call is there, for those who cannot see it as well, and on any screen. */
async function looks() {
  const page = await DocsPage.open(browser, full);
  await page.as("u1", "looks");
  for (const [width, scheme] of [[1280, "light"], [1280, "dark"], [375, "light"], [375, "dark"]]) {
    await page.tab.setViewport({ width, height: 900 });
    await page.tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.tab.evaluate(() => scrollTo(0, 0));
    await page.tab.screenshot({ path: `${width}-${scheme}-closed.png` });
    for (const id of ["search_files", "upload_files", "set_user_policy"]) {
      await page.openCard(id);
      await page.send(id);
      await page.tab.$eval(`#${id}`, card => card.scrollIntoView());
      await page.tab.screenshot({ path: `${width}-${scheme}-${id}.png` });
    }
  }
  await page.tab.setViewport({ width: 375, height: 900 });
  await openAll(page);
  const [scrolled, screen] = await widths(page);
  assert.equal(scrolled, screen, "the page scrolls sideways");
  assert.deepEqual(await unnamed(page), []);
  for (const scheme of ["light", "dark"]) {
    await page.tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    assert.deepEqual(await faint(page), [], scheme);
  }
  const said = await page.tab.$eval("#search_files", card => card.innerText);
  for (const words of ["output_mode", "optional", "required", "default \"content\"", "one of content, files, count",
    "at most 16,384 characters", "truncation_reason", "file_not_found", "store_unavailable", "Retry-After"]) {
    assert.ok(said.includes(words), `search_files does not say: ${words}`);
  }
  // Not by $$eval, which spreads the elements over its stack.
  const ticked = await page.tab.evaluate(() => [...document.querySelectorAll("main :not(pre)")]
    .flatMap(one => [...one.childNodes].filter(child => child.nodeType === 3 && child.data.includes("`"))).map(text => text.data));
  assert.deepEqual(ticked, [], "back-ticks are code");
  await page.tab.setViewport({ width: 1280, height: 900 });
  await page.tab.$eval("#search_files", card => card.scrollIntoView());
  await page.tab.screenshot({ path: "1280-open.png" });
  await page.close();
}

for (const part of [everyCallOfANewUser, everyCallOfTheExamples, aPolicyIsFilledInAsItIs, optionsAreSent, filesGoUpAndDown,
  curlDoesTheSame, callsAreFound, looks]) {
  console.log(part.name);
  await part();
}
await browser.close();
