/** Checks that a bundle matches its own policies: auditors read the policies, but programs run the functions. */

import * as E from "fp-ts/lib/Either.js";
import type { BundleFault, Certificate } from "../bundle/bundle.js";
import { BUILDER } from "../bundle/certificate.js";
import { DAMAGED, setOf } from "../bundle/load.js";
import { build } from "../bundle/module.js";
import { readBundleText } from "../bundle/text.js";
import { FULL_EQUIPMENT } from "../engine/evaluate/full-equipment.js";

const DIFFERS: BundleFault = {
  kind: "damaged",
  message:
    "it differs from the bundle that this release builds from its policies: it was changed, or another release built it; build it again",
};

/**
 * Rebuilds a bundle from its own policies, which proves the functions anew, and compares every byte. Right: the
 * certificate that was made here. Nothing relies on the one in the bundle.
 */
export async function rebuilt(source: Buffer): Promise<E.Either<BundleFault, Certificate>> {
  const read = await readBundleText(source);
  if (E.isLeft(read)) return read;
  try {
    const policies = setOf(read.right, FULL_EQUIPMENT);
    const { version } = read.right;
    const { text, certificate } = await build(policies, { version });
    return source.equals(Buffer.from(text)) ? E.right(certificate) : E.left(DIFFERS);
  } catch {
    return E.left(DAMAGED);
  }
}

/** Why a bundle is not the build of its own policies; undefined if it is. */
export async function rebuildFault(source: Buffer): Promise<BundleFault | undefined> {
  const made = await rebuilt(source);
  return E.isLeft(made) ? made.left : undefined;
}

/** The other release that a bundle says it was built by; undefined for this one. It cannot be built again here. */
export function otherBuilder(source: Buffer): string | undefined {
  const [, by] = /\ncertificate: \{"by":"(keyward [\w.+-]{1,64})"/.exec(source.toString("utf8")) ?? [];
  return by === BUILDER ? undefined : by;
}

/** What a certificate says, as a line. */
export function provedText({ by, functions, proved: { judges, combinations }, unproved }: Certificate): string {
  const whole = `certificate of ${by}: ${functions.length} functions; ${judges} judge conditions as the policies do, proved by enumeration of ${combinations.toLocaleString("en")} combinations of outcomes`;
  return unproved === 0 ? whole : `${whole}; ${unprovedText(unproved)}`;
}

/** The conditions that a certificate leaves open. */
export function unprovedText(unproved: number): string {
  return `${unproved} ${unproved === 1 ? "condition has" : "conditions have"} too many operands for a proof by enumeration`;
}
