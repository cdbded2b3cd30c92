/** What the names in an expression stand for, where the principal is known and the resource is not but for some attributes. */

import { children, type Expr, type Has } from "../../cel/ast.js";
import { type Chain, chainOf } from "../../cel/facts.js";
import { follow } from "../../cel/roots.js";
import type { Knowledge } from "../residual/knowledge.js";

export const ROW_ATTRIBUTES = "R.attr";
export const RUNTIME = "runtime";
export const ACTIVE_ROLES = "runtime.effectiveDerivedRoles";
const ROW = new Set([ROW_ATTRIBUTES, "R", "R.id", "R.policyVersion", "request"]);

export function isOfRow(path: string): boolean {
  return ROW.has(path);
}

/** What `has()` asks for. */
export function tested(expr: Has): ReturnType<typeof follow> {
  return followed(chainOf({ ...expr, kind: "select" }));
}

export function followed(chain: Chain | undefined): ReturnType<typeof follow> {
  return chain?.of === "request" ? follow(chain.root, chain.fields) : undefined;
}

export class Names {
  private readonly known: Knowledge;
  private readonly settled = new Map<Expr, boolean>();

  constructor(known: Knowledge) {
    this.known = known;
  }

  /** Whether all that an expression reads is known. */
  isSettled(expr: Expr): boolean {
    const known = this.settled.get(expr);
    if (known !== undefined) return known;
    const made = this.readsKnown(expr, []);
    this.settled.set(expr, made);
    return made;
  }

  private readsKnown(expr: Expr, bound: readonly string[]): boolean {
    if (expr.kind === "has") {
      const { root, path = [] } = tested(expr) ?? {};
      if (root?.path === ROW_ATTRIBUTES && path.length === 1) return false;
    }
    const chain = expr.kind === "has" ? chainOf({ ...expr, kind: "select" }) : chainOf(expr);
    if (chain !== undefined) return this.isKnown(chain, bound);
    if (expr.kind === "macro") {
      const inner = [...bound, expr.v1, ...(expr.v2 === undefined ? [] : [expr.v2])];
      const bodies = [expr.filter, expr.transform].filter((body) => body !== undefined);
      return this.readsKnown(expr.range, bound) && bodies.every((body) => this.readsKnown(body, inner));
    }
    if (expr.kind === "bind") {
      return this.readsKnown(expr.init, bound) && this.readsKnown(expr.body, [...bound, expr.name]);
    }
    return children(expr).every((part) => this.readsKnown(part, bound));
  }

  private isKnown({ of, root: name, fields }: Chain, bound: readonly string[]): boolean {
    if (of === "local") return bound.includes(name);
    if (of !== "request") return true;
    const { root, path = [] } = follow(name, fields) ?? {};
    if (root === undefined || root.path === ACTIVE_ROLES) return false;
    if (root.path === ROW_ATTRIBUTES) return this.known.knows(path[0]);
    return root.path !== RUNTIME && !isOfRow(root.path);
  }
}
