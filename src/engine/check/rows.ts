/** Rows: one rule of a policy, compiled, as a check looks at it (reference §2.5). */

import type { Code } from "../../cel/compile.js";
import type { Glob } from "../../policy/glob.js";
import type { Position } from "../../policy/issue.js";
import type { Effect, Expression } from "../../policy/model.js";
import type { Check } from "../condition.js";

/** A derived role of one policy, compiled. */
export interface CompiledDerivedRole {
  readonly name: string;
  readonly parentRoles: ReadonlySet<string>;
  readonly anyParent: boolean;
  readonly check: Check | undefined;
}

export interface CompiledOutput {
  readonly source: Expression;
  readonly code: Code;
}

export interface CompiledRow {
  /** Policy and rule: `resource.doc.vdefault/acme#owner`. */
  readonly src: string;
  readonly policy: string;
  readonly rule: string;
  /** See `Reason.reason`. */
  readonly reason: string;
  /** Where the rule stands: the object of the model. */
  readonly at: Position;
  readonly effect: Effect;
  readonly actions: ReadonlySet<string>;
  readonly actionGlobs: readonly Glob[];
  /** Roles that the rule names; `anyRole` if `*` is among them. */
  readonly roles: ReadonlySet<string>;
  readonly anyRole: boolean;
  readonly derivedRoles: readonly CompiledDerivedRole[];
  readonly check: Check | undefined;
  readonly whenActivated: CompiledOutput | undefined;
  readonly whenNotMet: CompiledOutput | undefined;
}

/** A policy of one scope, compiled: its rows share slots. */
export interface CompiledRows {
  readonly key: string;
  readonly rows: readonly CompiledRow[];
  /** The derived roles that some rule lists. */
  readonly derivedRoles: readonly CompiledDerivedRole[];
  readonly slots: number;
}

/** Whether a row is about an action. */
export function isAbout(row: Pick<CompiledRow, "actions" | "actionGlobs">, action: string): boolean {
  return row.actions.has(action) || row.actionGlobs.some((glob) => glob(action));
}

/** How many entries of a rule's actions an action matches: each is a row of the server's, with an output of its own. */
export function entriesFor(row: Pick<CompiledRow, "actions" | "actionGlobs">, action: string): number {
  return (row.actions.has(action) ? 1 : 0) + row.actionGlobs.filter((glob) => glob(action)).length;
}
