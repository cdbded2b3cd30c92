/** The extent of a change: the ways that its requests have in common, in words. */

import type { Ways } from "../../proof/ways/minimal-grants.js";
import { requirementWords } from "../who/words.js";
import type { ChangeWay, DecisionChange } from "./types.js";

/** The most ways that are looked for. With more, the change is shown by an example. */
export const MAX_WAYS = 12;

/** How far a change reaches. */
export type ChangeExtent = Pick<DecisionChange, "extent" | "ways">;

export const EXAMPLE: ChangeExtent = { extent: "example", ways: [] };

/** The ways to a change in words, if it is proved that there are no others. */
export function extentOf({ ways, unshown, why }: Ways): ChangeExtent {
  // Words do not tell one of several schemas from the others.
  const isVague = ways.some(({ requires }) =>
    requires.some(({ statement: { about } }) => about.kind === "schemas" && about.enforcement === undefined),
  );
  if (why !== undefined || unshown.length > 0 || ways.length === 0 || isVague) return EXAMPLE;
  return {
    extent: "exact",
    ways: ways.map(({ requires, request }): ChangeWay => ({ when: requires.map(requirementWords), request })),
  };
}
