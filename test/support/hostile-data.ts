/**
 * Data that JavaScript, JSON text, databases and servers represent differently, and conditions on it. The table of
 * docs/lists.md has a row for each of {@link HOSTILE_DATA}.
 */

import { readFileSync } from "node:fs";
import { ROOT } from "./built.js";

export interface HostileDatum {
  /** The value as the table writes it. */
  readonly name: string;
  /** Its JSON text; undefined if it has none. */
  readonly json: string | undefined;
  /** The value as a JavaScript program passes it: a new one each time. */
  readonly make: () => unknown;
}

class Instance {
  readonly a = 1;
}

const inJson = (name: string): HostileDatum => ({ name, json: name, make: () => JSON.parse(name) });
const inProgram = (name: string, make: () => unknown): HostileDatum => ({ name, json: undefined, make });

/** The rows of the table, in its order. */
export const HOSTILE_DATA: readonly HostileDatum[] = [
  ..."9007199254740993|0.30000000000000000001|1e400|-0|null".split("|").map(inJson),
  ...['{"a": 1, "a": 2}', '"\\u0061"', '"\\ud800"', '"x\\u0000"', '"1"'].map(inJson),
  inProgram("undefined", () => undefined),
  inProgram("NaN", () => Number.NaN),
  inProgram("-Infinity", () => Number.NEGATIVE_INFINITY),
  inProgram("new Date(0)", () => new Date(0)),
  inProgram("1n", () => 1n),
  inProgram("new Map()", () => new Map()),
  inProgram("new Instance()", () => new Instance()),
];

/** The cells of the table, by value and column. */
export function hostileCells(): ReadonlyMap<string, { readonly [column: string]: string }> {
  const [, table = ""] =
    /^\*\*One value in all places\.\*\*.*?^(\|.*?)^$/ms.exec(readFileSync(`${ROOT}docs/lists.md`, "utf8")) ?? [];
  const [columns = [], , ...rows] = table
    .trim()
    .split("\n")
    .map((line) => [...line.matchAll(/\| *(.*?) *(?=\|)/g)].map(([, cell = ""]) => cell));
  return new Map(
    rows.map(([value = "", ...cells]) => [
      value.replaceAll("`", ""),
      Object.fromEntries(cells.map((cell, i) => [(columns[i + 1] ?? "").replaceAll("`", ""), cell])),
    ]),
  );
}

/** Conditions on the attributes `v` and `w` of the resource, and `k` of the key. */
export const HOSTILE_CONDITIONS: readonly string[] = [
  ..."has(R.attr.v)|!has(R.attr.v)|has(R.attr.v.a)|!has(R.attr.v.a)|R.attr.v == K|R.attr.v != K|R.attr.v < 1".split(
    "|",
  ),
  ..."R.attr.v >= 9007199254740992.0|R.attr.v <= 1.0|R.attr.v > 0|!(R.attr.v > 1)|R.attr.v < '\uffff'".split("|"),
  ..."R.attr.v < 'y'|!(R.attr.v < 'y')|R.attr.v in [K, 1, 'x']|!(R.attr.v in [K, 1, 'x'])|K in R.attr.v".split("|"),
  ..."!(K in R.attr.v)|'a' in R.attr.v|!('a' in R.attr.v)|R.attr.v.a == K|R.attr.v.a != K|R.attr.v.a.a == 1".split("|"),
  ..."R.attr.v.exists(x, x == K)|R.attr.v.all(x, x != K)|R.attr.v.exists(x, x.a == K)|R.attr.v.all(x, x < 2)".split(
    "|",
  ),
  ..."hasIntersection(R.attr.v, [K, 'x'])|R.attr.v == R.attr.w|R.attr.v != R.attr.w|R.attr.v.startsWith('x')".split(
    "|",
  ),
  ..."size(R.attr.v) == 1|type(R.attr.v) == double|type(R.attr.v) != double|type(R.attr.v) != string|R.attr.v".split(
    "|",
  ),
  ..."R.attr.v.a.exists(x, x == K)|R.attr.v * 2.0 == 2.0|R.attr.v.exists(x, x == R.id)|R.id != K".split("|"),
].map((condition) => condition.replaceAll("K", "P.attr.k"));

/** Rules that allow the action `a0` under the first condition, and so on. */
export const HOSTILE_RULES = HOSTILE_CONDITIONS.map((expr, i) => ({
  actions: [`a${i}`],
  effect: "EFFECT_ALLOW",
  roles: ["*"],
  condition: { match: { expr } },
}));
