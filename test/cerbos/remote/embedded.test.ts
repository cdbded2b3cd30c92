/** Remote decisions through a client of `@cerbos/core`; here an embedded one, without a server. */

import { type CheckResourcesRequest, CheckResourcesResponse } from "@cerbos/core";
import fc from "fast-check";
import { isLeft, isRight } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import {
  type CheckClient,
  compileCheckEngine,
  EmbeddedClient,
  type EmbeddedClientOptions,
  remoteDecider,
} from "../../../src/cerbos/index.js";
import { type DecisionRequest, decide, type PolicyFile } from "../../../src/index.js";
import {
  damagedRequest,
  OTHER_VERSIONS,
  policySet,
  request,
  shippedRequest,
  toFiles,
} from "../../property/arbitraries/index.js";
import { HOSTILE_KEYS, throwingProxy, withGetter } from "../../support/hostile.js";
import { compiled, shipped, shippedFiles } from "../../support/policies.js";
import { ask } from "../../support/requests.js";
import "../../support/seed.js";
import { sized } from "../../support/size.js";

const enforced = compiled(shippedFiles, { schemaEnforcement: "reject" });

function clientOf(files: readonly PolicyFile[], options: EmbeddedClientOptions = {}): EmbeddedClient {
  const engine = compileCheckEngine(files);
  if (isLeft(engine)) throw new Error(JSON.stringify(engine.left));
  return new EmbeddedClient(engine.right, options);
}

/** A client that counts its calls and can replace requests by its own answers. */
function counting(client: CheckClient) {
  const calls: CheckResourcesRequest[] = [];
  const checkResources: CheckClient["checkResources"] = (question, options) => {
    calls.push(question);
    return client.checkResources(question, options);
  };
  return { calls, checkResources };
}

const client = clientOf(shippedFiles);
const remote = remoteDecider(client, shipped);

async function decided(request: DecisionRequest) {
  const answer = await remote(request)();
  if (isLeft(answer)) throw new Error(JSON.stringify(answer.left));
  return answer.right;
}

describe("the same decisions", { tags: "long" }, () => {
  test("on requests that are whole", async () => {
    for (const one of fc.sample(shippedRequest(), 1_000)) expect(await decided(one)).toEqual(decide(shipped, one));
  });

  test("on damaged ones, where schemas are enforced in both", async () => {
    const damaged = shippedRequest().chain((one) => damagedRequest(one, "either"));
    for (const { request: one } of fc.sample(damaged, 1_000)) expect(await decided(one)).toEqual(decide(enforced, one));
  });

  test("on generated policies, with errors of every kind", async () => {
    let allowed = 0;
    const batches = policySet().chain((documents) =>
      fc.record({
        documents: fc.constant(documents),
        requests: fc.array(request(documents), { minLength: 12, maxLength: 12 }),
      }),
    );
    for (const { documents, requests } of fc.sample(batches, sized(60))) {
      const files = toFiles(documents);
      const policies = compiled(files, { schemaEnforcement: "reject", otherVersions: OTHER_VERSIONS });
      let now = new Date(0);
      const asked = remoteDecider(clientOf(files, { now: () => now }), policies);
      for (const one of requests) {
        now = one.now ?? new Date(0);
        const decision = decide(policies, one);
        expect(await asked(one)()).toEqual({ _tag: "Right", right: decision });
        if (decision.outcome === "allow") allowed++;
      }
    }
    expect(allowed).toBeGreaterThan(sized(20));
  });

  test("what is no request is denied here as decide denies it", async () => {
    const { calls, checkResources } = counting(client);
    const asked = remoteDecider({ checkResources }, shipped);
    for (const one of [undefined, null, 1, {}, throwingProxy(), { ...ask("apis.getApi"), operation: "" }]) {
      const wrong = one as DecisionRequest;
      expect(await asked(wrong)()).toEqual({ _tag: "Right", right: decide(shipped, wrong) });
    }
    expect(calls).toEqual([]);
    const now = new Date(Number.NaN);
    expect(await asked({ ...ask("apis.getApi"), now })()).toMatchObject({ right: { outcome: "forbidden" } });
    for (const make of HOSTILE_KEYS) {
      const answer = await asked({ ...ask("apis.getApi"), key: make() } as DecisionRequest)();
      expect(answer).toMatchObject({ _tag: "Right", right: { permission: { effect: "deny" } } });
    }
  });
});

