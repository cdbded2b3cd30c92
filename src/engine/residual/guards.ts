/**
 * As which a row's attribute has to be declared for reading it not to err (docs/verdicts.md): as a filter, where there is
 * one for it.
 */

import { ANY_KIND, type Declared, KIND, kindsOf } from "../../cel/declared.js";
import { EVERY, type Filter, type JsonType, NO, not, type Scalar, type Term } from "./filter.js";
import { all, any } from "./join.js";
import { declaredAt } from "./knowledge.js";

/** That an attribute, and all that it is in, is as declared. `whole`: with all that is in it. */
export function asDeclared(root: Declared | undefined, path: readonly string[], whole: boolean): Filter | undefined {
  if (root === undefined) return EVERY;
  const filters: Filter[] = [];
  for (let length = 1; length <= path.length; length++) {
    const term: Term = { of: "attr", path: path.slice(0, length) };
    const declared = declaredAt(root, term.path);
    if (declared === undefined) continue;
    const filter = length === path.length && whole ? fitsWhole(term, declared) : fits(term, declared);
    if (filter === undefined) return undefined;
    filters.push(filter);
  }
  return all(filters);
}

/** Whatever is in it. */
function fits(term: Term, { kinds, scalars, isListed }: Declared): Filter | undefined {
  if (isListed !== undefined) return undefined;
  if (scalars !== undefined) {
    const values = [...scalars].filter(isScalar).filter((value) => (kinds & kindsOf(value)) !== 0);
    return values.length === 0 ? NO : { op: "in", term, values };
  }
  return kinds === ANY_KIND ? EVERY : { op: "type", term, types: typesOf(kinds) };
}

function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value !== "object";
}

function fitsWhole(term: Term, declared: Declared): Filter | undefined {
  const itself = fits(term, declared);
  if (itself === undefined || !declared.hasParts) return itself;
  if ((declared.kinds & KIND.object) !== 0) return undefined;
  const { items } = declared;
  if (items === undefined) return itself;
  const where = items.hasParts ? undefined : fits({ of: "item", path: [] }, items);
  if (where === undefined) return undefined;
  return all([itself, any([not({ op: "type", term, types: ["array"] }), { op: "every", term, over: "items", where }])]);
}

function typesOf(kinds: number): readonly JsonType[] {
  const types = (["null", "boolean", "integer", "number", "string", "array", "object"] as const).filter(
    (type) => (kinds & KIND[type]) !== 0,
  );
  return types.includes("number") ? types.filter((type) => type !== "integer") : types;
}
