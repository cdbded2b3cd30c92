/**
 * The permissions and roles that policies know. A program that grants any other name grants something without a
 * meaning.
 */

import { children, type Expr } from "../cel/ast.js";
import { chainOf, usageOf } from "../cel/expression-usage.js";
import type { JsonValue } from "../cel/json.js";
import { OPERATORS } from "../cel/operators.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { policiesOfVersion } from "../policy/all-policies.js";
import { compileGlob, isEverything } from "../policy/glob.js";
import { compareText } from "../policy/issue-log.js";
import type { AnyPolicy, AnyRule, Definitions } from "../policy/model.js";
import { constantNamedBy, definitionOf } from "../policy/policy-expressions.js";
import { decidingPartsOf } from "./findings/reads.js";
import { vocabularyOf } from "./types/vocabulary.js";

/** A permission that conditions look for: its fixed pieces, in order. Any text may stand between two of them. */
export type KnownPermission = readonly string[];

/**
 * The permissions that conditions of the permission layer look for in `P.attr.permissions`, or in another attribute of the
 * key: `["api.", ".read_api"]` for `"api." + R.id + ".read_api"`, `["api.*.read_api"]` for that text itself. Each stands in
 * the condition, in a variable or in a constant: one that a function makes, or a global has, is not found.
 */
export function knownPermissions(policies: PolicySet, attribute = "permissions"): readonly KnownPermission[] {
  const found = permissionPolicies(policies).flatMap((policy) =>
    policy.rules.flatMap((rule) => permissionsIn(policy, rule, attribute)),
  );
  const each = new Map(found.map((pieces) => [JSON.stringify(pieces), pieces]));
  return [...each].sort(([a], [b]) => compareText(a, b)).map(([, pieces]) => pieces);
}

/** The permissions that the conditions of one rule look for. */
export function permissionsIn(policy: AnyPolicy, rule: AnyRule, attribute: string): readonly KnownPermission[] {
  return decidingPartsOf(policy, rule).flatMap(({ expressions, definitions }) => {
    const reader = new PermissionFinder(definitions, attribute);
    return expressions.flatMap(({ expr }) => reader.sought(expr));
  });
}

/** Whether a permission is one of those that policies know. */
export function isKnownPermission(known: readonly KnownPermission[], permission: string): boolean {
  return known.some((pieces) => fits(permission, pieces));
}

/** Whether rules or conditions of the permission layer name a role, or a pattern other than `*` covers it. */
export function isKnownRole(policies: PolicySet, role: string): boolean {
  const { names, patterns } = vocabularyOf(policies).roles;
  const isCovered = patterns.some((pattern) => !isEverything(pattern) && compileGlob(pattern)?.(role) === true);
  return names.includes(role) || isCovered;
}

function permissionPolicies(policies: PolicySet) {
  return policiesOfVersion(policies.model, policies.permission.version);
}

class PermissionFinder {
  private readonly definitions: Definitions;
  private readonly attribute: string;

  constructor(definitions: Definitions, attribute: string) {
    this.definitions = definitions;
    this.attribute = attribute;
  }

  /** The texts beside each read of the attribute: those of the smallest part without `&&`, `||`, `!` and `?:`. */
  sought(expr: Expr): readonly KnownPermission[] {
    const operator = expr.kind === "call" ? OPERATORS.get(expr.fn)?.kind : undefined;
    if (operator === "junction" || operator === "not" || operator === "conditional") {
      return children(expr).flatMap((child) => this.sought(child));
    }
    const definition = this.definition(expr);
    if (definition !== undefined) return this.sought(definition);
    return this.readsAttribute(expr) ? this.texts(expr) : [];
  }

  private readsAttribute(expr: Expr): boolean {
    const { reads, variables } = usageOf(expr);
    if (reads.some(({ root, path }) => root === "P.attr" && path[0] === this.attribute)) return true;
    return [...variables].some((name) => {
      const definition = this.definitions.variables.get(name);
      return definition !== undefined && this.readsAttribute(definition.expr);
    });
  }

  private texts(expr: Expr): readonly KnownPermission[] {
    const pieces = this.pieces(expr);
    if (pieces !== undefined) return pieces.some((piece) => piece !== "") ? [pieces] : [];
    const definition = this.definition(expr);
    if (definition !== undefined) return this.texts(definition);
    const constant = this.constant(expr);
    if (constant !== undefined) return textsOf(constant);
    if (chainOf(expr)?.of === "request") return [];
    return children(expr).flatMap((child) => this.texts(child));
  }

  /** The fixed pieces of a text; undefined for an expression that has none. */
  private pieces(expr: Expr): KnownPermission | undefined {
    if (expr.kind === "literal") return typeof expr.value === "string" ? [expr.value] : undefined;
    if (expr.kind === "call" && expr.fn === "_+_") return joined(expr.args.map((arg) => this.pieces(arg)));
    if (expr.kind === "member" && (expr.fn === "startsWith" || expr.fn === "endsWith")) {
      const [text] = expr.args.map((arg) => this.pieces(arg));
      return text && (expr.fn === "startsWith" ? joined([text, undefined]) : joined([undefined, text]));
    }
    const constant = this.constant(expr);
    if (constant !== undefined) return typeof constant === "string" ? [constant] : undefined;
    const definition = this.definition(expr);
    return definition && this.pieces(definition);
  }

  private definition(expr: Expr): Expr | undefined {
    return definitionOf(expr, this.definitions)?.expr;
  }

  private constant(expr: Expr): JsonValue | undefined {
    return constantNamedBy(expr, this.definitions);
  }
}

/** Texts one after another; a part that is not fixed may be any text. Undefined if no part is fixed. */
function joined(parts: readonly (KnownPermission | undefined)[]): KnownPermission | undefined {
  if (parts.every((part) => part === undefined)) return undefined;
  return parts
    .map((part) => part ?? ["", ""])
    .reduce((all, [first = "", ...rest]) => [...all.slice(0, -1), `${all.at(-1) ?? ""}${first}`, ...rest]);
}

function textsOf(value: JsonValue): readonly KnownPermission[] {
  if (typeof value === "string") return [[value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

function fits(text: string, pieces: KnownPermission): boolean {
  const [first = "", ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= end;
}
