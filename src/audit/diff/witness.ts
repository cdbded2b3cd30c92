/** Turns a situation of one layer into a minimal request that shows a changed decision. */

import { decideAny } from "../../decisions/decide.js";
import type { Decision } from "../../decisions/types.js";
import type { SpaceLayer } from "../../space/dimension.js";
import type { DimensionChoices } from "../../space/dimension-choices.js";
import { ABSENT, type Draft, type DraftValue } from "../../space/draft.js";
import { type Assignment, type LayerChanges, type LayerPair, verdicts } from "./layer-search.js";
import { classOf, type PolicySets } from "./question-diff.js";
import type { ChangeCircumstance } from "./types.js";

export interface Witness {
  readonly draft: Draft;
  readonly before: Decision;
  readonly after: Decision;
  readonly circumstances: readonly ChangeCircumstance[];
}

/** The number of situations of the other layer that are tried, and how many of them with two values changed. */
const MAX_TRIED = 12;
const MAX_PAIRED = 2;

/** The results of searching one layer. */
export interface SearchedLayer {
  readonly layer: SpaceLayer;
  readonly pair: LayerPair;
  readonly changes: LayerChanges;
}

type WitnessGoal = (draft: Draft) => boolean;

export class Witnesses {
  private readonly sets: PolicySets;
  private readonly base: Draft;
  /** Situations in which the other layer refused every attempt. */
  private readonly refused = new Set<string>();

  constructor(sets: PolicySets, base: Draft) {
    this.sets = sets;
    this.base = base;
  }

  /** A request that `side` decides differently; undefined if the other layer refuses every attempt. */
  find(
    side: SearchedLayer,
    opposite: SearchedLayer,
    roles: readonly string[],
    values: Assignment,
  ): Witness | undefined {
    const situation = this.base.copy();
    if (side.layer === "permission") situation.key.roles = [...roles];
    const fixed = new Set(side.changes.choices.map(({ dimension }) => dimension.id));
    const free = opposite.changes.choices.filter(({ dimension }) => !fixed.has(dimension.id));
    const starts = [...opposite.changes.allowed.slice(0, MAX_TRIED), undefined].map((allowed) => {
      const draft = situation.copy();
      if (allowed !== undefined) {
        put(draft, opposite.changes.choices, allowed.values);
        if (opposite.layer === "permission") draft.key.roles = [...allowed.roles];
      }
      put(draft, side.changes.choices, values);
      return draft;
    });
    // The other layer sees only the resource of this situation: if it refused once, it refuses again.
    const [before, after] = verdicts(side.layer, side.pair, starts[0] ?? situation);
    const hasFault = [before, after].map(({ fault }) => fault !== undefined);
    const seen = JSON.stringify([side.layer, before.effect, after.effect, hasFault, starts[0]?.resource]);
    if (this.refused.has(seen)) return undefined;
    let other: Draft | undefined;
    for (const [tried, draft] of starts.entries()) {
      const found = this.repaired(draft, free, tried < MAX_PAIRED, (one) => {
        const [first, second] = this.decisions(one);
        if (classOf(first, second) === undefined) return false;
        // A request allowed on one side is a better example than one refused with different errors.
        if (first.outcome === "allow" || second.outcome === "allow") return true;
        other ??= one.copy();
        return false;
      });
      if (found !== undefined) return this.shrunk(found, side, opposite);
    }
    if (other !== undefined) return this.shrunk(other, side, opposite);
    this.refused.add(seen);
    return undefined;
  }

  private decisions(draft: Draft): readonly [Decision, Decision] {
    const request = draft.toRequest();
    return [decideAny(this.sets.before, request), decideAny(this.sets.after, request)];
  }

  /** The draft with up to two free values changed, so that the decision changes. */
  private repaired(
    draft: Draft,
    free: readonly DimensionChoices[],
    pairs: boolean,
    goal: WitnessGoal,
  ): Draft | undefined {
    if (goal(draft)) return draft;
    for (const [i, one] of free.entries()) {
      for (const value of one.values) {
        const next = draft.copy();
        next.set(one.dimension, value);
        if (goal(next)) return next;
        for (const two of pairs ? free.slice(i + 1) : []) {
          const kept = next.get(two.dimension);
          for (const second of two.values) {
            next.set(two.dimension, second);
            if (goal(next)) return next;
          }
          next.set(two.dimension, kept);
        }
      }
    }
    return undefined;
  }

  /** Resets every value that the change does not need to the value of an allowed request. */
  private shrunk(found: Draft, side: SearchedLayer, other: SearchedLayer): Witness {
    const [first, second] = this.decisions(found);
    const draft = found.copy();
    const same = () => {
      const [before, after] = this.decisions(draft);
      return isAlike(before, first) && isAlike(after, second);
    };
    const ordinary = this.ordinary(draft, side, other);
    const circumstances: ChangeCircumstance[] = [];
    for (const [{ dimension }, value] of ordinary) {
      const kept = draft.get(dimension);
      if (equal(kept, value)) continue;
      draft.set(dimension, value);
      if (same()) continue;
      draft.set(dimension, kept);
    }
    for (const [{ dimension }, value] of ordinary) {
      const kept = draft.get(dimension);
      if (equal(kept, value)) continue;
      circumstances.push(
        kept === ABSENT || !isJson(kept) ? { path: dimension.id } : { path: dimension.id, value: kept },
      );
    }
    const [before, after] = this.decisions(draft);
    return { draft, before, after, circumstances };
  }

  /** The values of an ordinary situation of either layer, nearest to the draft's own. */
  private ordinary(
    draft: Draft,
    side: SearchedLayer,
    other: SearchedLayer,
  ): readonly (readonly [DimensionChoices, DraftValue])[] {
    return [side, other].flatMap(({ changes, layer }) => {
      const differences = (values: Assignment) =>
        changes.choices.filter(({ dimension }, i) => !equal(draft.get(dimension), values[i])).length;
      const roles = JSON.stringify(draft.key.roles);
      const own = changes.allowed.filter((one) => layer === "platform" || JSON.stringify(one.roles) === roles);
      const [nearest] = [...(own.length > 0 ? own : changes.allowed)].sort(
        (a, b) => differences(a.values) - differences(b.values),
      );
      if (nearest === undefined) return [];
      return changes.choices.map((choice, i) => [choice, nearest.values[i] ?? null] as const);
    });
  }
}

/** Have two decisions the same outcome, and both a fault or neither? */
function isAlike(a: Decision, b: Decision): boolean {
  return a.outcome === b.outcome && (a.fault === undefined) === (b.fault === undefined);
}

function put(draft: Draft, choices: readonly DimensionChoices[], values: Assignment): void {
  choices.forEach(({ dimension }, i) => {
    const value = values[i];
    if (value !== undefined) draft.set(dimension, value);
  });
}

function equal(a: unknown, b: unknown): boolean {
  return a === b || (a !== ABSENT && b !== ABSENT && JSON.stringify(a) === JSON.stringify(b));
}

function isJson(value: unknown): value is NonNullable<ChangeCircumstance["value"]> | null {
  return value !== undefined && typeof value !== "symbol" && typeof value !== "function";
}
