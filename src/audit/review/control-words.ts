/** The coverage of a control, in words. */

import type { ControlFacts } from "./types.js";

export const CONTROL_WORDS: { readonly [coverage in ControlFacts["coverage"]]: string } = {
  tested: "tested",
  carried: "tests not run",
  untested: "not all tested",
  missing: "no rule",
};