describe("what is sent", () => {
  test("two calls, each with its layer's principal alone", async () => {
    const { calls, checkResources } = counting(client);
    const one = ask("apis.getApi");
    await remoteDecider({ checkResources }, shipped)(one, { requestId: "req_1" })();
    expect(calls).toHaveLength(2);
    const [permission, platform] = calls;
    expect(permission).toEqual({
      principal: { ...one.key, scope: "", policyVersion: "default" },
      resources: [{ resource: { ...one.resource, scope: "", policyVersion: "default" }, actions: ["apis.getApi"] }],
      includeMetadata: true,
      requestId: "req_1",
    });
    expect(platform?.principal).toEqual({ ...one.account, roles: ["account"], scope: "", policyVersion: "platform" });
    expect(platform?.resources[0]?.resource.policyVersion).toBe("platform");
  });

  test("nothing of a layer whose attributes do not satisfy the schemas", async () => {
    const { calls, checkResources } = counting(client);
    const asked = remoteDecider({ checkResources }, shipped);
    // The rules for apis.getApi read neither attribute.
    const answer = await asked(ask("apis.getApi", { account: { plan: "gold" } }))();
    expect(answer).toMatchObject({
      right: {
        outcome: "forbidden",
        permission: { effect: "allow" },
        platform: {
          policy: "resource.api.vplatform",
          reasons: [{ kind: "error", reason: "invalid_attributes", rule: "", policy: "resource.api.vplatform" }],
          errors: [{ message: 'attributes of the principal, /plan: value must be one of "free", "pro", "enterprise"' }],
        },
      },
    });
    expect(calls.map(({ principal }) => principal.id)).toEqual(["key_caller"]);
    expect(await asked(ask("apis.getApi", { resource: { keyCount: "1" } }))()).toMatchObject({
      right: { outcome: "forbidden", permission: { effect: "deny" } },
    });
    expect(calls).toHaveLength(1);
  });

  test("what was judged, though a getter answers otherwise each time", async () => {
    const { calls, checkResources } = counting(client);
    const asked = remoteDecider({ checkResources }, shipped);
    let reads = 0;
    const one = ask("apis.deleteApi");
    const resource = { ...one.resource, attr: withGetter(one.resource.attr, "system", () => reads++ > 0) };
    expect(await asked({ ...one, resource })()).toMatchObject({ right: { outcome: "allow" } });
    expect(reads).toBe(1);
    expect(calls.map(({ resources }) => resources[0]?.resource.attr?.system)).toEqual([false, false]);
  });

  test("a role that is listed twice is sent once", async () => {
    expect(await decided(ask("apis.getApi", { roles: ["viewer", "viewer"] }))).toMatchObject({ outcome: "allow" });
  });

  const nested = (depth: number): unknown =>
    depth === 0 ? 1 : depth % 2 === 0 ? [nested(depth - 1)] : { a: nested(depth - 1) };
  test.each<[string, unknown, string]>([
    ["undefined, which is absent", undefined, "allow"],
    ["null", null, "allow"],
    ["nested as deep as is allowed", nested(31), "allow"],
    ["nested deeper", nested(32), "deny"],
    ["a bigint", 1n, "deny"],
    ["NaN", Number.NaN, "deny"],
    ["a Date", new Date(0), "deny"],
    ["a Map", new Map([["a", 1]]), "deny"],
    ["a function", () => 1, "deny"],
    ["undefined in a list", [undefined], "deny"],
    [
      "a getter that throws",
      withGetter({}, "x", () => {
        throw new Error("hostile");
      }),
      "deny",
    ],
    ["a proxy", throwingProxy(), "deny"],
    ["an own __proto__", JSON.parse('{"__proto__":{"system":true}}'), "allow"],
    ["an object of another realm's making", Object.create(null), "allow"],
  ])("an attribute that nobody reads: %s", async (_, more, effect) => {
    const one = ask("apis.getApi");
    const attr = Object.assign({ ...one.account.attr }, { more });
    const { platform } = await decided({ ...one, account: { ...one.account, attr } });
    expect(platform.effect).toBe(effect);
  });
});

