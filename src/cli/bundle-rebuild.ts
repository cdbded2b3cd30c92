/** Checks that a bundle matches its own policies: auditors read the policies, but programs run the functions. */

import * as E from "fp-ts/lib/Either.js";
import { plural } from "../audit/plural.js";
import type { BundleFault, Certificate } from "../bundle/bundle.js";
import { BUILDER } from "../bundle/certificate.js";
import { DAMAGED, setOf } from "../bundle/load.js";
import { type BuiltBundle, build } from "../bundle/module.js";
import { readBundleText } from "../bundle/text.js";
import { FULL_EQUIPMENT } from "../engine/evaluate/full-equipment.js";
import { isCodeAllowed } from "../engine/generate/generate.js";
import { printable } from "../policy/escape.js";

const DIFFERS: BundleFault = {
  kind: "damaged",
  message:
    "it differs from the bundle that this release builds from its policies: it was changed, or another release built it; build it again",
};

/**
 * Rebuilds a bundle from its own policies, which proves the functions anew, and compares every byte. Right: the
 * certificate that was made here, which says what is proved, and the judges. Nothing relies on the certificate in the
 * bundle.
 */
export async function rebuilt(
  source: Buffer,
): Promise<E.Either<BundleFault, Pick<BuiltBundle, "certificate" | "judges">>> {
  const read = await readBundleText(source);
  if (E.isLeft(read)) return read;
  try {
    const policies = setOf(read.right, FULL_EQUIPMENT);
    const { version } = read.right;
    const { text, certificate, judges } = await build(policies, { version });
    const isSame = source.equals(Buffer.from(text));
    return isSame || (!isCodeAllowed() && isSameButProof(source, text))
      ? E.right({ certificate, judges })
      : E.left(DIFFERS);
  } catch {
    return E.left(DAMAGED);
  }
}

/** Where code may not be made from strings, nothing is proved, so the certificate made here is another one. */
function isSameButProof(source: Buffer, text: string): boolean {
  const [theirs, ours] = [source.toString("utf8"), text].map((one) =>
    one.slice(one.indexOf("\n")).replace(/\ncertificate: [^\n]*\n\};\n$/, ""),
  );
  return theirs === ours;
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

/** A certificate as text: a line, and a line for each condition that is not proved. */
export function provedText({
  by,
  functions,
  proved: { judges, combinations, compared },
  unproved,
}: Certificate): string {
  const enumerated = `proved by enumeration of ${combinations.toLocaleString("en")} combinations of outcomes`;
  const nodes = compared === 0 ? "" : ` and by comparison of ${plural(compared, "condition")} node by node`;
  const whole = `certificate of ${by}: ${functions.length} functions; ${judges} judge conditions as the policies do, ${enumerated}${nodes}`;
  return [whole, ...unproved.map(({ at, why }) => printable(`not proved: ${at}: ${why}`))].join("\n");
}
