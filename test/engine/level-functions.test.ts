/** The methods of lists that level 0.58 adds: every reader of policies agrees with the naive evaluator. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { decide, matches, planDecisions } from "../../src/index.js";
import { callMethod } from "../reference/functions.js";
import { fromJson } from "../reference/values.js";
import { bundledSets } from "../support/bundles.js";
import { compiled } from "../support/policies.js";
import { sized } from "../support/size.js";

const METHODS = ["hasAll", "hasAny", "hasExactly", "hasOnly"] as const;
const CONSTANT = ["a", "b"];
const OPERATIONS = METHODS.flatMap((method) => [
  { method, other: "key", expr: `R.attr.own.${method}(P.attr.list)` },
  { method, other: "constant", expr: `R.attr.own.${method}(["a", "b"])` },
]);

function policies(codegen: boolean) {
  const rules = OPERATIONS.map(({ expr }, i) => ({
    actions: [`a${i}`],
    roles: ["user"],
    effect: "EFFECT_ALLOW",
    condition: { match: { expr } },
  }));
  const resourcePolicy = { resource: "doc", version: "default", rules };
  const text = JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy });
  const configuration = { path: "keyward.yaml", text: 'cerbos: "0.58"\n' };
  return compiled([{ path: "doc.json", text }, configuration], { platform: "none", codegen });
}

const generated = policies(true);
const closures = policies(false);

const texts = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 4 });
const mixed = fc.array(fc.constantFrom<unknown>("a", "b", 1, 1.5, null, true, [1], ["a"]), { maxLength: 4 });
const lists = fc.oneof(
  { weight: 4, arbitrary: texts },
  { weight: 2, arbitrary: mixed },
  fc.constantFrom<unknown>("a", {}, null),
);

test("decisions, of bundles too, and filters are those of the naive evaluator", async () => {
  const { module, text } = await bundledSets(generated, { platform: "none" });
  const counts = new Map<string, number>();
  fc.assert(
    fc.property(lists, lists, (own, list) => {
      for (const [i, { method, other }] of OPERATIONS.entries()) {
        const given = other === "key" ? list : CONSTANT;
        const naive = callMethod(method, fromJson(own), [fromJson(given)], undefined);
        const isAllowed = naive.t === "bool" && naive.v;
        const key = { id: "k", roles: ["user"], attr: { list } };
        const account = { id: "a", attr: {} };
        const resource = { kind: "doc", id: "1", attr: { own } };
        const request = { key, account, resource, operation: `a${i}` };
        expect(decide(generated, request).outcome === "allow").toBe(isAllowed);
        for (const set of [closures, module, text]) expect(decide(set, request)).toEqual(decide(generated, request));
        const { filter, isExact } = planDecisions(generated, { key, account, operation: `a${i}`, kind: "doc" });
        if (isExact) expect(matches(filter, resource)).toBe(isAllowed);
        else if (isAllowed) expect(matches(filter, resource)).toBe(true);
        const name = `${method} ${other} ${isAllowed}${isExact ? "" : " at most"}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    }),
    { numRuns: sized(1_000) },
  );
  for (const { method, other } of OPERATIONS) {
    for (const isAllowed of [true, false]) {
      expect(counts.get(`${method} ${other} ${isAllowed}`) ?? 0, `${method} ${other} ${isAllowed}`).toBeGreaterThan(3);
    }
  }
});
