/** Names that may be globs: actions, and the resources of principal and role policies. */

import { isGlob } from "../glob.js";
import { MAX_GLOB_LENGTH } from "../limits.js";
import type { MapNode } from "../text/tree.js";
import { positionOf, type Reading, referencesField, textField } from "./fields.js";
import type { Reference } from "./raw.js";

/** A list of different names or globs. */
export function patternsField(node: MapNode, name: string, reading: Reading): readonly string[] {
  return referencesField(node, name, reading).map((reference) => limited(reference, reading));
}

/** One name or glob; `""` if the field is absent. */
export function patternField(node: MapNode, name: string, reading: Reading): string {
  return limited({ name: textField(node, name), at: positionOf(node, name, reading.source) }, reading);
}

function limited({ name, at }: Reference, { log }: Reading): string {
  if (name.length > MAX_GLOB_LENGTH && isGlob(name)) {
    log.error("too_large", at, `the glob is longer than ${MAX_GLOB_LENGTH} characters`);
  }
  return name;
}
