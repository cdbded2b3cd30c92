/** Inspecting a policy set shows its findings and hides the library's internals; `isAllowed` reads a decision. */

import { inspect } from "node:util";
import { expect, test } from "vitest";
import { decide, isAllowed } from "../../src/index.js";
import { bundledSets } from "../support/bundles.js";
import { shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";

const REQUEST = ask("keys.createKey", { roles: ["editor"] });

test.each([
  ["compiled from files", async () => shipped],
  ["out of a bundle", async () => (await bundledSets(shipped)).module],
])("a set %s shows its findings alone", async (_, load) => {
  const policies = await load();
  expect(Object.keys(policies)).toEqual(["warnings"]);
  expect(JSON.parse(JSON.stringify(policies))).toEqual({ warnings: [] });
  expect(inspect(policies)).toBe("CompiledPolicySet { warnings: [] }");
  // A copy has no layers, so it is not a policy set and allows nothing.
  expect(decide({ ...policies }, REQUEST)).toMatchObject({ outcome: "forbidden", fault: { kind: "invalid_policies" } });
  expect(isAllowed(decide(policies, REQUEST))).toBe(true);
});

test("isAllowed is true of the outcome allow alone", () => {
  expect(isAllowed({ outcome: "allow" })).toBe(true);
  expect(isAllowed({ outcome: "insufficient_permissions" })).toBe(false);
  expect(isAllowed({ outcome: "forbidden" })).toBe(false);
});
