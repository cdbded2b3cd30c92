/** Evidence of reviews in files that were named on the command line. */

import * as E from "fp-ts/lib/Either.js";
import type { Evidence } from "../audit/review/evidence.js";
import { readEvidence } from "../audit/review/read-evidence.js";
import { UsageError } from "./exit.js";

/** The evidence in the text of a file. Throws a {@link UsageError} for any other text. */
export function evidenceIn(path: string, text: string): Evidence {
  const read = readEvidence(text);
  if (E.isLeft(read)) throw new UsageError(`${path}: ${read.left}`);
  return read.right;
}
