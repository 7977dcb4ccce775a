/**
 * Proxies. Node's `fetch` uses one only if it is told to, by `NODE_USE_ENV_PROXY` or by an `EnvHttpProxyAgent` that the process has
 * set. Loopback addresses never use it, since no proxy can reach the service of this machine.
 */

// Where undici, which is Node's fetch, keeps what sends requests. Newer ones have the second name.
const DISPATCHERS = [Symbol.for("undici.globalDispatcher.1"), Symbol.for("undici.globalDispatcher.2")];

type Dispatcher = { constructor: new (options: { noProxy: string }) => Dispatcher };

/** The dispatcher that takes a proxy from the environment, if the process has one. */
function fromEnvironment(): Dispatcher | undefined {
  const known = globalThis as unknown as Record<symbol, Dispatcher | undefined>;
  return DISPATCHERS.map((name) => known[name]).find((each) => each?.constructor.name === "EnvHttpProxyAgent");
}

/**
 * Whether an address is of this machine.
 *
 * @param hostname - The host of a `URL`, which has numbers in their plain form and IPv6 in brackets.
 */
export function isLoopback(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return (
    name === "localhost" || name.endsWith(".localhost") || /^127(\.\d+){3}$/.test(name) ||
    name === "[::1]" || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(name)
  );
}

let direct: { of: Dispatcher; dispatcher: Dispatcher } | undefined;

/**
 * What sends requests to a service of this machine.
 *
 * @param server - The address of the service.
 * @returns A dispatcher without a proxy; `undefined` if the usual one has none, or if the service is elsewhere.
 */
export function withoutProxy(server: string): object | undefined {
  const usual = fromEnvironment();
  if (!usual || !isLoopback(new URL(server).hostname)) return undefined;
  if (direct?.of !== usual) direct = { of: usual, dispatcher: new usual.constructor({ noProxy: "*" }) };
  return direct.dispatcher;
}

/**
 * The proxy of an address, for messages: the variable and the proxy, without user name and password.
 *
 * @param server - The address of the service.
 * @returns Such as `the proxy http://proxy:3128 of HTTP_PROXY`; `undefined` if none is used.
 */
export function proxyOf(server: string): string | undefined {
  const url = new URL(server);
  if (!fromEnvironment() || isLoopback(url.hostname) || isExcluded(url)) return undefined;
  const plain = ["http_proxy", "HTTP_PROXY"];
  const names = url.protocol === "https:" ? ["https_proxy", "HTTPS_PROXY", ...plain] : plain;
  const name = names.find((each) => process.env[each]);
  if (!name) return undefined;
  const proxy = process.env[name] ?? "";
  return `the proxy ${URL.canParse(proxy) ? new URL(proxy).origin : ""} of ${name}`.replace("proxy  of", "proxy of");
}

/** Whether `NO_PROXY` names the host, as undici reads it. */
function isExcluded(url: URL): boolean {
  const list = process.env["no_proxy"] ?? process.env["NO_PROXY"] ?? "";
  if (list === "*") return true;
  const host = url.hostname.toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return list.split(/[,\s]/).filter(Boolean).some((entry) => {
    const [, name = "", only] = /^(.+?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (only && only !== port) return false;
    return /^[.*]/.test(name) ? host.endsWith(name.replace(/^\*/, "")) : host === name;
  });
}
