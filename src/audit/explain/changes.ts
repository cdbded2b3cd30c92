/**
 * Finds the smallest sets of edits to a request that change the outcome. Each set is checked by deciding the edited
 * request.
 */

import { decideAny } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Outcome, PermissionRequest } from "../../decisions/types.js";
import type { LayerVerdict } from "../../engine/plan/verdict.js";
import type { SpaceLayer } from "../../space/dimension.js";
import { Draft, requestOf } from "../../space/draft.js";
import { questionSpaceOf } from "../../space/question-space.js";
import { verdictOf } from "../diff/layer-search.js";
import { editsOf, type OpenEdit, type RequestEdit } from "./edits.js";

/** A set of edits that together change the outcome. */
export interface RequestAlternative {
  readonly edits: readonly RequestEdit[];
  /** The outcome of the edited request, as `decide` returns it. */
  readonly outcome: Outcome;
  /** `false`: none of the edits can be left out, but there may be smaller sets. */
  readonly smallest: boolean;
}

/** The evaluations that each search may cost: for sets of edits in a layer, for the greedy set, for refusals in a layer. */
const MAX_EVALUATIONS = 4_000;
/** An evaluation copies the request: this many characters of it count as a further evaluation. */
const CHARACTERS_PER_EVALUATION = 20_000;
/** The number of edit sets reported at most. */
const MAX_ALTERNATIVES = 12;
const MAX_SIZE = 3;

export interface RequestAlternatives {
  readonly found: readonly RequestAlternative[];
  /** More were found than are reported. */
  readonly more: boolean;
  /** `false` if the request was too large to try every single edit. */
  readonly isComplete: boolean;
}

/** The smallest edits that change the outcome of `request`. The request must be well-formed, its attributes JSON. */
export function alternativesTo(policies: PolicySet, request: PermissionRequest): RequestAlternatives {
  return new AlternativeSearch(policies, request).run();
}

interface Solutions {
  readonly sets: readonly (readonly OpenEdit[])[];
  readonly smallest: boolean;
  readonly more: boolean;
}

type FoundAlternatives = Omit<RequestAlternatives, "isComplete">;

const NO_SOLUTION: Solutions = { sets: [], smallest: false, more: false };

class AlternativeSearch {
  private readonly policies: PolicySet;
  private readonly draft: Draft;
  private readonly outcome: Outcome;
  private readonly effects: { readonly [layer in SpaceLayer]: LayerVerdict["effect"] };
  private readonly price: number;
  private left = MAX_EVALUATIONS;
  private isComplete = true;

  constructor(policies: PolicySet, request: PermissionRequest) {
    this.policies = policies;
    this.draft = Draft.from(request);
    this.price = 1 + JSON.stringify(this.draft.toJson()).length / CHARACTERS_PER_EVALUATION;
    const decision = decideAny(policies, request);
    this.outcome = decision.outcome;
    this.effects = { permission: decision.permission.effect, platform: decision.platform.effect };
  }

  run(): RequestAlternatives {
    const found = this.found();
    return { ...found, isComplete: this.isComplete };
  }

  private found(): FoundAlternatives {
    if (this.outcome === "allow") return this.refusals();
    if (this.outcome === "insufficient_permissions") return this.reported(this.solve("permission"));
    const platform = this.solve("platform");
    const first = this.reported(platform);
    if (this.effects.permission === "allow") return first;
    // Without the prohibition the permission error is left: allowing takes the edits for both layers.
    const [cure = []] = platform.sets;
    const permission = this.solve("permission");
    const both = permission.sets.flatMap((set) => joined(cure, set) ?? []);
    const allowed = cure.length === 0 ? [] : this.reported({ ...permission, sets: both }).found;
    return { found: [...first.found, ...allowed], more: first.more || permission.more };
  }

  /**
   * Removes edits that the outcome does not need: the edits for one layer may have no effect, or be enough, in the
   * other.
   */
  private needed(set: readonly OpenEdit[]): readonly OpenEdit[] {
    const outcome = this.outcomeOf(set);
    for (let kept = set; ; ) {
      const fewer = kept.map((edit) => kept.filter((one) => one !== edit));
      const enough = fewer.find((one) => one.length > 0 && this.outcomeOf(one) === outcome);
      if (enough === undefined) return kept;
      kept = enough;
    }
  }

  /** For an allowed request: each single edit that makes it refused, one for each value. */
  private refusals(): FoundAlternatives {
    const seen = new Set<string>();
    const found: RequestAlternative[] = [];
    for (const layer of ["permission", "platform"] as const) {
      this.left = MAX_EVALUATIONS;
      for (const edit of this.edits(layer)) {
        const key = `${edit.path} ${edit.action === "add"}`;
        if (seen.has(key)) continue;
        if (!this.spend()) {
          this.isComplete = false;
          break;
        }
        const outcome = this.outcomeOf([edit]);
        if (outcome === this.outcome) continue;
        seen.add(key);
        found.push({ edits: [shownEdit(edit)], outcome, smallest: true });
      }
    }
    return { found, more: false };
  }

  private edits(layer: SpaceLayer): readonly OpenEdit[] {
    const { resource, operation } = this.draft;
    return editsOf(questionSpaceOf([this.policies], layer, { kind: resource.kind, operation }), this.draft);
  }

