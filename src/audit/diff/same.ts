import type { PolicySet } from "../../decisions/policy-set.js";
import type { Layer } from "../../engine/evaluate/layer.js";
import { LAYERS } from "../../space/dimension.js";

/** Have two sets the same texts, compiled with the same options? A bundle has no texts to compare. */
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
