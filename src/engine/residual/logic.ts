/** The truth of an expression for rows, as three outlines, and joins of such truths. */

import type { TruthsWhen } from "../plan/walk.js";
import { EVERY, MAYBE, NO } from "./filter.js";
import { all, any } from "./join.js";
import type { Outline } from "./outline.js";

/** For rows outside both `holds` and `fails`, the expression errs or its value is not a boolean. */
export type Truths = TruthsWhen<Outline>;

export const ALWAYS: Truths = { holds: EVERY, fails: NO, isDefined: EVERY };
export const NEVER: Truths = { holds: NO, fails: EVERY, isDefined: EVERY };
export const NEITHER: Truths = { holds: NO, fails: NO, isDefined: NO };
export const EITHER: Truths = { holds: MAYBE, fails: MAYBE, isDefined: MAYBE };

/** Computes each outline on first use: most are never used. */
class Lazy implements Truths {
  private readonly make: { readonly [one in keyof Truths]: () => Outline };
  private readonly made: { -readonly [one in keyof Truths]?: Outline } = {};

  constructor(make: Lazy["make"]) {
    this.make = make;
  }

  get holds(): Outline {
    this.made.holds ??= this.make.holds();
    return this.made.holds;
  }

  get fails(): Outline {
    this.made.fails ??= this.make.fails();
    return this.made.fails;
  }

  get isDefined(): Outline {
    this.made.isDefined ??= this.make.isDefined();
    return this.made.isDefined;
  }
}

/** A truth that is defined exactly where `holds` or `fails` holds. */
export function said(holds: Outline, fails: Outline): Truths {
  return new Lazy({ holds: () => holds, fails: () => fails, isDefined: () => any([holds, fails]) });
}

export function junction(parts: readonly (Truths | undefined)[], decisive: boolean): Truths | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  const holds = () => known.map((part) => part.holds);
  const fails = () => known.map((part) => part.fails);
  return new Lazy({
    holds: () => (decisive ? any : all)(holds()),
    fails: () => (decisive ? all : any)(fails()),
    isDefined: () => any([...(decisive ? holds() : fails()), all(known.map((part) => part.isDefined))]),
  });
}

export function negated(part: Truths | undefined): Truths | undefined {
  return part && new Lazy({ holds: () => part.fails, fails: () => part.holds, isDefined: () => part.isDefined });
}

export function conditional([test, yes, no]: readonly (Truths | undefined)[]): Truths | undefined {
  if (test === undefined || yes === undefined || no === undefined) return undefined;
  const either = (a: Outline, b: Outline) => any([all([test.holds, a]), all([test.fails, b])]);
  return new Lazy({
    holds: () => either(yes.holds, no.holds),
    fails: () => either(yes.fails, no.fails),
    isDefined: () => either(yes.isDefined, no.isDefined),
  });
}

/** Whether two truths are equal or, with `equal: false`, different. */
export function equality([a, b]: readonly (Truths | undefined)[], equal: boolean): Truths | undefined {
  if (a === undefined || b === undefined) return undefined;
  const same = () => any([all([a.holds, b.holds]), all([a.fails, b.fails])]);
  const other = () => any([all([a.holds, b.fails]), all([a.fails, b.holds])]);
  const isSaid = () => all([a.isDefined, b.isDefined]);
  return new Lazy(
    equal ? { holds: same, fails: other, isDefined: isSaid } : { holds: other, fails: same, isDefined: isSaid },
  );
}

/** Some of these hold, and none errs. */
export function some(parts: readonly Truths[]): Truths {
  const othersAreSaid = (one: Truths) => all(parts.flatMap((other) => (other === one ? [] : [other.isDefined])));
  return new Lazy({
    holds: () => any(parts.map((part) => all([part.holds, othersAreSaid(part)]))),
    fails: () => all(parts.map((part) => part.fails)),
    isDefined: () => all(parts.map((part) => part.isDefined)),
  });
}

/** A test that is evaluated where the guard holds and is defined where `isSaid` holds. */
export function tested(guard: Outline, isSaid: Outline, holds: Outline, fails: Outline): Truths {
  return new Lazy({
    holds: () => all([guard, holds]),
    fails: () => all([guard, isSaid, fails]),
    isDefined: () => all([guard, isSaid]),
  });
}
