/** Certificates of bundles: see {@link Certificate}. */

import type { Certificate, UnprovedCondition } from "./bundle.js";
import { sha256 } from "./digest.js";
import type { Texts } from "./packed.js";
import { VERSION } from "./version.js";
import type { WrittenFunctions } from "./written-functions.js";

/** This release, as a certificate names it. */
export const BUILDER = `keyward ${VERSION}`;

export async function certificateOf(texts: Texts, { functions, proofs }: WrittenFunctions): Promise<Certificate> {
  const sum = (count: "combinations" | "compared") => proofs.reduce((total, proof) => total + proof[count], 0);
  return {
    by: BUILDER,
    texts: await sha256(texts.join("\n")),
    functions: await Promise.all(functions.map(([, code]) => sha256(code.text))),
    proved: {
      judges: proofs.filter(({ unproved }) => unproved.length === 0).length,
      combinations: sum("combinations"),
      compared: sum("compared"),
    },
    unproved: distinct(proofs.flatMap(({ unproved }) => unproved)),
  };
}

/** A condition may stand in several functions. */
function distinct(all: readonly UnprovedCondition[]): readonly UnprovedCondition[] {
  return [...new Map(all.map((one) => [JSON.stringify([one.at, one.why]), one])).values()];
}
