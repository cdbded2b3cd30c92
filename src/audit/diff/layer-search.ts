/** One layer of two policy sets, compared over every combination of values that their conditions distinguish. */

import { NOT_ASKED } from "../../decisions/not-asked.js";
import type { Layer as CompiledLayer } from "../../engine/evaluate/layer.js";
import type { LayerVerdict } from "../../engine/plan/verdict.js";
import type { SpaceLayer } from "../../space/dimension.js";
import type { DimensionChoices } from "../../space/dimension-choices.js";
import type { Draft, DraftValue } from "../../space/draft.js";

/** How much of one question and layer is evaluated. */
export interface Effort {
  /** Up to this number, all combinations are evaluated; otherwise a sample of them is. */
  readonly combinations: number;
  /** The size of the sample: random combinations, and combinations near allowed ones. */
  readonly drawn: number;
  readonly near: number;
}

/** For a search without a solver. */
export const THOROUGH: Effort = { combinations: 150_000, drawn: 60_000, near: 60_000 };

/** For a search with a solver for everything that it leaves open. */
export const BRIEF: Effort = { combinations: 30_000, drawn: 6_000, near: 6_000 };

const MAX_EXAMPLES = 4;
const MAX_ALLOWED = 8;

/** The chosen values of a request, by the position of their dimensions. */
export type Assignment = readonly DraftValue[];

/** Situations in which the verdict of a layer differs in one way. */
export interface LayerChange {
  readonly roles: readonly string[];
  readonly from: LayerVerdict;
  readonly to: LayerVerdict;
  /** The change shows only with values that no valid request has. */
  readonly broken: boolean;
  situations: number;
  readonly examples: Assignment[];
}

/** The results of searching one layer. */
export interface LayerChanges {
  readonly choices: readonly DimensionChoices[];
  /** Changes of effects, and of denials between a refusal and a fault. */
  readonly otherEffects: readonly LayerChange[];
  /** Changes of the reasons alone. */
  readonly otherReasons: readonly LayerChange[];
  /** Situations allowed by both sets, otherwise by the newer set, otherwise by the older one. */
  readonly allowed: readonly { readonly roles: readonly string[]; readonly values: Assignment }[];
  readonly examined: number;
  /** The number of combinations; more than `examined` if they were too many. */
  readonly total: number;
}

/** The layer of both sets; undefined where a set has no such layer. */
export interface LayerPair {
  readonly before: CompiledLayer | undefined;
  readonly after: CompiledLayer | undefined;
}

export function searchLayer(
  layer: SpaceLayer,
  pair: LayerPair,
  base: Draft,
  choices: readonly DimensionChoices[],
  roleSets: readonly (readonly string[])[],
  effort: Effort,
): LayerChanges {
  return new LayerSearch(layer, pair, base, choices, effort).run(roleSets);
}

/** The verdicts of both sets. */
export function verdicts(
  layer: SpaceLayer,
  { before, after }: LayerPair,
  draft: Draft,
): readonly [LayerVerdict, LayerVerdict] {
  return [verdictOf(layer, before, draft), verdictOf(layer, after, draft)];
}

export function verdictOf(layer: SpaceLayer, compiled: CompiledLayer | undefined, draft: Draft): LayerVerdict {
  if (compiled === undefined) return NOT_ASKED;
  return compiled.verdict(draft.principal(layer), draft.resource, draft.operation, draft.clock());
}

class LayerSearch {
  private readonly layer: SpaceLayer;
  private readonly pair: LayerPair;
  private readonly draft: Draft;
  private readonly choices: readonly DimensionChoices[];
  private readonly effort: Effort;
  private readonly otherEffects = new Map<string, LayerChange>();
  private readonly otherReasons = new Map<string, LayerChange>();
  private readonly allowed: { rank: number; roles: readonly string[]; values: Assignment }[] = [];
  private roles: readonly string[] = [];
  private examined = 0;
  private best = 0;

