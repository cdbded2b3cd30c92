/** Decision suites from their files. */

import type { Value } from "@cerbos/core";
import { parseTimestamp } from "../../cel/time.js";
import type { DecisionRequest, Outcome } from "../../decisions/types.js";
import { didYouMean } from "../../policy/distance.js";
import type { PolicyIssue } from "../../policy/issue.js";
import { IssueLog } from "../../policy/issue-log.js";
import type { JsonValue } from "../../policy/model.js";
import { mapField, mapsField, textField } from "../../policy/read/fields.js";
import type { Shape } from "../../policy/shape/shape.js";
import { compileShape, hasShape } from "../../policy/shape/validate.js";
import { Source } from "../../policy/text/source.js";
import type { MapNode } from "../../policy/text/tree.js";
import { parseYaml } from "../../policy/text/yaml.js";
import type { SuiteFiles } from "../files.js";
import { flagOf, isList, isObject, type JsonObject, textsOf } from "../json.js";
import { FIXTURE_KINDS, type Fixture, type FixtureKind, FixtureSet, merged } from "./fixtures.js";
import { entryNames, type NameNode, nameField, namesField } from "./nodes.js";
import { FIXTURES_SHAPE, OUTCOMES, SUITE_SHAPE } from "./shape.js";
import type { DecisionSuite, DecisionTest, Expected } from "./suite.js";

const suiteShape = lazily(SUITE_SHAPE);
const fixturesShape = lazily(FIXTURES_SHAPE);

function lazily(shape: Shape): () => ReturnType<typeof compileShape> {
  let compiled: ReturnType<typeof compileShape> | undefined;
  return () => {
    compiled ??= compileShape(shape);
    return compiled;
  };
}

/** The suite at `path`, or everything that is wrong with it and with the fixture files that it names. */
export function readDecisionSuite(
  path: string,
  files: SuiteFiles,
): { readonly suite: DecisionSuite } | { readonly issues: readonly PolicyIssue[]; readonly name: string } {
  const log = new IssueLog();
  const source = new Source(path, files.get(path) ?? "");
  const document = documentOf(source, suiteShape(), "a decision suite", log);
  const name = document === undefined ? "Unknown" : textField(document, "name");
  if (document === undefined) return { issues: log.issues, name };
  const fixtures = new FixtureSet(log);
  fixtures.add(document, source);
  for (const file of namesField(document, "fixtures", source)) addFile(file, path, files, fixtures, log);
  fixtures.check();
  const reader = new CaseReader(document, source, fixtures, log);
  const tests = reader.tests();
  if (log.size > 0) return { issues: log.issues, name };
  const skipReason = skipOf(document);
  return { suite: { file: path, name, description: textField(document, "description"), skipReason, tests } };
}

function documentOf(
  source: Source,
  shape: ReturnType<typeof compileShape>,
  what: string,
  log: IssueLog,
): MapNode | undefined {
  const tree = parseYaml(source, log);
  if (tree === undefined) {
    if (log.size === 0) log.error("shape", source.position(0), `the file is empty: it must be ${what}`);
    return undefined;
  }
  if (tree.kind !== "map") {
    log.error("shape", source.position(tree.start), `${what} must be a mapping`);
    return undefined;
  }
  return hasShape(shape, tree, source, log) ? tree : undefined;
}

/** Takes up a fixture file that a suite names, by its path from the suite's directory. */
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
  const document = documentOf(source, fixturesShape(), "a file of fixtures", own);
  log.addAll(own.issues);
  if (document !== undefined) fixtures.add(document, source);
}

