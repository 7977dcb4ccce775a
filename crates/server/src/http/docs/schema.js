// Schemas as lists of fields.

import { el, folded, prose } from "./dom.js";

/** How a request says whether a member must be there. */
const IN_REQUEST = { true: ["b", { class: "must" }, "required"], false: ["span", { class: "may" }, "optional"] };
/** How an answer does, in which most are there. */
const IN_ANSWER = { false: ["span", { class: "may" }, "may be absent"] };

/** The members of an object, and below them the objects in them. `add` is called with an optional member of a body. */
function fields(contract, object, needs, add) {
  const required = new Set(object.required ?? []);
  const defaults = object["x-defaults"] ?? {};
  return el("ul", { class: "fields" }, Object.entries(object.properties).map(([name, plain]) => {
    const schema = name in defaults ? { ...plain, default: defaults[name] } : plain;
    const isRequired = required.has(name);
    return field(contract, name, schema, { needs, isRequired, add: isRequired ? undefined : add });
  }));
}

/** One member: its name, type, bounds and meaning. */
export function field(contract, name, schema, { needs = {}, isRequired, add } = {}) {
  const object = contract.objectIn(schema);
  const need = needs[isRequired];
  return el("li", {},
    el("div", { class: "field" },
      el("code", { class: "name" }, name), el("span", { class: "type" }, contract.typeOf(schema)), need && el(...need),
      contract.boundsOf(schema).map(bound => el("span", { class: "bound" }, prose(bound))),
      add && el("button", { type: "button", class: "quiet", "aria-label": `Add ${name} to the body`, onclick: () => add(name, schema) }, "Add")),
    el("p", {}, prose(contract.resolve(contract.core(schema)).description)),
    object && folded(`Fields of ${object.title ?? name}`, () => fields(contract, object, needs)));
}

/** The schema of a request's body. `add` puts an optional member into the body. */
export const ofRequest = (contract, schema, add) => described(contract, schema, IN_REQUEST, add);

/** The schema of an answer. */
export const ofAnswer = (contract, schema) => described(contract, schema, IN_ANSWER);

function described(contract, schema, needs, add) {
  const choices = schema.$ref ? contract.resolve(schema).oneOf : undefined;
  if (choices) {
    return choices.map((one, at) => [
      el("p", { class: "note" }, at ? "or " : "Either ", contract.typeOf(one), ":"), described(contract, one, needs, add),
    ]);
  }
  const object = contract.objectIn(schema);
  const isPlain = object && !contract.resolve(contract.core(schema)).items;
  if (isPlain) return fields(contract, object, needs, add);
  return el("ul", { class: "fields" }, field(contract, object?.title ?? "the whole", schema, { needs }));
}
