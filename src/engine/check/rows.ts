/** Rows: one rule of a policy, compiled, as a check looks at it (reference §2.5). */

import type { Code } from "../../cel/compile.js";
import type { Position } from "../../policy/issue.js";
import type { Effect, Expression } from "../../policy/model.js";
import type { Check } from "../condition.js";
import type { ActionIndex, ActionMatchers } from "./actions.js";

/** A derived role of one policy, compiled. */
export interface CompiledDerivedRole {
  readonly name: string;
  readonly parentRoles: ReadonlySet<string>;
  readonly anyParent: boolean;
  /** For the rules that list it. */
  readonly check: Check | undefined;
  /** For `effectiveDerivedRoles`: differs in what `has()` says of variables that err (see `definitions.ts`). */
  readonly activeCheck: Check | undefined;
}

export interface CompiledOutput {
  readonly source: Expression;
  readonly code: Code;
  /** What is reported where the expression fails. */
  readonly failed: string | null;
}

export interface CompiledRow extends ActionMatchers {
  /** Policy and rule: `resource.doc.vdefault/acme#owner`. */
  readonly src: string;
  readonly policy: string;
  readonly rule: string;
  /** See `Reason.reason`. */
  readonly reason: string;
  /** Where the rule stands: the object of the model. */
  readonly at: Position;
  readonly effect: Effect;
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
  readonly byAction: ActionIndex<CompiledRow>;
  /** The derived roles that some rule lists. */
  readonly derivedRoles: readonly CompiledDerivedRole[];
  readonly slots: number;
}
