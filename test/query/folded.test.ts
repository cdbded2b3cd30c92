/**
 * Constant folding in residuals of single expressions, shown as query plans; `expressions.test.ts` has the server's
 * answers.
 */

import { expect, test } from "vitest";
import { FUNCTIONS } from "../../src/cel/functions/registry.js";
import { foldConstants } from "../../src/engine/query/constant-folding.js";
import { operandText } from "../../src/engine/query/operand.js";
import { QueryWording } from "../../src/engine/query/wording.js";
import { checkedTree } from "../cel/support.js";

const LEFT: ReadonlyMap<string, string> = new Map([
  ["R.attr.y == 1 + 1", "(eq $.y 2)"],
  ["R.attr.y == [1, 1 + 1]", "(eq $.y [1,2])"],
  ['R.attr.y == {"a": [2][0]}', '(eq $.y (struct (set-field "a" 2)))'],
  ['R.attr.y == {"a": 1}.a', "(eq $.y 1)"],
  ['R.attr.y == {"a": 1}.b', '(eq $.y (get-field (struct (set-field "a" 1)) b))'],
  ["R.attr.y == 1 / 0", "(eq $.y (div 1 0))"],
  ["R.attr.y == type(1)", "(eq $.y int)"],
  ["R.attr.y == type(int)", "(eq $.y (type int))"],
  ["R.attr.y == type(int) && 1 == 1", "(eq $.y (type int))"],
  ['R.attr.y == duration("90m")', '(eq $.y (duration "5400s"))'],
  ['R.attr.y == hierarchy("a" + "b")', '(eq $.y (hierarchy (add "a" "b")))'],
  ['R.attr.y == hierarchy("a" + ".b").size()', "(eq $.y 2)"],
  ["R.attr.y == 1 + 1 && now() > R.attr.z", "(and (eq $.y (add 1 1)) (gt (now ) $.z))"],
  ["R.attr.y || 1 == 1", "true"],
  ["1 == 1 || R.attr.y", "true"],
  ["R.attr.y && 1 == 2", "false"],
  ["R.attr.y || 1 == 2", "(or $.y false)"],
  ["R.attr.y && R.attr.z", "(and $.y $.z)"],
  ["R.attr.y == 1 || 1 == 2", "(eq $.y 1)"],
  ["1 == 1 && R.attr.y == 1", "(eq $.y 1)"],
  ["1 == 1 && has(R.attr.y)", "true"],
  ["1 == 1 ? R.attr.y : R.attr.z", "$.y"],
  ["1 == 2 ? R.attr.y : R.attr.z", "$.z"],
  ["R.attr.x ? R.attr.y : R.attr.z", "(if $.x $.y $.z)"],
  ["R.attr.y.map(x, 1 == 1, x + 1)", "(map $.y (lambda (add x 1) x))"],
  ["R.attr.y.map(x, x == 1, x + (1 + 1))", "(transformList $.y (lambda (eq x 1) (add x 2) x))"],
  ["R.attr.y.filter(x, true)", "(map $.y (lambda x x))"],
  ["R.attr.y.filter(P, true)", "(map $.y (lambda P P))"],
  ["R.attr.y.filter(x, x == true)", "(filter $.y (lambda (eq x true) x))"],
  ["R.attr.y.exists_one(x, true)", "(exists_one $.y (lambda true x))"],
  ["R.attr.y.transformList(i, x, true, x)", "(transformList $.y (lambda x i x))"],
  ["R.attr.y.transformMap(k, x, true, x)", "(transformMap $.y (lambda x k x))"],
  ["R.attr.y.transformMapEntry(k, x, true, {x: k})", "(transformMapEntry $.y (lambda (struct (set-field x k)) k x))"],
  ["R.attr.y == [1, 2].map(x, x + 1)", "(eq $.y [2,3])"],
  ["[1, 2].map(x, x + 1) == [2, 3]", "true"],
  ["[1, 2].exists(i, x, i == 1 && x == 2) ? R.attr.y : R.attr.z", "$.y"],
  ["cel.bind(x, 1, x + 1) == 2 ? R.attr.y : R.attr.z", "$.y"],
  ["[1, 2].exists(x, x == 2 || R.attr.y) ? R.attr.y : R.attr.z", "(if true $.y $.z)"],
  ["cel.bind(x, R.attr.y, true) ? R.attr.y : R.attr.z", "(if true $.y $.z)"],
  ["R.attr.y.exists(x, [1, 2].map(z, z + 1) == x)", "(exists $.y (lambda (eq [2,3] x) x))"],
  ["R.attr.y.map(x, [1].exists(z, z == 1), x)", "(filter $.y (lambda true x))"],
  ["R.attr.y.map(x, [1].exists(z, z == 1), x + 1)", "(transformList $.y (lambda true (add x 1) x))"],
  ["R.attr.y.map(x, cel.bind(z, 1, z == 1), x + 1)", "(transformList $.y (lambda true (add x 1) x))"],
  ["R.attr.y == [R.attr.z].map(x, [1].all(z, z == 1))", "(eq $.y (map (list $.z) (lambda true x)))"],
  ["[?optional.of(1), R.attr.y]", "(list 1 $.y)"],
  ["[R.attr.y, ?optional.none(), 2]", "(list $.y 2)"],
  ["[?optional.of(1)] == [1] ? R.attr.y : R.attr.z", "$.y"],
  ["[?optional.of(1)] == R.attr.y", "(eq [1] $.y)"],
  ['{?"a": optional.of(1), ?"b": optional.none(), "c": R.attr.y}', '(struct (set-field "a" 1) (set-field "c" $.y))'],
  ["optional.of(1 + 1).value() == R.attr.y", "(eq 2 $.y)"],
  // Query plans have no operator for optionals, which does not prevent folding elsewhere. Hierarchies do prevent it.
  ["1 + 1 == R.attr.y || optional.of(1) == R.attr.z", "(or (eq 2 $.y) (eq (struct ) $.z))"],
  ["1 + 1 == R.attr.y || optional.none() == R.attr.z", "(or (eq 2 $.y) (eq (struct ) $.z))"],
  [
    '1 + 1 == R.attr.y || optional.of(hierarchy("a")) == R.attr.z',
    '(or (eq (add 1 1) $.y) (eq (optional.of (hierarchy "a")) $.z))',
  ],
]);

test.each([...LEFT])("%s", (source, left) => {
  const made = foldConstants(checkedTree(source, undefined), FUNCTIONS);
  expect(operandText(new QueryWording("assumed").operand(made)).replaceAll("request.resource.attr", "$")).toBe(left);
});
