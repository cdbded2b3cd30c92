/** A key with the permissions and roles of a hint added. The key itself is not changed. */

import type { KeyOf, PolicyTypes } from "../decisions/policy-types.js";
import type { KeyList } from "./list-search.js";

type Key = KeyOf<PolicyTypes>;

interface Fields {
  readonly [name: string]: unknown;
}

export class HintedKey {
  readonly key: Key;
  /** The added permissions and roles. */
  readonly permissions: readonly string[];
  readonly roles: readonly string[];

  constructor(key: Key, permissions: readonly string[] = [], roles: readonly string[] = []) {
    this.key = key;
    this.permissions = permissions;
    this.roles = roles;
  }

  /** How many permissions and roles are added. */
  get parts(): number {
    return this.permissions.length + this.roles.length;
  }

  /** Whether another key's additions are among those of this one. */
  includes({ permissions, roles }: HintedKey): boolean {
    return permissions.every((one) => this.permissions.includes(one)) && roles.every((one) => this.roles.includes(one));
  }

  withRole(role: string): HintedKey {
    const { key, permissions, roles } = this;
    if (key.roles.includes(role)) return this;
    return new HintedKey({ ...key, roles: [...key.roles, role] }, permissions, [...roles, role]);
  }

  /** The key with one more text in a list; itself if the list has it; undefined if the key has something else there. */
  with({ path }: KeyList, text: string): HintedKey | undefined {
    if (path.length === 0) return this.withRole(text);
    const { key, permissions, roles } = this;
    const { attributes, ...rest } = key;
    const attr = added(key.attr ?? attributes ?? {}, path, text);
    if (attr === undefined) return undefined;
    return attr === PRESENT ? this : new HintedKey({ ...rest, attr }, [...permissions, text], roles);
  }
}

const PRESENT: Fields = Object.freeze({});

function added(fields: Fields, [name = "", ...below]: readonly string[], text: string): Fields | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const isLeaf = below.length === 0;
  if (isLeaf) {
    if (value !== undefined && !Array.isArray(value)) return undefined;
    const list: readonly unknown[] = value ?? [];
    return list.includes(text) ? PRESENT : { ...fields, [name]: [...list, text] };
  }
  if (value !== undefined && !isFields(value)) return undefined;
  const inner = added(value ?? {}, below, text);
  return inner === undefined || inner === PRESENT ? inner : { ...fields, [name]: inner };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
