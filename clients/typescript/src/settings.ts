/** What a client is made with, checked before anything is sent. No error prints a key or a password. */

import { InvalidSettings } from "./problem.ts";
import { retry, type Retry } from "./retry.ts";

const DEFAULT_SERVER = "http://127.0.0.1:8787";
const DEFAULT_TIMEOUT = 30_000;
// Timers of Node take no longer time.
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** How a client is made. Each member may be absent or `undefined`. */
export interface Options {
  /** The address of the service, such as `https://skills.example.org`; that of `SKILLMOUNT_SERVER`, or `http://127.0.0.1:8787`. */
  server?: string | undefined;
  /** The key to show; that of `SKILLMOUNT_API_KEY`, or none. */
  apiKey?: string | undefined;
  /**
   * Milliseconds that a call may take until its answer begins, repetitions included, and then between two parts of the answer;
   * 30,000 if absent.
   */
  timeout?: number | undefined;
  /** How often and how patiently a call is repeated that may be. */
  retry?: Partial<Retry> | undefined;
  /** What sends requests; the global `fetch` if absent. It is given the signal that ends the request. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** Settings that can work. */
export interface Settings {
  server: string;
  apiKey: string | undefined;
  timeout: number;
  retry: Retry;
  fetch: ((request: Request) => Promise<Response>) | undefined;
}

/**
 * The settings of a client.
 *
 * @param options - What the developer gives; the environment has the rest.
 * @throws InvalidSettings if the address, the key or a limit cannot work.
 */
export function settings(options: Options): Settings {
  const env = globalThis.process?.env ?? {};
  return {
    server: address(options.server || env["SKILLMOUNT_SERVER"] || DEFAULT_SERVER),
    apiKey: key(options.apiKey || env["SKILLMOUNT_API_KEY"]),
    timeout: limit(options.timeout ?? DEFAULT_TIMEOUT),
    retry: retry(options.retry ?? {}),
    fetch: options.fetch,
  };
}

function address(given: string): string {
  const text = given.trim();
  if (!/^https?:\/\//i.test(text)) {
    const host = text.split("@").at(-1)?.replace(/^[a-z]*:?\/+/i, "");
    throw new InvalidSettings(`the address of the service begins with http:// or https://, such as http://${host}`);
  }
  if (!URL.canParse(text)) {
    throw new InvalidSettings("the address of the service is no URL; its form is http://HOST:PORT");
  }
  const url = new URL(text);
  if (url.username || url.password) {
    throw new InvalidSettings("the address of the service holds a user name or password; give the key as apiKey");
  }
  if (url.search || url.hash) {
    throw new InvalidSettings(`the address of the service ends before ? and #, such as ${url.origin}`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/**
 * A key that can be a header.
 *
 * @param given - The key; an empty one is none.
 * @throws InvalidSettings if it cannot. The error does not print it.
 */
export function key(given: string | undefined): string | undefined {
  if (!given) return undefined;
  const rule = "a key has printable ASCII characters, and no space at its ends";
  if (/[\r\n]/.test(given)) throw new InvalidSettings(`the key contains a line end; ${rule}`);
  if (/[^\x20-\x7e]/.test(given)) {
    const at = given.search(/[^\x20-\x7e]/) + 1;
    throw new InvalidSettings(`character ${at} of the key is a control character or is not ASCII; ${rule}`);
  }
  if (given.trim() !== given) throw new InvalidSettings(`the key begins or ends with a space; ${rule}`);
  if (/^bearer /i.test(given)) {
    throw new InvalidSettings("the key begins with the word Bearer, which each request adds; give the key alone");
  }
  return given;
}

function limit(timeout: number): number {
  if (timeout > 0 && timeout <= LONGEST_TIMEOUT) return timeout;
  throw new InvalidSettings(`timeout is a number of milliseconds from 1 to ${LONGEST_TIMEOUT}, not ${timeout}`);
}
