import type { AllowChance } from "../operations/types.js";

/** The cells of the table of operations. */
export const CHANCE_WORDS: { readonly [C in AllowChance]: string } = {
  always: "always",
  unless_missing: "always, unless data is missing",
  conditional: "when …",
  never: "no",
};

/** The cells of its column for the platform. */
export const SUPPORT_WORDS: { readonly [C in AllowChance]: string } = {
  always: "supported",
  unless_missing: "supported, unless data is missing",
  conditional: "when …",
  never: "forbidden",
};
