/** The states of keys over time: which key had which roles and attributes when. */

import type { PermissionRequest } from "../../decisions/types.js";

/** A state of a key from a moment on, until its next state begins. Times are milliseconds since 1970. */
export interface KeyState {
  readonly id: string;
  /** -Infinity: it always was so. */
  readonly from: number;
  /** The first moment at which the key has this state no longer. Absent: the next state ends it. */
  readonly to?: number;
  /** Undefined: the key is revoked. */
  readonly key: PermissionRequest["key"] | undefined;
}

/** What a key was at a moment. */
export interface KeyAt {
  readonly id: string;
  /** Undefined: there was no such key then. */
  readonly key: PermissionRequest["key"] | undefined;
  /** Why there was no key: the moment of its first state, or the moment from which on there was none. */
  readonly absent?: { readonly is: "created later" | "revoked" | "ended"; readonly at: number };
  /** The later changes of the key, in order. */
  readonly since: readonly KeyChange[];
}

export interface KeyChange {
  readonly is: "created" | "changed" | "revoked" | "ended";
  readonly at: number;
  /** The key from then on. Absent: the key is gone. */
  readonly key?: PermissionRequest["key"];
}

/** Why the states of a key contradict each other; undefined: they do not. */
export function contradiction(states: readonly KeyState[]): string | undefined {
  const sorted = inOrder(states);
  for (const [i, { from, to }] of sorted.entries()) {
    const next = sorted[i + 1];
    if (to !== undefined && to <= from) return `its state from ${timeText(from)} ends before it begins`;
    if (next?.from === from) return `it has two states from ${timeText(from)} on`;
    if (next !== undefined && to !== undefined && to > next.from) {
      return `its states from ${timeText(from)} and from ${timeText(next.from)} overlap`;
    }
  }
  return undefined;
}

/** A key at a moment, by its states, which do not contradict each other. */
export function keyAt(id: string, states: readonly KeyState[], moment: number): KeyAt {
  const events = eventsOf(states);
  const past = events.filter(({ at }) => at <= moment);
  const since = events.filter(({ at }) => at > moment);
  const last = past.at(-1);
  if (last?.key !== undefined) return { id, key: last.key, since };
  if (last !== undefined) {
    return { id, key: undefined, absent: { is: last.is === "revoked" ? "revoked" : "ended", at: last.at }, since };
  }
  return { id, key: undefined, absent: { is: "created later", at: since[0]?.at ?? moment }, since };
}

function eventsOf(states: readonly KeyState[]): readonly KeyChange[] {
  const sorted = inOrder(states);
  const events: KeyChange[] = [];
  let isThere = false;
  for (const [i, { from, to, key }] of sorted.entries()) {
    if (key !== undefined) events.push({ is: isThere ? "changed" : "created", at: from, key });
    else events.push({ is: "revoked", at: from });
    isThere = key !== undefined;
    if (to !== undefined && to !== sorted[i + 1]?.from) {
      if (isThere) events.push({ is: "ended", at: to });
      isThere = false;
    }
  }
  return events;
}

function inOrder(states: readonly KeyState[]): readonly KeyState[] {
  return [...states].sort((a, b) => a.from - b.from);
}

/** RFC 3339, in UTC, without a fraction of zero. */
export function timeText(moment: number): string {
  return Number.isFinite(moment) ? new Date(moment).toISOString().replace(".000Z", "Z") : "the beginning";
}
