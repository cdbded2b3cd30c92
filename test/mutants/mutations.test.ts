/** Mutation testing makes the intended faults. */

import { expect, test } from "vitest";
import { faultsOf } from "./mutations.js";

/** The mutated texts of a source. */
function texts(source: string): string[] {
  return faultsOf("a.ts", source).mutants.map(
    ({ start, end, text }) => source.slice(0, start) + text + source.slice(end),
  );
}

test.each([
  ["f(a === b);", ["f((a ) !== ( b));"]],
  ["f((a) && (b));", ["f(((a) ) || ( (b)));"]],
  ["f(a /* === */ === b);", ["f((a /* === */ ) !== ( b));"]],
  ["f(a && b && c);", ["f((a && b ) || ( c));", "f((a ) || ( b) && c);"]],
  ["f(a + b);", ["f((a ) - ( b));"]],
  ["f(`a` + b);", []],
  ["f(a?.b);", ["f(a.b);"]],
  ["f(a?.[b]?.(c).d);", ["f(a?.[b](c).d);", "f(a[b]?.(c).d);"]],
  ["f(a.some(b));", ["f(a.every(b));"]],
  ["f(a.filter(b).c(d));", ["f(a.c(d));"]],
  ["f((a as T).filter(b));", ["f((a as T));"]],
  ["f({ 'a': b });", []],
  [
    "f(c.sort((a, b) => (a < b ? -1 : 1)));",
    [
      "f(c.sort((a, b) => (true ? -1 : 1)));",
      "f(c.sort((a, b) => (false ? -1 : 1)));",
      "f(c.sort((a, b) => ((a ) <= ( b) ? -1 : 1)));",
    ],
  ],
  ["f(!a);", ["f(a);"]],
  ["f(a ? b : c);", ["f(true ? b : c);", "f(false ? b : c);"]],
  ["while (a) b();", ["while (false) b();"]],
  [
    "f(1, true, 'x', \"\");",
    ["f(2, true, 'x', \"\");", "f(1, false, 'x', \"\");", 'f(1, true, "", "");', "f(1, true, 'x', \"mutant\");"],
  ],
  ["f([a]);", ["f([]);"]],
])("%s", (source, expected) => {
  // Mutants that remove a whole statement are ignored here.
  const all = texts(source).filter((text) => !/^(?:while \(a\) )?;$/.test(text));
  expect(all).toEqual(expected);
});

test("a statement is left out, with its place", () => {
  expect(faultsOf("a.ts", "\n  f();\n").mutants).toEqual([
    { start: 3, end: 7, text: ";", isStatement: true, line: 2, source: "f();", what: "statement left out" },
  ]);
});

test("types, imports and the words of errors have none", () => {
  const source = `import { a } from "./a.js"; type T = "x" | 1; let b: "y" | T; throw new Error("c");`;
  expect(texts(source)).toEqual([]);
});
