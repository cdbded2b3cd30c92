/** Variables and constants of generated policies. */

import fc from "fast-check";
import type { JsonValue } from "../../../src/cel/json.js";
import type { Definitions, Named } from "../../reference/documents.js";
import type { Context } from "./context.js";
import { condition, reading } from "./expressions.js";
import { type Layer, mostly, NUMBERS, PREFIX, WORDS } from "./vocabulary.js";

/** Local definitions of a policy. Unless `all` is set, the policy keeps only those that it uses. */
export interface Locals {
  readonly variables: Named<string>;
  readonly constants: Named<JsonValue>;
  /** Keep unused definitions. */
  readonly all: boolean;
}

export function locals(context: Context): fc.Arbitrary<Locals> {
  const plain: Context = { ...context, place: "local" };
  return fc.record({
    variables: fc.record({
      v_flag: condition({ ...context, place: "localFlag" }, 1),
      v_word: reading(plain, "word"),
      v_num: reading(plain, "num"),
      v_words: reading(plain, "words"),
    }),
    constants: fc.record({
      c_word: fc.constantFrom(...WORDS),
      c_num: fc.constantFrom(...NUMBERS),
      c_words: fc.subarray([...WORDS], { minLength: 1 }),
    }),
    all: mostly(2),
  });
}

export function exportedVariables(context: Context): fc.Arbitrary<Named<string>> {
  const plain: Context = { ...context, place: "exported" };
  return fc.record({
    x_flag: condition({ ...context, place: "exportedFlag" }, 1),
    x_word: reading(plain, "word"),
    x_num: reading(plain, "num"),
  });
}

/** The definitions that `user` (rules, derived roles) names, and those that they depend on. */
export function definitionsFor(layer: Layer, user: unknown, own: Locals, exported: Named<string>): Definitions {
  const used = new Set<string>();
  const visit = (text: string) => {
    for (const [name] of text.matchAll(/\b[vcxk]_[a-z]+\b/g)) {
      if (used.has(name)) continue;
      used.add(name);
      // All variables of an export are imported with one, and each may read a constant.
      if (name.startsWith("x_")) Object.values(exported).forEach(visit);
      visit(own.variables[name] ?? "");
    }
  };
  visit(JSON.stringify(own.all ? [user, own.variables] : user));
  const some = <T>(named: Named<T>): Named<T> =>
    Object.fromEntries(Object.entries(named).filter(([name]) => own.all || used.has(name)));
  const imports = (initial: string, name: string) =>
    [...used].some((one) => one.startsWith(initial)) ? { import: [`${PREFIX[layer]}_${name}`] } : {};
  return {
    variables: { ...imports("x_", "vars"), local: some(own.variables) },
    constants: { ...imports("k_", "consts"), local: some(own.constants) },
  };
}
