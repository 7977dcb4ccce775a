/**
 * Makes src/schema.ts from the contract, which `skillmount openapi` prints, and the table of codes in README.md.
 *
 *     npm run models -- PATH/TO/skillmount [--check]
 *
 * `--check` writes nothing, and ends with status 1 if a file is not that of the contract. The first line of src/schema.ts has the
 * digests of the contract and of the types, because to make them again takes longer than to compare.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type ts from "typescript";

const SCHEMA = new URL("../src/schema.ts", import.meta.url);
const README = new URL("../README.md", import.meta.url);
const TABLE = /(<!-- codes -->\n).*?(<!-- end of codes -->)/s;

interface Contract {
  components: { schemas: { ErrorCode: { "x-codes": Record<string, { status: number; description: string }> } } };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function withNotice(contract: string, types: string): string {
  const notice = "Made by scripts/models.ts from the OpenAPI document of the service. Do not edit.";
  return `// ${notice} Contract ${digest(contract)}, types ${digest(types)}.\n${types}`;
}

async function typesOf(contract: Contract): Promise<string> {
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  const { default: typescript } = await import("typescript");
  const { factory, SyntaxKind } = typescript;
  // Callers often have an optional member as a variable that may be absent, so each may be `undefined`.
  const allowUndefined = (node: ts.Node): ts.Node => {
    const whole = typescript.visitEachChild(node, allowUndefined, undefined);
    if (!typescript.isPropertySignature(whole) || !whole.questionToken || !whole.type) return whole;
    if (whole.type.kind === SyntaxKind.NeverKeyword) return whole;
    const type = factory.createUnionTypeNode([whole.type, factory.createKeywordTypeNode(SyntaxKind.UndefinedKeyword)]);
    return factory.updatePropertySignature(whole, whole.modifiers, whole.name, whole.questionToken, type);
  };
  const nodes = await openapiTS(contract as never, { defaultNonNullable: false });
  return astToString(nodes.map(allowUndefined));
}

function withCodes(contract: Contract, page: string): string {
  const rows = Object.entries(contract.components.schemas.ErrorCode["x-codes"]);
  const lines = rows.map(([code, { status, description }]) => `| \`${code}\` | ${status} | ${description} |\n`);
  const table = `| code | status | meaning |\n|---|---|---|\n${lines.join("")}`;
  return page.replace(TABLE, (_, begin: string, end: string) => begin + table + end);
}

const [program = "skillmount", flag] = process.argv.slice(2);
const printed = execFileSync(program, ["openapi"], { encoding: "utf8", maxBuffer: 1 << 26 });
const contract = JSON.parse(printed) as Contract;
const page = readFileSync(README, "utf8");
if (flag === "--check") {
  const schema = readFileSync(SCHEMA, "utf8");
  const isCurrent = schema === withNotice(printed, schema.slice(schema.indexOf("\n") + 1));
  for (const [file, same] of [["src/schema.ts", isCurrent], ["README.md", page === withCodes(contract, page)]]) {
    if (same) continue;
    console.error(`${file} is not that of the contract; run: npm run models -- ${program}`);
    process.exitCode = 1;
  }
} else {
  writeFileSync(SCHEMA, withNotice(printed, await typesOf(contract)));
  writeFileSync(README, withCodes(contract, page));
}
