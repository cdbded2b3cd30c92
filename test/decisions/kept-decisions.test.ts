/** The decision cache holds as many questions as the policies have. */

import { expect, test } from "vitest";
import { compilePoliciesOrThrow, decide, type PolicyFile } from "../../src/index.js";

const ACTIONS = ["read", "edit", "send", "drop"];

function policyFor(resource: string): PolicyFile {
  const rules = [{ actions: ACTIONS, roles: ["user"], effect: "EFFECT_ALLOW" }];
  const resourcePolicy = { resource, version: "default", rules };
  return { path: `${resource}.json`, text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy }) };
}

test("more questions than are looked up by their names at once have the decisions that they had before", () => {
  const kinds = Array.from({ length: 500 }, (_, i) => `kind_${i}`);
  const policies = compilePoliciesOrThrow(kinds.map(policyFor), { platform: "none" });
  const key = { id: "ann", roles: ["user"] };
  const questions = kinds.flatMap((kind) =>
    ACTIONS.map((operation) => ({ key, operation, resource: { kind, id: "1" } })),
  );
  const once = questions.map((question) => decide(policies, question));
  expect(once.every(({ outcome }) => outcome === "allow")).toBe(true);
  questions.forEach((question, i) => {
    expect(decide(policies, question)).toBe(once[i]);
  });
});

test("names that no policy has are told each by its own decision", () => {
  const policies = compilePoliciesOrThrow([policyFor("cup")], { platform: "none" });
  const faultOf = (kind: string): string | undefined =>
    decide(policies, { key: { id: "ann", roles: ["user"] }, operation: "read", resource: { kind, id: "1" } }).fault
      ?.message;
  for (const kind of ["tea", "pot", "tea", "pot"]) expect(faultOf(kind)).toContain(`"${kind}"`);
});
