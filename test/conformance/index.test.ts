/**
 * Cerbos's test cases for its index (`index/`): the same files load, and the same files are refused for the same
 * reasons.
 */

import { isLeft } from "fp-ts/lib/Either.js";
import { afterAll, describe, expect, test } from "vitest";
import type { IssueCode, PolicyIssue } from "../../src/policy/issue.js";
import {
  ABSENT,
  type CorpusCase,
  casesIn,
  errorsOf,
  field,
  isWithin,
  list,
  loadFiles,
  Scores,
  show,
  text,
} from "./corpus.js";

const scores = new Scores("index");
afterAll(() => {
  if (ABSENT === undefined) scores.print();
});

/** Reasons to refuse a single file. */
const LOAD_FAILURES: readonly IssueCode[] = [
  "yaml",
  "shape",
  "name",
  "duplicate",
  "duplicate_key",
  "multiple_documents",
  "schema",
];

/**
 * The error lists of a case that have a counterpart here, each with its issue codes and the fields that name the file.
 */
const KINDS: { readonly [list: string]: { readonly codes: readonly IssueCode[]; readonly file: string } } = {
  loadFailures: { codes: LOAD_FAILURES, file: "file" },
  duplicateDefs: { codes: ["duplicate"], file: "file" },
  missingImports: { codes: ["missing_import"], file: "importingFile" },
  scopePermissionsConflicts: { codes: ["scope_permissions"], file: "file" },
};

/** Not a fault here: a disabled policy is reported where another policy needs it. */
const NO_FAULTS = ["disabledDefs"];

/** Errors that only `cerbos compile` finds: the cases stop after indexing, while this loader goes on. */
function isOfCompiler({ code, message }: PolicyIssue): boolean {
  return code === "unknown_derived_role" || message.startsWith("scripts in conditions");
}

/** Cases with another result here, each with the reason. */
const OTHERWISE: ReadonlyMap<string, { readonly issues: readonly string[]; readonly reason: string }> = new Map([
  [
    "schemas_in_valid_dir",
    {
      issues: ["no_policies"],
      reason: "the store has a schema and no policy: a set without a policy is refused here (no_policies)",
    },
  ],
  [
    "valid_files",
    {
      issues: ["shape"],
      reason: "a derived role has a script: the server indexes these files, and refuses to compile them (observed)",
    },
  ],
]);

interface Wanted {
  readonly codes: readonly IssueCode[];
  readonly file: string;
  readonly line: number | undefined;
  readonly mentions: readonly string[];
}

function wantedOf(errors: unknown): readonly Wanted[] {
  const wanted = Object.entries(KINDS).flatMap(([kind, { codes, file }]) =>
    list(errors, kind).map((error) => {
      const line = field(error, "position", "line") ?? field(error, "errorDetails", "position", "line");
      // The server places a duplicate definition at `apiVersion`; this loader places it at the name.
      const known = typeof line === "number" && kind !== "duplicateDefs" ? line : undefined;
      return { codes, file: text(error, file), line: known, mentions: [] };
    }),
  );
  const scopes = list(errors, "missingScopeDetails").map((error) => ({
    codes: ["missing_scope" as const],
    file: "",
    line: undefined,
    mentions: [text(error, "missingPolicy"), String(list(error, "descendants")[0])],
  }));
  return [...wanted, ...scopes];
}

type Texts = ReadonlyMap<string, string>;

function isWanted(issue: PolicyIssue, { codes, file, line, mentions }: Wanted, files: Texts): boolean {
  return (
    codes.includes(issue.code) &&
    (file === "" || issue.file === file) &&
    (line === undefined || isWithin(files.get(file) ?? "", line, issue.line)) &&
    mentions.every((mention) => issue.message.includes(`"${mention}"`))
  );
}

async function check({ name, body }: CorpusCase): Promise<void> {
  const files = new Map(Object.entries(field(body, "files") ?? {}).map(([path, content]) => [path, String(content)]));
  const loaded = await loadFiles(files);
  const errors = errorsOf(loaded);
  const shown = errors.map(show).join("\n");
  const otherwise = OTHERWISE.get(name);
  if (otherwise !== undefined) {
    expect(errors.map((issue) => issue.code)).toEqual(otherwise.issues);
    return;
  }
  const lists = field(body, "wantErrList") ?? {};
  const known = [...Object.keys(KINDS), "missingScopeDetails", ...NO_FAULTS];
  expect(Object.keys(lists).filter((kind) => !known.includes(kind))).toEqual([]);
  const wanted = wantedOf(lists);
  expect(isLeft(loaded), shown).toBe(wanted.length > 0);
  for (const each of wanted) {
    const found = errors.some((issue) => isWanted(issue, each, files));
    expect(found, `${JSON.stringify(each)} in\n${shown}`).toBe(true);
  }
  const others = errors.filter((issue) => !wanted.some((each) => isWanted(issue, each, files)));
  expect(others.filter((issue) => !isOfCompiler(issue)).map(show)).toEqual([]);
}

describe.skipIf(ABSENT !== undefined)(`Cerbos's index cases ${ABSENT ?? ""}`, () => {
  test.each(casesIn("index").map((each) => [each.name, each] as const))("%s", async (name, each) => {
    const reason = OTHERWISE.get(name)?.reason;
    await scores.run(name, reason === undefined ? [] : [reason], () => check(each));
  });
});
