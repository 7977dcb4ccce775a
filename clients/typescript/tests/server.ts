/** A service on a store in memory, for one file of tests. */

import { spawn } from "node:child_process";
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { afterAll, beforeAll } from "vitest";
import { createSkillmount, type Client } from "../src/index.ts";

/** The program of the service. */
export const PROGRAM = process.env["SKILLMOUNT_PROGRAM"] ?? new URL("../../../target/debug/skillmount", import.meta.url).pathname;

export interface Running {
  url: string;
  client: Client;
  stop: () => void;
}

/** Starts a service on a store in memory, with these arguments. */
export function start(...more: string[]): Promise<Running> {
  return startOn("memory:", ...more);
}

/** Starts a service on a store, with these arguments. */
export async function startOn(store: string, ...more: string[]): Promise<Running> {
  const given = ["serve", "--store", store, "--listen", "127.0.0.1:0", "--json", "--drain", "0", ...more];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SKILLMOUNT_")));
  const service = spawn(PROGRAM, given, { env, stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: service.stdout })) {
    const url = (JSON.parse(line) as { listening: string }).listening;
    return { url, client: createSkillmount({ server: url }), stop: () => service.kill("SIGKILL") };
  }
  throw new Error(`${PROGRAM} did not start; run it to see why`);
}

/** The service of a file of tests, with a skill of `ana`. */
export function service(): { current: Running } {
  const held = {} as { current: Running };
  beforeAll(async () => {
    held.current = await start();
    await publish(held.current.client, "ana", "law/leases", "Drafts leases. Use when someone rents.", "SECRET-OF-LEASES\n", {
      "forms/garage.md": "LEASE OF A GARAGE\n",
    });
  });
  afterAll(() => held.current.stop());
  return held;
}

/** Gives a user a skill. */
export async function publish(
  client: Client, user: string, skill: string, description: string, text: string, files: Record<string, string> = {},
): Promise<void> {
  await client.user(user).publish(skill, { description, body: text, files });
}

/** What a front does with a request: it passes it on, answers itself, never answers, or cuts the connection. */
export type Whim = "pass" | "hang" | "cut" | { status: number; headers?: Record<string, string>; body?: string };

export interface Front {
  url: string;
  /** Method and path of each request, in the order of arrival. */
  seen: string[];
  /** How many requests wait without an answer. Those whose client left are not counted. */
  hanging: () => number;
  stop: () => void;
}

/** A server before the service, which decides about each request. `at` counts the requests from 0. */
export async function front(service: string, decide: (request: IncomingMessage, at: number) => Whim): Promise<Front> {
  const seen: string[] = [];
  const waiting = new Set<ServerResponse>();
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const whim = decide(request, seen.push(`${request.method} ${request.url}`) - 1);
    if (whim === "pass") return pass(service, request, response);
    if (whim === "cut") return request.socket.destroy();
    if (whim !== "hang") return response.writeHead(whim.status, whim.headers).end(whim.body);
    waiting.add(response);
    response.on("close", () => waiting.delete(response));
  };
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, seen, hanging: () => waiting.size, stop };
}

function pass(service: string, request: IncomingMessage, response: ServerResponse): void {
  const { host: _, ...headers } = request.headers;
  const onward = ask(new URL(request.url ?? "", service), { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  request.pipe(onward);
}

/** Waits until something is so. */
export async function until(so: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await so()); tries += 1) {
    if (tries > 500) throw new Error("it did not become so within 5 s");
    await new Promise((again) => setTimeout(again, 10));
  }
}

/** The milliseconds that something takes, and its error. */
export async function failing(what: () => Promise<unknown>): Promise<{ error: Record<string, unknown>; took: number }> {
  const begun = performance.now();
  try {
    await what();
  } catch (error) {
    return { error: error as Record<string, unknown>, took: performance.now() - begun };
  }
  throw new Error("it did not fail");
}
