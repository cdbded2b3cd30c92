/** Builds a row, or an item of a list, from the tests of a branch. */

import type { FilterRow, FilterTerm, FilterTest, QuantifiedTest } from "./filter.js";
import { termKey } from "./keys.js";
import type { RowGoal, RowLiteral } from "./row-goal.js";
import { type FoundValue, mayHaveValue, type TermTest, valueFor } from "./term-values.js";

export type BuiltRow<T> = T | "none" | "unsure";

/** Finds an item of a list that meets all goals. */
export type FindItem = (goals: readonly RowGoal[]) => BuiltRow<{ readonly item: unknown }>;

/** The tests of a term, and of the terms below it. */
interface TermNode {
  readonly tests: TermTest[];
  readonly below: Map<string, TermNode>;
}

export class RowBuilder {
  private readonly id = newNode();
  private readonly attr = newNode();
  private readonly itemNode = newNode();
  private readonly findItem: FindItem;
  /** Tests that are not understood: expressions, and comparisons of two terms. */
  private hasOpaque = false;
  private isContradicted = false;

  constructor(literals: readonly RowLiteral[], findItem: FindItem) {
    this.findItem = findItem;
    const opaque = new Map<unknown, Set<RowLiteral["wants"]>>();
    for (const { test, wants } of literals) {
      if (isOpaque(test)) {
        const key = test.op === "same" ? sameKey(test) : test.value;
        const said = opaque.get(key) ?? new Set();
        opaque.set(key, said.add(test.op === "expression" ? valueWanted(test.is, wants) : wants));
        this.hasOpaque = true;
      } else this.nodeOf(test.term).tests.push({ test, holds: isWanted(wants) });
    }
    this.isContradicted = [...opaque.values()].some(
      (said) =>
        (said.has("true") && (said.has("not true") || said.has("false"))) ||
        (said.has("false") && said.has("not false")),
    );
  }

  /** Whether a row may meet the tests, as far as the terms of these tests show. Lists are not looked into. */
  mayHold(fresh: readonly RowLiteral[]): boolean {
    return !this.isContradicted && fresh.every(({ test }) => isOpaque(test) || mayHave(this.nodeOf(test.term).tests));
  }

  /** Whether a row that meets the tests may meet one more, as far as its term shows. */
  admits({ test, wants }: RowLiteral): boolean {
    return isOpaque(test) || mayHave([...this.nodeOf(test.term).tests, { test, holds: isWanted(wants) }]);
  }

  row(): BuiltRow<{ readonly row: FilterRow }> {
    if (this.isContradicted) return "none";
    const id = this.idValue();
    const attr = this.members(this.attr, true);
    if (id === "none" || attr === "none") return "none";
    if (id === "unsure" || attr === "unsure") return "unsure";
    return { row: { id: String(id.value), attr: attr.members } };
  }

  /** An item. With opaque tests, or tests of the row, it is not certain to meet them. */
  item(): BuiltRow<{ readonly item: unknown }> {
    if (this.isContradicted) return "none";
    const found = this.valueOf(this.itemNode);
    if (found === "none") return "none";
    const readsRow = this.attr.below.size > 0 || this.id.tests.length > 0 || this.id.below.size > 0;
    if (found === "unsure" || this.hasOpaque || readsRow) return "unsure";
    return { item: found.value };
  }

  private nodeOf({ of, path }: FilterTerm): TermNode {
    let node = of === "id" ? this.id : of === "attr" ? this.attr : this.itemNode;
    for (const name of path) {
      const next = node.below.get(name) ?? newNode();
      node.below.set(name, next);
      node = next;
    }
    return node;
  }

  /** Every resource has an id, a text, which has nothing below it. */
  private idValue(): FoundValue {
    // No test holds of an absent value.
    if ([...this.id.below.values()].flatMap(allTests).some(({ holds }) => holds)) return "none";
    return valueFor([...this.id.tests, ID_IS_TEXT, ID_IS_NOT_EMPTY]);
  }

  private valueOf(node: TermNode): FoundValue {
    const plain = node.tests.filter(({ test }) => !isQuantified(test));
    if (valueFor(plain) === "none") return "none";
    return node.below.size === 0 ? this.valueAlone(node, plain) : this.valueWithMembers(node, plain);
  }

  /** The value of a term with no terms below it: a list, a map, or another value. */
  private valueAlone({ tests }: TermNode, plain: readonly TermTest[]): FoundValue {
    const quantified = tests.flatMap(({ test, holds }) => (isQuantified(test) ? [{ test, holds }] : []));
    if (quantified.length === 0) return valueFor(plain);
    const isList = this.valueOfItems(plain, quantified, "items");
    if (typeof isList !== "string") return isList;
    const isMap = this.valueOfItems(plain, quantified, "keys");
    if (typeof isMap !== "string") return isMap;
    // No quantified test holds of any other value.
    const isOther = quantified.some(({ holds }) => holds)
      ? "none"
      : valueFor([...plain, { ...IS_LIST, holds: false }, { ...IS_MAP, holds: false }]);
    if (typeof isOther !== "string") return isOther;
    return isList === "none" && isMap === "none" && isOther === "none" ? "none" : "unsure";
  }

