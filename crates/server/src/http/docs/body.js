// The bodies of requests: JSON in a text area, the bytes of a file, or a form of files. An editor has the nodes to show,
// `read`, which returns what is sent or throws what is wrong with it, and `refresh`, which looks again at what is there.

import { compose, send } from "./caller.js";
import { el, size } from "./dom.js";
import { ofRequest } from "./schema.js";

/** The editor of a call's body, or undefined if it takes none. */
export function bodyEditor(operation, contract) {
  if (!operation.body) return undefined;
  if (operation.body.type === "multipart/form-data") return formEditor(operation);
  return operation.body.type === "application/json" ? jsonEditor(operation, contract) : bytesEditor(operation);
}

function textArea(id, value, attributes = {}) {
  const area = el("textarea", { id, spellcheck: "false", autocapitalize: "off", ...attributes });
  area.value = value;
  area.rows = Math.min(20, Math.max(3, value.split("\n").length + 1));
  return area;
}

const pretty = value => JSON.stringify(value, null, 2);

function jsonEditor(operation, contract) {
  const { body, id } = operation;
  const reader = contract.readerOf(operation);
  const area = textArea(`${id}-body`, pretty(body.example));
  const note = el("p", { class: "note line", role: "status" });
  let isEdited = false;
  let looked = Promise.resolve();
  // What the body replaces. What was written for another user or session is not kept for this one.
  let target;
  area.addEventListener("input", () => { isEdited = true; });

  // What a call replaces is filled in as it is now, so that a curious click changes nothing. The area keeps its height, so
  // that a button that is being pressed stays where it is.
  if (reader) area.value = "";
  async function look() {
    const reply = await send(compose(reader)).catch(error => ({ status: error }));
    if (isEdited) return;
    if (reply.status !== 200) {
      area.value = "";
      note.textContent = `Nothing is filled in: what is there now could not be read (${reply.status}).`;
      return;
    }
    const now = JSON.parse(new TextDecoder().decode(reply.bytes));
    area.value = pretty(Object.fromEntries(Object.entries(body.example).map(([name, value]) => [name, now[name] ?? value])));
    note.textContent = `Filled in with what ${reader.id} reads now.`;
  }

  function add(name, schema) {
    try {
      const whole = JSON.parse(area.value || "{}");
      if (!(name in whole)) whole[name] = contract.sample(schema);
      area.value = pretty(whole);
      isEdited = true;
      area.focus();
    } catch {
      note.textContent = `${name} cannot be added, because the body is not JSON.`;
    }
  }

  return {
    nodes: [el("label", { for: area.id }, "Body ", el("code", {}, body.type)), area, reader && note],
    fields: () => ofRequest(contract, body.schema, add),
    refresh() {
      if (!reader) return;
      const { url } = compose(reader);
      if (url !== target) isEdited = false;
      target = url;
      if (!isEdited) looked = looked.then(look);
    },
    async read() {
      await looked;
      if (area.value.trim() === "" && !body.required) return undefined;
      if (area.value.trim() === "") throw new Error("The body is empty. Write it, or read what is there first.");
      try {
        JSON.parse(area.value);
      } catch (error) {
        throw new Error(`The body is not JSON: ${error.message}`);
      }
      return { type: body.type, body: area.value, curl: [["--data-raw", area.value]] };
    },
  };
}

function bytesEditor({ id, body }) {
  const area = textArea(`${id}-body`, body.example ?? "");
  const file = el("input", { id: `${id}-file`, type: "file" });
  // Bytes of a file are not shown, so that the text cannot be taken for them.
  file.addEventListener("change", () => { area.disabled = file.files.length > 0; });
  return {
    nodes: [
      el("label", { for: file.id }, "A file of yours"), file,
      el("label", { for: area.id }, "or text, as ", el("code", {}, body.type)), area,
    ],
    refresh() {},
    async read() {
      const [chosen] = file.files;
      if (chosen) return { type: body.type, body: chosen, curl: [["--data-binary", `@${chosen.name}`]] };
      return { type: body.type, body: area.value, curl: [["--data-raw", area.value]] };
    },
  };
}

function formEditor({ id, body }) {
  const rows = el("ul", { class: "parts" });
  const parts = new Set();
  let made = 0;

  function addPart(path, text, file) {
    made += 1;
    const name = el("input", { id: `${id}-path-${made}`, required: true, spellcheck: "false", value: path });
    const area = !file && textArea(`${id}-text-${made}`, text);
    const part = { name, area, file };
    const row = el("li", {},
      el("label", { for: name.id }, "Virtual path"), name,
      file ? el("p", { class: "note" }, `${file.name}, ${size(file.size)}`) : [el("label", { for: area.id }, "Text"), area],
      el("button", { type: "button", class: "quiet", onclick: () => { parts.delete(part); row.remove(); } }, "Remove"));
    parts.add(part);
    rows.append(row);
  }

  const chooser = el("input", { id: `${id}-files`, type: "file", multiple: true });
  chooser.addEventListener("change", () => {
    for (const file of chooser.files) addPart(`/workspace/${file.name}`, "", file);
    chooser.value = "";
  });
  for (const [path, text] of Object.entries(body.example ?? {})) addPart(path, text);
  return {
    nodes: [el("label", { for: chooser.id }, "Files of yours, each a part of the form"), chooser, rows],
    refresh() {},
    async read() {
      if (!parts.size) throw new Error("The form has no part. Choose a file first.");
      const form = new FormData();
      const curl = [];
      for (const { name, area, file } of parts) {
        // As text of the form its line ends would be changed.
        form.append(name.value, file ?? new Blob([area.value]), file?.name ?? "text");
        curl.push(file ? ["--form", `${name.value}=@${file.name}`] : ["--form-string", `${name.value}=${area.value}`]);
      }
      return { body: form, curl };
    },
  };
}
