/** Claims: what must hold of all decisions, in a sentence that can be signed, and in a form that can be proved. */

import type { Outcome } from "../../decisions/types.js";
import type { Position } from "../../policy/issue.js";
import type { Expression } from "../../policy/model.js";
import type { RequestJson } from "../../space/draft.js";

export interface Claim {
  /** The sentence. */
  readonly claim: string;
  /** The operations that it is about; undefined: all that the policies name. */
  readonly operations: readonly Named[] | undefined;
  /** The kinds of resources; undefined: all that the policies name. */
  readonly kinds: readonly Named[] | undefined;
  /** What is so of the requests that it is about: CEL over `key`, `resource`, `account` and `now()`. */
  readonly assume: readonly Expression[];
  /** What must never come out, or what must always. */
  readonly never: readonly Outcome[];
  readonly at: Position;
}

export interface Named {
  readonly name: string;
  readonly at: Position;
}

export type ClaimResult = "proved" | "broken" | "unproven";

/** What a claim or a law came to. */
export interface Proved {
  readonly claim: string;
  /** `file:line:column`; `""` for a law, which comes with every set. */
  readonly position: string;
  readonly result: ClaimResult;
  /** How it was proved, or why it is not. */
  readonly why: string;
  /** How many operations on kinds of resources it was asked about. */
  readonly questions: number;
  /** Of a broken one: the smallest request that was found, and what is decided. */
  readonly request?: RequestJson;
  /** Of a broken law about two requests: the second, which `outcome` is decided on. */
  readonly changed?: RequestJson;
  readonly outcome?: Outcome;
}
