/** Certificates of bundles: see {@link Certificate}. */

import type { Certificate } from "./bundle.js";
import { sha256 } from "./digest.js";
import type { Texts } from "./packed.js";
import { VERSION } from "./version.js";
import type { WrittenFunctions } from "./written-functions.js";

/** This release, as a certificate names it. */
export const BUILDER = `keyward ${VERSION}`;

export async function certificateOf(texts: Texts, { functions, proofs }: WrittenFunctions): Promise<Certificate> {
  const sum = (count: "combinations" | "unproved") => proofs.reduce((total, proof) => total + proof[count], 0);
  return {
    by: BUILDER,
    texts: await sha256(texts.join("\n")),
    functions: await Promise.all(functions.map(([, code]) => sha256(code.text))),
    proved: { judges: proofs.filter(({ unproved }) => unproved === 0).length, combinations: sum("combinations") },
    unproved: sum("unproved"),
  };
}
