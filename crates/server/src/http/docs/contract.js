// The OpenAPI document: its calls in a handy form, and its schemas in words.

const METHODS = ["get", "head", "put", "post", "patch", "delete"];

/** The document, read once. */
export class Contract {
  constructor(document) {
    this.document = document;
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.filter(method => item[method]).map(method => this.#operation(path, method, item)));
    // The examples are one conversation, so they work in its order.
    this.operations.sort((one, other) => one.place - other.place);
  }

  /** What a reference leads to, with the description that stands beside the reference. */
  resolve(one) {
    if (!one?.$ref) return one;
    const found = one.$ref.slice(2).split("/").reduce((place, name) => place[name], this.document);
    const { $ref, ...beside } = one;
    return { ...this.resolve(found), ...beside };
  }

  /** The call that reads what `operation` changes, if there is one, and if the page knows its whole address beforehand. */
  readerOf(operation) {
    const isKnown = !operation.path.replace(/\{(user|session)\}/g, "").includes("{");
    if (!["PUT", "PATCH"].includes(operation.method) || !isKnown) return undefined;
    return this.operations.find(one => one.path === operation.path && one.method === "GET" && one.forms.includes("application/json"));
  }

  /** The codes of problems that have this status, each with its meaning. */
  codesOf(status) {
    const codes = Object.entries(this.document.components.schemas.ErrorCode["x-codes"]);
    return codes.filter(([, code]) => String(code.status) === status).map(([name, code]) => ({ name, meaning: code.description }));
  }

  /** The tags that have calls, each with its calls. */
  groups() {
    return this.document.tags
      .map(tag => ({ ...tag, operations: this.operations.filter(one => one.tag === tag.name) }))
      .filter(group => group.operations.length);
  }

  #operation(path, method, item) {
    const raw = item[method];
    const parameters = [...(item.parameters ?? []), ...(raw.parameters ?? [])].map(one => this.resolve(one));
    const responses = Object.entries(raw.responses).map(([status, one]) => ({ status, ...this.resolve(one) }));
    const success = responses.filter(one => one.status.startsWith("2"));
    const [body] = Object.entries(raw.requestBody?.content ?? {}).map(([type, content]) =>
      ({ type, required: raw.requestBody.required === true, ...content }));
    return {
      id: raw.operationId,
      method: method.toUpperCase(),
      path,
      tag: raw.tags[0],
      about: (raw.summary ?? "").replace(/\s+/g, " "),
      parameters,
      body,
      responses,
      // The types that the answer may have: JSON first, for it can be shown.
      forms: [...new Set(success.flatMap(one => Object.keys(one.content ?? {})))].sort((one, other) => isJson(other) - isJson(one)),
      place: raw["x-example-order"] ?? Number.MAX_SAFE_INTEGER,
      words: this.#words(path, raw, parameters, body),
    };
  }

  /** What a search looks at. */
  #words(path, raw, parameters, body) {
    const fields = Object.entries(this.resolve(this.core(body?.schema))?.properties ?? {});
    const texts = [path, raw.operationId, raw.summary, raw.tags[0], ...parameters.map(one => one.name),
      ...fields.flatMap(([name, field]) => [name, field.description])];
    return texts.join(" ").toLowerCase();
  }

  /** A schema without the `null` that stands beside it. */
  core(schema) {
    const choices = (schema?.oneOf ?? schema?.anyOf)?.filter(one => one.type !== "null");
    if (choices?.length !== 1) return schema;
    const { oneOf, anyOf, ...beside } = schema;
    return { ...choices[0], ...beside };
  }

  /** The type of a schema in words. */
  typeOf(schema) {
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return choices.map(one => (one.type === "null" ? "null" : this.typeOf(one))).join(" or ");
    const whole = this.resolve(schema);
    if (whole.format === "binary") return "bytes";
    const name = schema.$ref?.split("/").pop();
    return [whole.type ?? "anything"].flat().map(type => {
      if (type === "array") return whole.items ? `list of ${this.typeOf(whole.items)}` : "list";
      if (type !== "object") return whole.format === "date-time" ? "date and time" : type;
      if (typeof whole.additionalProperties === "object") return `object of ${this.typeOf(whole.additionalProperties)}`;
      return name ?? "object";
    }).join(" or ");
  }

  /** What values a schema allows, one phrase for each bound. */
  boundsOf(schema) {
    const whole = this.resolve(this.core(schema));
    const phrases = [];
    if ("default" in whole) phrases.push(`default \`${JSON.stringify(whole.default)}\``);
    if (whole.enum) phrases.push(`one of ${whole.enum.map(one => `\`${one}\``).join(", ")}`);
    phrases.push(range(whole.minimum, whole.maximum, ""));
    phrases.push(range(whole.minLength, whole.maxLength, " characters"));
    phrases.push(range(whole.minItems, whole.maxItems, " items"));
    if (whole.pattern) phrases.push(`matches \`${whole.pattern}\``);
    if (whole.contentEncoding) phrases.push(whole.contentEncoding);
    return phrases.filter(phrase => phrase);
  }

  /** The object whose members a schema is about, be it in a list or beside `null`; undefined if it has none. */
  objectIn(schema) {
    const whole = this.resolve(this.core(schema));
    if (!whole) return undefined;
    if (whole.properties) return { ...whole, title: this.core(schema).$ref?.split("/").pop() };
    if (whole.items) return this.objectIn(whole.items);
    return typeof whole.additionalProperties === "object" ? this.objectIn(whole.additionalProperties) : undefined;
  }

  /** A value that the schema takes, for a member that somebody adds. */
  sample(schema) {
    const whole = this.resolve(this.core(schema));
    if ("default" in whole) return whole.default;
    if (whole.enum) return whole.enum[0];
    const type = [whole.type].flat().find(one => one !== "null");
    return { string: "", integer: whole.minimum || 1, number: whole.minimum || 1, boolean: true, array: [] }[type] ?? {};
  }
}

/** Whether a media type is JSON. */
export const isJson = type => /^application\/(?:[\w.-]+\+)?json\b/.test(type ?? "");

function range(least, most, unit) {
  const number = value => value.toLocaleString("en");
  if (least && most !== undefined) return `${number(least)} to ${number(most)}${unit}`;
  if (most !== undefined) return `at most ${number(most)}${unit}`;
  return least === undefined ? "" : `at least ${number(least)}${unit}`;
}
