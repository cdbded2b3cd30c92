/** All readers of hand-written texts, each with a valid text. */

import { readFileSync } from "node:fs";
import { isLeft } from "fp-ts/lib/Either.js";
import { readConfiguration } from "../../src/policy/configuration/configuration.js";
import { readGlobals } from "../../src/policy/configuration/globals.js";
import { IssueLog } from "../../src/policy/issue-log.js";
import { checkLock } from "../../src/policy/lock.js";
import { parsePolicyFiles } from "../../src/policy/parse.js";
import { Source } from "../../src/policy/text/source.js";
import { readClaims } from "../../src/proof/claims/read.js";
import { readDocument } from "../../src/testing/cerbos/document.js";
import { readDecisionSuite } from "../../src/testing/decisions/read.js";
import { SHIPPED_ROOT, shippedFiles } from "./policies.js";

export interface TextReader {
  readonly name: string;
  /** A valid text. */
  readonly text: string;
  /** All problems of a text, as `line:column message`. */
  problems(text: string): Promise<readonly string[]>;
}

interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const CERBOS = `${SHIPPED_ROOT}../examples/cerbos/policies/`;
const HASH = "0123456789abcdef".repeat(4);

export const YAML_READERS: readonly TextReader[] = [
  policyReader("policies", "platform/api.yaml", shippedText("platform/api.yaml")),
  policyReader(
    "policies in JSON",
    "a.json",
    `${JSON.stringify({ apiVersion: "api.cerbos.dev/v1", exportConstants: { name: "a", definitions: { b: [1] } } })}\n`,
  ),
  suiteReader("decision suites", "testdata/forbidden.decisions.yaml"),
  suiteReader("fixtures of decision suites", "testdata/service.fixtures.yaml"),
  {
    name: "claims",
    text: textAt("testdata/service.claims.yaml"),
    problems: async (text) => lines(readClaims("a.claims.yaml", text).issues),
  },
  cerbosReader("Cerbos suites", "invoice_test.yaml", "suite"),
  cerbosReader("principals of Cerbos suites", "testdata/principals.yaml", "principals"),
  cerbosReader("resources of Cerbos suites", "testdata/resources.yaml", "resources"),
  { name: "globals", text: "limit: 10\nnames: [a, b] # all\n", problems: problemsOfGlobals },
  {
    name: "keyward.yaml",
    text: "layers: { permission: default }\nplatform: { unlisted: supported }\nglobals: { limit: 10 }\ntypedReads: false\nroles: [a, b] # all\n",
    problems: problemsOfConfiguration,
  },
];

export const READERS: readonly TextReader[] = [
  ...YAML_READERS,
  policyReader("schemas", "_schemas/api.json", shippedText("_schemas/api.json")),
  {
    name: "locks",
    text: `${HASH}  a.yaml\n${HASH}  b.yaml\n`,
    problems: async (text) => {
      const log = new IssueLog();
      checkLock(
        text,
        ["a.yaml", "b.yaml"].map((path) => ({ path, hash: HASH })),
        log,
      );
      return lines(log.issues);
    },
  },
];

function lines(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

function textAt(path: string): string {
  return readFileSync(SHIPPED_ROOT + path, "utf8");
}

function shippedText(path: string): string {
  return shippedFiles.find((file) => file.path === path)?.text ?? "";
}

/** Reads one file among the shipped policies. */
function policyReader(name: string, path: string, text: string): TextReader {
  const others = shippedFiles.filter((file) => file.path !== path);
  return {
    name,
    text,
    problems: async (changed) => {
      const parsed = parsePolicyFiles([...others, { path, text: changed }]);
      return isLeft(parsed) ? lines(parsed.left.filter(({ file }) => file === path)) : [];
    },
  };
}

const SUITE_FILES = ["testdata/forbidden.decisions.yaml", "testdata/service.fixtures.yaml"] as const;

function suiteReader(name: string, path: (typeof SUITE_FILES)[number]): TextReader {
  return {
    name,
    text: textAt(path),
    problems: async (text) => {
      const files = new Map(SUITE_FILES.map((each) => [each, each === path ? text : textAt(each)]));
      const read = readDecisionSuite(SUITE_FILES[0], files, { permissionOnly: false });
      return "issues" in read ? lines(read.issues.filter(({ file }) => file === path)) : [];
    },
  };
}

function cerbosReader(name: string, path: string, kind: Parameters<typeof readDocument>[1]): TextReader {
  return {
    name,
    text: readFileSync(CERBOS + path, "utf8"),
    problems: async (text) => {
      const read = readDocument({ path, text }, kind);
      return isLeft(read) ? read.left.trim().split("\n") : [];
    },
  };
}

async function problemsOfGlobals(text: string): Promise<readonly string[]> {
  const log = new IssueLog();
  readGlobals(new Source("globals.yaml", text), log);
  return log.issues.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

async function problemsOfConfiguration(text: string): Promise<readonly string[]> {
  const log = new IssueLog();
  readConfiguration("keyward.yaml", text, log);
  return log.issues.map(({ line, column, message }) => `${line}:${column} ${message}`);
}
