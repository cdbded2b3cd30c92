/** The meaning of names in an expression, where the principal and some attributes of the resource are known. */

import { type Expr, everyChild, testedBy } from "../../cel/ast.js";
import { type Chain, chainOf, optionalChainOf, requestValueAt, requestValueOf } from "../../cel/expression-usage.js";
import type { KnownRequest } from "../residual/known-request.js";
import { mapParts } from "../residual/map-parts.js";

export const ROW_ATTRIBUTES = "R.attr";
export const RUNTIME = "runtime";
export const ACTIVE_ROLES = "runtime.effectiveDerivedRoles";
const RESOURCE_VERSION = "R.policyVersion";
const ROW = new Set([ROW_ATTRIBUTES, "R", "R.id", RESOURCE_VERSION, "request"]);
const TOKENS = "request.auxData.jwts";
const GIVEN = new Set(["R.kind", "R.scope", "P.scope"]);

export class ServerNames {
  private readonly known: KnownRequest;
  private readonly settled = new Map<Expr, boolean>();

  constructor(known: KnownRequest) {
    this.known = known;
  }

  /** Whether a root has another value for each resource. */
  isOfRow(path: string): boolean {
    return ROW.has(path) && !(path === RESOURCE_VERSION && this.known.knowsVersion);
  }

  /** Whether an expression reads only known values. */
  isSettled(expr: Expr): boolean {
    const known = this.settled.get(expr);
    if (known !== undefined) return known;
    const made = this.readsKnown(expr, []);
    this.settled.set(expr, made);
    return made;
  }

  /** Whether an expression is the named tokens, or one of them. Both are messages, so their names stay. */
  isTokens(expr: Expr): boolean {
    const { root, path = [] } = requestValueOf(expr) ?? {};
    return root?.path === TOKENS && path.length < 2;
  }

  /**
   * The replacement of a presence test or a named optional: `has(R.attr.x)`, `R.attr.?x`. For derived roles and for
   * values that a request gives for all resources, the server takes the test for the value itself.
   */
  given(expr: Expr): Expr | undefined {
    const isTest = expr.kind === "has";
    const asked = isTest ? testedBy(expr) : expr;
    const chain = (isTest ? chainOf(asked) : undefined) ?? optionalChainOf(asked);
    const { root, path = [] } = requestValueAt(chain) ?? {};
    if (chain === undefined || root === undefined) return undefined;
    const isKnown = root.path === ROW_ATTRIBUTES && path.length === 1 && this.known.knows(path[0]);
    if (!isKnown && !GIVEN.has(root.path) && !(isTest && root.path === ACTIVE_ROLES)) return undefined;
    const name: Expr = { kind: "ident", name: chain.root, of: chain.of, at: expr.at };
    return chain.fields.reduce((operand: Expr, field) => ({ kind: "select", at: expr.at, operand, field }), name);
  }

  /** Replaces all such tests in an expression. */
  withGiven(expr: Expr): Expr {
    return this.given(expr) ?? mapParts(expr, (part) => this.withGiven(part));
  }

  private readsKnown(expr: Expr, bound: readonly string[]): boolean {
    if (this.given(expr) !== undefined) return false;
    const chain = chainOf(expr.kind === "has" ? testedBy(expr) : expr);
    if (chain !== undefined) return this.isKnown(chain, bound);
    return everyChild(expr, bound, (part, names) => this.readsKnown(part, names));
  }

  private isKnown(chain: Chain, bound: readonly string[]): boolean {
    const { of } = chain;
    if (of === "local") return bound.includes(chain.root);
    // Variables are inlined, so only optional selections from them are left.
    if (of !== "request") return of !== "variable";
    const { root, path = [] } = requestValueAt(chain) ?? {};
    if (root === undefined || root.path === ACTIVE_ROLES) return false;
    if (root.path === ROW_ATTRIBUTES) return this.known.knows(path[0]);
    return root.path !== RUNTIME && !this.isOfRow(root.path);
  }
}
