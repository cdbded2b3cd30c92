/** A request while it is being made: attributes are set one at a time, and never so that a schema refuses them. */

import type { SubjectName } from "./places.js";
import { type Attr, isValueMap, type PlainRequest, type Value } from "./plain-request.js";
import type { LayerName } from "./subjects.js";

/** What expressions of a layer read: `P.attr` and `["limits", "keys"]`, `R.id` and `[]`. A number is a place in a list. */
export interface Address {
  readonly root: string;
  readonly path: readonly (string | number)[];
}

/** Whether attributes satisfy a schema. */
export type AttributeCheck = (attr: Attr) => boolean;

export class Draft {
  key: { id: string; roles: string[]; attr: Attr };
  resource: { kind: string; id: string; attr: Attr };
  account: { id: string; attr: Attr };
  readonly operation: string;
  private readonly request: PlainRequest;
  private readonly validators: ReadonlyMap<SubjectName, readonly AttributeCheck[]>;

  /** `validators`: what each subject's attributes are to satisfy. */
  constructor(request: PlainRequest, validators: ReadonlyMap<SubjectName, readonly AttributeCheck[]>) {
    // Not the arbitrary's own value: fast-check may hand it out again.
    const { key, resource, account } = structuredClone(request);
    this.key = { ...key, roles: [...key.roles] };
    this.resource = resource;
    this.account = account;
    this.operation = request.operation;
    this.request = request;
    this.validators = validators;
  }

  done(): PlainRequest {
    return { ...this.request, key: this.key, resource: this.resource, account: this.account };
  }

  /** Sets what a layer reads at an address. Results in whether it was possible, and the schemas agree. */
  set(layer: LayerName, { root, path }: Address, value: Value): boolean {
    const principal = layer === "permission" ? this.key : this.account;
    if (root === "P.id" || root === "R.id") {
      if (path.length > 0 || typeof value !== "string" || value === "") return false;
      (root === "P.id" ? principal : this.resource).id = value;
      return true;
    }
    if (root !== "P.attr" && root !== "R.attr") return false;
    const subject = root === "R.attr" ? "resource" : layer === "permission" ? "key" : "account";
    return this.setAttribute(subject, path, value);
  }

  /** Takes an attribute away. */
  remove(layer: LayerName, { root, path }: Address): boolean {
    if (root !== "P.attr" && root !== "R.attr") return false;
    const subject = root === "R.attr" ? "resource" : layer === "permission" ? "key" : "account";
    return this.setAttribute(subject, path, undefined);
  }

  private setAttribute(subject: SubjectName, path: readonly (string | number)[], value: Value | undefined): boolean {
    const before = this[subject].attr;
    const after = replacedIn(before, path, value);
    if (!isValueMap(after) || (this.admits(subject, before) && !this.admits(subject, after))) return false;
    this[subject].attr = after;
    return true;
  }

  private admits(subject: SubjectName, attr: Attr): boolean {
    return (this.validators.get(subject) ?? []).every((validate) => validate(attr));
  }
}

/** A copy of `value` with another value at a path, in maps and lists; undefined if there is no such place. */
function replacedIn(
  value: Value | undefined,
  [name, ...rest]: readonly (string | number)[],
  next: Value | undefined,
): Value | undefined {
  if (name === undefined) return next;
  if (typeof name === "number") {
    if (!Array.isArray(value) || name >= value.length) return undefined;
    const item = replacedIn(value[name], rest, next);
    return item === undefined ? value.filter((_, i) => i !== name) : value.map((old, i) => (i === name ? item : old));
  }
  const map = value === undefined ? {} : value;
  if (!isValueMap(map)) return undefined;
  const inner = replacedIn(Object.hasOwn(map, name) ? map[name] : undefined, rest, next);
  if (inner !== undefined) return Object.fromEntries([...new Map([...Object.entries(map), [name, inner]])]);
  if (rest.length > 0 && next !== undefined) return undefined;
  return Object.fromEntries(Object.entries(map).filter(([key]) => key !== name));
}
