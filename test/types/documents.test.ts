/**
 * Code blocks in the documents compile. Names that a block leaves to its reader (`policies`, `request`) have the types
 * of its context; unknown names have type `any`.
 *
 * @module-tag long
 */

import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../support/built.js";
import { DOCUMENTS } from "../support/documents.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { keyward } from "../support/terminal.js";
import { type Finding, findings, newProject } from "./project.js";

/** Values that the reader of a page already has. */
const READERS: { readonly [name: string]: string } = {
  account: 'import("keyward").Account',
  after: 'import("keyward").PolicySet',
  before: 'import("keyward").PolicySet',
  decide: 'typeof import("keyward").decide',
  decision: 'import("keyward").Decision',
  docsUrl: "string",
  errorResponse: 'typeof import("keyward/http").errorResponse',
  expect: 'typeof import("vitest").expect',
  fc: 'typeof import("fast-check")',
  files: 'readonly import("keyward").PolicyFile[]',
  INTERNAL_ERROR: 'typeof import("keyward/http").INTERNAL_ERROR',
  key: 'import("keyward").DecisionRequest["key"]',
  policies: 'import("keyward").PolicySet',
  request: 'import("keyward").DecisionRequest',
  requestId: "string",
  test: 'typeof import("vitest").test',
};

/** `test/platforms/compilers.test.ts` checks the handlers of docs/embedding.md more strictly. */
const isHandler = (block: string): boolean => block.includes("deleteApi");

/**
 * Excluded documents: whole programs, which `test/package/guides.test.ts` and `test/package/tutorial.test.ts` run, and
 * declarations, which are not programs.
 */
const NO_BLOCKS: ReadonlySet<string> = new Set([
  "docs/from-casl.md",
  "docs/from-ifs.md",
  "docs/public-api.md",
  "docs/tutorial.md",
]);

interface Block {
  readonly name: string;
  readonly where: string;
  readonly code: string;
}

const blocks = DOCUMENTS.filter((document) => !NO_BLOCKS.has(document)).flatMap((document): Block[] => {
  const text = readFileSync(ROOT + document, "utf8");
  const found = [...text.matchAll(/^```(?:js|ts)\n(.*?)^```/gms)].filter(([, code = ""]) => !isHandler(code));
  return found.map(([, code = ""], i) => ({
    name: `${document.replaceAll(/\W/g, "_")}_${i + 1}.ts`,
    where: `${document}, block ${i + 1}`,
    code,
  }));
});

/** The block as a module, with type `any` for `unknown` names. */
function moduleOf({ code }: Block, unknown: ReadonlySet<string>): string {
  const lines = code.replace('"./policies.js"', '"shipped"').split("\n");
  const imports = lines.filter((line) => line.startsWith("import ")).join("\n");
  const rest = lines.filter((line) => !line.startsWith("import ")).join("\n");
  const has = (name: string): boolean =>
    new RegExp(`\\b${name}\\b`).test(rest) && !new RegExp(`(const|let) (${name}\\b|\\{[^}]*\\b${name}\\b)`).test(rest);
  const given = Object.entries(READERS).filter(([name]) => has(name) && !new RegExp(`\\b${name}\\b`).test(imports));
  const declared = [
    ...given.map(([name, type]) => `declare const ${name}: ${type};`),
    ...[...unknown].map((name) => `declare const ${name}: any;`),
  ];
  return [imports, ...declared, "export async function block() {", rest, "}", "export {};"].join("\n");
}

/** The compiler's errors in some blocks. A first run finds the unknown names. */
async function said(project: string, some: readonly Block[]): Promise<readonly Finding[]> {
  const unknown = new Map(some.map(({ name }) => [name, new Set<string>()]));
  const write = () =>
    Promise.all(
      some.map((one) => writeFile(join(project, one.name), moduleOf(one, unknown.get(one.name) ?? new Set()))),
    );
  await write();
  for (const { file, message } of await findings(project, "node_modules/typescript")) {
    const name = /TS(?:2304|2552|18004): .*? '?(\w+)'/.exec(message)?.[1];
    if (name !== undefined) unknown.get(file)?.add(name);
  }
  await write();
  return findings(project, "node_modules/typescript");
}

let project = "";

beforeAll(async () => {
  project = await newProject(["./*.ts"], { noImplicitReturns: false });
  // Builds the bundle that blocks about bundles import.
  const built = await keyward(["build", SHIPPED_ROOT, "--output", join(project, "policies.mjs")]);
  expect(built).toMatchObject({ code: 0 });
}, 120_000);

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

test("every block in JavaScript or TypeScript is right", { timeout: 120_000 }, async () => {
  expect(blocks.length).toBeGreaterThan(15);
  const found = await said(project, blocks);
  const where = new Map(blocks.map(({ name, where }) => [name, where]));
  expect(found.map(({ file, message }) => `${where.get(file)}: ${message}`)).toEqual([]);
});

test("and one that is wrong is found", { timeout: 120_000 }, async () => {
  const wrong = (code: string, i: number): Block => ({ name: `wrong_${i}.ts`, where: "", code });
  const codes = [
    'import { decided } from "keyward";',
    "decision.outcomes;",
    'import { decide } from "keyward";\ndecide(policies, { ...request, operation: 1 });',
    'import { loadPolicies } from "keyward/node";\n(await loadPolicies("policies")).right;',
  ];
  const found = await said(project, codes.map(wrong));
  const files = new Set(found.map(({ file }) => file));
  expect([...files].filter((file) => file.startsWith("wrong_"))).toHaveLength(codes.length);
});
