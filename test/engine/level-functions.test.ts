/** The functions that level 0.58 adds: every reader of policies agrees with the naive evaluator. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
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

function policies(codegen: boolean, operations: readonly { readonly expr: string }[] = OPERATIONS) {
  const rules = operations.map(({ expr }, i) => ({
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

const account = { id: "a", attr: {} };

/** The value of a text, naively: undefined where the text has none. */
const NAIVE = [
  { expr: 'json.parse(R.attr.text).a == "x"', read: (text: string): unknown => JSON.parse(text) },
  { expr: 'yaml.parse(R.attr.text).a == "x"', read: (text: string): unknown => parse(text) },
  { expr: 'yaml.encode(R.attr.text) == "x\\n"', read: (text: string): unknown => ({ a: text }) },
  { expr: 'yaml.parse(yaml.encode(R.attr)).text == "x"', read: (text: string): unknown => ({ a: text }) },
];

function naively(text: unknown, read: (text: string) => unknown): boolean {
  try {
    return typeof text === "string" && Object(read(text)).a === "x";
  } catch {
    return false;
  }
}

test("parsed and encoded texts, in bundles too; a text that has no value denies, and no filter is narrower", async () => {
  const [set, closed] = [policies(true, NAIVE), policies(false, NAIVE)];
  const { module, text: fromText } = await bundledSets(set, { platform: "none" });
  const counts = new Map<string, number>();
  const given = fc.oneof(
    fc.constantFrom<unknown>('{"a": "x"}', "a: x", "x", '{"a": 1}', "{a", "", 1, null, '{"a": "x", "a": "x"}'),
    fc.string(),
  );
  fc.assert(
    fc.property(given, (text) => {
      for (const [i, { expr, read }] of NAIVE.entries()) {
        const resource = { kind: "doc", id: "1", attr: { text } };
        const key = { id: "k", roles: ["user"], attr: {} };
        const request = { key, account, resource, operation: `a${i}` };
        const isTwice = typeof text === "string" && text.includes('"a": "x", "a"');
        const isAllowed = naively(text, read) && !(isTwice && expr.startsWith("json"));
        const decision = decide(set, request);
        expect([expr, text, decision.outcome === "allow"]).toEqual([expr, text, isAllowed]);
        for (const other of [closed, module, fromText]) expect(decide(other, request)).toEqual(decision);
        const { filter, isExact } = planDecisions(set, { key, account, operation: `a${i}`, kind: "doc" });
        if (isExact) expect(matches(filter, resource)).toBe(isAllowed);
        else if (isAllowed) expect(matches(filter, resource)).toBe(true);
        counts.set(`${i} ${isAllowed}`, (counts.get(`${i} ${isAllowed}`) ?? 0) + 1);
      }
    }),
    { numRuns: sized(300, 100) },
  );
  for (const i of NAIVE.keys()) for (const is of [true, false]) expect(counts.get(`${i} ${is}`)).toBeGreaterThan(2);
});
