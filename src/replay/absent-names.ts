/** The attributes that the recorded errors of a check show to have been absent. */

import { children, type Expr } from "../cel/ast.js";
import { checkExpression } from "../cel/check.js";
import { usageOf } from "../cel/expression-usage.js";
import { NEWEST_LEVEL } from "../cel/levels.js";
import { parseExpression } from "../cel/parse.js";
import type { AttributeOwner } from "../engine/plan/subjects.js";
import type { MissingKey } from "./log-entry.js";

type RecordedAttributes = { readonly [owner in AttributeOwner]: object };

type Absent = { readonly [owner in AttributeOwner]: ReadonlySet<string> };

/** `parts`: the recorded attributes. An error counts only if one attribute alone can be its cause. */
export function absentNames(parts: RecordedAttributes, missing: readonly MissingKey[]): Absent {
  const absent = { principal: new Set<string>(), resource: new Set<string>() };
  for (const { key, expression } of missing) {
    const lacking = ownersOf(expression, key).filter((owner) => !Object.hasOwn(parts[owner], key));
    const [owner, ...more] = lacking;
    if (owner !== undefined && more.length === 0) absent[owner].add(key);
  }
  return absent;
}

const KNOWN = new Map<string, ReadonlySet<AttributeOwner>>();

/** Expressions of policies are few; those of a hostile log need not be kept. */
const MAX_KNOWN = 10_000;

/** The owners of the attribute `key` in the reads of an expression; none if it selects a field of that name elsewhere. */
function ownersOf(expression: string, key: string): readonly AttributeOwner[] {
  const name = JSON.stringify([expression, key]);
  const known = KNOWN.get(name) ?? readOwners(expression, key);
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  KNOWN.set(name, known);
  return [...known];
}

function readOwners(expression: string, key: string): ReadonlySet<AttributeOwner> {
  const parsed = parseExpression(expression);
  const checked = parsed.ok ? checkExpression(parsed.syntax, undefined, NEWEST_LEVEL) : undefined;
  if (checked?.ok !== true) return new Set();
  const reads = usageOf(checked.expr).reads.flatMap(({ root, path: [first, ...inside] }) => {
    const owner = OWNERS.get(root);
    return owner === undefined || first !== key || inside.length > 0 ? [] : [owner];
  });
  return new Set(reads.length === selectionsOf(checked.expr, key) ? reads : []);
}

const OWNERS: ReadonlyMap<string, AttributeOwner> = new Map([
  ["P.attr", "principal"],
  ["R.attr", "resource"],
]);

/** How often an expression names a field or a constant key. */
function selectionsOf(expr: Expr, key: string): number {
  const own =
    ((expr.kind === "select" || expr.kind === "has") && expr.field === key) ||
    (expr.kind === "literal" && expr.value === key);
  return children(expr).reduce((count, child) => count + selectionsOf(child, key), own ? 1 : 0);
}
