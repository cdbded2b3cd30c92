/** Operands that decide alone, against the definition: turn one operand, evaluate the tree again. */

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decidingOperands,
  junctionTreesIn,
  type OperandTree,
  type OperandValue,
  only,
  operandsIn,
  operandTree,
} from "../../src/cel/operand-tree.js";
import { Spans } from "../../src/cel/spans.js";
import { sized } from "../support/size.js";
import { checkedTree } from "./support.js";

const { tree: anyTree } = fc.letrec<{ tree: OperandTree<undefined> }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant<OperandTree<undefined>>({ kind: "operand", operand: undefined }),
    tie("tree").map((of): OperandTree<undefined> => ({ kind: "not", of })),
    fc
      .tuple(fc.boolean(), fc.array(tie("tree"), { minLength: 1, maxLength: 4 }))
      .map(([decisive, of]): OperandTree<undefined> => ({ kind: "junction", decisive, of })),
  ),
}));

const anyTreeWithValues = anyTree.chain((tree) => {
  const { length } = operandsIn(tree);
  const value = fc.oneof(
    { weight: 5, arbitrary: fc.boolean() },
    { weight: 1, arbitrary: fc.constant<OperandValue>(undefined) },
  );
  return fc.tuple(fc.constant(tree), fc.array(value, { minLength: length, maxLength: length }));
});

/** The value of a tree, by the rules of the language: a decisive operand decides, whatever errs beside it. */
function treeValue(tree: OperandTree<undefined>, values: OperandValue[]): OperandValue {
  if (tree.kind === "operand") return values.shift();
  if (tree.kind === "not") {
    const value = treeValue(tree.of, values);
    return value === undefined ? undefined : !value;
  }
  const parts = tree.of.map((part) => treeValue(part, values));
  if (parts.includes(tree.decisive)) return tree.decisive;
  return parts.includes(undefined) ? undefined : !tree.decisive;
}

test("an operand decides alone if, and only if, its opposite turns the tree", () => {
  const found = new Map<string, number>();
  fc.assert(
    fc.property(anyTreeWithValues, ([tree, values]) => {
      const deciding = decidingOperands(tree, values.map(only));
      const outcome = treeValue(tree, [...values]);
      for (const [i, value] of values.entries()) {
        if (value === undefined) continue;
        const turned = treeValue(tree, values.with(i, !value));
        const isAlone = outcome !== undefined && turned !== undefined && turned !== outcome;
        expect(deciding[i], JSON.stringify([tree, values, i])).toBe(isAlone);
        const name = `${isAlone} among ${Math.min(values.length, 3)}`;
        found.set(name, (found.get(name) ?? 0) + 1);
      }
    }),
    { numRuns: sized(20_000) },
  );
  for (const name of ["true among 2", "false among 2", "true among 3", "false among 3"]) {
    expect(found.get(name), name).toBeGreaterThan(sized(1_000));
  }
});

test("with several possible values: if one combination of them lets the operand decide", () => {
  const possibleValues = fc.record({ true: fc.boolean(), false: fc.boolean() });
  const withPossible = anyTree
    .filter((tree) => operandsIn(tree).length <= 6)
    .chain((tree) => {
      const { length } = operandsIn(tree);
      return fc.tuple(fc.constant(tree), fc.array(possibleValues, { minLength: length, maxLength: length }));
    });
  fc.assert(
    fc.property(withPossible, ([tree, possible]) => {
      const all = possible.reduce<readonly OperandValue[][]>(
        (lists, one) => lists.flatMap((list) => valuesOf(one).map((value) => [...list, value])),
        [[]],
      );
      const deciding = decidingOperands(tree, possible);
      for (const [i, one] of possible.entries()) {
        if (!one.true && !one.false) continue;
        const some = all.some((values) => decidingOperands(tree, values.map(only))[i] === true);
        expect(deciding[i], JSON.stringify([tree, possible, i])).toBe(some);
      }
    }),
    { numRuns: sized(5_000) },
  );
});

/** An operand without a possible value errs. */
function valuesOf(possible: { readonly true: boolean; readonly false: boolean }): readonly OperandValue[] {
  const values = [true, false].filter((value) => (value ? possible.true : possible.false));
  return values.length === 0 ? [undefined] : values;
}

test.each<[source: string, trees: readonly (readonly string[])[]]>([
  ["R.attr.a", []],
  ["!R.attr.a", []],
  ["R.attr.a && !R.attr.b && R.attr.c", [["R.attr.a", "!R.attr.b", "R.attr.c"]]],
  ["!(R.attr.a || R.attr.b == 1)", [["R.attr.a", "R.attr.b == 1"]]],
  ["R.attr.a || R.attr.b && R.attr.c", [["R.attr.a", "R.attr.b", "R.attr.c"]]],
  [
    "R.attr.l.exists(x, x.a && x.b) && R.attr.c",
    [
      ["R.attr.l.exists(x, x.a && x.b)", "R.attr.c"],
      ["x.a", "x.b"],
    ],
  ],
  [
    "R.attr.a || R.attr.b ? R.attr.c : R.attr.d && R.attr.e",
    [
      ["R.attr.a", "R.attr.b"],
      ["R.attr.d", "R.attr.e"],
    ],
  ],
  ["(R.attr.a && R.attr.b) == R.attr.c", [["R.attr.a", "R.attr.b"]]],
])("the operands of %s", (source, trees) => {
  const spans = new Spans(source);
  const found = [...junctionTreesIn(checkedTree(source, undefined)).values()];
  expect(found.map((tree) => operandsIn(tree).map((operand) => spans.textOf(operand)))).toEqual(trees);
  expect(operandsIn(operandTree(checkedTree(source, undefined))).length).toBeGreaterThan(0);
});
