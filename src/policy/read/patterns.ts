/** Reads names that may be globs: actions, roles, and the resources of principal and role policies. */

import { MAX_GLOB_LENGTH } from "../../limits.js";
import { departsBeyondAscii, globFault, isGlob, looksLikeGlob, matchesOverlaps } from "../glob.js";
import type { MapNode } from "../text/tree.js";
import { positionOf, type ReadContext, referencesField, textField } from "./fields.js";
import type { NamedReference } from "./raw.js";

/** The entries of a field that are globs: those with an asterisk (as in most fields), or all. */
export type GlobsIn = "asterisk" | "all";

/** A list of distinct names or globs. */
export function patternsField(
  node: MapNode,
  name: string,
  reading: ReadContext,
  globs: GlobsIn = "asterisk",
): readonly NamedReference[] {
  const references = referencesField(node, name, reading);
  for (const reference of references) checkPattern(reference, reading, globs);
  return references;
}

/** One name or glob; `""` if the field is absent. */
export function patternField(node: MapNode, name: string, reading: ReadContext): string {
  const text = textField(node, name);
  checkPattern({ name: text, at: positionOf(node, name, reading.source) }, reading, "asterisk");
  return text;
}

const LIST_THEM = "list the names that it should match, one by one";

function checkPattern({ name, at }: NamedReference, { log }: ReadContext, globs: GlobsIn): void {
  if (globs === "asterisk" && !isGlob(name)) {
    if (!looksLikeGlob(name)) return;
    log.warning("shape", at, `"${name}" is a name to the server, and no pattern: it has no asterisk. ${CAPITAL_LIST}`);
    return;
  }
  if (name.length > MAX_GLOB_LENGTH) {
    log.error("too_large", at, `the glob is longer than ${MAX_GLOB_LENGTH} characters`);
    return;
  }
  const fault = globFault(name);
  if (fault !== undefined) {
    const message = `the pattern "${name}" matches other names on the server than it says: ${fault}`;
    log.error("unsupported", at, message, LIST_THEM);
  } else if (departsBeyondAscii(name)) {
    const reason = "the server reads one byte for a `?` or a negated class directly beside other characters";
    log.warning("shape", at, `the server matches texts beyond ASCII otherwise than "${name}" says: ${reason}`);
  } else if (matchesOverlaps(name)) {
    const message = `"${name}" matches also where its ends overlap, as on the server: a text that is shorter than both`;
    log.warning("shape", at, `${message}. ${CAPITAL_LIST}`);
  }
}

const CAPITAL_LIST = `L${LIST_THEM.slice(1)}`;
