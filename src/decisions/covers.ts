/**
 * Does one key cover another: may it do everything that the other may? A key that makes keys must cover each of them.
 *
 * Everything is compared: each operation on each kind, in each scope, for every resource. The plan of a question gives
 * the rows that each key may touch, as a filter. A row inside the holder's filter and outside the maker's is looked for.
 * The proof that there is none is the answer `covered`. A row that is found is decided on before it is shown.
 *
 * Operations of a key on itself, where the resource has its id, give no power over others: a rule such as
 * `R.id == P.id` lets every key revoke itself. So where the resource has the holder's id, the maker also covers the holder
 * if it may do the same with itself: with its own id on both sides, and with the holder's id on both sides.
 */

import { ALL_NAMES, copiedPrincipal } from "../engine/frame/frame.js";
import type { PrincipalInput } from "../engine/plan/subjects.js";
import type { Filter } from "../engine/residual/filter.js";
import type { RowGoal } from "../engine/residual/row-goal.js";
import { findRow } from "../engine/residual/row-search.js";
import { type CoverageQuestion, CoverageQuestions, type KeyRows } from "./coverage-questions.js";
import { NO_ACCOUNT } from "./decide.js";
import { NO_KEY, NO_RESOURCE } from "./decider.js";
import { isPolicySet } from "./no-policies.js";
import { ownFields } from "./own-fields.js";
import type { PolicySet } from "./policy-set.js";
import type { KeyOf, KindOf, PolicyTypes } from "./policy-types.js";
import { validated } from "./request-validation.js";
import type { DecisionRequest } from "./types.js";

/** The keys to compare. */
export interface CoverRequest<T extends PolicyTypes = PolicyTypes> {
  /** The key that makes or changes `holder`. */
  readonly maker: KeyOf<T, KindOf<T>>;
  /** The key as it would be. */
  readonly holder: KeyOf<T, KindOf<T>>;
  /** The key as it is: its present powers need no maker. */
  readonly before?: KeyOf<T, KindOf<T>> | undefined;
}

/** A request that the permission layer allows the holder, but neither the maker nor `before`. */
export type UncoveredRequest = Pick<DecisionRequest, "operation" | "resource">;

/**
 * - `covered`: proved. There is no request that the permission layer allows the holder, but neither the maker nor
 *   `before`. Left out are operations of a key on itself, and rows so large that `decide` gives up on them
 *   (docs/verdicts.md).
 * - not covered: `request` shows it.
 * - `undecided`: neither is proved. Treat it as not covered.
 */
export type Coverage =
  | { readonly covered: true }
  | { readonly covered: false; readonly undecided?: undefined; readonly request: UncoveredRequest }
  | { readonly covered: false; readonly undecided: true; readonly request?: undefined };

const UNDECIDED: Coverage = Object.freeze({ covered: false, undecided: true });
const COVERED: Coverage = Object.freeze({ covered: true });

/**
 * Whether `maker` may do everything that `holder` may, by the permission layer alone. Pure, and never throws. A value
 * that is not a key, and an argument that is not a policy set, is never covered: `undecided`. So are keys whose rules
 * read the clock.
 */
