// One call: what it takes, what it answers, and a form that sends it.

import { documented, show, showFailure } from "./answer.js";
import { bodyEditor } from "./body.js";
import { VERSION, compose, curl, isShared, noteChange, onChange, send } from "./caller.js";
import { copier, el, folded, prose } from "./dom.js";

/** The card of a call. Its content is made when it is opened. */
export function card(contract, operation) {
  const title = [
    el("span", { class: `method ${operation.method.toLowerCase()}` }, operation.method),
    el("span", { class: "path" }, inPieces(operation.path)),
    el("span", { class: "about" }, prose(operation.about.split(/[.;:] /)[0].replace(/\.$/, ""))),
  ];
  return folded(title, () => content(contract, operation), { id: operation.id, class: "card" });
}

/** A path that a narrow screen may cut at its slashes. */
const inPieces = path => path.split("/").flatMap((piece, at) => (at ? [el("wbr"), `/${piece}`] : []));

function content(contract, operation) {
  const id = operation.id;
  const inputs = operation.parameters.filter(one => !isShared(one)).map(one => input(contract, id, one));
  const [headers, others] = [inputs.filter(one => one.place === "header"), inputs.filter(one => one.place !== "header")];
  const editor = bodyEditor(operation, contract);
  const accept = operation.forms.length > 1 && choice(`${id}-accept`, operation.forms);
  const answer = el("div", { class: "answer", "aria-live": "polite", hidden: true });
  const line = el("pre", { class: "curl", tabindex: "0", hidden: true });

  const request = async () => {
    const values = { path: {}, query: {}, header: {} };
    for (const { place, name, control } of inputs) values[place][name] = control.value;
    return compose(operation, values, accept ? accept.value : operation.forms[0], await editor?.read());
  };
  const asCurl = async () => {
    line.hidden = false;
    line.textContent = await request().then(curl, error => error.message);
    return line.textContent;
  };
  const submit = async event => {
    event.preventDefault();
    answer.hidden = false;
    delete answer.dataset.status;
    answer.replaceChildren(el("p", { class: "note" }, "Waiting for the answer …"));
    try {
      show(answer, operation, contract, await send(await request()));
      if (operation.method !== "GET") noteChange();
    } catch (error) {
      showFailure(answer, error.message);
    }
  };
  editor?.refresh();
  onChange(() => editor?.refresh());
  return [
    el("p", {}, prose(operation.about), " ", el("a", { class: "link", href: `#${id}`, "aria-label": `Link to ${id}` }, el("code", {}, id))),
    el("form", { onsubmit: submit },
      others.map(one => one.node),
      editor && el("div", { class: "body" }, editor.nodes),
      accept && el("div", { class: "parameter" }, el("label", { for: accept.id }, "Answer as"), accept),
      headers.length > 0 && folded(`Headers, all optional (${headers.length})`, () => headers.map(one => one.node)),
      el("div", { class: "buttons" },
        el("button", { class: `send ${operation.method.toLowerCase()}` }, "Send"), copier("Copy as curl", asCurl)),
      line),
    answer,
    editor?.fields && el("section", {}, el("h3", {}, "Fields of the body"), editor.fields()),
    el("section", {}, el("h3", {}, "Answers"), documented(contract, operation)),
  ].filter(one => one);
}

/** The input of a parameter, with what the contract says of it. */
function input(contract, id, parameter) {
  const schema = contract.resolve(parameter.schema);
  const name = `${id}-${parameter.name}`;
  const options = schema.enum ?? (schema.type === "boolean" ? ["true", "false"] : undefined);
  const control = options ? choice(name, ["", ...options], "not sent") : el("input", {
    id: name,
    required: parameter.required === true,
    spellcheck: "false",
    inputmode: schema.type === "integer" && "numeric",
    value: parameter.required ? parameter.example : undefined,
    placeholder: parameter.name === VERSION && "sent by itself",
    "aria-describedby": `${name}-about`,
  });
  const node = el("div", { class: "parameter" },
    el("label", { for: name }, el("code", {}, parameter.name),
      el("span", { class: "type" }, `${contract.typeOf(parameter.schema)} in the ${parameter.in}`),
      parameter.required ? el("b", { class: "must" }, "required") : el("span", { class: "may" }, "optional"),
      contract.boundsOf(parameter.schema).map(bound => el("span", { class: "bound" }, prose(bound)))),
    control,
    el("p", { id: `${name}-about` }, prose(parameter.description)));
  return { place: parameter.in, name: parameter.name, control, node };
}

function choice(id, values, empty) {
  return el("select", { id }, values.map(value => el("option", { value }, value || empty)));
}
