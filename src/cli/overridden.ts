/** Tells which fields of `keyward.yaml` the options of a command override. */

import { configurationNotes, overriddenWords } from "../decisions/configuration-notes.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { printable } from "../policy/escape.js";
import type { Streams } from "./exit.js";

/** Prints a line to `err` if options override fields. Returns the set. */
export function tellingOverridden(set: PolicySet, { err }: Pick<Streams, "err">): PolicySet {
  const words = overriddenWords(configurationNotes([set]));
  if (words !== undefined) err(`note: ${printable(words)}\n`);
  return set;
}
