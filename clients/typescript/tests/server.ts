/** A service on a store in memory, for one file of tests. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterAll, beforeAll } from "vitest";
import { createSkillmount, type Client } from "../src/index.ts";

const PROGRAM = process.env["SKILLMOUNT_PROGRAM"] ?? new URL("../../../target/debug/skillmount", import.meta.url).pathname;

export interface Running {
  url: string;
  client: Client;
  stop: () => void;
}

/** Starts a service with these arguments. */
export async function start(...more: string[]): Promise<Running> {
  const given = ["serve", "--store", "memory:", "--listen", "127.0.0.1:0", "--json", "--drain", "0", ...more];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SKILLMOUNT_")));
  const service = spawn(PROGRAM, given, { env, stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: service.stdout })) {
    const url = (JSON.parse(line) as { listening: string }).listening;
    return { url, client: createSkillmount({ server: url }), stop: () => service.kill() };
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
  await client.PUT("/v1/users/{user}/skills/{skill}", {
    params: { path: { user, skill } },
    body: { description, body: text, files } as never,
  });
}
