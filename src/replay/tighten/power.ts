/** The power of a key: its roles and its lists of permissions. A tightening reduces both. */

import { isObject, type JsonObject, type JsonValue, valueAtPath } from "../../cel/json.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { KeyList } from "../../hints/list-search.js";
import { permissionSearches } from "../../hints/permission-lists.js";
import { allPolicies } from "../../policy/all-policies.js";
import { textsOf } from "../own-record.js";

export interface KeyPower {
  readonly roles: readonly string[];
  /** The permissions by the name of their list, such as `attr.permissions`. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
}

/** A role or a permission of a key. */
export interface PowerItem {
  /** `roles`, or the name of a list. */
  readonly list: string;
  readonly text: string;
}

export const ROLE_LIST = "roles";

/** The lists in which policies look for permissions. No other list of a key is reduced. */
export function permissionLists({ model, platform }: PolicySet): readonly KeyList[] {
  const policies = allPolicies(model).filter(({ version }) => version !== platform?.version);
  return [...permissionSearches(policies).values()].flatMap(([first]) =>
    first === undefined ? [] : first.search.list,
  );
}

/** The permissions that attributes have in a list; undefined if there is no list of texts. */
export function textsAt(attr: JsonObject, { path }: KeyList): readonly string[] | undefined {
  const texts = textsOf(valueAtPath(attr, path));
  return texts && [...new Set(texts)];
}

/** A key as it is recorded. */
export interface KeyOfPower {
  readonly roles: readonly string[];
  readonly attr: JsonObject;
}

/** True if a key has exactly these roles and permissions, in this order. */
export function hasPower({ roles, attr }: KeyOfPower, lists: readonly KeyList[], power: KeyPower): boolean {
  return (
    areEqual(roles, power.roles) &&
    lists.every((list) => {
      const texts = power.lists.get(list.name);
      const own = texts && textsOf(valueAtPath(attr, list.path));
      return texts === undefined || (own !== undefined && areEqual(own, texts));
    })
  );
}

function areEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

/** The attributes with the lists of a power in place of their own. */
export function withLists(attr: JsonObject, lists: readonly KeyList[], power: KeyPower): JsonObject {
  return lists.reduce((made, list) => {
    const texts = power.lists.get(list.name);
    return texts === undefined ? made : withValueAt(made, list.path, texts);
  }, attr);
}

/** Sets the value at a path. The fields before the last must exist. */
function withValueAt(of: JsonObject, [name, ...inside]: readonly string[], value: JsonValue): JsonObject {
  if (name === undefined) return of;
  const own = Object.hasOwn(of, name) ? of[name] : undefined;
  if (inside.length > 0 && !isObject(own)) return of;
  return { ...of, [name]: isObject(own) && inside.length > 0 ? withValueAt(own, inside, value) : value };
}

export function itemsOf({ roles, lists }: KeyPower): readonly PowerItem[] {
  return [
    ...roles.map((text) => ({ list: ROLE_LIST, text })),
    ...[...lists].flatMap(([list, texts]) => texts.map((text) => ({ list, text }))),
  ];
}

/** The power without one item. */
export function without({ roles, lists }: KeyPower, { list, text }: PowerItem): KeyPower {
  const rest = (texts: readonly string[]) => texts.filter((one) => one !== text);
  if (list === ROLE_LIST) return { roles: rest(roles), lists };
  return { roles, lists: new Map([...lists].map(([name, texts]) => [name, name === list ? rest(texts) : texts])) };
}

/** The power with its roles, and of its items those that `isKept` tells. */
export function onlyItems({ roles, lists }: KeyPower, isKept: (item: PowerItem) => boolean): KeyPower {
  const kept = (list: string, texts: readonly string[]) => texts.filter((text) => isKept({ list, text }));
  return {
    roles: kept(ROLE_LIST, roles),
    lists: new Map([...lists].map(([name, texts]) => [name, kept(name, texts)])),
  };
}

export function nameOfItem({ list, text }: PowerItem): string {
  return JSON.stringify([list, text]);
}
