/**
 * Can a formula be true? Sound, not complete: `false` means that no request makes it true. Anything not understood, or
 * too large, counts as possible.
 */

import type { Atom, AtomConstant, ConditionFormula } from "./formula.js";

/** The number of alternatives examined; with more, the answer is "possible". */
const MAX_ALTERNATIVES = 512;

export function isSatisfiable(formula: ConditionFormula): boolean {
  const alternatives = alternativesOf(formula);
  return alternatives === undefined || alternatives.some(isConsistent);
}

/** The formula as a list of alternatives, each a list of atoms that must all hold; undefined if there are too many. */
function alternativesOf(formula: ConditionFormula): readonly (readonly Atom[])[] | undefined {
  if (formula.kind === "or") {
    const all: (readonly Atom[])[] = [];
    for (const each of formula.of) {
      const some = alternativesOf(each);
      if (some === undefined || all.length + some.length > MAX_ALTERNATIVES) return undefined;
      all.push(...some);
    }
    return all;
  }
  if (formula.kind !== "and") return [[formula]];
  return jointly(formula.of);
}

function jointly(formulas: readonly ConditionFormula[]): readonly (readonly Atom[])[] {
  let all: readonly (readonly Atom[])[] = [[]];
  for (const each of formulas) {
    const some = alternativesOf(each);
    // A conjunct with too many alternatives is left out: the rest may still be impossible.
    if (some === undefined || all.length * some.length > MAX_ALTERNATIVES) continue;
    // Impossible alternatives stay impossible, so they are dropped early.
    all = all.flatMap((left) => some.map((right) => [...left, ...right])).filter(isConsistent);
    if (all.length === 0) return [];
  }
  return all;
}

/** The constraints on the value of a term. */
interface TermConstraints {
  /** The possible values; undefined: any. */
  allowed: ReadonlySet<AtomConstant> | undefined;
  readonly excluded: Set<AtomConstant>;
  low: number;
  lowOpen: boolean;
  high: number;
  highOpen: boolean;
  ordered: boolean;
}

function isConsistent(atoms: readonly Atom[]): boolean {
  const terms = new Map<string, TermConstraints>();
  for (const atom of atoms) {
    if (atom.kind === "other") continue;
    if (atom.kind === "constant") {
      if (!atom.value) return false;
      continue;
    }
    const known = terms.get(atom.term) ?? unknown();
    terms.set(atom.term, known);
    learn(known, atom);
  }
  return [...terms.values()].every(isPossible);
}

function unknown(): TermConstraints {
  return {
    allowed: undefined,
    excluded: new Set(),
    low: Number.NEGATIVE_INFINITY,
    lowOpen: false,
    high: Number.POSITIVE_INFINITY,
    highOpen: false,
    ordered: false,
  };
}

function learn(known: TermConstraints, atom: Exclude<Atom, { readonly kind: "other" | "constant" }>): void {
  if (atom.kind === "order") {
    known.ordered = true;
    const open = atom.operator === "<" || atom.operator === ">";
    const { bound } = atom;
    if (atom.operator.startsWith("<")) {
      if (bound < known.high || (bound === known.high && open)) [known.high, known.highOpen] = [bound, open];
    } else if (bound > known.low || (bound === known.low && open)) [known.low, known.lowOpen] = [bound, open];
    return;
  }
  const values = atom.kind === "truth" ? [atom.holds] : atom.values;
  if (atom.kind === "in" && !atom.holds) {
    for (const value of values) known.excluded.add(value);
    return;
  }
  const before = known.allowed;
  known.allowed = new Set(values.filter((value) => before === undefined || before.has(value)));
}

function isPossible({ allowed, excluded, low, lowOpen, high, highOpen, ordered }: TermConstraints): boolean {
  if (low > high || (low === high && (lowOpen || highOpen))) return false;
  if (allowed === undefined) return !(ordered && low === high && excluded.has(low));
  return [...allowed].some((value) => {
    if (excluded.has(value)) return false;
    if (!ordered) return true;
    if (typeof value !== "number") return false;
    return (lowOpen ? value > low : value >= low) && (highOpen ? value < high : value <= high);
  });
}