/** A path from a directory; undefined if it leads out of the root. */
function joined(directory: string, path: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${directory}${path}`.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

/** Why a suite or a case is not to run; undefined if it is. */
function skipOf(node: MapNode): string | undefined {
  return flagOf(node.data, "skip") ? textField(node, "skipReason") : undefined;
}

/** Fixtures, operation and time that a case has or takes from the defaults. */
interface Chosen {
  readonly keys: readonly NameNode[];
  readonly operations: readonly NameNode[];
  readonly resources: readonly NameNode[];
  readonly accounts: readonly NameNode[];
}

class CaseReader {
  private readonly document: MapNode;
  private readonly defaults: MapNode | undefined;
  private readonly source: Source;
  private readonly fixtures: FixtureSet;
  private readonly log: IssueLog;

  constructor(document: MapNode, source: Source, fixtures: FixtureSet, log: IssueLog) {
    this.document = document;
    this.defaults = mapField(document, "defaults");
    this.source = source;
    this.fixtures = fixtures;
    this.log = log;
  }

  tests(): readonly DecisionTest[] {
    const names = new Map<string, number>();
    return mapsField(this.document, "cases").flatMap((node) => {
      const name = textField(node, "name");
      const at = this.source.position(node.entries.get("name")?.value.start ?? node.start);
      const first = names.get(name);
      if (first === undefined) names.set(name, at.line);
      else this.log.error("duplicate", at, `the case "${name}" is defined twice: first in line ${first}`);
      return this.case(node, name);
    });
  }

  private case(node: MapNode, name: string): readonly DecisionTest[] {
    const table = mapField(node, "table");
    const cells = table === undefined ? this.product(node) : this.cells(node, table);
    const now = this.now(node);
    const changed = new Map<FixtureKind, (fixture: Fixture) => Fixture>();
    for (const kind of FIXTURE_KINDS) changed.set(kind, this.change(node, kind));
    const at = this.source.position(node.start);
    return cells.flatMap(({ names, expected }): readonly DecisionTest[] => {
      const found = FIXTURE_KINDS.map((kind) => this.fixtures.find(kind, names[kind]));
      const [key, account, resource] = found.map((fixture, i) => {
        const kind = FIXTURE_KINDS[i];
        return fixture === undefined || kind === undefined ? undefined : changed.get(kind)?.(fixture);
      });
      if (key === undefined || account === undefined || resource === undefined) return [];
      const operation = names.operation.name;
      return [
        {
          case: name,
          key: names.key.name,
          operation,
          resource: names.resource.name,
          account: names.account.name,
          at,
          skipReason: skipOf(node),
          request: requestOf(key, operation, resource, account, now),
          expected,
        },
      ];
    });
  }

  /** Every combination of what a case names, all with one expectation. */
  private product(node: MapNode): readonly Cell[] {
    const chosen = this.chosen(node, []);
    const outcome = outcomeOf(textField(node, "expect"));
    if (outcome === undefined) {
      this.log.error("shape", this.source.position(node.start), 'the field "expect" is missing');
      return [];
    }
    const { data } = node;
    const expected: Expected = {
      outcome,
      ...(data.reasons === undefined ? {} : { reasons: textsOf(data, "reasons") }),
      ...(data.reasonsInclude === undefined ? {} : { reasonsInclude: textsOf(data, "reasonsInclude") }),
    };
    return chosen.keys.flatMap((key) =>
      chosen.operations.flatMap((operation) =>
        chosen.resources.flatMap((resource) =>
          chosen.accounts.map((account) => ({ names: { key, operation, resource, account }, expected })),
        ),
      ),
    );
  }

  /** `table`: for each operation, the outcome for each key. */
  private cells(node: MapNode, table: MapNode): readonly Cell[] {
    for (const field of ["expect", "reasons", "reasonsInclude", "key", "keys", "operation", "operations"]) {
      const entry = node.entries.get(field);
      if (entry === undefined) continue;
      this.log.error("shape", this.source.position(entry.key.start), `a case with a table has no "${field}"`);
    }
    const { resources, accounts } = this.chosen(node, ["key", "operation"]);
    return entryNames(table, this.source).flatMap((operation) => {
      const row = mapField(table, operation.name);
      if (row === undefined) return [];
      return entryNames(row, this.source).flatMap((key) => {
        const outcome = outcomeOf(textField(row, key.name));
        if (outcome === undefined) return [];
        return resources.flatMap((resource) =>
          accounts.map((account) => ({ names: { key, operation, resource, account }, expected: { outcome } })),
        );
      });
    });
  }

  private chosen(node: MapNode, except: readonly string[]): Chosen {
    const choose = (field: string): readonly NameNode[] => {
      if (except.includes(field)) return [];
      const one = nameField(node, field, this.source);
      const many = namesField(node, `${field}s`, this.source);
      if (one !== undefined && many.length > 0) {
        this.log.error("shape", this.source.position(one.start), `"${field}" and "${field}s" cannot both be there`);
      }
      if (one !== undefined) return [one];
      if (many.length > 0) return many;
      const fallback = this.defaults === undefined ? undefined : nameField(this.defaults, field, this.source);
      if (fallback !== undefined) return [fallback];
      const message = `the case has no "${field}" or "${field}s", and "defaults" has none`;
      this.log.error("shape", this.source.position(node.start), message);
      return [];
    };
    return {
      keys: choose("key"),
      operations: choose("operation"),
      resources: choose("resource"),
      accounts: choose("account"),
    };
  }

  /** What `with` and `without` of a case do to its fixtures of one kind. */
  private change(node: MapNode, kind: FixtureKind): (fixture: Fixture) => Fixture {
    const over = mapField(node, "with")?.data[kind];
    const without = mapField(node, "without");
    const names = without === undefined ? [] : namesField(without, kind, this.source);
    if (over === undefined && names.length === 0) return (fixture) => fixture;
    return (fixture) => ({
      ...fixture,
      attr: this.fixtures.without(isObject(over) ? merged(fixture.attr, over) : fixture.attr, names),
    });
  }

  private now(node: MapNode): Date | undefined {
    const text =
      nameField(node, "now", this.source) ??
      (this.defaults === undefined ? undefined : nameField(this.defaults, "now", this.source));
    if (text === undefined) return undefined;
    const time = parseTimestamp(text.name);
    if (time !== undefined) return new Date(time.seconds * 1000 + Math.floor(time.nanos / 1_000_000));
    this.log.error("shape", this.source.position(text.start), '"now" must be an RFC 3339 timestamp');
    return undefined;
  }
}

interface Cell {
  readonly names: { readonly [K in FixtureKind | "operation"]: NameNode };
  readonly expected: Expected;
}

function outcomeOf(text: string): Outcome | undefined {
  return OUTCOMES.find((outcome) => outcome === text);
}

function requestOf(
  key: Fixture,
  operation: string,
  resource: Fixture,
  account: Fixture,
  now: Date | undefined,
): DecisionRequest {
  const { kind } = resource;
  return {
    key: { id: key.id, roles: [...key.roles], ...rest(key) },
    operation,
    resource: { kind, id: resource.id, ...rest(resource) },
    account: { id: account.id, ...rest(account) },
    ...(now === undefined ? {} : { now }),
  };
}

function rest({ attr, scope }: Fixture) {
  return scope === "" ? { attr: copyOf(attr) } : { attr: copyOf(attr), scope };
}

/** A copy of a test's own, of the type that requests have. */
function copyOf(attr: JsonObject): { [name: string]: Value } {
  const copy: { [name: string]: Value } = Object.create(null);
  for (const [name, value] of Object.entries(attr)) copy[name] = jsonCopy(value);
  return copy;
}

function jsonCopy(value: JsonValue): Value {
  if (isList(value)) return value.map(jsonCopy);
  return isObject(value) ? copyOf(value) : value;
}
