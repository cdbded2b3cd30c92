/**
 * A decider for a key, or for a key and an account, decides as `decide` does on the whole request. Whole verdicts are
 * compared on generated sets of the whole language, before and after functions are generated. Later changes to the
 * caller's objects have no effect on the decider.
 */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AnyDecider, deciderOf } from "../../src/decisions/decider.js";
import { type Decision, decide, decideAll, deciderFor } from "../../src/index.js";
import { damagedBy, damageSteps } from "../../src/testing/laws/damage.js";
import { watchFunctions } from "../support/functions.js";
import { compiledDocuments, shipped } from "../support/policies.js";
import { ask, KINDS } from "../support/requests.js";
import { SEED, say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { Tally } from "../support/tally.js";
import { type PlainRequest, type Profile, policySet, request } from "./arbitraries/index.js";

const PROFILES: readonly Profile[] = ["any", "whole", "optionals"];
const KEYS = 6;
const RESOURCES = 8;
const WARM = 25;

/** The number of deciders' verdicts that generated functions found. */
let found = 0;
let isDeciding = false;
let unwatch: () => void;

beforeAll(() => {
  unwatch = watchFunctions((_, isFound) => {
    if (isDeciding && isFound) found++;
  });
});

afterAll(() => {
  unwatch();
});

function decidedBy(decider: AnyDecider, rest: Parameters<AnyDecider["decide"]>[0]): Decision {
  isDeciding = true;
  const decision = decider.decide(rest);
  isDeciding = false;
  return decision;
}

test("on generated policy sets", { timeout: 600_000 }, () => {
  const tally = new Tally();
  for (const profile of PROFILES) {
    const cases = policySet({ profile }).chain((documents) =>
      fc.tuple(
        fc.constant(documents),
        fc.array(request(documents), { minLength: KEYS * RESOURCES, maxLength: KEYS * RESOURCES }),
        fc.array(damageSteps("either"), { minLength: RESOURCES, maxLength: RESOURCES }),
      ),
    );
    for (const [documents, requests, damage] of fc.sample(cases, { numRuns: sized(60), seed: SEED })) {
      const set = compiledDocuments(documents);
      for (let k = 0; k < KEYS; k++) {
        const own = requests.slice(k * RESOURCES, (k + 1) * RESOURCES);
        const [first] = own;
        if (first === undefined) throw new Error("no requests");
        const damaged = damagedBy(first, damage[k] ?? []).request;
        const { key, account } = k % 3 === 2 ? damaged : first;
        const ofBoth = deciderOf(set, { key, account });
        const ofKey = deciderOf(set, { key });
        for (let round = 0; round < (k === 0 ? WARM : 2); round++) {
          for (const [i, { operation, resource, now, account: other }] of own.entries()) {
            const whole: PlainRequest = { key, account, operation, resource, ...(now === undefined ? {} : { now }) };
            const one = i % 4 === 3 ? damagedBy(whole, damage[i] ?? []).request : whole;
            const same = (found: Decision, expected: Decision) => {
              if (!isDeepStrictEqual(found, expected))
                expect({ documents, one, found }).toEqual({ documents, one, expected });
            };
            const rest = { operation: one.operation, resource: one.resource, now: one.now };
            const expected = decide(set, { ...one, key, account });
            if (round === 0) tally.sample(expected);
            same(decidedBy(ofBoth, rest), expected);
            same(decidedBy(ofKey, { ...rest, account }), expected);
            same(decidedBy(ofBoth, { ...rest, account: other }), decide(set, { ...one, key, account: other }));
          }
        }
      }
    }
  }
  say(`deciders: ${tally}; verdicts by generated functions: ${found}`);
  tally.expectCoverage({ decisions: 3 * sized(60) * KEYS * RESOURCES, errors: 0.05 });
  expect(found).toBeGreaterThan(4 * tally.decisions);
});

test("keys of any number of permissions, indexed or not", () => {
  const operations = Object.keys(KINDS);
  for (const count of [0, 1, 11, 12, 13, 100, 1_000]) {
    for (const last of ["api.api_1.read_api", "api.*.read_api", "api.api_2.read_api", 7]) {
      const permissions = [...Array.from({ length: count }, (_, i) => `api.other_${i}.read_api`), last];
      const whole = ask("apis.getApi", { roles: ["custom"], key: { permissions } });
      const decider = deciderFor(shipped, { key: whole.key, account: whole.account });
      for (let i = 0; i < 100; i++) {
        const { key: _, account, ...rest } = { ...whole, operation: operations[i % operations.length] ?? "" };
        const expected = decide(shipped, { ...rest, key: whole.key, account });
        expect(decider.decide(rest)).toEqual(expected);
      }
      const again = deciderFor(shipped, { key: whole.key, account: whole.account });
      const { key: _, ...rest } = whole;
      expect(again.decide(rest)).toEqual(decide(shipped, whole));
    }
  }
});

test("what was given is copied", () => {
  const whole = ask("apis.getApi", { roles: ["custom"], key: { permissions: ["api.api_1.read_api"] } });
  const key = structuredClone(whole.key);
  const account = structuredClone(whole.account);
  const decider = deciderFor(shipped, { key, account });
  const { operation, resource } = whole;
  const before = decider.decide({ operation, resource });
  expect(before.outcome).toBe("allow");
  const permissions: unknown = key.attr?.permissions;
  if (Array.isArray(permissions)) permissions.length = 0;
  Object.assign(key, { roles: [], id: "" });
  Object.assign(account.attr ?? {}, { status: "suspended" });
  for (let i = 0; i < 60; i++) expect(decider.decide({ operation, resource })).toEqual(before);
});

test("what is no key, no account, no request and no policies is denied as by decide, and never thrown", () => {
  const { key, account, operation, resource } = ask("apis.getApi");
  const broken = new Proxy(
    {},
    {
      get: () => {
        throw new Error("no");
      },
    },
  );
  const things: readonly unknown[] = [null, 1, "x", [], {}, { id: "k", roles: "admin", attr: {} }, broken];
  // Programs without types can pass any value.
  const loose = (subjects: unknown, rest: unknown) => deciderOf(shipped, subjects as object).decide(rest as never);
  for (const thing of things) {
    const by = (part: object) => decide(shipped, { key, account, operation, resource, ...part } as never);
    const found = [
      loose({ key: thing, account }, { operation, resource }),
      loose({ key, account: thing }, { operation, resource }),
      loose({ key }, { operation, resource, account: thing }),
      loose({ key, account }, { operation: thing, resource }),
      loose({ key, account }, { operation, resource: thing }),
    ];
    const parts = [{ key: thing }, { account: thing }, { account: thing }, { operation: thing }, { resource: thing }];
    const expected = parts.map(by);
    // A part that cannot be read at all is copied as an invalid part, so only its fault differs.
    if (thing === broken) expect(found.map(({ outcome }) => outcome)).toEqual(expected.map(({ outcome }) => outcome));
    else expect(found).toEqual(expected);
    expect(loose({ key, account }, thing).outcome).toBe("forbidden");
    expect(loose(thing, { operation, resource }).outcome).toBe("forbidden");
    const none = deciderOf(thing as never, { key, account }).decide({ operation, resource });
    expect(none.fault?.kind).toBe("invalid_policies");
  }
});

test("decideAll and rows that are no plain objects", () => {
  class Row {
    readonly kind = "api";
    readonly id: string;
    readonly attr: Readonly<Record<string, unknown>>;
    constructor(id: string, attr: Readonly<Record<string, unknown>>) {
      this.id = id;
      this.attr = attr;
    }
  }
  const { key, account, operation, resource } = ask("apis.getApi");
  const attr = { ...resource.attr };
  const rows = Array.from({ length: 60 }, (_, i) => {
    const one = { kind: "api", id: `api_${i}`, attr: i % 2 === 0 ? attr : { ...attr, workspaceId: 3 } };
    return [one, Object.assign(Object.create(null), one), new Row(one.id, one.attr)][i % 3] ?? one;
  });
  const decided = decideAll(shipped, { key, account, operation }, rows);
  expect(decided).toEqual(rows.map((row) => decide(shipped, { key, account, operation, resource: row })));
});
