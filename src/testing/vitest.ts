/** `import "keyward/testing/vitest"`: the matchers for decisions in vitest's `expect`, and in its types. */

import { expect } from "vitest";
import { type DecisionMatchers, matchers } from "./matchers.js";

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: interfaces merge only where their type parameters are alike.
  interface Matchers<T = any> extends DecisionMatchers<T, T> {}
}

expect.extend(matchers);