export function covers<T extends PolicyTypes = PolicyTypes>(
  policies: PolicySet<T>,
  request: NoInfer<CoverRequest<T>>,
): Coverage;
export function covers(policies: PolicySet, request: CoverRequest): Coverage {
  const steps = coversInSteps(policies, request);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * {@link covers} for programs that must not be held up: compares the keys on one operation at a time. Each `next()` does
 * the next step, and the last one returns the answer. Most comparisons take less than a millisecond; the first ones with
 * a policy set take up to a hundred times longer.
 */
export function coversInSteps<T extends PolicyTypes = PolicyTypes>(
  policies: PolicySet<T>,
  request: NoInfer<CoverRequest<T>>,
): Generator<undefined, Coverage, undefined>;
export function* coversInSteps(policies: PolicySet, request: CoverRequest): Generator<undefined, Coverage, undefined> {
  try {
    if (!isPolicySet(policies)) return UNDECIDED;
    const { maker, holder, before } = ownFields(request);
    const [one, other] = [principalOf(maker), principalOf(holder)];
    const earlier = before === undefined ? undefined : principalOf(before);
    if (one === undefined || other === undefined || (before !== undefined && earlier === undefined)) return UNDECIDED;
    const lesser = earlier === undefined ? [one] : [one, earlier];
    return yield* new CoverageSearch(policies, other, lesser).run();
  } catch {
    // An error that a getter or a proxy throws is not read: it may itself be hostile.
    return UNDECIDED;
  }
}

/** A copy of a key; undefined if it is not a key, or cannot be read. */
function principalOf(key: unknown): PrincipalInput | undefined {
  const taken = validated({ key, operation: "none", resource: NO_RESOURCE, account: NO_ACCOUNT });
  return taken.isSound ? copiedPrincipal(taken.key, ALL_NAMES) : undefined;
}

/**
 * The most branches of all searches for one answer. Rules of the usual form take about ten for each question. A search
 * that takes more would hold up other callers, so it ends `undecided`.
 */
const MAX_BRANCHES = 500;

class CoverageSearch {
  private readonly budget = { left: MAX_BRANCHES };
  private readonly policies: PolicySet;
  private readonly holder: PrincipalInput;
  private readonly lesser: readonly PrincipalInput[];

  constructor(policies: PolicySet, holder: PrincipalInput, lesser: readonly PrincipalInput[]) {
    this.policies = policies;
    this.holder = holder;
    this.lesser = lesser;
  }

  *run(): Generator<undefined, Coverage, undefined> {
    const { all, areComplete } = CoverageQuestions.of(this.policies);
    let isProved = areComplete;
    for (const question of all) {
      yield;
      const found = this.search(question);
      if (found === "unsure") isProved = false;
      else if (found !== "none") return { covered: false, request: found };
    }
    return isProved ? COVERED : UNDECIDED;
  }

  /** A request about a question that shows that the holder is not covered. */
  private search(question: CoverageQuestion): UncoveredRequest | "none" | "unsure" {
    const { policies, holder } = this;
    const most = question.rowsOf(policies, holder);
    if (isNone(most.filter)) return most.readsClock ? "unsure" : "none";
    const least = this.lesser.map((key) => question.rowsOf(policies, key));
    const goals: readonly RowGoal[] = [
      { filter: most.filter, holds: true },
      ...least.map(({ filter }) => ({ filter, holds: false })),
    ];
    const isSure = (all: readonly KeyRows[]) => all.every(({ readsClock }) => !readsClock);
    // Most searches end here: there is no row, or one that shows it.
    const found = this.row(question, goals);
    if (typeof found === "object") return found;
    if (found === "none") return isSure([most, ...least]) ? "none" : "unsure";
    const others = this.row(question, [...goals, { filter: isRow(holder.id), holds: false }]);
    if (typeof others === "object") return others;
    const own = this.lesser.filter(({ id }) => id !== holder.id).map((key) => this.withItself(question, key));
    const itself = this.row(question, [
      ...goals,
      { filter: isRow(holder.id), holds: true },
      ...own.map((rows) => ({ filter: { op: "all", of: rows.map(({ filter }) => filter) }, holds: false }) as const),
    ]);
    if (typeof itself === "object") return itself;
    return others === "none" && itself === "none" && isSure([most, ...least, ...own.flat()]) ? "none" : "unsure";
  }

  /** A request about a row that meets the goals, and that shows that the holder is not covered. */
  private row(question: CoverageQuestion, goals: readonly RowGoal[]): UncoveredRequest | "none" | "unsure" {
    let request: UncoveredRequest | undefined;
    const found = findRow(goals, this.budget, (row) => {
      const shown = { operation: question.operation, resource: question.resourceOf(row) };
      if (this.shows(shown)) request = shown;
      return request !== undefined;
    });
    return request ?? (found === "none" ? "none" : "unsure");
  }

  /** The rows on which a key is allowed the operation: where both have the holder's id, and where both have its own. */
  private withItself(question: CoverageQuestion, key: PrincipalInput): readonly KeyRows[] {
    const renamed = { ...key, id: this.holder.id };
    return [question.rowsOf(this.policies, renamed), question.rowsOf(this.policies, key, key.id)];
  }

  /** Is a request allowed the holder alone? */
  private shows({ operation, resource }: UncoveredRequest): boolean {
    const { permission } = this.policies;
    const may = (key: PrincipalInput, id = resource.id): boolean => {
      const taken = validated({ key: NO_KEY, operation, resource: { ...resource, id }, account: NO_ACCOUNT });
      return taken.isSound && permission.verdict(key, taken.resource, operation, undefined).effect === "allow";
    };
    const mayWithItself = (key: PrincipalInput) =>
      resource.id === this.holder.id && may({ ...key, id: this.holder.id }) && may(key, key.id);
    return may(this.holder) && !this.lesser.some((key) => may(key) || mayWithItself(key));
  }
}

function isNone(filter: Filter): boolean {
  return filter.op === "any" && filter.of.length === 0;
}

function isRow(id: string): Filter {
  return { op: "in", term: { of: "id", path: [] }, values: [id] };
}
