/**
 * Functions for several plans at a time say what those for one plan say. Whatever holds of generated functions, of deciders and of
 * bundles is asked once more, where every function that can be is for several, however short it is.
 */

import { vi } from "vitest";

vi.mock("../../src/engine/generate/selection.js", async (original) => ({
  ...(await original<typeof import("../../src/engine/generate/selection.js")>()),
  isWorthwhile: () => true,
}));

await import("../engine/generate.test.js");
await import("../engine/language/generated.test.js");
await import("./decider.test.js");
await import("./bundle.test.js");
await import("./bundle-names.test.js");
await import("../engine/generate/lists-read.test.js");
await import("../hostile/values.test.js");
await import("../decisions/typed-reads.test.js");
await import("../decisions/hostile.test.js");
