/** Assignability of types, with type parameters solved on the way (cel-go's `checker/types.go`). */

import { DYN, type Type, type TypeKind } from "../types.js";

/** What type parameters stand for so far. Copied, not shared, when an overload is only tried. */
export class Bindings {
  private readonly bound: Map<string, Type>;

  constructor(bound: ReadonlyMap<string, Type> = new Map()) {
    this.bound = new Map(bound);
  }

  copy(): Bindings {
    return new Bindings(this.bound);
  }

  /** The type with its parameters replaced by what they stand for; free ones are `dyn`. */
  resolve(type: Type): Type {
    if (type.kind === "param") {
      const known = this.bound.get(type.name);
      return known === undefined ? DYN : this.resolve(known);
    }
    return type.args.length === 0 ? type : { ...type, args: type.args.map((arg) => this.resolve(arg)) };
  }

  /** Whether a value of type `from` can stand where `to` is wanted. Binds parameters of `to`. */
  assignable(to: Type, from: Type): boolean {
    if (to.kind === "param") return this.bind(to.name, from);
    if (to.kind === "dyn" || from.kind === "dyn") return true;
    if (from.kind === "null") return NULLABLE.has(to.kind);
    if (to.kind === "null") return NULLABLE.has(from.kind);
    if (to.kind !== from.kind) return false;
    if (to.kind === "opaque" || to.kind === "message") return to.name === from.name;
    if (to.kind === "type") return true;
    return to.args.every((arg, i) => this.assignable(arg, from.args[i] ?? DYN));
  }

  /** A parameter stands for the more general of what it is given. */
  private bind(name: string, from: Type): boolean {
    const known = this.bound.get(name);
    if (known === undefined || (known.kind !== "dyn" && from.kind === "dyn")) {
      this.bound.set(name, from);
      return true;
    }
    return this.assignable(known, from);
  }
}

/** Kinds of which null is a value. */
const NULLABLE: ReadonlySet<TypeKind> = new Set<TypeKind>(["null", "timestamp", "duration", "opaque", "message"]);

/** Whether two types without parameters are the same. */
export function sameType(a: Type, b: Type): boolean {
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    a.args.length === b.args.length &&
    a.args.every((arg, i) => sameType(arg, b.args[i] ?? DYN))
  );
}

/** A type as messages show it: `list(int)`. */
export function typeText(type: Type): string {
  return type.args.length === 0 ? type.name : `${type.name}(${type.args.map(typeText).join(", ")})`;
}
