/**
 * Sixteen rules that every candidate can express: four kinds, tenants, roles, owners, permissions in a list, and a
 * prohibition. There is one layer, since no other candidate has two. All candidates must agree with the handwritten
 * code.
 */

import type { PolicyFile } from "../../src/index.js";
import { random } from "../requests.js";

export const KINDS = ["document", "folder", "comment", "project"] as const;
export const ACTIONS = ["read", "update", "delete"] as const;
type Role = "member" | "editor" | "admin";

export interface Subject {
  readonly id: string;
  readonly roles: readonly Role[];
  readonly attr: { readonly tenant: string; readonly permissions: readonly string[] };
}

export interface Item {
  readonly kind: string;
  readonly id: string;
  readonly attr: {
    readonly tenant: string;
    readonly owner: string;
    readonly archived: boolean;
    readonly locked: boolean;
  };
}

export interface Asked {
  readonly key: Subject;
  readonly operation: string;
  readonly resource: Item;
  /** The index of the key. A candidate that keeps data for each key finds the data by this index. */
  readonly number: number;
}

/** The policies, for keyward and for the Cerbos server. */
export const POLICIES: readonly PolicyFile[] = KINDS.map((kind) => {
  const rule = (name: string, actions: readonly string[], roles: readonly string[], effect: string, expr: string) => ({
    ...{ name, actions, roles, effect: `EFFECT_${effect}` },
    condition: { match: { expr } },
  });
  const same = "R.attr.tenant == P.attr.tenant";
  const mayUpdate = `(R.attr.owner == P.id || "${kind}.update" in P.attr.permissions)`;
  const rules = [
    rule("read", ["read"], ["member", "editor", "admin"], "ALLOW", same),
    rule("update", ["update"], ["editor", "admin"], "ALLOW", `${same} && ${mayUpdate}`),
    rule("delete", ["delete"], ["admin"], "ALLOW", `${same} && R.attr.archived == true`),
    rule("locked", ["update", "delete"], ["*"], "DENY", "R.attr.locked == true"),
  ];
  const policy = { apiVersion: "api.cerbos.dev/v1", resourcePolicy: { resource: kind, version: "default", rules } };
  return { path: `${kind}.json`, text: JSON.stringify(policy) };
});

export interface ByHand {
  readonly allowed: boolean;
  /** The rule that decided, or an empty text. */
  readonly by: string;
}

const NOTHING = "";

/** The rules as handwritten code in a service. */
export function byHand({ key, operation, resource }: Asked): ByHand {
  const { attr } = resource;
  const isSame = attr.tenant === key.attr.tenant;
  const isEditor = key.roles.includes("editor") || key.roles.includes("admin");
  switch (operation) {
    case "read": {
      const allowed = isSame && (isEditor || key.roles.includes("member"));
      return { allowed, by: allowed ? "read" : NOTHING };
    }
    case "update": {
      if (attr.locked) return { allowed: false, by: "locked" };
      const may = attr.owner === key.id || key.attr.permissions.includes(`${resource.kind}.update`);
      const allowed = isSame && isEditor && may;
      return { allowed, by: allowed ? "update" : NOTHING };
    }
    case "delete": {
      if (attr.locked) return { allowed: false, by: "locked" };
      const allowed = isSame && attr.archived && key.roles.includes("admin");
      return { allowed, by: allowed ? "delete" : NOTHING };
    }
    default:
      return { allowed: false, by: NOTHING };
  }
}

/** `count` requests by 200 keys in 5 tenants, parsed from JSON as in a service. */
export function requests(count: number, seed = 1): readonly Asked[] {
  const next = random(seed);
  const pick = <T>(items: readonly [T, ...T[]]): T => items[Math.floor(next() * items.length)] ?? items[0];
  const keys = Array.from({ length: 200 }, (_, i) => ({
    id: `key_${i}`,
    roles: [pick<Role>(["member", "member", "editor", "admin"])],
    attr: {
      tenant: `tenant_${i % 5}`,
      permissions: KINDS.flatMap((kind) => ACTIONS.map((action) => `${kind}.${action}`)).filter(() => next() < 0.4),
    },
  }));
  const all = Array.from({ length: count }, () => {
    const number = Math.floor(next() * keys.length);
    const key = keys[number];
    const attr = {
      tenant: next() < 0.9 ? key?.attr.tenant : `tenant_${Math.floor(next() * 5)}`,
      owner: next() < 0.3 ? key?.id : `key_${Math.floor(next() * 200)}`,
      archived: next() < 0.5,
      locked: next() < 0.1,
    };
    const resource = { kind: pick(KINDS), id: `item_${Math.floor(next() * 5_000)}`, attr };
    return { key, operation: pick(ACTIONS), resource, number };
  });
  return JSON.parse(JSON.stringify(all));
}
