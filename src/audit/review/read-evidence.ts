/** Reads evidence that was written earlier, perhaps by somebody else. */

import * as E from "fp-ts/lib/Either.js";
import type { JsonValue } from "../../cel/json.js";
import { SchemaValidator } from "../../schema/validator.js";
import type { Evidence } from "./evidence.js";
import { EVIDENCE_SCHEMA } from "./evidence-schema.js";

const REF = "cerbos:///evidence.json";
const SCHEMA: JsonValue = JSON.parse(JSON.stringify(EVIDENCE_SCHEMA));
const VALIDATOR = new SchemaValidator(new Map([[REF, SCHEMA]]));

/** Left: why the text is not evidence. */
export function readEvidence(text: string): E.Either<string, Evidence> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return E.left("it is not evidence of a review: it is not JSON");
  }
  const [fault] = faultsOf(value);
  if (isEvidence(value)) return E.right(value);
  const at = fault === undefined || fault.path === "/" ? "" : `${fault.path} `;
  return E.left(`it is not evidence of a review: ${at}${fault?.message ?? ""}`);
}

function faultsOf(value: unknown) {
  return VALIDATOR.validate(REF, value);
}

function isEvidence(value: unknown): value is Evidence {
  return faultsOf(value).length === 0;
}
