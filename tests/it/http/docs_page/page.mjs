// The page as a person uses it: cards are opened, fields filled in and buttons pressed.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import puppeteer from "puppeteer-core";

const PATIENCE = 60_000;

export async function launch(executablePath) {
  return puppeteer.launch({
    executablePath, headless: "shell", protocolTimeout: 2 * PATIENCE, timeout: 2 * PATIENCE,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server"],
  });
}

/** The page `/docs` of a service, in a tab that notes what it asks for and what goes wrong. */
export class DocsPage {
  constructor(base, tab, document) {
    Object.assign(this, { base, tab, document, requests: [], faults: [] });
    tab.on("request", request => this.requests.push(request));
    tab.on("pageerror", error => this.faults.push(String(error)));
    // Chromium notes each answer that is an error; those are looked at where they are asked for.
    tab.on("console", message => message.type() === "error" && !message.text().startsWith("Failed to load resource")
      && this.faults.push(message.text()));
  }

  static async open(browser, base) {
    const document = await (await fetch(`${base}/openapi.json`)).json();
    const tab = await browser.newPage();
    tab.setDefaultTimeout(PATIENCE);
    await tab.setViewport({ width: 1280, height: 900 });
    const page = new DocsPage(base, tab, document);
    await tab.goto(`${base}/docs`);
    await tab.waitForSelector("main .card");
    return page;
  }

  /** All operations of the document in the order of the conversation of its examples. */
  operations() {
    const items = Object.entries(this.document.paths).flatMap(([path, item]) => Object.entries(item)
      .filter(([, one]) => one.operationId).map(([method, one]) => ({ path, method, id: one.operationId, ...one })));
    return items.sort((one, other) => one["x-example-order"] - other["x-example-order"]);
  }

  async as(user, session) {
    await this.type("#user", user);
    await this.type("#session", session);
    await this.tab.$eval("#caller", form => form.dispatchEvent(new Event("change")));
  }

  async type(selector, text) {
    await this.tab.waitForSelector(selector);
    await this.tab.$eval(selector, input => { input.value = ""; input.dispatchEvent(new Event("input")); });
    await this.tab.type(selector, text);
  }

  async openCard(id) {
    const isOpen = await this.tab.$eval(`#${id}`, card => card.open);
    if (!isOpen) await this.tab.click(`#${id} > summary`);
    await this.tab.waitForSelector(`#${id} .send`);
  }

  /** Presses Send, and returns the status and the text of what the page then shows. */
  async send(id) {
    await this.tab.$eval(`#${id} .answer`, answer => { delete answer.dataset.status; });
    await this.tab.click(`#${id} .send`);
    await this.tab.waitForSelector(`#${id} .answer[data-status]`);
    return this.tab.$eval(`#${id} .answer`, answer => ({ status: answer.dataset.status, text: answer.innerText }));
  }

  /** The body of a card once it is filled in. */
  async body(id) {
    await this.until(`the body of ${id}`, () => this.tab.$eval(`#${id}-body`, area => area.value !== ""));
    return this.tab.$eval(`#${id}-body`, area => area.value);
  }

  async curl(id) {
    const [, button] = await this.tab.$$(`#${id} .buttons button`);
    await button.click();
    await this.tab.waitForSelector(`#${id} .curl:not([hidden])`);
    await this.until(`curl of ${id}`, () => this.tab.$eval(`#${id} .curl`, line => line.textContent !== ""));
    return this.tab.$eval(`#${id} .curl`, line => line.textContent);
  }

  async until(what, holds) {
    const began = Date.now();
    while (!(await holds())) {
      assert.ok(Date.now() - began < PATIENCE, `waited in vain for ${what}`);
      await pause(50);
    }
  }

  /** That nothing went wrong and nothing was asked of anybody else. */
  async close() {
    assert.deepEqual(this.faults, []);
    const outside = this.requests.map(one => one.url()).filter(url => !url.startsWith(this.base) && !url.startsWith("blob:"));
    assert.deepEqual(outside, []);
    await this.tab.close();
  }
}
