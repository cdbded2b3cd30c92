/** `import "keyward/testing/vitest"` adds the matchers for decisions to vitest's `expect` and to its types. */

import { expect } from "vitest";
import { type DecisionMatchers, matchers } from "./matchers.js";

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: interfaces merge only where their type parameters are alike.
  interface Matchers<T = any> extends DecisionMatchers<T, T> {}
}

expect.extend(matchers);
