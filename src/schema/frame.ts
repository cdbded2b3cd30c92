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
}

/** There may be more of them than a call takes arguments. */
export function addFaults(faults: Fault[], others: readonly Fault[]): void {
  for (const fault of others) faults.push(fault);
}

export function report({ faults, path }: Frame, message: string): void {
  faults.push({ path: path || "/", message });
}