  constructor(layer: SpaceLayer, pair: LayerPair, base: Draft, choices: readonly DimensionChoices[], effort: Effort) {
    this.layer = layer;
    this.pair = pair;
    this.draft = base.copy();
    this.choices = choices;
    this.effort = effort;
  }

  run(roleSets: readonly (readonly string[])[]): LayerChanges {
    const { choices, effort } = this;
    const product = choices.reduce((all, { values }) => all * values.length, 1);
    const all = product * roleSets.length <= effort.combinations;
    for (const roles of roleSets) {
      this.take(roles);
      if (all) this.everything(0, []);
      else this.drawn(Math.ceil(effort.drawn / roleSets.length));
    }
    const near = Math.ceil(effort.near / Math.max(1, this.allowed.length));
    if (!all) for (const { roles, values } of [...this.allowed]) this.around(roles, values, near);
    // Breaks one value at a time in allowed situations.
    for (const { roles, values } of this.allowed) this.damaged(roles, values);
    return {
      choices,
      otherEffects: [...this.otherEffects.values()],
      otherReasons: [...this.otherReasons.values()],
      allowed: this.allowed.filter(({ rank }) => rank === this.best),
      examined: all ? product * roleSets.length : this.examined,
      total: product * roleSets.length,
    };
  }

  private take(roles: readonly string[]): void {
    this.roles = roles;
    if (this.layer === "permission") this.draft.key.roles = [...roles];
  }

  private everything(at: number, values: DraftValue[]): void {
    const choice = this.choices[at];
    if (choice === undefined) {
      this.compare(values, false);
      return;
    }
    for (const value of choice.values) {
      this.draft.set(choice.dimension, value);
      values[at] = value;
      this.everything(at + 1, values);
    }
  }

  private put(values: Assignment): void {
    this.choices.forEach(({ dimension }, i) => {
      const value = values[i];
      if (value !== undefined) this.draft.set(dimension, value);
    });
  }

  /** Draws uniform combinations from a fixed seed, and climbs from each towards an allowed one. */
  private drawn(count: number): void {
    const random = generator(1);
    // The first values of all, which are those that mostly allow, the second ones, and so on.
    for (let n = 0; n < Math.max(...this.choices.map(({ values }) => values.length)); n++) {
      const values = this.choices.map((choice) => choice.values[Math.min(n, choice.values.length - 1)] ?? null);
      this.put(values);
      this.compare(values, false);
    }
    for (let i = 0; i < count; i++) {
      const values = this.choices.map((choice) => choice.values[Math.floor(random() * choice.values.length)] ?? null);
      this.put(values);
      this.compare(values, false);
      if (i % 500 === 0) this.climb(values);
    }
  }

  /** Changes one value after the other while the number of reasons to deny falls. */
  private climb(start: Assignment): void {
    let values = start;
    for (let score = this.score(values); score > 0; ) {
      let found: Assignment | undefined;
      for (const next of this.neighbours(values)) {
        const reached = this.score(next);
        if (reached >= score) continue;
        found = next;
        score = reached;
        break;
      }
      if (found === undefined) return;
      values = found;
    }
  }

  private score(values: Assignment): number {
    this.put(values);
    const [before, after] = this.compare(values, false);
    const left = ({ effect, reasons }: LayerVerdict) => (effect === "allow" ? 0 : reasons.length);
    return left(before) + left(after);
  }

  private *neighbours(values: Assignment): Generator<Assignment> {
    for (const [i, choice] of this.choices.entries()) {
      for (const value of choice.values) if (value !== values[i]) yield values.with(i, value);
    }
  }

  /** Changes two values of an allowed situation: all pairs, or `count` of them at even distances. */
  private around(roles: readonly string[], values: Assignment, count: number): void {
    this.take(roles);
    const all = [...this.neighbours(values)];
    const step = Math.max(1, Math.ceil(all.length ** 2 / 2 / count));
    let left = 0;
    for (const [at, one] of all.entries()) {
      for (const other of all.slice(at)) {
        if (left-- > 0) continue;
        left = step - 1;
        const next = one.map((value, i) => (value === values[i] ? (other[i] ?? null) : value));
        this.put(next);
        this.compare(next, false);
      }
    }
  }

