/**
 * Decision records with reads: replayed on the policies that decided they are the same, and on changed policies exactly
 * those records change whose requests the changed policies decide otherwise. Masked records never say otherwise.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { isLeft, isRight } from "fp-ts/lib/Either.js";
import { expect, test } from "vitest";
import { compileCheckEngine } from "../../src/cerbos/engine.js";
import { decideAny } from "../../src/decisions/decide.js";
import { decideAnyChain } from "../../src/decisions/decide-chain.js";
import { decisionRecord } from "../../src/http/index.js";
import type { MaskedField } from "../../src/http/value-mask.js";
import { compilePolicies, type PolicyFile, type PolicySet } from "../../src/index.js";
import { Replay } from "../../src/replay/replay.js";
import { oneLineChanged } from "../audit/one-line.js";
import { Random } from "../differential/random.js";
import {
  GLOBALS,
  OTHER_VERSIONS,
  type PlainRequest,
  policySet,
  request,
  shippedRequest,
  toFiles,
} from "../property/arbitraries/index.js";
import { shipped, shippedFiles } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { SEED, say } from "../support/seed.js";
import { sized } from "../support/size.js";

const SETS = sized(400, 8);
const REQUESTS = 40;
const SALT = "sixteen characters";

/** Decision records are replayed by the policy sets alone: the engine of checks is never asked. */
const compiled = compileCheckEngine(shippedFiles, {});
if (isLeft(compiled)) throw new Error("no engine");
const ENGINE = compiled.right;

function compile(files: readonly PolicyFile[]): PolicySet | undefined {
  const found = compilePolicies(files, { globals: GLOBALS, otherVersions: OTHER_VERSIONS });
  return isRight(found) ? found.right : undefined;
}

/** The set with a few lines changed. */
function changed(files: readonly PolicyFile[], random: Random): PolicySet | undefined {
  let [all, set] = [files, compile(files)];
  for (let i = 0; i < 6; i++) {
    const { files: next } = oneLineChanged(all, random);
    const found = compile(next);
    if (found !== undefined) [all, set] = [next, found];
  }
  return set;
}

/** The keys above the key of a request. */
type Above = readonly PlainRequest["key"][];

function decideBelow(policies: PolicySet, { key, ...request }: PlainRequest, above: Above = []) {
  return decideAnyChain(policies, [key, ...above], request);
}

function line(policies: PolicySet, asked: PlainRequest, mask: readonly MaskedField[] = [], above?: Above): string {
  const decision = above === undefined ? decideAny(policies, asked) : decideBelow(policies, asked, above);
  return JSON.stringify(
    decisionRecord({
      ...{ requestId: "req_1", request: asked, decision, durationMs: 1, policySetHash: "sha256:0" },
      ...{ record: "reads", policies, mask, salt: SALT, ...(above && { ancestors: above }) },
    }),
  );
}

function masks({ key, resource, account }: PlainRequest, random: Random): readonly MaskedField[] {
  const fields = (part: "key" | "account" | "resource", attr: object) =>
    Object.keys(attr).map((name): MaskedField => `${part}.attr.${name}`);
  const all = [...fields("key", key.attr), ...fields("resource", resource.attr), ...fields("account", account.attr)];
  return all.filter(() => random.chance(0.3));
}

const counts = {
  ...{ records: 0, changed: 0, undetermined: 0, masked: 0, maskedDetermined: 0, maskedChanged: 0 },
  /** Records of keys below other keys; those with another outcome than that of the key alone. */
  ...{ chains: 0, restricted: 0 },
};

/** Up to three keys of other requests about the same resource. */
function aboveOf(requests: readonly PlainRequest[], random: Random): Above | undefined {
  const size = random.int(-1, 3);
  return size < 0 ? undefined : Array.from({ length: size }, () => random.pick(requests).key);
}

function expectReplayed(old: PolicySet, now: PolicySet, requests: readonly PlainRequest[], random: Random): void {
  const [same, other, against] = [
    new Replay(ENGINE, { decisions: { now: old } }),
    new Replay(ENGINE, { decisions: { now } }),
    new Replay(ENGINE, { old: ENGINE, decisions: { now, old } }),
  ];
  for (const asked of requests) {
    const above = aboveOf(requests, random);
    const [before, after] = [decideBelow(old, asked, above), decideBelow(now, asked, above)];
    const truth = before.outcome === after.outcome ? "same" : "changed";
    const whole = line(old, asked, [], above);
    if (above !== undefined && above.length > 0) counts.chains += 1;
    if (before.outcome !== decideAny(old, asked).outcome) counts.restricted += 1;
    const about = () => JSON.stringify({ asked, whole });
    expect(same.line(whole).result.kind, about()).toBe("same");
    counts.records += 1;
    if (truth === "changed") counts.changed += 1;
    for (const replay of [other, against]) {
      const { kind } = replay.line(whole).result;
      if (kind === "undetermined") counts.undetermined += 1;
      expect([truth, "undetermined"], about()).toContain(kind);
    }
    const hidden = line(old, asked, masks(asked, random), above);
    for (const [replay, expected] of [
      [same, "same"],
      [other, truth],
      [against, truth],
    ] as const) {
      const { kind } = replay.line(hidden).result;
      counts.masked += 1;
      if (kind !== "undetermined") counts.maskedDetermined += 1;
      if (kind === "changed") counts.maskedChanged += 1;
      expect([expected, "undetermined"], hidden).toContain(kind);
    }
  }
}

