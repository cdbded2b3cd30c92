/** What the documents show works as it is written. */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { transform } from "esbuild";
import { describe, expect, test } from "vitest";
import { compilePolicies, type PolicyFile } from "../../src/index.js";
import { SUITE_SHAPE } from "../../src/testing/decisions/shape.js";
import { runSuites } from "../../src/testing/index.js";
import { BIN, BUILT, ROOT } from "../support/built.js";
import { shippedFiles } from "../support/policies.js";

const DOCUMENTS = [
  "README.md",
  ...readdirSync(`${ROOT}docs`)
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

const ENTRIES: ReadonlyMap<string, () => Promise<object>> = new Map<string, () => Promise<object>>([
  ["keyward", () => import("../../src/index.js")],
  ["keyward/node", () => import("../../src/node/index.js")],
  ["keyward/cerbos", () => import("../../src/cerbos/index.js")],
  ["keyward/http", () => import("../../src/http/index.js")],
  ["keyward/http/hono", () => import("../../src/http/hono/index.js")],
  ["keyward/http/express", () => import("../../src/http/express/index.js")],
  ["keyward/http/fastify", () => import("../../src/http/fastify/index.js")],
  ["keyward/audit", () => import("../../src/audit/index.js")],
  ["keyward/watch", () => import("../../src/watch/index.js")],
  ["keyward/testing", () => import("../../src/testing/index.js")],
]);

/** The blocks of a document in a language, each with its number among them. */
function blocks(document: string, language: string): [string, string][] {
  const text = readFileSync(ROOT + document, "utf8");
  const found = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"));
  return [...found].map(([, block = ""], i) => [`${document}, ${language} ${i + 1}`, block]);
}

test("the README has an example in JavaScript, by the package's name", () => {
  expect(blocks("README.md", "js").map(([, block]) => /from "keyward"/.test(block))).toContain(true);
});

describe.skipIf(!BUILT)("examples of the README (skipped without dist/: npm run build)", () => {
  test.each(blocks("README.md", "js"))("%s runs as it is", (_, block) => {
    // Node lets a program in the repository import the package by its name.
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", block], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(output).toContain("forbidden");
    expect(output).toContain("This operation is not allowed");
  });

  test("the commands that it names exist", () => {
    const names = blocks("README.md", "sh").flatMap(([, block]) =>
      [...block.matchAll(/npx keyward (\w+)/g)].map(([, name]) => name),
    );
    const usage = execFileSync(process.execPath, [BIN, "--help"], { encoding: "utf8" });
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(usage).toContain(`keyward ${name}`);
  });
});

describe("code in documents", () => {
  test.each(DOCUMENTS.flatMap((document) => [...blocks(document, "js"), ...blocks(document, "ts")]))(
    "%s parses, and imports what the package exports",
    async (_, block) => {
      // Fragments of handlers return.
      const [imports, rest] = split(block);
      await transform(`${imports}\nexport async function fragment() {\n${rest}\n}`, { loader: "ts", format: "esm" });
      for (const [, names = "", from = ""] of imports.matchAll(/import \{ (.*?) \} from "(keyward.*?)"/g)) {
        const entry = await ENTRIES.get(from)?.();
        if (entry === undefined) throw new Error(`there is no entry ${from}`);
        const values = names.split(", ").filter((name) => !name.startsWith("type "));
        expect(Object.keys(entry)).toEqual(expect.arrayContaining(values));
      }
    },
  );

  /** The policies of a block, with the shipped ones for what it leaves out. */
  const policies = DOCUMENTS.flatMap((document) => blocks(document, "yaml")).filter(([, block]) =>
    /^apiVersion:/m.test(block),
  );

  test.each(policies)("%s is a policy", (_, block) => {
    const files: PolicyFile[] = [...shippedFiles, { path: "example.yaml", text: block }];
    const loaded = compilePolicies(files);
    const issues = loaded._tag === "Left" ? loaded.left.filter(({ file }) => file === "example.yaml") : [];
    // It may define a policy that is shipped, and import what another block defines.
    expect(issues.filter(({ code }) => code !== "duplicate" && code !== "missing_import")).toEqual([]);
  });
});

test.each(blocks("docs/testing.md", "yaml").filter(([, block]) => /^cases:/m.test(block)))(
  "%s is a decision suite that passes on the shipped policies",
  (_, block) => {
    const fixtures = readFileSync(`${ROOT}policies/testdata/service.fixtures.yaml`, "utf8");
    const suites = new Map([
      ["testdata/service.fixtures.yaml", fixtures],
      ["testdata/example.decisions.yaml", block],
    ]);
    const report = runSuites(shippedFiles, suites);
    expect(report).toMatchObject({ right: { summary: { overallResult: "RESULT_PASSED" } } });
  },
);

test("docs/testing.md explains every field of a decision suite", () => {
  const text = readFileSync(`${ROOT}docs/testing.md`, "utf8");
  const { properties = {} } = SUITE_SHAPE;
  const fields = [properties, properties.cases?.items?.properties ?? {}].flatMap((each) => Object.keys(each));
  for (const field of fields.filter((name) => name !== "$schema")) expect(text).toContain(`\`${field}\``);
});

/** The import statements of a block, and the rest of it. */
function split(block: string): [string, string] {
  const lines = block.split("\n");
  const isImport = (line: string) => line.startsWith("import ");
  return [lines.filter(isImport).join("\n"), lines.filter((line) => !isImport(line)).join("\n")];
}
