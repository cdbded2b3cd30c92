/** Checks that a bundle matches its own policies: auditors read the policies, but programs run the functions. */

import * as E from "fp-ts/lib/Either.js";
import type { BundleFault } from "../bundle/bundle.js";
import { DAMAGED, setOf } from "../bundle/load.js";
import { bundleText } from "../bundle/module.js";
import { readBundleText } from "../bundle/text.js";
import { FULL_EQUIPMENT } from "../engine/evaluate/full-equipment.js";

const DIFFERS: BundleFault = {
  kind: "damaged",
  message:
    "it differs from the bundle that this release builds from its policies: it was changed, or another release built it; build it again",
};

/** Rebuilds a bundle from its own policies, and compares every byte. */
export async function rebuildFault(source: Buffer): Promise<BundleFault | undefined> {
  const read = await readBundleText(source);
  if (E.isLeft(read)) return read.left;
  try {
    const policies = setOf(read.right, FULL_EQUIPMENT);
    const { version } = read.right;
    return source.equals(Buffer.from(await bundleText(policies, { version }))) ? undefined : DIFFERS;
  } catch {
    return DAMAGED;
  }
}