test("generated policies", { timeout: 3_600_000 }, () => {
  const random = new Random(SEED);
  const cases = policySet({ profile: "any" }).chain((documents) =>
    fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: REQUESTS, maxLength: REQUESTS })),
  );
  for (const [documents, requests] of fc.sample(cases, { numRuns: SETS, seed: SEED })) {
    const files = toFiles(documents);
    const [old, now] = [compile(files), changed(files, random)];
    if (old !== undefined && now !== undefined) expectReplayed(old, now, requests, random);
  }
  say(JSON.stringify(counts));
  expect(counts.records).toBeGreaterThan(SETS * REQUESTS * 0.8);
  expect(counts.changed).toBeGreaterThan(counts.records / 50);
  expect(counts.undetermined).toBeLessThan(counts.records / 5);
  expect(counts.maskedDetermined).toBeGreaterThan(counts.masked / 3);
  expect(counts.maskedChanged).toBeGreaterThan(counts.masked / 200);
  expect(counts.chains).toBeGreaterThan(counts.records / 3);
  expect(counts.restricted).toBeGreaterThan(counts.records / 50);
});

test("the shipped policies, and changes of them", () => {
  const random = new Random(SEED);
  const requests = fc.sample(shippedRequest({}), { numRuns: sized(2_000, 60), seed: SEED });
  const now = changed(shippedFiles, random);
  if (now === undefined) throw new Error("no changed set");
  expectReplayed(shipped, now, requests, random);
});

const replay = new Replay(ENGINE, { decisions: { now: shipped } });

test("a masked attribute that decides makes a line undetermined, by name", () => {
  const asked = ask("apis.deleteApi", { roles: ["viewer"], key: { permissions: ["api.api_1.delete_api"] } });
  expect(replay.line(line(shipped, asked, ["key.attr.permissions"])).result).toMatchObject({
    ...{ kind: "undetermined", reads: expect.arrayContaining(["key.attr.permissions"]) },
  });
  const forbidden = ask("apis.deleteApi", { resource: { system: true } });
  expect(replay.line(line(shipped, forbidden, ["key.attr.permissions"])).result).toEqual({ kind: "same" });
});

test("a key below others: each link counts, and a report names the keys above", () => {
  const [child, parent] = [ask("apis.getApi", { roles: ["viewer"] }), ask("apis.getApi", { roles: ["custom"] }).key];
  const record = line(shipped, child, [], [parent]);
  expect(JSON.parse(record)).toMatchObject({
    keyId: child.key.id,
    outcome: "insufficient_permissions",
    refusedBy: parent.id,
  });
  expect(replay.line(record).result).toEqual({ kind: "same" });
  const lie = JSON.stringify({ ...JSON.parse(record), outcome: "allow" });
  expect(replay.line(lie).result).toMatchObject({
    ...{ kind: "changed", request: { key: { roles: ["viewer"] } }, ancestors: [{ id: parent.id, roles: ["custom"] }] },
  });
  const hidden = replay.line(line(shipped, child, ["key.attr.permissions"], [parent])).result;
  expect(hidden).toMatchObject({
    kind: "undetermined",
    reads: ["key.attr.permissions", "ancestor 1.attr.permissions"],
  });
});

test("a key above that could not be used: nothing is allowed, and the platform forbids as before", () => {
  const result = (asked: PlainRequest) => {
    const { key, ...request } = asked;
    const decision = decideAnyChain(shipped, JSON.parse(JSON.stringify([key, null])), request);
    const about = { requestId: "req_1", durationMs: 1, policySetHash: "sha256:0", record: "reads" } as const;
    const made = decisionRecord({ ...about, request: asked, decision, policies: shipped, ancestors: [undefined] });
    expect(made.reads?.ancestors).toEqual([null]);
    return [made.outcome, replay.line(JSON.stringify(made)).result.kind];
  };
  expect(result(ask("apis.getApi"))).toEqual(["insufficient_permissions", "same"]);
  expect(result(ask("apis.deleteApi", { resource: { system: true } }))).toEqual(["forbidden", "same"]);
});

test("a record without reads is undetermined; one of another key or shape is skipped", () => {
  const asked = ask("apis.getApi");
  const { version: _, reads: __, ...bare } = JSON.parse(line(shipped, asked));
  const result = (record: object) => replay.line(JSON.stringify(record)).result;
  expect(result(bare)).toMatchObject({ kind: "undetermined", request: { operation: "apis.getApi" } });
  const whole = JSON.parse(line(shipped, asked));
  expect(result({ ...whole, refusedBy: "key_0" })).toEqual({
    kind: "skipped",
    reason: "the decision is about another key",
  });
  for (const damage of [
    { version: 3 },
    { version: undefined },
    { reads: undefined },
    { reads: { ...whole.reads, key: { ...whole.reads.key, roles: [] } } },
    { reads: { ...whole.reads, resource: { attr: {} } } },
    { reads: { ...whole.reads, account: 1 } },
    { reads: { ...whole.reads, ancestors: {} } },
    { reads: { ...whole.reads, ancestors: [5] } },
    { reads: { ...whole.reads, ancestors: [whole.reads.key] } },
    { reads: { ...whole.reads, ancestors: [{ ...whole.reads.key, id: "key_0", roles: [] }] } },
    { reads: { ...whole.reads, now: 5 } },
    { keyId: 1 },
  ]) {
    expect(result({ ...whole, ...damage }), JSON.stringify(damage)).toEqual({
      ...{ kind: "skipped", reason: "decision record of another shape" },
    });
  }
});

test("a set with a platform layer does not decide on records of one without", () => {
  const { account: _, ...reads } = JSON.parse(line(shipped, ask("apis.getApi"))).reads;
  const record = JSON.stringify({ ...JSON.parse(line(shipped, ask("apis.getApi"))), reads });
  expect(replay.line(record).result.kind).toBe("undetermined");
});
