/** Tells which fields of `keyward.yaml` the options of a command override. */

import { type ConfigurationNotes, configurationNotes, overriddenWords } from "../decisions/configuration-notes.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { printable } from "../policy/escape.js";
import type { Streams } from "./exit.js";

/** Prints a line to `err` if options override fields. */
export function tellOverridden(notes: Pick<ConfigurationNotes, "overridden">, { err }: Pick<Streams, "err">): void {
  const words = overriddenWords(notes);
  if (words !== undefined) err(`note: ${printable(words)}\n`);
}

/** {@link tellOverridden} of a set. Returns the set. */
export function tellingOverridden(set: PolicySet, streams: Pick<Streams, "err">): PolicySet {
  tellOverridden(configurationNotes([set]), streams);
  return set;
}
