/** The context of a validation step: one schema, one value, and the faults found. */

import type { SchemaResource } from "./documents.js";
import type { SchemaObject } from "./keywords.js";

export interface SchemaValidationFault {
  /** JSON pointer, escaped as in a URL; `/` for the whole value. */
  readonly path: string;
  readonly message: string;
}

/** Members and items that no keyword has evaluated yet; undefined if no keyword will ask for them. */
export interface UnevaluatedParts {
  members: Set<string> | undefined;
  items: Set<number> | undefined;
}

/** One schema applied to one value. */
export interface ValidationFrame {
  readonly schema: SchemaObject;
  readonly resource: SchemaResource;
  readonly value: unknown;
  readonly path: string;
  readonly faults: SchemaValidationFault[];
  readonly open: UnevaluatedParts;
  /** Pays for steps of the validation, and ends it when the budget is exhausted. */
  readonly spend: SpendSteps;
}

/** Throws once the steps of a validation are spent. */
export type SpendSteps = (steps: number) => void;

/** A fault takes memory, and its message may quote a text of the value. */
const REPORT_COST = 10;

/** A loop, since `push(...others)` fails when there are more faults than a call accepts arguments. */
export function addFaults(
  { faults, spend }: Pick<ValidationFrame, "faults" | "spend">,
  others: readonly SchemaValidationFault[],
): void {
  spend(others.length);
  for (const fault of others) faults.push(fault);
}

export function report({ faults, path, spend }: ValidationFrame, message: string): void {
  spend(REPORT_COST + (message.length >> 5));
  faults.push({ path: path || "/", message });
}
