/**
 * Makes src/schema.ts from the contract, which `skillmount openapi` prints, and the table of codes in README.md.
 *
 *     npm run models -- PATH/TO/skillmount [--check]
 *
 * `--check` writes nothing, and ends with status 1 if a file differs.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const HERE = new URL("../", import.meta.url);
const NOTICE = "// Made by scripts/models.ts from the OpenAPI document of the service. Do not edit.\n\n";
const TABLE = /(<!-- codes -->\n).*?(<!-- end of codes -->)/s;

interface Contract {
  components: { schemas: { ErrorCode: { "x-codes": Record<string, { status: number; description: string }> } } };
}

/** Lets every optional member be `undefined`, since callers often have it as a variable that may be absent. */
function allowUndefined(node: ts.Node): ts.Node {
  const whole = ts.visitEachChild(node, allowUndefined, undefined);
  if (!ts.isPropertySignature(whole) || !whole.questionToken || !whole.type) return whole;
  if (whole.type.kind === ts.SyntaxKind.NeverKeyword) return whole;
  const absent = ts.factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword);
  const type = ts.factory.createUnionTypeNode([whole.type, absent]);
  return ts.factory.updatePropertySignature(whole, whole.modifiers, whole.name, whole.questionToken, type);
}

async function schema(contract: Contract): Promise<string> {
  const nodes = await openapiTS(contract as never, { defaultNonNullable: false });
  return NOTICE + astToString(nodes.map((node) => allowUndefined(node)) as ts.Node[]);
}

function codes(contract: Contract): string {
  const rows = Object.entries(contract.components.schemas.ErrorCode["x-codes"]);
  const lines = rows.map(([code, { status, description }]) => `| \`${code}\` | ${status} | ${description} |`);
  return ["| code | status | meaning |", "|---|---|---|", ...lines, ""].join("\n");
}

const [program = "skillmount", flag] = process.argv.slice(2);
const contract = JSON.parse(execFileSync(program, ["openapi"], { encoding: "utf8", maxBuffer: 1 << 26 })) as Contract;
const readme = readFileSync(new URL("README.md", HERE), "utf8");
const made: [file: string, text: string][] = [
  ["src/schema.ts", await schema(contract)],
  ["README.md", readme.replace(TABLE, (_, begin: string, end: string) => begin + codes(contract) + end)],
];
for (const [file, text] of made) {
  const address = new URL(file, HERE);
  if (flag !== "--check") writeFileSync(address, text);
  else if (readFileSync(address, "utf8") !== text) {
    console.error(`${file} is not that of the contract; run: npm run models -- ${program}`);
    process.exitCode = 1;
  }
}
