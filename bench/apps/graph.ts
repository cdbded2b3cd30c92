/** Entities that are in one another, as Cedar has them, and what an application makes of that for a Cerbos policy. */

import type { JsonValue } from "../../src/index.js";
import type { Entity, Uid } from "../peers/cedar.js";

/** How an attribute names an entity. */
export function reference({ type, id }: Uid): JsonValue {
  return { __entity: { type, id } };
}

export class Graph {
  private readonly entities = new Map<string, Entity>();
  private readonly known = new Map<string, readonly Uid[]>();

  /** All that it is in comes later or never: what is not added has no attributes and is in nothing. */
  add(uid: Uid, parents: readonly Uid[] = [], attrs: Entity["attrs"] = {}): Uid {
    this.entities.set(keyOf(uid), { uid, attrs, parents });
    return uid;
  }

  /** All that an entity is in, however far above: the transitive closure. Asked for once everything has been added. */
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

  /** The ids of those that are of a type. */
  idsAbove(uid: Uid, type: string): readonly string[] {
    return this.above(uid).flatMap((one) => (one.type === type ? [one.id] : []));
  }

  /** What an answer about some entities can depend on: they and all above them, as far as there is anything to say. */
  slice(...uids: readonly Uid[]): readonly Entity[] {
    const needed = new Map(uids.flatMap((uid) => [uid, ...this.above(uid)]).map((uid) => [keyOf(uid), uid]));
    return [...needed.keys()].flatMap((key) => {
      const entity = this.entities.get(key);
      return entity === undefined || (entity.parents.length === 0 && isEmpty(entity.attrs)) ? [] : [entity];
    });
  }

  /** The same with the closure in place of the hierarchy: each entity is said to be in all that is above it. */
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
