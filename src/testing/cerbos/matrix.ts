/** The tests of a table: principals × resources, each with its expectations. */

import type { JsonValue } from "../../cel/json.js";
import type { CheckPrincipal, CheckResource } from "../../engine/evaluate/check-types.js";
import { compareText } from "../../policy/issue-log.js";
import { equal } from "../../schema/values.js";
import { quoted } from "./fixtures.js";
import type {
  AuxData,
  CerbosFixtures,
  CerbosSuite,
  CerbosTestOptions,
  Expectation,
  TestedEffect,
  TestTable,
} from "./suite.js";

type ExpectedOutputs = Map<string, Map<string, JsonValue | undefined>>;

interface ExpectedEffects {
  readonly actions: Map<string, TestedEffect>;
  readonly outputs: ExpectedOutputs;
}

/** One check of a table with its expectations. Actions absent from `expected.actions` are expected to be EFFECT_DENY. */
export interface MatrixTest {
  readonly table: TestTable;
  readonly principalName: string;
  readonly resourceName: string;
  readonly principal: CheckPrincipal;
  readonly resource: CheckResource;
  readonly auxData: AuxData;
  /** A table's options replace the options of its suite. */
  readonly options: CerbosTestOptions | undefined;
  readonly expected: ExpectedEffects;
}

/** The fault of an invalid table, in the server's words. */
export class TableFault extends Error {}

/** The tests of every table. Throws a {@link TableFault}. */
export function matrixOf(suite: CerbosSuite, shared: CerbosFixtures): readonly MatrixTest[] {
  return suite.tests.flatMap((table) => {
    try {
      return new TestTableReader(table, suite, shared).tests();
    } catch (error) {
      if (!(error instanceof TableFault)) throw error;
      throw new TableFault(`invalid test ${quoted(table.name)}: ${error.message}`);
    }
  });
}

class TestTableReader {
  private readonly table: TestTable;
  private readonly suite: CerbosSuite;
  private readonly shared: CerbosFixtures;

  constructor(table: TestTable, suite: CerbosSuite, shared: CerbosFixtures) {
    this.table = table;
    this.suite = suite;
    this.shared = shared;
  }

  tests(): readonly MatrixTest[] {
    const { input } = this.table;
    const expectations = this.expectations();
    const principals = this.principals(input);
    const resources = this.resources(input);
    const pairs = principals.flatMap((principal) => resources.map((resource) => ({ principal, resource })));
    const wanted = new Set(pairs.map(({ principal, resource }) => pairKey(principal, resource)));
    for (const [key, { principal, resource }] of expectations) {
      if (!wanted.has(key)) {
        throw new TableFault(
          `found an expectation for principal ${quoted(principal)} and resource ${quoted(resource)}, but at least one of these is not present in input`,
        );
      }
    }
    return pairs.map(({ principal, resource }) => ({
      table: this.table,
      principalName: principal,
      resourceName: resource,
      principal: found(this.suite.principals, this.shared.principals, principal, "principal"),
      resource: found(this.suite.resources, this.shared.resources, resource, "resource"),
      auxData:
        input.auxData === ""
          ? { jwt: {}, jwts: {} }
          : found(this.suite.auxData, this.shared.auxData, input.auxData, "auxData"),
      options: this.table.options ?? this.suite.options,
      expected: expectations.get(pairKey(principal, resource))?.expected ?? nothing(),
    }));
  }

  private expectations() {
    const all = new Map<string, { principal: string; resource: string; expected: ExpectedEffects }>();
    for (const expectation of this.table.expected) {
      this.checkOutputs(expectation);
      const resources = this.resources(expectation);
      for (const principal of this.principals(expectation)) {
        for (const resource of resources) {
          this.checkActions(expectation);
          const key = pairKey(principal, resource);
          const entry = all.get(key) ?? { principal, resource, expected: nothing() };
          merge(entry.expected, expectation, principal, resource);
          all.set(key, entry);
        }
      }
    }
    return all;
  }

  private checkOutputs({ outputs }: Expectation): void {
    const others = [...outputs.keys()].filter((action) => !this.table.input.actions.includes(action));
    if (others.length > 0) {
      throw new TableFault(
        `found output expectations for actions that are not in the input actions list: [${others.join(",")}]`,
      );
    }
  }

  private checkActions({ actions }: Expectation): void {
    const others = [...actions.keys()].filter((action) => !this.table.input.actions.includes(action));
    if (others.length > 0) {
      throw new TableFault(
        `found expectations for actions that do not exist in the input actions list: [${others.sort(compareText).join(",")}]`,
      );
    }
  }

  private principals({ principals, principalGroups }: Expectation | TestTable["input"]): readonly string[] {
    return this.members(principals, principalGroups, this.suite.principalGroups, this.shared.principalGroups);
  }

  private resources({ resources, resourceGroups }: Expectation | TestTable["input"]): readonly string[] {
    return this.members(resources, resourceGroups, this.suite.resourceGroups, this.shared.resourceGroups);
  }

  private members(
    names: readonly string[],
    groups: readonly string[],
    own: ReadonlyMap<string, readonly string[]>,
    shared: ReadonlyMap<string, readonly string[]>,
  ): readonly string[] {
    // The server calls a group of resources a principal group too.
    return [...new Set([...names, ...groups.flatMap((group) => found(own, shared, group, "principal group"))])];
  }
}

function nothing(): ExpectedEffects {
  return { actions: new Map(), outputs: new Map() };
}

function pairKey(principal: string, resource: string): string {
  return JSON.stringify([principal, resource]);
}

/** Looks up a fixture by name: the suite's own fixtures shadow shared ones. */
function found<T>(own: ReadonlyMap<string, T>, shared: ReadonlyMap<string, T>, name: string, noun: string): T {
  const value = own.get(name) ?? shared.get(name);
  if (value === undefined) throw new TableFault(`${noun} ${quoted(name)} not found`);
  return value;
}

function merge(into: ExpectedEffects, { actions, outputs }: Expectation, principal: string, resource: string): void {
  for (const [action, effect] of actions) {
    if ((into.actions.get(action) ?? effect) !== effect) throw inconsistent("", principal, action, resource);
    into.actions.set(action, effect);
  }
  for (const [action, entries] of outputs) {
    const known = into.outputs.get(action) ?? new Map<string, JsonValue | undefined>();
    for (const [src, value] of entries) {
      if (known.has(src) && !sameValue(known.get(src), value)) throw inconsistent(src, principal, action, resource);
      known.set(src, value);
    }
    into.outputs.set(action, known);
  }
}

/** Whether two outputs have equal values, or are both absent. */
export function sameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equal(a, b);
}

function inconsistent(src: string, principal: string, action: string, resource: string): TableFault {
  const whose = `principal ${quoted(principal)} performing action ${quoted(action)} on resource ${quoted(resource)}`;
  const what = src === "" ? `for ${whose}` : `for output ${quoted(src)} from ${whose}`;
  return new TableFault(`found inconsistent expectations ${what}`);
}
