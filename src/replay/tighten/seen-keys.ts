/** The keys of a log as they are today: as the latest entry has them. */

import type { JsonObject, JsonValue } from "../../cel/json.js";
import type { KeyList } from "../../hints/list-search.js";
import { isEarlier, TimeSpan } from "../time-span.js";
import { type KeyPower, textsAt, withLists } from "./power.js";
import type { SeenKey } from "./uses.js";

/** A key of the log. */
export class KeyToday {
  readonly id: string;
  readonly scope: string;
  readonly policyVersion: string;
  roles: readonly string[] = [];
  /** The latest recorded value of each attribute. */
  private readonly attributes = new Map<string, JsonValue>();
  /** The attributes that no entry tells. */
  private readonly unknown = new Set<string>();
  private readonly absent = new Set<string>();
  /** The times of its entries. */
  readonly span = new TimeSpan();
  allowed = 0;
  /** Of the allowed: those of keys below it. */
  allowedBelow = 0;
  refused = 0;

  constructor({ id, scope, policyVersion }: SeenKey) {
    this.id = id;
    this.scope = scope;
    this.policyVersion = policyVersion;
  }

  /** `names`: the attributes of keys that policies read. Entries may come in any order; without times, the last counts. */
  see({ roles, attr, lacks }: SeenKey, time: string | undefined, names: readonly string[]): void {
    const { last } = this.span;
    const isLatest = time === undefined || last === undefined || !isEarlier(time, last);
    if (time !== undefined) this.span.add(time);
    if (isLatest) this.roles = [...new Set(roles)];
    for (const name of new Set([...names, ...Object.keys(attr)])) this.learn(name, attr, lacks, isLatest);
  }

  private learn(name: string, attr: JsonObject, lacks: SeenKey["lacks"], isLatest: boolean): void {
    const isKnown = this.attributes.has(name) || this.absent.has(name);
    if (isKnown && !isLatest) return;
    const value = Object.hasOwn(attr, name) ? attr[name] : undefined;
    if (value !== undefined) {
      this.attributes.set(name, value);
      this.absent.delete(name);
    } else if (!lacks(name)) {
      this.attributes.delete(name);
      this.absent.add(name);
    } else if (!isKnown) this.unknown.add(name);
  }

  get attr(): JsonObject {
    return Object.fromEntries(this.attributes);
  }

  /** The attributes that policies read and the log does not tell. */
  get untold(): readonly string[] {
    return [...this.unknown].filter((name) => !this.attributes.has(name) && !this.absent.has(name)).sort();
  }

  /** The roles, and the permissions in those lists that the log tells. */
  power(lists: readonly KeyList[]): KeyPower {
    const { attr } = this;
    const found = lists.flatMap((list) => {
      const texts = textsAt(attr, list);
      return texts === undefined ? [] : [[list.name, texts] as const];
    });
    return { roles: this.roles, lists: new Map(found) };
  }

  /** The key as it would be with a power. */
  keyWith(power: KeyPower, lists: readonly KeyList[]) {
    const { id, scope, attr } = this;
    return { id, roles: power.roles, attr: withLists(attr, lists, power), ...(scope === "" ? {} : { scope }) };
  }
}

export function nameOfKey({ id, scope, policyVersion }: Pick<SeenKey, "id" | "scope" | "policyVersion">): string {
  return JSON.stringify([id, scope, policyVersion]);
}
