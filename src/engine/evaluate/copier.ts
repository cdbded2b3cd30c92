/** Copies of the parts of a request, of what a function has read of them and of what else closures may read. */

import { Copies, type ReadNames } from "../../cel/copies.js";
import { keepOne } from "../../cel/kept.js";
import type { JsonMap } from "../../cel/values.js";
import type { AttributePath, Part } from "../generate/written.js";
import type { JointRequest, PrincipalInput, ResourceInput } from "../plan/subjects.js";

/** The attributes that may be read, by name; undefined: any. */
export type NamesOf = { readonly [part in Part]: readonly string[] | undefined };

export const ALL_NAMES: NamesOf = { principal: undefined, account: undefined, resource: undefined };

const NO_ATTRIBUTES: JsonMap = Object.freeze({});
const NO_PARTS: ReadonlySet<Part> = new Set();

/** A copy of a request. A part of which it is undefined cannot be read. */
export interface CopiedRequest extends Pick<JointRequest, "now"> {
  readonly key: PrincipalInput | undefined;
  readonly account: PrincipalInput | undefined;
  readonly resource: ResourceInput | undefined;
}

/** Makes copies of parts. Undefined: it cannot be read. What is wrong with one part concerns no other. */
export class Copier {
  private readonly names: NamesOf;
  private readonly read: ReadOf;
  private readonly values: readonly unknown[] | undefined;
  private readonly bound: ReadonlySet<Part>;

  /** `bound`: the parts that are copies. */
  constructor(names: NamesOf, read: ReadOf, values: readonly unknown[] | undefined, bound = NO_PARTS) {
    this.names = names;
    this.read = read;
    this.values = values;
    this.bound = bound;
  }

  /** All reads of the request come before anything is made of them. */
  request({ key, account, resource, now }: JointRequest): CopiedRequest {
    return {
      key: this.subject(key, "principal"),
      account: this.subject(account, "account"),
      resource: this.resource(resource),
      now,
    };
  }

  private resource({ kind, id, attr, scope }: ResourceInput): ResourceInput | undefined {
    const copy = this.attributes(attr, "resource");
    return copy && { kind, id, attr: copy, scope };
  }

  private subject(of: PrincipalInput, part: "principal" | "account"): PrincipalInput | undefined {
    if (this.bound.has(part)) return of;
    const copy = this.attributes(of.attr, part);
    return copy && { id: of.id, roles: of.roles, attr: copy, scope: of.scope };
  }

  private attributes(of: JsonMap, part: Part): JsonMap | undefined {
    const names = this.names[part];
    if (names?.length === 0) return NO_ATTRIBUTES;
    try {
      return new Copies(this.values).attributes(of, names, this.read[part]);
    } catch {
      return undefined;
    }
  }
}

type Names = Map<string, { readonly at: number; readonly inside: Names }>;

/** What a function reads, part by part. */
export interface ReadOf {
  readonly principal: ReadNames;
  readonly account: ReadNames;
  readonly resource: ReadNames;
}

/** The names of what a function reads; the values stand in a list from `first` on, with some that it does not read. */
export function readOf(reads: readonly (AttributePath | undefined)[], first: number): ReadOf {
  const names: { readonly [part in Part]: Names } = { principal: new Map(), account: new Map(), resource: new Map() };
  for (const [i, read] of reads.entries()) {
    if (read === undefined) continue;
    const { part, path } = read;
    let at = names[part];
    for (const name of path.slice(0, -1)) at = at.get(name)?.inside ?? new Map();
    const name = path.at(-1);
    if (name !== undefined) at.set(name, { at: first + i, inside: new Map() });
  }
  return names;
}

export const NOTHING_READ: ReadOf = { principal: new Map(), account: new Map(), resource: new Map() };

keepOne(new Copier(ALL_NAMES, NOTHING_READ, undefined));
