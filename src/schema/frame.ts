/** One schema against one value: what a validation knows while it is there, and what it finds. */

import type { Resource } from "./documents.js";
import type { SchemaObject } from "./keywords.js";

export interface Fault {
  /** JSON pointer, escaped as in a URL; `/` for the whole. */
  readonly path: string;
  readonly message: string;
}

/** Members and items that no keyword has looked at yet; undefined where nobody will ask. */
export interface Open {
  members: Set<string> | undefined;
  items: Set<number> | undefined;
}

/** One schema against one value. */
export interface Frame {
  readonly schema: SchemaObject;
  readonly resource: Resource;
  readonly value: unknown;
  readonly path: string;
  readonly faults: Fault[];
  readonly open: Open;
  /** Pays for steps of the validation, which ends when they are too many. */
  readonly spend: Spend;
}

/** Throws once the steps of a validation are spent. */
export type Spend = (steps: number) => void;

/** A fault takes memory, and its message may repeat a text of the value. */
const REPORT_COST = 10;

/** There may be more of them than a call takes arguments. */
export function addFaults({ faults, spend }: Pick<Frame, "faults" | "spend">, others: readonly Fault[]): void {
  spend(others.length);
  for (const fault of others) faults.push(fault);
}

export function report({ faults, path, spend }: Frame, message: string): void {
  spend(REPORT_COST + (message.length >> 5));
  faults.push({ path: path || "/", message });
}
