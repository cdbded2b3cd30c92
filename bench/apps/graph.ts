/** Entity hierarchies for Cedar, and the attributes that an application derives from them for a Cerbos policy. */

import type { JsonValue } from "../../src/index.js";
import type { Entity, Uid } from "../peers/cedar.js";

/** The attribute value that refers to an entity. */
export function reference({ type, id }: Uid): JsonValue {
  return { __entity: { type, id } };
}

export class Graph {
  private readonly entities = new Map<string, Entity>();
  private readonly known = new Map<string, readonly Uid[]>();

  /** Parents may be added later or never. An entity that is never added has no attributes and no parents. */
  add(uid: Uid, parents: readonly Uid[] = [], attrs: Entity["attrs"] = {}): Uid {
    this.entities.set(keyOf(uid), { uid, attrs, parents });
    return uid;
  }

  /**
   * All direct and indirect parents of an entity (transitive closure). Cached, so call it after all entities are added.
   */
  above(uid: Uid): readonly Uid[] {
    const key = keyOf(uid);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const found = new Map<string, Uid>();
    const open = [uid];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      for (const parent of this.entities.get(keyOf(one))?.parents ?? []) {
        if (found.has(keyOf(parent))) continue;
        found.set(keyOf(parent), parent);
        open.push(parent);
      }
    }
    const above = [...found.values()];
    this.known.set(key, above);
    return above;
  }

  /** The ids of the direct and indirect parents of one type. */
  idsAbove(uid: Uid, type: string): readonly string[] {
    return this.above(uid).flatMap((one) => (one.type === type ? [one.id] : []));
  }

  /**
   * The entities that an answer can depend on: those given and all above them, without those that have neither
   * attributes nor parents.
   */
  slice(...uids: readonly Uid[]): readonly Entity[] {
    const needed = new Map(uids.flatMap((uid) => [uid, ...this.above(uid)]).map((uid) => [keyOf(uid), uid]));
    return [...needed.keys()].flatMap((key) => {
      const entity = this.entities.get(key);
      return entity === undefined || (entity.parents.length === 0 && isEmpty(entity.attrs)) ? [] : [entity];
    });
  }

  /** The same with the transitive closure precomputed: each entity lists everything above it as a parent. */
  flat(...uids: readonly Uid[]): readonly Entity[] {
    return uids.flatMap((uid) => {
      const { attrs } = this.entities.get(keyOf(uid)) ?? {};
      return attrs === undefined ? [] : [{ uid, attrs, parents: this.above(uid) }];
    });
  }
}

function keyOf({ type, id }: Uid): string {
  return `${type}::${id}`;
}

function isEmpty(attrs: Entity["attrs"]): boolean {
  for (const _ in attrs) return false;
  return true;
}
