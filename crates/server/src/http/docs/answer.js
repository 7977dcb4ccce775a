// Answers: what came back, and what the contract says may come back.

import { isJson } from "./contract.js";
import { copier, el, folded, prose, size } from "./dom.js";
import { field, ofAnswer } from "./schema.js";

/** Text beyond this many bytes is offered as a file: a browser would stand still while it lays it out. */
const SHOWN_BYTES = 1 << 20;

/** Shows an answer in `box`. */
export function show(box, operation, contract, reply) {
  const status = String(reply.status);
  const said = operation.responses.find(one => one.status === status);
  box.replaceChildren(
    el("p", { class: "status" },
      el("b", { class: `badge s${status[0]}` }, status), " ",
      prose(said?.description ?? "This status is not in the contract."),
      el("span", { class: "note" }, ` ${reply.took}`)),
    ...content(operation, contract, reply),
    folded("Headers of the answer", () => el("ul", { class: "fields" }, [...reply.headers].map(([name, value]) =>
      el("li", {}, el("code", { class: "name" }, name), " ", el("span", { class: "value" }, value))))));
  box.dataset.status = status;
}

/** Shows why no request was sent, or why no answer came. */
export function showFailure(box, message) {
  box.replaceChildren(el("p", { class: "status failed" }, message));
  box.dataset.status = "none";
}

function content(operation, contract, { bytes, type, headers }) {
  if (!bytes.length) return [el("p", { class: "note" }, "The answer has no body.")];
  const text = bytes.length <= SHOWN_BYTES ? textOf(bytes, type) : undefined;
  if (isJson(type) && text !== undefined) return json(contract, text, type);
  if (type.startsWith("text/") && text !== undefined) return [block(text)];
  return [
    el("p", {}, saver(bytes, type, fileName(operation, headers)), el("span", { class: "note" }, ` ${type}`)),
    text !== undefined && block(text),
  ].filter(one => one);
}

function json(contract, text, type) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return [block(text)];
  }
  const meaning = type.startsWith("application/problem") && contract.codesOf(String(value.status)).find(code => code.name === value.code);
  return [
    meaning && el("p", { class: "note" }, el("code", {}, value.code), " ", prose(meaning.meaning)),
    block(JSON.stringify(value, null, 2)),
  ].filter(one => one);
}

/** The text that bytes are; undefined if they are none, or a form of several files. */
function textOf(bytes, type) {
  if (type.startsWith("multipart/")) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function block(text) {
  return el("div", { class: "block" }, el("pre", { tabindex: "0" }, text), copier("Copy", () => text));
}

/** A link that saves the bytes as a file. The bytes are given free when the answer is replaced or the page is left. */
function saver(bytes, type, name) {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  return el("a", { class: "save", href: address, download: name }, `Save ${name}, ${size(bytes.length)}`);
}

function fileName(operation, headers) {
  const named = /filename\*=UTF-8''([^;]+)/.exec(headers.get("content-disposition") ?? "");
  return named ? decodeURIComponent(named[1]) : `${operation.id}.bin`;
}

/** Every status that a call may answer with: those of success with their bodies, then the problems. */
export function documented(contract, operation) {
  const isProblem = one => /^[45]/.test(one.status);
  return [
    ...operation.responses.filter(one => !isProblem(one)).map(one => success(contract, one)),
    folded("Problems and their codes", () => el("ul", { class: "fields" },
      operation.responses.filter(isProblem).map(one => problem(contract, one)))),
  ];
}

function success(contract, response) {
  const forms = Object.entries(response.content ?? {});
  const title = [el("b", { class: `badge s${response.status[0]}` }, response.status), " ", prose(response.description)];
  return folded(title, () => [
    forms.map(([type, form]) => [
      el("p", { class: "note" }, "As ", el("code", {}, type)),
      ofAnswer(contract, form.schema),
      form.example !== undefined && folded("Example", () => block(typeof form.example === "string" ? form.example : JSON.stringify(form.example, null, 2))),
    ]),
    headersOf(contract, response),
  ].flat(Infinity).filter(one => one));
}

function problem(contract, response) {
  const codes = contract.codesOf(response.status);
  return el("li", {},
    el("p", {}, el("b", { class: `badge s${response.status[0]}` }, response.status), " ", prose(response.description)),
    codes.length > 0 && el("dl", {}, codes.map(code => [el("dt", {}, el("code", {}, code.name)), el("dd", {}, prose(code.meaning))])),
    headersOf(contract, response));
}

function headersOf(contract, response) {
  const headers = Object.entries(response.headers ?? {}).map(([name, one]) => [name, contract.resolve(one)]);
  if (!headers.length) return undefined;
  return folded("Headers", () => el("ul", { class: "fields" }, headers.map(([name, one]) =>
    field(contract, name, { description: one.description, ...one.schema }))));
}
