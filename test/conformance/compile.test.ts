/**
 * Cerbos's test cases for its compiler (`compile/`) and its `store/`: same errors on the same lines, same variables.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isLeft } from "fp-ts/lib/Either.js";
import { afterAll, describe, expect, test } from "vitest";
import type { IssueCode, PolicyIssue } from "../../src/policy/issue.js";
import type { Definitions, PolicyModel } from "../../src/policy/model.js";
import {
  ABSENT,
  CORPUS,
  type CorpusCase,
  casesIn,
  errorsOf,
  field,
  filesOfArchive,
  isWithin,
  list,
  loadDirectory,
  loadFiles,
  Scores,
  show,
  text,
} from "./corpus.js";

const scores = new Scores("compile");
const store = new Scores("store");
afterAll(() => {
  if (ABSENT !== undefined) return;
  scores.print();
  store.print();
});

const CODES: ReadonlyMap<string, readonly IssueCode[]> = new Map<string, readonly IssueCode[]>([
  ["ambiguous derived role", ["ambiguous_derived_role"]],
  ["unknown derived role", ["unknown_derived_role"]],
  // `unsupported`: an expression that the server refuses too, but that this library may support one day.
  ["invalid expression", ["expression", "expression_type", "unknown_function", "unsupported"]],
  ["undefined constant", ["undefined_constant"]],
  ["undefined variable", ["undefined_variable"]],
  ["cyclical variable definitions", ["cyclic_variable"]],
  ["constant redefined", ["duplicate"]],
  ["variable redefined", ["duplicate"]],
  ["invalid constant name", ["name"]],
  ["invalid variable name", ["name"]],
  ["invalid schema", ["schema"]],
  ["empty output", ["shape"]],
  ["import not found", ["missing_import"]],
  ["invalid resource rule", ["shape"]],
  ["missing policy definition", ["missing_scope"]],
  ["scripts in conditions are no longer supported", ["shape"]],
]);

interface Exception {
  readonly name: string;
  /** The server's name for an error, or the code of an issue. */
  readonly error: string;
  readonly reason: string;
}

/** Cases with other errors than the corpus expects. They are still refused. */
const EXCEPTIONS: readonly Exception[] = [
  {
    name: "invalid_schemas",
    error: "invalid schema",
    reason: "the schema file is not JSON: that is reported in the file itself, where it goes wrong",
  },
  {
    name: "non_existent_derived_roles_import",
    error: "unknown derived role",
    reason: "roles that the missing import might have defined are not reported besides the import",
  },
  {
    name: "scoped_rp_missing_import",
    error: "missing_scope",
    reason: "the archive lacks the root policy as well, and `cerbos compile` reports that (observed)",
  },
];

function isExcepted(name: string, error: string): boolean {
  return EXCEPTIONS.some((exception) => exception.name === name && exception.error === error);
}

interface Wanted {
  readonly error: string;
  readonly file: string;
  readonly line: number | undefined;
}

function wantedOf(body: unknown): readonly Wanted[] {
  return list(body, "wantErrors").map((error) => {
    const line = field(error, "position", "line");
    return {
      error: text(error, "error"),
      file: text(error, "file"),
      line: typeof line === "number" ? line : undefined,
    };
  });
}

type Texts = ReadonlyMap<string, string>;

function isWanted(issue: PolicyIssue, { error, file, line }: Wanted, files: Texts): boolean {
  if (!CODES.get(error)?.includes(issue.code) || issue.file !== file) return false;
  return line === undefined || isWithin(files.get(file) ?? "", line, issue.line);
}

/** The JSON Schemas that the cases share. */
function schemas(): readonly (readonly [string, string])[] {
  const root = join(CORPUS, "schema/fs/_schemas");
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json"))
    .map((path) => [`_schemas/${path}`, readFileSync(join(root, path), "utf8")] as const);
}

async function check({ name, body, companions }: CorpusCase): Promise<void> {
  const files = filesOfArchive(companions.get("input") ?? "");
  const loaded = await loadFiles(new Map([...schemas(), ...files]));
  const errors = errorsOf(loaded);
  const shown = errors.map(show).join("\n");
  const wanted = wantedOf(body);
  expect(isLeft(loaded), shown).toBe(wanted.length > 0);
  for (const each of wanted.filter(({ error }) => !isExcepted(name, error))) {
    const found = errors.some((issue) => isWanted(issue, each, files));
    expect(found, `${JSON.stringify(each)} in\n${shown}`).toBe(true);
  }
  // The server's test compiles one policy and the policies it imports.
  const compiled = [text(body, "mainDef"), ...wanted.map(({ file }) => file)];
  const others = errors.filter(
    (issue) =>
      compiled.includes(issue.file) &&
      !isExcepted(name, issue.code) &&
      !wanted.some((each) => isWanted(issue, { ...each, line: undefined }, files)),
  );
  expect(others.map(show)).toEqual([]);
  if (!isLeft(loaded)) checkVariables(body, loaded.right);
}

function checkVariables(body: unknown, model: PolicyModel): void {
  const policies = [...model.resourcePolicies, ...model.principalPolicies];
  for (const wanted of list(body, "wantVariables")) {
    const policy = policies.find((each) => each.scope === text(wanted, "scope"));
    expect(namesIn(policy?.definitions)).toEqual(wantedNames(wanted));
    for (const role of list(wanted, "derivedRoles")) {
      const roles = policy?.kind === "resource" ? policy.derivedRoles : undefined;
      expect(namesIn(roles?.get(text(role, "name"))?.definitions)).toEqual(wantedNames(role));
    }
  }
}

function namesIn(definitions: Definitions | undefined) {
  return {
    constants: [...(definitions?.constants.keys() ?? [])].sort(),
    variables: [...(definitions?.variables.keys() ?? [])].sort(),
  };
}

function wantedNames(wanted: unknown) {
  return {
    constants: list(wanted, "constants").map(String).sort(),
    variables: list(wanted, "variables").map(String).sort(),
  };
}

describe.skipIf(ABSENT !== undefined)(`Cerbos's compiler cases ${ABSENT ?? ""}`, () => {
  test.each(casesIn("compile").map((each) => [each.name, each] as const))("%s", async (name, each) => {
    const reasons = EXCEPTIONS.filter((exception) => exception.name === name).map(({ reason }) => reason);
    await scores.run(name, reasons, () => check(each));
  });
});

describe.skipIf(ABSENT !== undefined)(`Cerbos's policy store ${ABSENT ?? ""}`, () => {
  test("loads", async () => {
    await store.run("store", [], async () => {
      const loaded = await loadDirectory(join(CORPUS, "store"));
      expect(errorsOf(loaded).map(show)).toEqual([]);
      if (isLeft(loaded)) return;
      const { resourcePolicies, principalPolicies, rolePolicies } = loaded.right;
      expect([resourcePolicies.length, principalPolicies.length, rolePolicies.length]).toEqual([31, 11, 8]);
    });
  });
});
