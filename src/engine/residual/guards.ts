/**
 * Guards: the rows on which reading an attribute does not err, because the attribute is as declared (docs/verdicts.md).
 * Some declarations have no such filter.
 */

import { ANY_KIND, declaredAt, KIND, kindsOf, type TypeDeclaration } from "../../cel/type-declaration.js";
import { EVERY, type FilterTerm, type JsonType, NO } from "./filter.js";
import { all, any } from "./join.js";
import { not, type Outline } from "./outline.js";
import type { QuestionLog } from "./question-log.js";
import { TestValues } from "./test-values.js";

/** An attribute, or a part of one. */
export function attribute(root: TypeDeclaration | undefined, path: readonly string[]): FilterTerm {
  const [name = ""] = path;
  return root?.nullable.has(name) ? { of: "attr", path, isNullable: true } : { of: "attr", path };
}

/**
 * An attribute and all values on the path to it are as declared. `whole`: its contents, too. Undefined: no filter can
 * say so.
 */
export function asDeclared(
  log: QuestionLog,
  root: TypeDeclaration | undefined,
  path: readonly string[],
  whole: boolean,
): Outline | undefined {
  if (root === undefined) return EVERY;
  const outlines: Outline[] = [];
  for (let length = 1; length <= path.length; length++) {
    const term = attribute(root, path.slice(0, length));
    const declared = declaredAt(root, term.path);
    if (declared === undefined) continue;
    const outline = length === path.length && whole ? fitsWhole(log, term, declared) : fits(log, term, declared);
    if (outline === undefined) return undefined;
    outlines.push(outline);
  }
  return all(outlines);
}

/** The value is as declared, regardless of its contents. */
function fits(log: QuestionLog, term: FilterTerm, { kinds, scalars, isListed }: TypeDeclaration): Outline | undefined {
  if (isListed !== undefined) return undefined;
  if (scalars !== undefined) {
    const values = [...scalars].filter((value) => (kinds & kindsOf(value)) !== 0);
    return values.length === 0 ? NO : { op: "in", term, values: TestValues.of(log, values) };
  }
  return kinds === ANY_KIND ? EVERY : { op: "type", term, types: typesOf(kinds) };
}

function fitsWhole(log: QuestionLog, term: FilterTerm, declared: TypeDeclaration): Outline | undefined {
  const itself = fits(log, term, declared);
  if (itself === undefined || !declared.hasParts) return itself;
  if ((declared.kinds & KIND.object) !== 0) return undefined;
  const { items } = declared;
  if (items === undefined) return itself;
  const where = items.hasParts ? undefined : fits(log, { of: "item", path: [] }, items);
  if (where === undefined) return undefined;
  return all([itself, any([not({ op: "type", term, types: ["array"] }), { op: "every", term, over: "items", where }])]);
}

function typesOf(kinds: number): readonly JsonType[] {
  const types = (["null", "boolean", "integer", "number", "string", "array", "object"] as const).filter(
    (type) => (kinds & KIND[type]) !== 0,
  );
  return types.includes("number") ? types.filter((type) => type !== "integer") : types;
}
