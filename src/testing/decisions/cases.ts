/** Expands the cases of a decision suite: one test for each combination of the names in a case. */

import { isObject } from "../../cel/json.js";
import { dateOf, parseTimestamp } from "../../cel/time.js";
import { OUTCOMES, type Outcome } from "../../decisions/types.js";
import { FAULT_KINDS } from "../../engine/plan/verdict.js";
import type { IssueLog } from "../../policy/issue-log.js";
import { mapField, mapsField, scalarField, textField } from "../../policy/read/fields.js";
import type { Source } from "../../policy/text/source.js";
import { dataOf, type MapNode } from "../../policy/text/tree.js";
import { FIXTURE_KINDS, type FixtureKind, type FixtureSet, merged, type ResolvedFixture } from "./fixtures.js";
import { entryNames, type NameNode, nameField, namesField, textsField } from "./nodes.js";
import { requestOf } from "./request.js";
import type { DecisionTest, ExpectedDecision } from "./suite.js";

/** The reason to skip a suite or a case; undefined if it runs. */
export function skipOf(node: MapNode): string | undefined {
  return scalarField(node, "skip")?.data === true ? textField(node, "skipReason") : undefined;
}

export interface CaseOptions {
  /** Whether the set under test is permission-only. Then cases need no account. */
  readonly permissionOnly: boolean;
}

interface CaseReaderInput extends CaseOptions {
  readonly source: Source;
  readonly fixtures: FixtureSet;
  readonly log: IssueLog;
}

/** The fixtures and operations of a case, its own or the suite's defaults. */
interface CaseSelection {
  readonly keys: readonly NameNode[];
  readonly operations: readonly NameNode[];
  readonly resources: readonly NameNode[];
  /** `undefined`: the request has no account. */
  readonly accounts: readonly (NameNode | undefined)[];
}

/** A suite with more tests is assumed to be a mistake. Each combination of a case's lists is one test. */
const MAX_TESTS = 1_000_000;

/** Expands the cases of a suite; faults go to the log. */
export class CaseReader {
  private readonly document: MapNode;
  private readonly defaults: MapNode | undefined;
  private readonly source: Source;
  private readonly fixtures: FixtureSet;
  private readonly log: IssueLog;
  private readonly permissionOnly: boolean;
  private count = 0;

  constructor(document: MapNode, { source, fixtures, log, permissionOnly }: CaseReaderInput) {
    this.document = document;
    this.defaults = mapField(document, "defaults");
    this.permissionOnly = permissionOnly;
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
    const changed = new Map<FixtureKind, (fixture: ResolvedFixture) => ResolvedFixture>();
    for (const kind of FIXTURE_KINDS) changed.set(kind, this.change(node, kind));
    const at = this.source.position(node.start);
    return cells.flatMap(({ names, expected }): readonly DecisionTest[] => {
      const [key, account, resource] = FIXTURE_KINDS.map((kind) => {
        const named = names[kind];
        const fixture = named === undefined ? undefined : this.fixtures.find(kind, named);
        return fixture === undefined ? undefined : changed.get(kind)?.(fixture);
      });
      if (key === undefined || resource === undefined) return [];
      if (account === undefined && names.account !== undefined) return [];
      const operation = names.operation.name;
      return [
        {
          case: name,
          key: names.key.name,
          operation,
          resource: names.resource.name,
          ...(names.account === undefined ? {} : { account: names.account.name }),
          at,
          skipReason: skipOf(node),
          damaged: scalarField(node, "damaged")?.data === true,
          request: () => requestOf(key, operation, resource, account, now),
          expected,
        },
      ];
    });
  }

  /** Every combination of the names in a case, all with one expectation. */
  private product(node: MapNode): readonly CaseCombination[] {
    const chosen = this.chosen(node, []);
    const outcome = outcomeOf(textField(node, "expect"));
    if (outcome === undefined) {
      this.log.error("shape", this.source.position(node.start), 'the field "expect" is missing');
      return [];
    }
    const reasons = textsField(node, "reasons", this.source);
    const reasonsInclude = textsField(node, "reasonsInclude", this.source);
    const fault = FAULT_KINDS.find((kind) => kind === textField(node, "fault"));
    const expected: ExpectedDecision = {
      outcome,
      ...(reasons === undefined ? {} : { reasons }),
      ...(reasonsInclude === undefined ? {} : { reasonsInclude }),
      ...(fault === undefined ? {} : { fault }),
    };
    if (!this.hasRoom(node, chosen)) return [];
    return chosen.keys.flatMap((key) =>
      chosen.operations.flatMap((operation) =>
        chosen.resources.flatMap((resource) =>
          chosen.accounts.map((account) => ({ names: { key, operation, resource, account }, expected })),
        ),
      ),
    );
  }

  private hasRoom(node: MapNode, { keys, operations, resources, accounts }: CaseSelection): boolean {
    this.count += keys.length * operations.length * resources.length * accounts.length;
    if (this.count <= MAX_TESTS) return true;
    this.log.error("too_large", this.source.position(node.start), `with this case, more than ${MAX_TESTS} tests`);
    return false;
  }

  /** `table`: for each operation, the outcome for each key. */
  private cells(node: MapNode, table: MapNode): readonly CaseCombination[] {
    for (const field of ["expect", "reasons", "reasonsInclude", "fault", "key", "keys", "operation", "operations"]) {
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

  private chosen(node: MapNode, except: readonly string[]): CaseSelection {
    const choose = (field: string, isNeeded = true): readonly NameNode[] => {
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
      if (!isNeeded) return [];
      const message = `the case has no "${field}" or "${field}s", and "defaults" has none`;
      this.log.error("shape", this.source.position(node.start), message);
      return [];
    };
    const accounts = choose("account", !this.permissionOnly);
    return {
      keys: choose("key"),
      operations: choose("operation"),
      resources: choose("resource"),
      accounts: this.permissionOnly && accounts.length === 0 ? [undefined] : accounts,
    };
  }

  /** The changes that `with` and `without` of a case make to its fixtures of one kind. */
  private change(node: MapNode, kind: FixtureKind): (fixture: ResolvedFixture) => ResolvedFixture {
    const changes = mapField(node, "with")?.entries.get(kind)?.value;
    const over = changes === undefined ? undefined : dataOf(changes);
    const without = mapField(node, "without");
    const names = without === undefined ? [] : namesField(without, kind, this.source);
    if (over === undefined && names.length === 0) return (fixture) => fixture;
    const changed = new Map<ResolvedFixture, ResolvedFixture>();
    return (fixture) => {
      const known = changed.get(fixture);
      if (known !== undefined) return known;
      const attr = this.fixtures.without(isObject(over) ? merged(fixture.attr, over) : fixture.attr, names);
      const result = { ...fixture, attr };
      changed.set(fixture, result);
      return result;
    };
  }

  private now(node: MapNode): Date | undefined {
    const text =
      nameField(node, "now", this.source) ??
      (this.defaults === undefined ? undefined : nameField(this.defaults, "now", this.source));
    if (text === undefined) return undefined;
    const time = parseTimestamp(text.name);
    if (time !== undefined) return dateOf(time);
    this.log.error("shape", this.source.position(text.start), '"now" must be an RFC 3339 timestamp');
    return undefined;
  }
}

interface CaseCombination {
  readonly names: { readonly [K in Exclude<FixtureKind, "account"> | "operation"]: NameNode } & {
    readonly account: NameNode | undefined;
  };
  readonly expected: ExpectedDecision;
}

function outcomeOf(text: string): Outcome | undefined {
  return OUTCOMES.find((outcome) => outcome === text);
}