  /** The smallest sets of edits that make a layer allow: only of the principal's values, if these suffice. */
  private solve(layer: SpaceLayer): Solutions {
    const edits = this.edits(layer);
    const own = edits.filter(({ path }) => !path.startsWith("resource."));
    // A missing permission is for the key to fix (docs/contract.md §7.5).
    for (const among of layer === "permission" ? [own, edits] : [edits]) {
      this.left = MAX_EVALUATIONS;
      for (let size = 1; size <= MAX_SIZE; size++) {
        const solutions = this.ofSize(layer, among, size);
        if (solutions === undefined) break;
        if (solutions.sets.length > 0) return solutions;
      }
      const greedy = this.greedily(layer, among);
      if (greedy !== undefined) return { sets: [greedy], smallest: false, more: false };
    }
    return NO_SOLUTION;
  }

  private spend(): boolean {
    this.left -= this.price;
    return this.left >= 0;
  }

  /** Undefined if there are too many sets of that size to try. */
  private ofSize(layer: SpaceLayer, edits: readonly OpenEdit[], size: number): Solutions | undefined {
    const sets: (readonly OpenEdit[])[] = [];
    const extend = (from: number, set: readonly OpenEdit[]): boolean => {
      if (set.length === size) {
        if (!this.spend()) {
          if (size === 1) this.isComplete = false;
          return false;
        }
        if (this.allows(layer, set)) sets.push(set);
        return true;
      }
      for (let i = from; i < edits.length; i++) {
        const edit = edits[i];
        if (edit === undefined || set.some(({ path }) => path === edit.path)) continue;
        if (!extend(i + 1, [...set, edit])) return false;
      }
      return true;
    };
    if (!extend(0, []))
      return sets.length > 0 ? { sets: sets.slice(0, MAX_ALTERNATIVES), smallest: true, more: true } : undefined;
    return { sets: distinct(sets).slice(0, MAX_ALTERNATIVES), smallest: true, more: sets.length > MAX_ALTERNATIVES };
  }

  /** Adds the edits that leave the fewest reasons to deny, one after the other, then removes the unneeded ones. */
  private greedily(layer: SpaceLayer, edits: readonly OpenEdit[]): readonly OpenEdit[] | undefined {
    this.left = MAX_EVALUATIONS;
    let set: readonly OpenEdit[] = [];
    let score = this.score(layer, set);
    while (score > 0) {
      let best: readonly OpenEdit[] | undefined;
      for (const edit of edits) {
        if (set.some(({ path }) => path === edit.path)) continue;
        if (!this.spend()) return undefined;
        const reached = this.score(layer, [...set, edit]);
        if (reached >= score) continue;
        score = reached;
        best = [...set, edit];
      }
      if (best === undefined) return undefined;
      set = best;
    }
    for (const edit of set) {
      const without = set.filter((one) => one !== edit);
      if (without.length > 0 && this.allows(layer, without)) set = without;
    }
    return set;
  }

  private score(layer: SpaceLayer, set: readonly OpenEdit[]): number {
    const { effect, reasons } = this.verdict(layer, set);
    return effect === "allow" ? 0 : reasons.length;
  }

  private allows(layer: SpaceLayer, set: readonly OpenEdit[]): boolean {
    return this.verdict(layer, set).effect === "allow";
  }

  private verdict(layer: SpaceLayer, set: readonly OpenEdit[]): LayerVerdict {
    return verdictOf(layer, this.policies[layer], this.edited(set));
  }

  private edited(set: readonly OpenEdit[]): Draft {
    const draft = this.draft.copy();
    for (const edit of set) edit.apply(draft);
    return draft;
  }

  private outcomeOf(set: readonly OpenEdit[]): Outcome {
    return decideAny(this.policies, requestOf(this.edited(set).toJson())).outcome;
  }

  /** Each set with its outcome; sets that change nothing are left out. */
  private reported({ sets, smallest, more }: Solutions): FoundAlternatives {
    const needed = distinct(sets.map((set) => this.needed(set)));
    const found = needed.flatMap((set): readonly RequestAlternative[] => {
      const outcome = this.outcomeOf(set);
      return outcome === this.outcome ? [] : [{ edits: set.map(shownEdit), outcome, smallest }];
    });
    return { found, more };
  }
}

function shownEdit({ action, path, value, invented }: OpenEdit): RequestEdit {
  return value === undefined ? { action, path, invented } : { action, path, value, invented };
}

/**
 * The union of two sets of edits. No set if they edit one value differently, since each edit starts from the original
 * value.
 */
function joined(one: readonly OpenEdit[], other: readonly OpenEdit[]): readonly [readonly OpenEdit[]] | undefined {
  const added = other.filter((edit) => !one.some((known) => sameEdit(edit, known)));
  return added.some(({ path }) => one.some((known) => known.path === path)) ? undefined : [[...one, ...added]];
}

function sameEdit(one: OpenEdit, other: OpenEdit): boolean {
  return (
    one.path === other.path && one.action === other.action && JSON.stringify(one.value) === JSON.stringify(other.value)
  );
}

/** Keeps one of several sets with the same edits of the same values; of numbers, the nearest. */
function distinct(sets: readonly (readonly OpenEdit[])[]): readonly (readonly OpenEdit[])[] {
  const seen = new Map<string, readonly OpenEdit[]>();
  for (const set of sets) {
    const key = JSON.stringify(
      set.map(({ action, path, value }) => [action, path, typeof value === "number" ? 0 : value]),
    );
    if (!seen.has(key)) seen.set(key, set);
  }
  return [...seen.values()];
}