  private damaged(roles: readonly string[], values: Assignment): void {
    this.take(roles);
    this.put(values);
    for (const [i, { dimension, broken }] of this.choices.entries()) {
      for (const value of broken) {
        this.draft.set(dimension, value);
        this.compare(values.with(i, value), true);
      }
      this.draft.set(dimension, values[i]);
    }
    this.damagedAlike(values);
  }

  /** Breaks two compared values in the same way: they might count as equal. */
  private damagedAlike(values: Assignment): void {
    for (const [i, one] of this.choices.entries()) {
      for (const [j, two] of this.choices.entries()) {
        if (j <= i || !one.dimension.linked.has(two.dimension.id)) continue;
        for (const value of one.broken) {
          if (!two.broken.some((other) => same(other, value))) continue;
          this.draft.set(one.dimension, value);
          this.draft.set(two.dimension, value);
          this.compare(values.with(i, value).with(j, value), true);
        }
        this.draft.set(one.dimension, values[i]);
        this.draft.set(two.dimension, values[j]);
      }
    }
  }

  private compare(values: Assignment, broken: boolean): readonly [LayerVerdict, LayerVerdict] {
    this.examined++;
    const [before, after] = verdicts(this.layer, this.pair, this.draft);
    const isSameFault = (before.fault === undefined) === (after.fault === undefined);
    if (before.effect !== after.effect || !isSameFault) this.note(this.otherEffects, before, after, values, broken);
    else if (!sameReasons(before, after)) this.note(this.otherReasons, before, after, values, broken);
    if (!broken) this.keep(before, after, values);
    return [before, after];
  }

  private note(
    into: Map<string, LayerChange>,
    before: LayerVerdict,
    after: LayerVerdict,
    values: Assignment,
    broken: boolean,
  ): void {
    const faults = [before, after].map(({ fault }) => fault !== undefined);
    const key = JSON.stringify([broken, this.roles, before.effect, faults, reasonsOf(before), reasonsOf(after)]);
    const known = into.get(key) ?? {
      roles: this.roles,
      from: before,
      to: after,
      broken,
      situations: 0,
      examples: [],
    };
    known.situations++;
    if (known.examples.length < MAX_EXAMPLES) known.examples.push([...values]);
    into.set(key, known);
  }

  private keep(before: LayerVerdict, after: LayerVerdict, values: Assignment): void {
    const rank = (after.effect === "allow" ? 2 : 0) + (before.effect === "allow" ? 1 : 0);
    if (rank === 0 || rank < this.best) return;
    if (rank > this.best) this.allowed.length = 0;
    this.best = rank;
    const { roles } = this;
    if (this.allowed.filter((one) => one.roles === roles).length >= MAX_ALLOWED) return;
    this.allowed.push({ rank, roles: this.roles, values: [...values] });
  }
}

function same(a: DraftValue, b: DraftValue): boolean {
  return a === b || (typeof a !== "symbol" && typeof b !== "symbol" && JSON.stringify(a) === JSON.stringify(b));
}

function reasonsOf({ reasons }: LayerVerdict): readonly (readonly string[])[] {
  return reasons.map(({ kind, reason }) => [kind, reason]);
}

function sameReasons(a: LayerVerdict, b: LayerVerdict): boolean {
  if (a.reasons === b.reasons) return true;
  const words = ({ reasons }: LayerVerdict) => JSON.stringify([...new Set(reasons.map(({ reason }) => reason))].sort());
  return a.reasons.length === b.reasons.length && a.reasons.every((one, i) => one.reason === b.reasons[i]?.reason)
    ? true
    : words(a) === words(b);
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