  /** A list with items, or a map with keys, that meet the tests. Tests of items hold of no map, and the other way round. */
  private valueOfItems(
    plain: readonly TermTest[],
    quantified: readonly QuantifiedGoal[],
    over: QuantifiedTest["over"],
  ): FoundValue {
    const own = quantified.filter(({ test }) => test.over === over);
    if (quantified.some((goal) => !own.includes(goal) && goal.holds)) return "none";
    const shape = [...plain, over === "items" ? IS_LIST : IS_MAP];
    if (own.length === 0) return valueFor(shape);
    const goals = (op: QuantifiedTest["op"]) =>
      own.flatMap(({ test, holds }): readonly RowGoal[] =>
        (test.op === op) === holds ? [{ filter: test.where, holds }] : [],
      );
    const ofAll = [...goals("every"), ...(over === "keys" ? [IS_KEY] : [])];
    const found = goals("some").map((witness) => this.findItem([witness, ...ofAll]));
    if (found.includes("none") || valueFor(shape) === "none") return "none";
    const items = found.flatMap((item) => (typeof item === "string" ? [] : [item.item]));
    const value = over === "items" ? items : Object.fromEntries(items.map((key) => [String(key), true]));
    const isWhole = items.length === found.length;
    return valueFor([...shape, ...own], isWhole ? [value] : []);
  }

  /** The value of a term with terms below it: a map with these members, or any value without them. */
  private valueWithMembers(node: TermNode, plain: readonly TermTest[]): FoundValue {
    const members = this.members(node, false);
    if (typeof members !== "string") {
      const found = valueFor(node.tests, [members.members]);
      if (typeof found !== "string" && found.value === members.members) return found;
    }
    // No test holds of an absent value.
    if (![...node.below.values()].flatMap(allTests).some(({ holds }) => holds)) {
      const found = valueFor(node.tests);
      return typeof found !== "string" && !hasMembers(found.value, node.below) ? found : "unsure";
    }
    return members === "none" || valueFor([...plain, IS_MAP]) === "none" ? "none" : "unsure";
  }

  /** The members of a map. `none`: some member cannot have a value, and cannot be absent. */
  private members(
    node: TermNode,
    isRoot: boolean,
  ): BuiltRow<{ readonly members: { readonly [name: string]: unknown } }> {
    const members: [string, unknown][] = [];
    let isUnsure = isRoot && node.tests.length > 0;
    for (const [name, below] of node.below) {
      const found = this.valueOf(below);
      if (found === "none") return "none";
      if (found === "unsure") isUnsure = true;
      else if (found.value !== undefined) members.push([name, found.value]);
    }
    return isUnsure ? "unsure" : { members: Object.fromEntries(members) };
  }
}

interface QuantifiedGoal {
  readonly test: QuantifiedTest;
  readonly holds: boolean;
}

function newNode(): TermNode {
  return { tests: [], below: new Map() };
}

function allTests({ tests, below }: TermNode): readonly TermTest[] {
  return [...tests, ...[...below.values()].flatMap(allTests)];
}

function hasMembers(value: unknown, below: ReadonlyMap<string, TermNode>): boolean {
  return typeof value === "object" && value !== null && [...below.keys()].some((name) => Object.hasOwn(value, name));
}

function isOpaque(test: FilterTest): test is Extract<FilterTest, { readonly op: "expression" | "same" }> {
  return test.op === "expression" || test.op === "same";
}

function isWanted(wants: RowLiteral["wants"]): boolean {
  return wants === "true" || wants === "not false";
}

/** Whether some value may meet the tests. Lists are not looked into. */
function mayHave(tests: readonly TermTest[]): boolean {
  return mayHaveValue(
    tests.some(({ test }) => isQuantified(test)) ? tests.filter(({ test }) => !isQuantified(test)) : tests,
  );
}

function isQuantified(test: FilterTest): test is QuantifiedTest {
  return test.op === "some" || test.op === "every";
}

/** Comparisons of two terms are symmetric. */
function sameKey({ term, other }: Extract<FilterTest, { readonly op: "same" }>): string {
  return [termKey(term), termKey(other)].sort().join("=");
}

/** The required value of an expression, given the required result of its test. The expression may err. */
function valueWanted(is: boolean, wants: RowLiteral["wants"]): RowLiteral["wants"] {
  const equal = isWanted(wants);
  return equal ? (is ? "true" : "false") : is ? "not true" : "not false";
}

const ID: FilterTerm = { of: "id", path: [] };
const ID_IS_TEXT: TermTest = { test: { op: "type", term: ID, types: ["string"] }, holds: true };
const ID_IS_NOT_EMPTY: TermTest = { test: { op: "in", term: ID, values: [""] }, holds: false };
const IS_LIST: TermTest = { test: { op: "type", term: ID, types: ["array"] }, holds: true };
const IS_MAP: TermTest = { test: { op: "type", term: ID, types: ["object"] }, holds: true };
const IS_KEY: RowGoal = { filter: { op: "type", term: { of: "item", path: [] }, types: ["string"] }, holds: true };
