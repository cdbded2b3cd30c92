/** A set of functions by name and style: all functions (`registry.ts`), or those that some policies call. */

import type { CallStyle, Overload } from "./overload.js";

const NONE: readonly Overload[] = [];

export class FunctionSet {
  private readonly groups: Readonly<Record<CallStyle, ReadonlyMap<string, readonly Overload[]>>>;

  constructor(overloads: readonly Overload[]) {
    this.groups = { global: group(overloads, "global"), member: group(overloads, "member") };
  }

  /** The overloads of `name(…)` or of `x.name(…)`, in the order in which they are tried. */
  overloadsOf(name: string, style: CallStyle): readonly Overload[] {
    return this.groups[style].get(name) ?? NONE;
  }

  /** The names of all functions of either style. */
  get names(): ReadonlySet<string> {
    const { global, member } = this.groups;
    return new Set([...global.keys(), ...member.keys()]);
  }
}

function group(overloads: readonly Overload[], style: CallStyle): ReadonlyMap<string, readonly Overload[]> {
  const byName = new Map<string, Overload[]>();
  for (const overload of overloads) {
    if (overload.style !== style) continue;
    const known = byName.get(overload.name);
    if (known === undefined) byName.set(overload.name, [overload]);
    else known.push(overload);
  }
  return byName;
}
