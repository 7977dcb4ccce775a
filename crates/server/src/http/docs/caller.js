// Who calls: the key, user and session of the whole page, and the session versions that answers named.

import { size } from "./dom.js";

export const VERSION = "x-skillmount-session-version";

const input = name => document.getElementById(name);
/** The newest version by user and session. It is gone when the page is closed, as the key is. */
const versions = new Map();
const place = () => `${input("user").value}/${input("session").value}`;

/** The values of the path parameters that all calls share. */
export const shared = () => ({ user: input("user").value.trim(), session: input("session").value.trim() });

/** The headers in which a call without a user in its address names whom it is for. */
const WHOSE = { "x-skillmount-user": "user", "x-skillmount-session": "session" };

/** Whether the page has one input for this parameter, which all calls share. */
export const isShared = ({ name }) => name in shared() || name in WHOSE;

/** Calls `listener` after the user, session or key was changed, or a call may have changed something. */
export function onChange(listener) {
  input("caller").addEventListener("change", listener);
}

/** Says that a call may have changed something. */
export const noteChange = () => input("caller").dispatchEvent(new Event("change"));

/** Shows which version goes back with the next call. */
export function showVersion() {
  const version = versions.get(place());
  input("seen").textContent = version ? `Calls send the session version back: ${version}` : "";
}

/** The address of a call: the path with its parameters filled in, and the query. */
function address(operation, values) {
  const all = { ...values.path, ...shared() };
  // A path may be typed with its first slash; the address has one already.
  const encoded = text => text.replace(/^\//, "").split("/").map(encodeURIComponent).join("/");
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encoded(all[name] ?? ""));
  const query = new URLSearchParams(Object.entries(values.query ?? {}).filter(([, value]) => value !== ""));
  return path + (query.size ? `?${query}` : "");
}

/** A request: what `fetch` needs, and the parts of it that `curl` needs. */
export function compose(operation, values = {}, accept = operation.forms[0], content = undefined) {
  const headers = {};
  if (accept) headers.accept = accept;
  if (input("key").value) headers.authorization = `Bearer ${input("key").value}`;
  const version = versions.get(place());
  if (version && operation.path.includes("{session}")) headers[VERSION] = version;
  // The browser writes the type of a form itself, for it chooses the boundary.
  if (content?.type) headers["content-type"] = content.type;
  for (const { name } of operation.parameters) if (name in WHOSE) headers[name] = shared()[WHOSE[name]];
  for (const [name, value] of Object.entries(values.header ?? {})) if (value !== "") headers[name] = value;
  return { method: operation.method, url: address(operation, values), headers, content };
}

/** Sends a request; the answer's bytes are read whole. */
export async function send({ method, url, headers, content }) {
  const began = performance.now();
  const where = place();
  const response = await fetch(`.${url}`, { method, headers, body: content?.body, cache: "no-store" });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const version = response.headers.get(VERSION);
  if (version) versions.set(where, version);
  showVersion();
  const took = `${Math.round(performance.now() - began)} ms, ${size(bytes.length)}`;
  return { status: response.status, headers: response.headers, type: response.headers.get("content-type") ?? "", bytes, took };
}

/** The address of the service, which a proxy may serve below another path. */
function root() {
  return location.origin + location.pathname.replace(/\/docs\/?$/, "");
}

/** The same request as a line for a shell. The key stays out of it: shells keep what is typed. */
export function curl({ method, url, headers, content }) {
  const quoted = text => `'${text.replaceAll("'", `'\\''`)}'`;
  const verb = { GET: "", HEAD: " --head" }[method] ?? ` --request ${method}`;
  const sent = Object.entries(headers).map(([name, value]) =>
    name === "authorization" ? '--header "authorization: Bearer $SKILLMOUNT_API_KEY"' : `--header ${quoted(`${name}: ${value}`)}`);
  const body = (content?.curl ?? []).map(([flag, value]) => `${flag} ${quoted(value)}`);
  return [`curl${verb} ${quoted(root() + url)}`, ...sent, ...body].join(" \\\n  ");
}
