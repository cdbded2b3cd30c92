/** The truth of an expression for rows, as three outlines, and joins of such truths. */

import type { TruthsWhen } from "../plan/walk.js";
import { EVERY, MAYBE, NO } from "./filter.js";
import { all, any } from "./join.js";
import type { Outline } from "./outline.js";

/** For rows outside both `holds` and `fails`, the expression errs or its value is not a boolean. */
export type RowTruths = TruthsWhen<Outline>;

export const ALWAYS: RowTruths = { holds: EVERY, fails: NO, isDefined: EVERY };
export const NEVER: RowTruths = { holds: NO, fails: EVERY, isDefined: EVERY };
export const NEITHER: RowTruths = { holds: NO, fails: NO, isDefined: NO };
export const EITHER: RowTruths = { holds: MAYBE, fails: MAYBE, isDefined: MAYBE };

/** Computes each outline on first use: most are never used. */
class LazyTruths implements RowTruths {
  private readonly make: { readonly [one in keyof RowTruths]: () => Outline };
  private readonly made: { -readonly [one in keyof RowTruths]?: Outline } = {};

  constructor(make: LazyTruths["make"]) {
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
export function definedTruths(holds: Outline, fails: Outline): RowTruths {
  return new LazyTruths({ holds: () => holds, fails: () => fails, isDefined: () => any([holds, fails]) });
}

export function junction(parts: readonly (RowTruths | undefined)[], decisive: boolean): RowTruths | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  const holds = () => known.map((part) => part.holds);
  const fails = () => known.map((part) => part.fails);
  return new LazyTruths({
    holds: () => (decisive ? any : all)(holds()),
    fails: () => (decisive ? all : any)(fails()),
    isDefined: () => any([...(decisive ? holds() : fails()), all(known.map((part) => part.isDefined))]),
  });
}

export function negated(part: RowTruths | undefined): RowTruths | undefined {
  return part && new LazyTruths({ holds: () => part.fails, fails: () => part.holds, isDefined: () => part.isDefined });
}

export function conditional([test, yes, no]: readonly (RowTruths | undefined)[]): RowTruths | undefined {
  if (test === undefined || yes === undefined || no === undefined) return undefined;
  const either = (a: Outline, b: Outline) => any([all([test.holds, a]), all([test.fails, b])]);
  return new LazyTruths({
    holds: () => either(yes.holds, no.holds),
    fails: () => either(yes.fails, no.fails),
    isDefined: () => either(yes.isDefined, no.isDefined),
  });
}

/** Whether two truths are equal or, with `equal: false`, different. */
export function equality([a, b]: readonly (RowTruths | undefined)[], equal: boolean): RowTruths | undefined {
  if (a === undefined || b === undefined) return undefined;
  const same = () => any([all([a.holds, b.holds]), all([a.fails, b.fails])]);
  const other = () => any([all([a.holds, b.fails]), all([a.fails, b.holds])]);
  const isSaid = () => all([a.isDefined, b.isDefined]);
  return new LazyTruths(
    equal ? { holds: same, fails: other, isDefined: isSaid } : { holds: other, fails: same, isDefined: isSaid },
  );
}

/** Some of these hold, and none errs. */
export function someTruths(parts: readonly RowTruths[]): RowTruths {
  const othersAreSaid = (one: RowTruths) => all(parts.flatMap((other) => (other === one ? [] : [other.isDefined])));
  return new LazyTruths({
    holds: () => any(parts.map((part) => all([part.holds, othersAreSaid(part)]))),
    fails: () => all(parts.map((part) => part.fails)),
    isDefined: () => all(parts.map((part) => part.isDefined)),
  });
}

/** A test that is evaluated where the guard holds and is defined where `isSaid` holds. */
export function guardedTruths(guard: Outline, isSaid: Outline, holds: Outline, fails: Outline): RowTruths {
  return new LazyTruths({
    holds: () => all([guard, holds]),
    fails: () => all([guard, isSaid, fails]),
    isDefined: () => all([guard, isSaid]),
  });
}
