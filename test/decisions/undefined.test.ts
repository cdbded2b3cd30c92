/** An `undefined` attribute counts as absent, as in the JSON of the request, in every way to decide. */

import { isRight } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { explain } from "../../src/audit/index.js";
import { compileCheckEngine, EmbeddedClient, remoteDecider } from "../../src/cerbos/index.js";
import { guard } from "../../src/http/index.js";
import {
  type CompileOptions,
  decide,
  decideAll,
  decideEach,
  deciderFor,
  keepDeciders,
  matches,
  type PolicyFile,
  type PolicySet,
  planDecisions,
  snapshot,
} from "../../src/index.js";
import { bundledSets } from "../support/bundles.js";
import { compiled } from "../support/policies.js";

type Attr = { readonly [name: string]: unknown };

const SCHEMA = {
  type: "object",
  properties: { owner: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
  required: ["owner"],
};

function files(expr: string, effect: string): readonly PolicyFile[] {
  const policy = (version: string, rules: readonly unknown[]) => ({
    path: `${version}.json`,
    text: JSON.stringify({
      apiVersion: "api.cerbos.dev/v1",
      resourcePolicy: {
        resource: "doc",
        version,
        schemas: { resourceSchema: { ref: "cerbos:///doc.json" } },
        rules,
      },
    }),
  });
  const allow = { actions: ["view"], roles: ["*"], effect: "EFFECT_ALLOW" };
  const rule = { ...allow, effect, condition: { match: { expr } } };
  const rules = effect === "EFFECT_ALLOW" ? [rule] : [allow, rule];
  return [
    policy("default", rules),
    policy("platform", [allow]),
    { path: "_schemas/doc.json", text: JSON.stringify(SCHEMA) },
  ];
}

/** Expressions, with attributes of the resource and the key that would reveal `undefined` treated as present. */
const CASES: readonly [expr: string, resource: Attr, key: Attr][] = [
  ["!has(R.attr.deletedAt)", { deletedAt: undefined }, {}],
  ["has(R.attr.hold)", { hold: undefined }, {}],
  ["!has(P.attr.suspended)", {}, { suspended: undefined }],
  ["R.attr.deletedAt == null", { deletedAt: undefined }, {}],
  ["has(R.attr.meta) && !has(R.attr.meta.lock)", { meta: { lock: undefined } }, {}],
  ["size(R.attr.meta) == 1", { meta: { a: 1, b: undefined } }, {}],
  ['"lock" in R.attr.meta', { meta: { lock: undefined } }, {}],
  ['!("lock" in R.attr.meta)', { meta: { lock: undefined } }, {}],
  ['!("deletedAt" in R.attr)', { deletedAt: undefined }, {}],
  ['R.attr.meta.all(k, k == "a")', { meta: { a: 1, lock: undefined } }, {}],
  ['R.attr.meta.exists(k, k == "lock")', { meta: { a: 1, lock: undefined } }, {}],
  ["R.attr.meta.transformList(k, v, v) == [1]", { meta: { a: 1, lock: undefined } }, {}],
  ['R.attr.meta == {"a": 1}', { meta: { a: 1, lock: undefined } }, {}],
  ["R.attr.meta == P.attr.meta", { meta: { a: 1, lock: undefined } }, { meta: { a: 1 } }],
  ["R.attr.meta in R.attr.list", { meta: { a: 1 }, list: [{ a: 1, lock: undefined }] }, {}],
  ["R.attr.list.exists(x, !has(x.lock))", { list: [{ lock: undefined }] }, {}],
  ["R.attr.list.all(x, has(x.lock) && x.lock == 1)", { list: [{ lock: undefined }] }, {}],
  ["R.attr.list[0].size() == 0", { list: [{ lock: undefined }] }, {}],
  ["R.attr.?hold.orValue(true) == true", { hold: undefined }, {}],
  ["size(R.attr) == 1", { hold: undefined }, {}],
  ['!has(R.attr.tags) || "x" in R.attr.tags', { tags: undefined }, {}],
  ['R.attr.owner == "ann"', { owner: undefined }, {}],
];

const EFFECTS = ["EFFECT_ALLOW", "EFFECT_DENY"] as const;

const OPTIONS: readonly CompileOptions[] = [
  {},
  { codegen: false },
  { typedReads: false },
  { schemaEnforcement: "reject" },
];

function requestOf(resource: Attr, key: Attr) {
  return {
    key: { id: "u", roles: ["user"], attr: { ...key } },
    operation: "view",
    resource: { kind: "doc", id: "1", attr: { owner: "ann", ...resource } },
    account: { id: "a", attr: { plan: undefined } },
  };
}

/** The request after a round trip through JSON. */
function sent<R>(request: R): R {
  return JSON.parse(JSON.stringify(request));
}

async function answersOf(set: PolicySet, request: ReturnType<typeof requestOf>): Promise<readonly unknown[]> {
  const { key, operation, resource, account } = request;
  const kept = keepDeciders(set, { revision: () => "1" });
  const each = [...decideEach(set, { key, operation, account }, [resource])].map(({ decision }) => decision);
  const decisions = Array.from({ length: 30 }, () => decide(set, request));
  const check = guard<null>({
    docsUrl: "docs.example.com",
    decide: (one) => decide(set, one),
    key: () => key,
    operation,
    resource: () => resource,
    account: () => account,
    onFault: "refuse",
    onError: () => undefined,
  });
  const plan = planDecisions(set, { key, operation, account, kind: "doc" });
  const { alternatives: _, question: __, ...explained } = explain(set, request);
  const guarded = await check(null);
  return [
    ...decisions,
    ...decideAll(set, { key, operation, account }, [resource]),
    ...each,
    deciderFor(set, { key }).decide({ operation, resource, account }),
    deciderFor(set, { key, account }).decide({ operation, resource }),
    kept.decide(request),
    kept.decide(request),
    decide(set, snapshot(request)),
    [guarded.allowed, guarded.allowed || guarded.reply.body.error.type],
    [plan.outcome, matches(plan.filter, resource)],
    explained,
  ];
}

describe.each(CASES)("%s", (expr, attr, keyAttr) => {
  test.each(EFFECTS)("%s: the decisions of the same request as JSON", async (effect) => {
    const request = requestOf(attr, keyAttr);
    for (const options of OPTIONS) {
      const set = compiled(files(expr, effect), options);
      const { module, text } = await bundledSets(set);
      const expected = await answersOf(set, sent(request));
      for (const one of [set, module, text]) expect(await answersOf(one, request)).toEqual(expected);
    }
  });

  test.each(EFFECTS)(
    "%s: the same answers by a client without a server, and by a decider that asks it",
    async (effect) => {
      const [permission, platform, schema] = files(expr, effect);
      if (permission === undefined || platform === undefined || schema === undefined) throw new Error("no files");
      const engine = compileCheckEngine([permission, platform, schema], { failClosed: true });
      if (!isRight(engine)) throw new Error(JSON.stringify(engine.left));
      const client = new EmbeddedClient(engine.right);
      const request = requestOf(attr, keyAttr);
      const ask = ({ key, resource }: typeof request) =>
        client.isAllowed(Object({ principal: key, resource, action: "view" }));
      expect(await ask(request)).toBe(await ask(sent(request)));
      const remote = remoteDecider(client, compiled(files(expr, effect)));
      expect(await remote(request)()).toEqual(await remote(sent(request))());
    },
  );
});

test("an element of a list that is undefined is no data: what reads it errs, and an error denies", () => {
  const request = requestOf({ list: [undefined, 1] }, {});
  for (const expr of ["R.attr.list.exists(x, x == null)", "R.attr.list[0] == null", "R.attr.list == [null, 1]"]) {
    for (const effect of EFFECTS) {
      for (const options of OPTIONS) {
        const decision = decide(compiled(files(expr, effect), options), request);
        expect([expr, effect, decision.outcome]).toEqual([expr, effect, "insufficient_permissions"]);
        expect(decision.permission.errors.length).toBeGreaterThan(0);
      }
    }
  }
});

test("a claim that is undefined is absent", async () => {
  const [permission] = files("!has(request.auxData.jwt.act) && !has(request.auxData.jwt.realm.act)", "EFFECT_ALLOW");
  const [, , schema] = files("true", "EFFECT_ALLOW");
  if (permission === undefined || schema === undefined) throw new Error("no files");
  const engine = compileCheckEngine([permission, schema]);
  if (!isRight(engine)) throw new Error(JSON.stringify(engine.left));
  const client = new EmbeddedClient(engine.right, {
    decodeJWT: () => Object({ act: undefined, realm: { act: undefined } }),
  });
  const { key, resource } = requestOf({}, {});
  const auxData = { jwt: { token: "t" } };
  expect(await client.isAllowed(Object({ principal: key, resource, action: "view", auxData }))).toBe(true);
});

describe("globals", () => {
  const given = { a: undefined, m: { x: undefined, y: 1 }, list: [{ z: undefined }] };
  /** As a JavaScript program passes them. */
  const odd: { readonly globals: NonNullable<CompileOptions["globals"]> } = Object({ globals: given });
  const plain = sent(odd);

  test.each([
    ..."has(G.a)|!has(G.a)|G.a == null|has(G.m.x)|!has(G.m.x)|size(G.m) == 1|'x' in G.m|G.m == {'y': 1}".split("|"),
    ..."G.list[0].size() == 0|G.m.all(k, k == 'y')|G.m == R.attr.m|R.attr.m == G.m|G.?a.orValue(1) == 1".split("|"),
    "G.list.exists(x, !has(x.z))",
  ])("%s", async (expr) => {
    const request = requestOf({ m: { y: 1 } }, {});
    for (const effect of EFFECTS) {
      const policies = files(expr, effect);
      for (const options of OPTIONS) {
        const expected = await answersOf(compiled(policies, { ...options, ...plain }), request);
        const set = compiled(policies, { ...options, ...odd });
        const bundles = await bundledSets(compiled(policies, options), odd);
        for (const one of [set, bundles.module, bundles.text]) {
          expect(await answersOf(one, request)).toEqual(expected);
        }
      }
      const [permission, , schema] = policies;
      if (permission === undefined || schema === undefined) throw new Error("no files");
      const answers = [odd, plain].map(async (globals) => {
        const engine = compileCheckEngine([permission, schema], { ...globals, failClosed: true });
        if (!isRight(engine)) throw new Error(JSON.stringify(engine.left));
        const { key, resource } = request;
        return new EmbeddedClient(engine.right).isAllowed(Object({ principal: key, resource, action: "view" }));
      });
      const [withUndefined, asJson] = await Promise.all(answers);
      expect(withUndefined).toBe(asJson);
    }
  });

  class Instance {}
  const itself: { [name: string]: unknown } = {};
  itself.itself = itself;

  test.each<[what: string, value: unknown, place: string]>([
    ["a list with undefined", [1, undefined], "globals.m.v[1] must be JSON"],
    ["NaN", Number.NaN, "globals.m.v must be JSON"],
    ["an infinity", [{ a: Number.POSITIVE_INFINITY }], "globals.m.v[0].a must be JSON"],
    ["a Date", new Date(0), "globals.m.v must be JSON"],
    ["a Map", new Map(), "globals.m.v must be JSON"],
    ["an instance", new Instance(), "globals.m.v must be JSON"],
    ["a function", () => 1, "globals.m.v must be JSON"],
    ["itself", itself, "levels deep"],
  ])("%s is refused", async (_, value, place) => {
    const [permission, platform, schema] = files("true", "EFFECT_ALLOW");
    if (permission === undefined || platform === undefined || schema === undefined) throw new Error("no files");
    const options = Object({ globals: { m: { v: value } } });
    expect(() => compiled([permission, platform, schema], options)).toThrow(place);
    expect(() => compileCheckEngine([permission, schema], options)).toThrow(place);
    await expect(bundledSets(compiled([permission, platform, schema]), options)).rejects.toThrow(place);
  });

  test("a later change of them changes no decision", () => {
    const globals = { m: { y: 1 } };
    const set = compiled(files("G.m.y == 1", "EFFECT_ALLOW"), { globals });
    globals.m.y = 2;
    expect(decide(set, requestOf({}, {})).outcome).toBe("allow");
  });
});

test("a property that is not enumerable is a value in every way to decide", async () => {
  const attr = Object.defineProperty({}, "hold", { value: 1, enumerable: false });
  const inner = Object.defineProperty({ a: 1 }, "lock", { value: 1, enumerable: false });
  const request = { ...requestOf({}, {}), resource: { kind: "doc", id: "1", attr } };
  Object.assign(request.resource.attr, { owner: "ann", meta: inner });
  const expr = "has(R.attr.hold) && R.attr.meta.lock == 1 && size(R.attr.meta) == 2";
  const [permission, platform, schema] = files(expr, "EFFECT_ALLOW");
  if (permission === undefined || platform === undefined || schema === undefined) throw new Error("no files");
  const set = compiled([permission, platform, schema]);
  const engine = compileCheckEngine([permission, platform, schema]);
  if (!isRight(engine)) throw new Error(JSON.stringify(engine.left));
  const remote = await remoteDecider(new EmbeddedClient(engine.right), set)(request)();
  expect([decide(set, request).outcome, isRight(remote) && remote.right.outcome]).toEqual(["allow", "allow"]);
});
