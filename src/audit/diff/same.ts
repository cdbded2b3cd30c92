/** Whether two policy sets are one and the same. */

import type { PolicySet } from "../../decisions/policy-set.js";
import type { Layer } from "../../engine/evaluate/layer.js";
import { LAYERS } from "../../space/dimension.js";

/** Whether two sets are the same texts, compiled in the same way. Of a bundle there are no texts to look at. */
export function areSame(a: PolicySet, b: PolicySet): boolean {
  const { files } = a;
  const haveSameFiles =
    files.length === b.files.length && files.every(({ path, text }, i) => isFile(b.files[i], path, text));
  return files.length > 0 && haveSameFiles && LAYERS.every((name) => areCompiledAlike(a[name], b[name]));
}

function isFile(file: PolicySet["files"][number] | undefined, path: string, text: string): boolean {
  return file?.path === path && file.text === text;
}

function areCompiledAlike(a: Layer | undefined, b: Layer | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const haveSameGlobals = a.globals === b.globals || [a, b].every(({ globals }) => Object.keys(globals).length === 0);
  const haveSameSchemas = a.enforcesSchemas === b.enforcesSchemas && a.typedReads === b.typedReads;
  return a.version === b.version && haveSameGlobals && haveSameSchemas;
}
