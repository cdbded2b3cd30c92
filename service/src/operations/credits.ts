/** Credits of keys, from requests to rows: how often a key may still be verified. */

import type { z } from "@hono/zod-openapi";
import type { KeyCredits, NewCredits } from "../store/rows.js";
import type { ParameterValue } from "../store/store.js";
import type * as schemas from "./schemas.js";

/** `null`: the use is not limited; `undefined`: nothing is set. */
export type CreditsInput = z.output<typeof schemas.newCredits> | null | undefined;

/** The credits of a key once they are set. */
export function creditsFrom(input: NonNullable<CreditsInput> | null): KeyCredits | null {
  return input && { remaining: input.remaining, refill: input.refill ?? null };
}

/** The parameter of statements that set credits. */
export function creditsParameter(input: CreditsInput): string | null {
  if (input === undefined) return null;
  const set: NewCredits = { remaining: input?.remaining ?? null, ...input?.refill };
  return JSON.stringify(set);
}

/** The values for the audit. */
export function aboutCredits(input: CreditsInput): { readonly [field: string]: ParameterValue } {
  if (input === undefined) return {};
  const { amount = null, every = null } = input?.refill ?? {};
  return { credits: input?.remaining ?? null, refillAmount: amount, refillEvery: every };
}
