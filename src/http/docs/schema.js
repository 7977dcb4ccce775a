// Schemas as lists of fields.

import { el, folded, prose } from "./dom.js";

/** The members of an object, and below them the objects in them. `add` is called with the name of an optional one. */
export function fields(contract, object, add) {
  const required = new Set(object.required ?? []);
  const defaults = object["x-defaults"] ?? {};
  return el("ul", { class: "fields" }, Object.entries(object.properties).map(([name, plain]) => {
    const schema = name in defaults ? { ...plain, default: defaults[name] } : plain;
    const row = field(contract, name, schema, required.has(name));
    if (add && !required.has(name)) {
      const button = el("button", { type: "button", class: "quiet", onclick: () => add(name, schema) }, "Add");
      button.setAttribute("aria-label", `Add ${name} to the body`);
      row.firstChild.append(button);
    }
    return row;
  }));
}

/** One member: its name, type, bounds and meaning. `isRequired` is undefined if that question makes no sense. */
export function field(contract, name, schema, isRequired) {
  const object = contract.objectIn(schema);
  const need = { true: el("b", { class: "must" }, "required"), false: el("span", { class: "may" }, "optional") }[isRequired];
  return el("li", {},
    el("div", { class: "field" },
      el("code", { class: "name" }, name), el("span", { class: "type" }, contract.typeOf(schema)), need,
      contract.boundsOf(schema).map(bound => el("span", { class: "bound" }, prose(bound)))),
    el("p", {}, prose(contract.resolve(contract.core(schema)).description)),
    object && folded(`Fields of ${object.title ?? name}`, () => fields(contract, object)));
}

/** A schema in a request or an answer, whatever it is. */
export function described(contract, schema, add) {
  const choices = schema.$ref ? contract.resolve(schema).oneOf : undefined;
  if (choices) return choices.map((one, at) => [el("p", { class: "note" }, at ? "or " : "Either ", contract.typeOf(one), ":"), described(contract, one)]);
  const object = contract.objectIn(schema);
  const isPlain = object && !contract.resolve(contract.core(schema)).items;
  if (isPlain) return fields(contract, object, add);
  return el("ul", { class: "fields" }, field(contract, object?.title ?? "the whole", schema));
}
