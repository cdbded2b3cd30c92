/** Bundles of policy sets, as programs import them. */

import { isLeft } from "fp-ts/lib/Either.js";
import type { Bundle } from "../../src/bundle/bundle.js";
import { EVERYTHING } from "../../src/bundle/everything.js";
import { type BundleOptions, loadBundle } from "../../src/bundle/load.js";
import { bundleText } from "../../src/bundle/module.js";
import { loadBundleText } from "../../src/bundle/text.js";
import type { PolicySet } from "../../src/index.js";

/** The bundle that a module exports. Its text is run here, since its import of the package cannot be resolved. */
export function imported(text: string): Bundle {
  const [first = "", ...rest] = text.replace(/^import [^\n]*\n/m, "").split("export const bundle = ");
  if (!first.startsWith("// Written by keyward build")) throw new Error("this is no bundle");
  return new Function("EVERYTHING", `"use strict";\nreturn ${rest.join("export const bundle = ")}`)(EVERYTHING);
}

/** A policy set as two bundles: from the module and from its text. */
export async function bundledSets(
  set: PolicySet,
  options: BundleOptions = {},
): Promise<{ readonly module: PolicySet; readonly text: PolicySet }> {
  const text = await bundleText(set);
  const [module, read] = [loadBundle(imported(text), options), await loadBundleText(text, options)];
  if (isLeft(module)) throw new Error(module.left.message);
  if (isLeft(read)) throw new Error(read.left.message);
  return { module: module.right, text: read.right };
}