describe("other policies than these", () => {
  const inPlatform = (change: (text: string) => string) =>
    shippedFiles.map((file) => (file.path === "platform/api.yaml" ? { ...file, text: change(file.text) } : file));
  const askedOf = (files: readonly PolicyFile[]) => remoteDecider(clientOf(files), shipped);
  const getApi = ask("apis.getApi");

  test("a server that has none for the kind, or not in one layer: there is no decision", async () => {
    for (const missing of ["platform/api.yaml", "permissions/api.yaml"]) {
      const answer = await askedOf(shippedFiles.filter(({ path }) => path !== missing))(getApi)();
      expect(answer).toMatchObject({ left: { kind: "other_policies", message: expect.stringContaining("NO_MATCH") } });
    }
  });

  test("one that allows what these deny is not believed", async () => {
    const lax = inPlatform((text) => text.replaceAll("R.attr.system == false", "true"));
    const answer = await askedOf(lax)(ask("apis.deleteApi", { resource: { system: true } }))();
    expect(answer).toMatchObject({ left: { kind: "other_policies", message: expect.stringContaining("allows") } });
  });

  const denial = `
    - name: frozen.reading
      actions: ["apis.getApi"]
      roles: [account]
      effect: EFFECT_DENY
      output: { when: { ruleActivated: '"frozen"' } }
    - name: held
      actions: ["apis.getApi"]
      roles: [account]
      effect: EFFECT_DENY
      output: { when: { ruleActivated: P.attr.plan } }
`;

  test("one that denies what these allow is obeyed, with the reasons of its outputs, and no value of the request", async () => {
    const strict = inPlatform((text) => text + denial);
    const answer = await askedOf(strict)(getApi)();
    expect(answer).toMatchObject({
      right: {
        outcome: "forbidden",
        permission: decide(shipped, getApi).permission,
        platform: { effect: "deny", policy: "resource.api.vplatform", scope: "", errors: [], derivedRoles: [] },
      },
    });
    if (!isRight(answer)) return;
    const { reasons, outputs } = answer.right.platform;
    expect(reasons[0]).toEqual({
      kind: "rule",
      reason: "frozen",
      rule: "frozen.reading",
      policy: "resource.api.vplatform",
    });
    expect(reasons.map(({ reason }) => reason)).not.toContain("pro");
    expect(outputs[0]).toEqual({ src: "resource.api.vplatform#frozen.reading", action: "apis.getApi", val: "frozen" });
  });

  test("one that denies without an output: by default", async () => {
    const silent = inPlatform((text) => text.replace("        - apis.getApi\n", ""));
    const answer = await askedOf(silent)(getApi)();
    const reason = { kind: "default", reason: "not_available", rule: "", policy: "resource.api.vplatform" };
    expect(answer).toMatchObject({ right: { outcome: "forbidden", platform: { reasons: [reason] } } });
  });

  test("one whose schemas refuse what these accept", async () => {
    const schemas = shippedFiles.map((file) =>
      file.path === "_schemas/account.json" ? { ...file, text: file.text.replace('"pro", ', "") } : file,
    );
    const enforcing = (schemaEnforcement: "warn" | "reject", onValidationError?: "throw") => {
      const engine = compileCheckEngine(schemas, { schemaEnforcement });
      if (isLeft(engine)) throw new Error(JSON.stringify(engine.left));
      return remoteDecider(new EmbeddedClient(engine.right, { onValidationError }), shipped)(getApi)();
    };
    expect(await enforcing("warn")).toMatchObject({ left: { kind: "other_policies" } });
    expect(await enforcing("warn", "throw")).toMatchObject({ left: { kind: "other_policies" } });
    expect(await enforcing("reject")).toMatchObject({
      right: { outcome: "forbidden", platform: { reasons: [{ kind: "error", reason: "invalid_attributes" }] } },
    });
  });
});

