/** Explanations in plain words: the same facts, line by line. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { explain } from "../../src/audit/explain/explain.js";
import { inWords } from "../../src/audit/explain/speech.js";
import { explanationText, spokenText } from "../../src/audit/explain/text.js";
import { pack } from "../../src/bundle/pack.js";
import { unpack } from "../../src/bundle/unpack.js";
import { decisionTracer, traceDecision } from "../../src/decisions/trace.js";
import { CLOSURES_ONLY } from "../../src/engine/evaluate/full-equipment.js";
import type { DecisionRequest, PolicySet } from "../../src/index.js";
import { policySet, request, shippedRequest } from "../property/arbitraries/index.js";
import { ROOT } from "../support/built.js";
import { permissions } from "../support/compose.js";
import { compiledDocuments, shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";
import "../support/seed.js";
import { sized } from "../support/size.js";

function spoken(policies: PolicySet, one: DecisionRequest): string {
  const explanation = explain(policies, one);
  return spokenText(explanation, inWords(policies, explanation));
}

/** The structure of each line: its indentation, its result for a rule, and the rule's position. */
function skeleton(text: string): readonly string[] {
  return text.split("\n").map((line) => {
    const [indent = ""] = /^ */.exec(line) ?? [];
    return indent + (/ {2}\S+:\d+( {2}<- decides)?$/.exec(line)?.[0] ?? "");
  });
}

/** Explains in words, without the edits that would change the outcome, because searching them takes longest. */
function expectSameAccount(policies: PolicySet, one: DecisionRequest): string {
  const question = { key: "", operation: "", kind: "", id: "" };
  const explanation = { ...traceDecision(decisionTracer(policies), one), question, alternatives: undefined };
  const text = spokenText(explanation, inWords(policies, explanation));
  expect(skeleton(text)).toEqual(skeleton(explanationText(explanation)));
  return text;
}

test("of the shipped policies nothing is said in CEL", () => {
  const lines = readFileSync(`${ROOT}examples/requests.jsonl`, "utf8").trim().split("\n");
  for (const line of lines) {
    const {
      example: _,
      expect: __,
      reasons: ___,
      ...one
    }: DecisionRequest & { [field: string]: unknown } = JSON.parse(line);
    expect(expectSameAccount(shipped, one)).not.toMatch(/\b[PRVCG]\.|==|&&|\|\||\.attr\b|EFFECT/);
  }
});

test("conditions with their parts, what is missing, what would have to change", () => {
  const text = spoken(shipped, ask("apis.deleteApi", { resource: { keyCount: 3 } }));
  expect(text).toContain(
    "      yes: none of:\n" +
      "        no:  the resource's `keyCount` is `0`\n          the resource's `keyCount` is 3\n",
  );
  expect(text).toContain("  - the resource's `keyCount` is 0\n");
  // A page holds the policies as a bundle.
  expect(spoken(unpack(pack(shipped), CLOSURES_ONLY), ask("apis.deleteApi", { resource: { keyCount: 3 } }))).toBe(text);
  const { keyCount: _, ...attr } = ask("apis.deleteApi").resource.attr ?? {};
  const without = { ...ask("apis.deleteApi"), resource: { kind: "api", id: "api_1", attr } };
  expect(spoken(shipped, without)).toContain("  <- the resource's `keyCount` is missing");
});

test("each layer has its principal, and a policy its constants; what has no words stands as it is written", () => {
  const policies = permissions({
    "doc.yaml": `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  constants: { local: { most: 3 } }
  variables: { local: { low: R.attr.n < C.most } }
  rules:
    - name: read
      actions: [read]
      roles: [user]
      effect: EFFECT_ALLOW
      condition:
        match:
          all:
            of:
              - expr: V.low || P.attr.free
              - expr: '!(R.attr.s.matches("^a+$"))'
              - expr: 'R.attr.l.exists(x, x.y == R.attr.s)'
`,
  });
  const text = spoken(policies, {
    key: { id: "k", roles: ["user"], attr: {} },
    operation: "read",
    resource: { kind: "doc", id: "d", attr: { n: 1, s: "b", l: [{ y: "b" }] } },
    account: { id: "a" },
  });
  expect(text).toContain("yes:  at least one of these\n");
  expect(text).toContain("yes:  `low` holds\n");
  expect(text).toContain("yes:  the resource's `n` is less than `most` (`3`)\n");
  expect(text).toContain("not evaluated:  the key's `free` is true\n");
  expect(text).toContain('yes:  not\n          no:  a part of the resource\'s `s` matches the pattern `"^a+$"`\n');
  expect(text).toContain("yes:  for at least one `x` of the resource's `l`: `x.y` is the resource's `s`\n");
});

test("whatever the policies, the account is the same", () => {
  const cases = policySet().chain((documents) =>
    fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: 1, maxLength: 3 })),
  );
  fc.assert(
    fc.property(cases, ([documents, requests]) => {
      const policies = compiledDocuments(documents);
      for (const one of requests) expectSameAccount(policies, one);
    }),
    { numRuns: sized(100) },
  );
  fc.assert(
    fc.property(shippedRequest(), (one) => void expectSameAccount(shipped, one)),
    { numRuns: sized(100) },
  );
});

test("nothing of a request reaches a page raw", () => {
  const one = ask("apis.deleteApi", { roles: ["\u001b[2J"], key: { permissions: ["\u202e\n::error::y"] } });
  expect(spoken(shipped, one).replaceAll("\n", "")).not.toMatch(/[\p{Cf}\p{Cc}]/u);
});
