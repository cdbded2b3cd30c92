/**
 * Unification of types, after cel-go's `checker/types.go` and `checker/mapping.go`. A type variable, such as the
 * element type of an empty list, is bound to the first type that it is used as. The binding holds for the whole
 * expression.
 */

import type { Overload } from "../functions/overload.js";
import { type CelType, DYN, param, type TypeKind } from "../types.js";

/**
 * Limit on comparisons and traversals of types while one expression is checked. `cel.bind` can build types that double
 * in size with every level; an expression that needs more steps than this is refused. The longest expressions without
 * such types need up to half of it.
 */
const MAX_STEPS = 400_000;

/** Kinds of types that include null. */
const NULLABLE: ReadonlySet<TypeKind> = new Set<TypeKind>(["null", "timestamp", "duration", "opaque", "message"]);

export interface Signature {
  readonly params: readonly CelType[];
  readonly result: CelType;
}

export class Unifier {
  /** The types that type variables are bound to so far. */
  private readonly bound = new Map<string, CelType>();
  /** The bindings before each change of the current {@link allAssignable}, for undoing it. */
  private readonly trail: { readonly name: string; readonly before: CelType | undefined }[] = [];
  private variables = 0;
  private steps = 0;

  /** Whether checking exceeded {@link MAX_STEPS}. Answers given after that are unreliable. */
  get exhausted(): boolean {
    return this.steps > MAX_STEPS;
  }

  fresh(): CelType {
    return param(`_${this.variables++}`);
  }

  /** The overload's signature with fresh type variables. */
  instantiate(overload: Overload): Signature {
    if (!isGeneric(overload)) return overload;
    const names = new Map<string, CelType>();
    const result = this.renamed(overload.result, names);
    return { params: overload.params.map((type) => this.renamed(type, names)), result };
  }

  private renamed(type: CelType, names: Map<string, CelType>): CelType {
    if (type.kind === "param") {
      const known = names.get(type.name) ?? this.fresh();
      names.set(type.name, known);
      return known;
    }
    return type.args.length === 0 ? type : { ...type, args: type.args.map((arg) => this.renamed(arg, names)) };
  }

  /** Whether values of type `from` fit where `to` is expected. A success keeps the bindings that it needs. */
  assignable(from: CelType, to: CelType): boolean {
    return this.allAssignable([from], [to]);
  }

  allAssignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    this.trail.length = 0;
    if (this.fitAll(from, to)) return true;
    for (const { name, before } of this.trail.reverse()) {
      if (before === undefined) this.bound.delete(name);
      else this.bound.set(name, before);
    }
    return false;
  }

  /** The type with its bound variables replaced. */
  resolve(type: CelType): CelType {
    if (++this.steps > MAX_STEPS) return DYN;
    const known = type.kind === "param" ? this.bound.get(type.name) : undefined;
    if (known !== undefined) return this.resolve(known);
    return type.args.length === 0 ? type : { ...type, args: type.args.map((arg) => this.resolve(arg)) };
  }

  /** {@link resolve}, with `dyn` for unbound variables. */
  settle(type: CelType): CelType {
    const resolved = this.resolve(type);
    if (resolved.kind === "param") return DYN;
    return resolved.args.length === 0 ? resolved : { ...resolved, args: resolved.args.map((arg) => this.settle(arg)) };
  }

  /** The common type of values of type `a` or `b`, such as the elements of a list. */
  join(a: CelType, b: CelType): CelType {
    return this.assignable(a, b) ? this.mostGeneral(a, b) : DYN;
  }

  /** Whether two types are equal; variables are compared by name. */
  same(a: CelType, b: CelType): boolean {
    if (a === b || ++this.steps > MAX_STEPS) return true;
    if (a.kind !== b.kind || a.name !== b.name || a.args.length !== b.args.length) return false;
    return a.args.every((arg, i) => this.same(arg, b.args[i] ?? DYN));
  }

  private fitAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    return from.length === to.length && from.every((type, i) => this.fits(type, to[i] ?? DYN));
  }

  private fits(from: CelType, to: CelType): boolean {
    if (++this.steps > MAX_STEPS) return true;
    if (to.kind === "param") {
      const [stands, known] = this.substitute(from, to);
      if (stands) return true;
      if (known) return false;
    }
    if (from.kind === "param") return this.substitute(to, from)[0];
    if (to.kind === "dyn" || from.kind === "dyn") return true;
    if (from.kind === "null") return NULLABLE.has(to.kind);
    if (to.kind === "null") return NULLABLE.has(from.kind);
    if (to.kind !== from.kind) return false;
    if (to.kind === "opaque" || to.kind === "message") return to.name === from.name && this.fitAll(from.args, to.args);
    return to.kind === "type" || this.fitAll(from.args, to.args);
  }

  /** Binds `variable` to `type` if they are compatible. Returns whether they are, and whether it was bound before. */
  private substitute(type: CelType, variable: CelType): readonly [boolean, boolean] {
    if (this.same(type, variable)) return [true, true];
    const known = this.bound.get(variable.name);
    if (known === undefined) {
      if (this.occurs(variable, type)) return [false, false];
      this.bind(variable.name, type);
      return [true, false];
    }
    if (this.same(type, known)) return [true, true];
    if (!this.fits(type, known)) return [false, true];
    const general = this.mostGeneral(type, known);
    if (!this.occurs(variable, general)) this.bind(variable.name, general);
    return [true, true];
  }

  private bind(name: string, type: CelType): void {
    this.trail.push({ name, before: this.bound.get(name) });
    this.bound.set(name, type);
  }

  private occurs(variable: CelType, within: CelType): boolean {
    if (++this.steps > MAX_STEPS) return true;
    if (within.kind === "param" && within.name === variable.name) return true;
    if (within.kind === "param") {
      const known = this.bound.get(within.name);
      return known !== undefined && this.occurs(variable, known);
    }
    return within.args.some((arg) => this.occurs(variable, arg));
  }

  private mostGeneral(a: CelType, b: CelType): CelType {
    return this.isNoMoreSpecific(a, b) ? a : b;
  }

  private isNoMoreSpecific(a: CelType, b: CelType): boolean {
    if (++this.steps > MAX_STEPS) return true;
    if (a.kind === "dyn" || a.kind === "param") return true;
    if (b.kind === "dyn" || b.kind === "param" || a.kind !== b.kind) return false;
    if (a.kind === "type") return true;
    return a.name === b.name && a.args.every((arg, i) => this.isNoMoreSpecific(arg, b.args[i] ?? DYN));
  }
}

const generic = new WeakMap<Overload, boolean>();

function isGeneric(overload: Overload): boolean {
  let is = generic.get(overload);
  if (is === undefined) {
    is = [overload.result, ...overload.params].some(hasParam);
    generic.set(overload, is);
  }
  return is;
}

function hasParam(type: CelType): boolean {
  return type.kind === "param" || type.args.some(hasParam);
}

/** Nesting depth up to which messages show a type. */
const SHOWN = 5;

/** A type as messages show it: `list(int)`. */
export function typeText(type: CelType, depth = 0): string {
  const name = SHORT.has(type.kind) ? type.kind : type.name;
  if (type.args.length === 0) return name;
  return `${name}(${depth < SHOWN ? type.args.map((arg) => typeText(arg, depth + 1)).join(", ") : "…"})`;
}

/** Kinds for which cel-go's messages have a short name. */
const SHORT: ReadonlySet<TypeKind> = new Set<TypeKind>(["timestamp", "duration", "null"]);