describe("answers that are none", () => {
  const honest = (question: CheckResourcesRequest) => client.checkResources(question);
  type Change = (response: CheckResourcesResponse) => unknown;
  const twisted = (change: Change): CheckClient => ({
    checkResources: async (question) => change(await honest(question)) as CheckResourcesResponse,
  });
  const withResult =
    (change: (result: CheckResourcesResponse["results"][number]) => object): Change =>
    (response) =>
      new CheckResourcesResponse({
        ...response,
        results: response.results.map((result) =>
          Object.assign(Object.create(Object.getPrototypeOf(result)), result, change(result)),
        ),
      });

  test.each<[string, Change]>([
    ["nothing", () => undefined],
    ["an empty object", () => ({})],
    ["no results", (response) => new CheckResourcesResponse({ ...response, results: [] })],
    [
      "two results",
      (response) => new CheckResourcesResponse({ ...response, results: [...response.results, ...response.results] }),
    ],
    ["another resource", withResult(({ resource }) => ({ resource: { ...resource, id: "api_2" } }))],
    ["another kind", withResult(({ resource }) => ({ resource: { ...resource, kind: "key" } }))],
    ["another layer", withResult(({ resource }) => ({ resource: { ...resource, policyVersion: "v1" } }))],
    ["another scope", withResult(({ resource }) => ({ resource: { ...resource, scope: "acme" } }))],
    ["no action", withResult(() => ({ actions: {} }))],
    ["another action", withResult(() => ({ actions: { "apis.deleteApi": "EFFECT_ALLOW" } }))],
    ["one action more", withResult(({ actions }) => ({ actions: { ...actions, "apis.deleteApi": "EFFECT_ALLOW" } }))],
    ["an effect that is none", withResult(() => ({ actions: { "apis.getApi": "EFFECT_MAYBE" } }))],
    ["an inherited action", withResult(() => ({ actions: Object.create({ "apis.getApi": "EFFECT_ALLOW" }) }))],
    ["no metadata", withResult(() => ({ metadata: undefined }))],
    ["metadata of another action", withResult(() => ({ metadata: { actions: {}, effectiveDerivedRoles: [] } }))],
  ])("%s", async (_, change) => {
    const answer = await remoteDecider(twisted(change), shipped)(ask("apis.getApi"))();
    expect(answer).toMatchObject({ _tag: "Left", left: { kind: "invalid_answer" } });
  });

  test.each<[string, CheckClient["checkResources"]]>([
    [
      "throws",
      () => {
        throw new Error("hostile");
      },
    ],
    ["rejects", () => Promise.reject(new Error("hostile"))],
    ["rejects with nothing", () => Promise.reject(undefined)],
  ])("a client that %s", async (_, checkResources) => {
    const answer = await remoteDecider({ checkResources }, shipped)(ask("apis.getApi"))();
    expect(answer).toMatchObject({ _tag: "Left", left: { kind: "unavailable" } });
  });

  test("one that never answers, whatever its signal says: the time is up", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const deaf: CheckClient = {
      checkResources: (_, options) => {
        signals.push(options?.signal);
        return new Promise(() => {});
      },
    };
    const answer = await remoteDecider(deaf, shipped, { timeoutMs: 20 })(ask("apis.getApi"))();
    expect(answer).toEqual({ _tag: "Left", left: { kind: "timeout", message: "no answer within 20 ms" } });
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true]);
  });

  test("one layer without an answer is no decision", async () => {
    const half: CheckClient = {
      checkResources: (question) =>
        question.principal.id === "key_caller" ? honest(question) : Promise.reject(new Error("hostile")),
    };
    expect(await remoteDecider(half, shipped)(ask("apis.getApi"))()).toMatchObject({ left: { kind: "unavailable" } });
  });

  test("the caller's signal ends the wait, before it and during it", async () => {
    const deaf: CheckClient = { checkResources: () => new Promise(() => {}) };
    const asked = remoteDecider(deaf, shipped);
    expect(await asked(ask("apis.getApi"), { signal: AbortSignal.abort() })()).toMatchObject({
      left: { kind: "cancelled" },
    });
    const controller = new AbortController();
    const answer = asked(ask("apis.getApi"), { signal: controller.signal })();
    controller.abort();
    expect(await answer).toMatchObject({ left: { kind: "cancelled" } });
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])("a timeout of %d is none", (timeoutMs) => {
    expect(() => remoteDecider(client, shipped, { timeoutMs })).toThrow(RangeError);
  });
});
