/** Reads decision suites from their files. */

import { didYouMean } from "../../policy/distance.js";
import type { PolicyIssue } from "../../policy/issue.js";
import { IssueLog } from "../../policy/issue-log.js";
import { textField } from "../../policy/read/fields.js";
import { hasShape } from "../../policy/shape/check.js";
import type { DocumentShape } from "../../policy/shape/shape.js";
import { Source } from "../../policy/text/source.js";
import type { MapNode } from "../../policy/text/tree.js";
import { parseYaml } from "../../policy/text/yaml.js";
import type { SuiteFiles } from "../files.js";
import { type CaseOptions, CaseReader, skipOf } from "./cases.js";
import { FixtureSet } from "./fixtures.js";
import { type NameNode, namesField } from "./nodes.js";
import { FIXTURES_SHAPE, SUITE_SHAPE } from "./shape.js";
import type { DecisionSuite } from "./suite.js";

/** The suite at `path`, or all faults of it and of its fixture files. */
export function readDecisionSuite(
  path: string,
  files: SuiteFiles,
  options: CaseOptions,
): { readonly suite: DecisionSuite } | { readonly issues: readonly PolicyIssue[]; readonly name: string } {
  const log = new IssueLog();
  const source = new Source(path, files.get(path) ?? "");
  const document = documentOf(source, SUITE_SHAPE, "a decision suite", log);
  const name = document === undefined ? "Unknown" : textField(document, "name");
  if (document === undefined) return { issues: log.issues, name };
  const fixtures = new FixtureSet(log);
  fixtures.add(document, source);
  for (const file of namesField(document, "fixtures", source)) addFile(file, path, files, fixtures, log);
  fixtures.check();
  const reader = new CaseReader(document, { source, fixtures, log, ...options });
  const tests = reader.tests();
  if (log.size > 0) return { issues: log.issues, name };
  const skipReason = skipOf(document);
  return { suite: { file: path, name, description: textField(document, "description"), skipReason, tests } };
}

function documentOf(source: Source, shape: DocumentShape, what: string, log: IssueLog): MapNode | undefined {
  const tree = parseYaml(source, log);
  if (tree === undefined) {
    if (log.size === 0) log.error("shape", source.position(0), `the file is empty: it must be ${what}`);
    return undefined;
  }
  if (tree.kind !== "map") {
    log.error("shape", source.position(tree.start), `${what} must be a mapping`);
    return undefined;
  }
  return hasShape(tree, shape, source, log) ? tree : undefined;
}

/** Adds a fixture file of a suite, by its path from the suite's directory. */
function addFile(file: NameNode, suite: string, files: SuiteFiles, fixtures: FixtureSet, log: IssueLog): void {
  const path = joined(suite.slice(0, suite.lastIndexOf("/") + 1), file.name);
  const text = path === undefined ? undefined : files.get(path);
  if (path === undefined || text === undefined) {
    const message = `there is no file ${path ?? file.name}: fixture files lie in a testdata directory of the suites`;
    log.error("missing_import", file.source.position(file.start), message, didYouMean(path ?? file.name, files.keys()));
    return;
  }
  const source = new Source(path, text);
  const own = new IssueLog();
  const document = documentOf(source, FIXTURES_SHAPE, "a file of fixtures", own);
  log.addAll(own.issues);
  if (document !== undefined) fixtures.add(document, source);
}

/** Joins a path to a directory; undefined if the path leads out of the root. */
function joined(directory: string, path: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${directory}${path}`.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}
