/** Writes the test that a value is of its declared type. */

import { ANY_KIND, KIND, kindsOf, type TypeDeclaration } from "../../cel/type-declaration.js";
import { type Js, joined, js, quoted } from "./js.js";

/** Up to so many declared values are compared one after the other. More are looked up. */
const MAX_VALUES = 8;

/** `fits` of `cel/type-declaration.ts` as an expression; undefined if it would be too long. */
export function fitsTest(code: Js, { kinds, scalars, isListed }: TypeDeclaration): Js | undefined {
  if (scalars === undefined) return kindsTest(code, kinds);
  if (isListed !== undefined || scalars.size > MAX_VALUES) return undefined;
  const tests: Js[] = [];
  for (const value of scalars) {
    const written = typeof value === "string" ? quoted(value) : js`${value}`;
    if ((kindsOf(value) & kinds) !== 0) tests.push(js`${code} === ${written}`);
  }
  return any(tests);
}

function kindsTest(code: Js, kinds: number): Js {
  if (kinds === ANY_KIND) return js`true`;
  const has = (kind: number): boolean => (kinds & kind) !== 0;
  const tests: Js[] = [];
  if (has(KIND.string)) tests.push(js`typeof ${code} === "string"`);
  if (has(KIND.number)) tests.push(js`typeof ${code} === "number"`);
  // The type is tested first: `|` would call `valueOf` of an object.
  else if (has(KIND.integer)) tests.push(js`typeof ${code} === "number" && ((${code} | 0) === ${code} || I(${code}))`);
  if (has(KIND.boolean)) tests.push(js`typeof ${code} === "boolean"`);
  if (has(KIND.array)) tests.push(js`L(${code})`);
  if (has(KIND.object)) tests.push(js`typeof ${code} === "object" && ${code} !== null && !L(${code})`);
  if (has(KIND.null)) tests.push(js`${code} === null`);
  return any(tests);
}

function any(tests: readonly Js[]): Js {
  return tests.length === 0 ? js`false` : js`(${joined(tests, " || ")})`;
}
