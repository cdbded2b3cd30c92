/** How much is generated for one layer: what is past it keeps its closures, so memory has a bound. */

import { pathKey } from "../../cel/compile/reads.js";
import type { Slots } from "../../cel/compile.js";
import type { Definitions } from "../../policy/model.js";
import type { Generator } from "../role-rows.js";
import { type GenerateEnv, generate } from "./generate.js";
import type { Subject } from "./reads.js";

/** Characters of source for one layer. A rule takes a few hundred; machine code a few times its source. */
const MAX_SOURCE = 4_000_000;

const ROOTS: { readonly [subject in Subject]: string } = { principal: "P.attr", resource: "R.attr" };

export class GenerationLimit {
  private left = MAX_SOURCE;

  /** The generator for rows of one plan. `slots` are those that its closures were compiled with. */
  generator(definitions: Definitions, slots: Slots): Generator {
    const { count } = slots;
    const slotOf = (subject: Subject, path: readonly string[]): number | undefined => {
      const slot = slots.of(pathKey(ROOTS[subject], path));
      return slot === undefined || slot >= count ? undefined : slot;
    };
    const env: GenerateEnv = { definitions, slotOf };
    return (rows) => {
      const made = this.left <= 0 ? undefined : generate(rows, env);
      this.left -= made?.size ?? 0;
      return made;
    };
  }
}
