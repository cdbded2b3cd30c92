/**
 * Complete decisions do not depend on earlier questions or on the way to ask. Keys, accounts, scopes, kinds and actions
 * choose different plans: without conditions, with a few, and with more than one word of a bit set holds. `decide` and
 * deciders, with and without generated code, are compared with the naive evaluator, and field by field with a fresh
 * policy set.
 */

import { isDeepStrictEqual } from "node:util";
import { afterEach, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { type AnyDecider, deciderOf } from "../../src/decisions/decider.js";
import { Layer } from "../../src/engine/evaluate/layer.js";
import { type Decision, type DecisionRequest, decide, type PolicySet } from "../../src/index.js";
import { toFiles } from "../property/arbitraries/index.js";
import { comparable } from "../reference/comparable.js";
import type { PolicyDocuments } from "../reference/documents.js";
import { naiveDecide } from "../reference/naive.js";
import { watchFunctions } from "../support/functions.js";
import { ACCOUNTS, ACTIONS, DOCUMENTS, IMPERSONAL, KEYS, NOW, RESOURCES } from "../support/many-plans.js";
import { compiled } from "../support/policies.js";
import { withLayers } from "../support/with-layers.js";

/** Every key asks about every resource, with one or two of the accounts. */
function requestsFor(operation: string): readonly DecisionRequest[] {
  return KEYS.flatMap((key, k) =>
    RESOURCES.flatMap((resource, r) =>
      ACCOUNTS.flatMap((account, i) => {
        const isAsked = (operation.length + k + r + i) % 4 === 0 || (k === 0 && r === 0) || (k + i) % 7 === 3;
        return isAsked ? [{ key, operation, resource, account, now: NOW }] : [];
      }),
    ),
  );
}

const SETS = { "with policies of principals": DOCUMENTS, without: IMPERSONAL } as const;

type SetName = keyof typeof SETS;

/** Each action, of either set. */
const CASES = (["with policies of principals", "without"] as const).flatMap((what) =>
  ACTIONS.map((action) => [action, what] as const),
);

let unwatch = () => {};
afterEach(() => unwatch());

const setOf = (documents: PolicyDocuments, codegen: boolean): PolicySet => compiled(toFiles(documents), { codegen });

const known = new Map<string, readonly Decision[]>();

/** The decisions of fresh layers on all requests for an action. */
function expectedOf(what: SetName, action: string): readonly Decision[] {
  const name = `${action} ${what}`;
  const decisions = known.get(name) ?? saidOn(SETS[what], requestsFor(action));
  known.set(name, decisions);
  return decisions;
}

function saidOn(documents: PolicyDocuments, requests: readonly DecisionRequest[]): readonly Decision[] {
  const set = setOf(documents, false);
  const layerOf = ({ version, defaultReason, equipment, typedReads, globals }: Layer) =>
    new Layer(set.model, version, defaultReason, {
      equipment,
      codegen: false,
      globals,
      enforceSchemas: false,
      typedReads,
    });
  return requests.map((request) =>
    decide(withLayers(set, layerOf(set.permission), set.platform && layerOf(set.platform)), request),
  );
}

function expectSame(requests: readonly DecisionRequest[], found: readonly Decision[], expected: readonly Decision[]) {
  for (const [i, decision] of found.entries()) {
    if (isDeepStrictEqual(decision, expected[i])) continue;
    expect({ request: requests[i], decision }).toEqual({ request: requests[i], decision: expected[i] });
  }
}

/**
 * Rounds for each request, enough for every plan in use to have its function, and for closures to run after earlier
 * questions.
 */
const ROUNDS = 24;
const ROUNDS_OF_CLOSURES = 4;

/** Asks all questions in each round, and expects the same decisions. */
function expectRounds(
  all: readonly DecisionRequest[],
  ask: (one: DecisionRequest) => Decision,
  expected: readonly Decision[],
  rounds = ROUNDS,
) {
  for (let round = 0; round < rounds; round++) {
    const found = all.map(ask);
    if (round < 2 || round > rounds - 3) expectSame(all, found, expected);
  }
}

test.each(CASES)("%s: what was asked nothing before agrees with the naive evaluator, %s", (action, what) => {
  const found = expectedOf(what, action).map(comparable);
  const naive = requestsFor(action).map((request) => comparable(naiveDecide(SETS[what], request)));
  if (!isDeepStrictEqual(found, naive)) expect(found).toEqual(naive);
});

test("the requests come to every outcome", () => {
  const decisions = ACTIONS.flatMap((action) => expectedOf("with policies of principals", action));
  const outcomes = new Set(decisions.map(({ outcome, fault }) => `${outcome} ${fault?.kind}`));
  expect([...outcomes].sort()).toEqual([
    "allow undefined",
    "forbidden evaluation",
    "forbidden undefined",
    "forbidden unknown_kind",
    "insufficient_permissions evaluation",
    "insufficient_permissions undefined",
    "insufficient_permissions unknown_operation",
  ]);
});

test.each(CASES)("%s: every round has the same answers, %s", (action, what) => {
  const documents = SETS[what];
  const requests = requestsFor(action);
  const expected = expectedOf(what, action);
  const later = requests.map((request) => ({ ...request, now: new Date("2031-01-01") }));
  const afterSet = setOf(documents, false);
  const afterwards = later.map((request) => decide(afterSet, request));
  for (const codegen of [true, false]) {
    const policies = setOf(documents, codegen);
    expectRounds(requests, (request) => decide(policies, request), expected, codegen ? ROUNDS : ROUNDS_OF_CLOSURES);
    expectSame(
      later,
      later.map((request) => decide(policies, request)),
      afterwards,
    );
  }
});

test.each(CASES)("%s: so have deciders, %s", (action, what) => {
  const requests = requestsFor(action);
  const expected = expectedOf(what, action);
  for (const binds of [true, false]) {
    const policies = setOf(SETS[what], true);
    const deciders = new Map<string, AnyDecider>();
    let [verdicts, kind] = [0, ""];
    unwatch = watchFunctions((_, isFound) => {
      if (isFound && kind === "doc") verdicts++;
    });
    const ask = ({ key, account, ...rest }: DecisionRequest): Decision => {
      const name = `${KEYS.indexOf(key)} ${binds ? ACCOUNTS.indexOf(account) : ""}`;
      const decider = deciders.get(name) ?? deciderOf(policies, { key, ...(binds ? { account } : {}) });
      deciders.set(name, decider);
      kind = rest.resource.kind;
      return decider.decide({ ...rest, ...(binds ? {} : { account }) });
    };
    expectRounds(requests, ask, expected);
    unwatch();
    // Plans for the action `none` have no conditions.
    if (action !== "none") expect(verdicts).toBeGreaterThan(0);
  }
});

test.each(ACTIONS)("%s: a set of one layer alone says what the permission layer says", (action) => {
  const alone = compiled(toFiles(DOCUMENTS), { platform: "none" });
  const requests = requestsFor(action);
  const expected = expectedOf("with policies of principals", action).map(({ permission }) => permission);
  for (let round = 0; round < ROUNDS; round++) {
    const found = requests.map((request) => decideAny(alone, request));
    if (round > 0 && round < ROUNDS - 1) continue;
    expect(found.map(({ permission }) => permission)).toEqual(expected);
    expect(found.map(({ platform, outcome }) => [platform.effect, outcome])).toEqual(
      expected.map(({ effect }) => ["allow", effect === "allow" ? "allow" : "insufficient_permissions"]),
    );
  }
});
