/** Separate from the options' readers, which load Cerbos's messages: help is shown without loading them. */

import type { CliOptions } from "./usage.js";

export const TOKEN_OPTIONS: CliOptions = {
  "key-sets": {
    value: "FILE",
    does: "verify tokens in auxData by auxData.jwt of this configuration of a Cerbos server (needs jose)",
  },
  "insecure-jwt": {
    does: "accept tokens in auxData without checking their signatures (without either option they are refused)",
  },
};
