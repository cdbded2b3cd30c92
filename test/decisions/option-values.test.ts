/** Options that there are not, and values that an option may not have, are refused, in place of being read as others. */

import { describe, expect, test } from "vitest";
import { authzenHandler } from "../../src/authzen/index.js";
import { loadBundle } from "../../src/bundle/index.js";
import { compileCheckEngine, EmbeddedClient, remoteDecider } from "../../src/cerbos/index.js";
import { loadCheckEngine as loadBundledEngine } from "../../src/cerbos/runtime.js";
import {
  answerErrors as answerErrorsInExpress,
  authorize as authorizeInExpress,
} from "../../src/http/express/index.js";
import { answerErrors as answerErrorsInHono, authorize as authorizeInHono } from "../../src/http/hono/index.js";
import { bearerKey, guard, requestIdFrom } from "../../src/http/index.js";
import {
  type CompileOptions,
  compilePolicies,
  compilePoliciesOrThrow,
  decideEach,
  errorBody,
  keepDeciders,
  policySetHash,
  shadow,
} from "../../src/index.js";
import { guardTools } from "../../src/mcp/index.js";
import {
  fetchListener,
  loadCheckEngine,
  loadPolicies,
  readPolicyDirectory,
  watchPolicies,
} from "../../src/node/index.js";
import type { ReadOptions } from "../../src/node/read-options.js";
import { toSql } from "../../src/sql/index.js";
import {
  chain,
  failClosed,
  keySwap,
  order,
  readSuiteDirectory,
  reduction,
  requests,
  runSuites,
} from "../../src/testing/index.js";
import { loadBundleText, watchBundle } from "../../src/watch/bundles.js";
import { LivePolicies } from "../../src/watch/index.js";
import { policy, supportAll } from "../support/compose.js";
import { shipped } from "../support/policies.js";

const rules = ["name: r, actions: [read], roles: [user], effect: EFFECT_ALLOW"];
const FILES = [{ path: "a.yaml", text: policy({ rules }) }, ...supportAll("doc")];
const POLICIES = "policies";

/** Options as a program in JavaScript can write them. */
const untyped = (options: object) => JSON.parse(JSON.stringify(options));

describe.each([
  ["compilePolicies", (options: object) => compilePolicies(FILES, untyped(options))],
  ["loadPolicies", (options: object) => loadPolicies(POLICIES, untyped(options))()],
])("%s", (_, load) => {
  test.each([
    [{ schemaEnforcement: "rejct" }, 'schemaEnforcement must be "none" or "warn" or "reject", or absent'],
    [{ schemaEnforcement: "REJECT" }, "schemaEnforcement must be"],
    [{ schemaEnforcement: true }, "schemaEnforcement must be"],
    [{ schemaEnforcement: null }, "schemaEnforcement must be"],
    [{ typedReads: "false" }, "typedReads must be true or false, or absent"],
    [{ lenientScopeSearch: "no" }, "lenientScopeSearch must be"],
    [{ codegen: 0 }, "codegen must be"],
    [{ cerbos: "9" }, 'cerbos must be "0.55" or "0.58", or absent'],
    [{ cerbos: 0.55 }, "cerbos must be"],
    [{ globals: [1] }, "globals must be an object, or absent"],
    [{ globals: "x" }, "globals must be"],
    [{ permissionVersion: 1 }, "permissionVersion must be a text"],
    [{ platformVersion: ["platform"] }, "platformVersion must be a text"],
    [{ otherVersions: "staging" }, "otherVersions must be a list of texts"],
    [{ otherVersions: [1] }, "otherVersions must be a list of texts"],
  ])("%j", async (options, message) => {
    await expect(async () => await load(options)).rejects.toThrow(message);
    await expect(async () => await load(options)).rejects.toThrow(TypeError);
  });
});

test.each([
  [{ lock: "require" }, 'lock must be "required" or "ignored", or absent'],
  [{ lock: true }, "lock must be"],
  [{ followLinks: "false" }, "followLinks must be true or false"],
])("reading a directory: %j", (options, message) => {
  expect(() => readPolicyDirectory(POLICIES, untyped(options))).toThrow(message);
  expect(() => loadPolicies(POLICIES, untyped(options))).toThrow(TypeError);
});

test.each([
  [{ schemaEnforcement: "on" }, "schemaEnforcement must be"],
  [{ failClosed: "false" }, "failClosed must be true or false"],
  [{ strictEvaluation: 1 }, "strictEvaluation must be"],
  [{ defaultScope: null }, "defaultScope must be a text"],
])("an engine of checks: %j", (options, message) => {
  expect(() => compileCheckEngine(FILES, untyped(options))).toThrow(message);
});

test("absent options, and those that are undefined, are none", () => {
  const names = ["schemaEnforcement", "typedReads", "globals", "cerbos", "otherVersions"];
  const options: CompileOptions = Object.fromEntries(names.map((name) => [name, undefined]));
  for (const given of [{}, options]) expect(compilePolicies(FILES, given)).toMatchObject({ _tag: "Right" });
});

test("options of neighbouring functions, and instances of classes, are taken", async () => {
  const load: CompileOptions & ReadOptions = { lock: "ignored", followLinks: false, codegen: false };
  expect(compilePolicies(FILES, load)).toMatchObject({ _tag: "Right" });
  expect(await readPolicyDirectory(POLICIES, load)()).toMatchObject({ _tag: "Right" });
  class Watching {
    readonly log: string[] = [];
    readonly intervalMs = 60_000;
    requires() {
      this.log.push("asked");
      return [];
    }
    onEvent() {}
  }
  const options = new Watching();
  await (await watchPolicies(POLICIES, options)).stop();
  expect(options.log).toEqual(["asked"]);
  expect(() => answerErrorsInHono({ ...GUARD, onError: ignore })).not.toThrow();
});

const ignore = () => {};
const engine = untyped({});
const client = untyped({});
const alone = compilePoliciesOrThrow(FILES, { platform: "none", otherVersions: ["platform"] });
const bundle = untyped({});
const GUARD = {
  docsUrl: "example.com",
  decide: ignore,
  operation: "x",
  key: ignore,
  resource: ignore,
  account: ignore,
};
const TOOLS = { policies: shipped, key: ignore, tools: {} };
const ANSWER = { docsUrl: "example.com", onError: ignore };

/** Options with others that have no JSON. */
function using(needed: object, options: object) {
  return Object.assign(untyped({}), needed, options);
}

describe.each<[string, (options: object) => unknown, string, string]>([
  ["compilePolicies", (given) => compilePolicies(FILES, using({}, given)), "schemaEnforcment", "schemaEnforcement"],
  ["loadPolicies", (given) => loadPolicies(POLICIES, using({}, given)), "locked", "lock"],
  ["readPolicyDirectory", (given) => readPolicyDirectory(POLICIES, using({}, given)), "followlink", "followLinks"],
  ["loadCheckEngine", (given) => loadCheckEngine(POLICIES, using({}, given)), "failClose", "failClosed"],
  ["compileCheckEngine", (given) => compileCheckEngine(FILES, using({}, given)), "cerbo", "cerbos"],
  ["LivePolicies.load", (given) => LivePolicies.load(POLICIES, using({}, given)), "onWidenning", "onWidening"],
  ["watchPolicies", (given) => watchPolicies("absent", using({ onEvent: ignore }, given)), "graceMS", "graceMs"],
  ["loadBundle", (given) => loadBundle(bundle, using({}, given)), "minversion", "minVersion"],
  ["loadBundleText", (given) => loadBundleText("", using({}, given)), "publickey", "publicKey"],
  ["watchBundle", (given) => watchBundle("absent", using({ onEvent: ignore }, given)), "interval", "intervalMs"],
  [
    "loadCheckEngine of a bundle",
    (given) => loadBundledEngine(bundle, using({}, given)),
    "defaultscope",
    "defaultScope",
  ],
  ["EmbeddedClient", (given) => new EmbeddedClient(engine, using({}, given)), "onDecison", "onDecision"],
  ["EmbeddedClient", (given) => new EmbeddedClient(engine, using({}, { limits: given })), "limits.x", ""],
  ["remoteDecider", (given) => remoteDecider(client, shipped, using({}, given)), "timeoutMS", "timeoutMs"],
  ["keepDeciders", (given) => keepDeciders(shipped, using({ revision: ignore }, given)), "limits", "limit"],
  ["shadow", (given) => shadow(shipped, using({ onDifference: ignore }, given)), "samples", "sample"],
  ["guard", (given) => guard(using({ ...GUARD, onError: ignore }, given)), "onFaults", "onFault"],
  ["authorize of Hono", (given) => authorizeInHono(using({ ...GUARD, onError: ignore }, given)), "anwser", "answer"],
  ["authorize of Express", (given) => authorizeInExpress(using({ ...GUARD, onError: ignore }, given)), "nows", "now"],
  ["answerErrors of Hono", (given) => answerErrorsInHono(using(ANSWER, given)), "services", "service"],
  ["answerErrors of Express", (given) => answerErrorsInExpress(using(ANSWER, given)), "requestID", "requestId"],
  ["bearerKey", (given) => bearerKey({}, using({}, given)), "maxlength", "maxLength"],
  ["fetchListener", (given) => fetchListener(untyped({}), using({}, given)), "behindproxy", "behindProxy"],
  ["guardTools", (given) => guardTools({ server: {} }, using(TOOLS, given)), "unlist", "unlisted"],
  ["authzenHandler", (given) => authzenHandler(using({ policies: shipped }, given)), "authentificate", "authenticate"],
  [
    "authzenHandler",
    (given) => authzenHandler(using({ policies: alone }, { limits: given })),
    "limits.depths",
    "depth",
  ],
  ["toSql", (given) => toSql({ op: "unknown" }, using({ dialect: "sqlite" }, given)), "other", "others"],
  ["runSuites", (given) => runSuites(FILES, new Map(), using({}, given)), "ignoreSchema", "ignoreSchemas"],
  [
    "runSuites",
    (given) => runSuites(FILES, new Map(), { compile: using({}, given) }),
    "compile.typedRead",
    "typedReads",
  ],
  ["requests", (given) => requests(shipped, using({}, given)), "wellTypes", "wellTyped"],
  ["keySwap", (given) => keySwap(shipped, using({}, given)), "decider", "decide"],
  ["chain", (given) => chain(shipped, using({}, given)), "decideChains", "decideChain"],
  ["failClosed", (given) => failClosed(shipped, using({}, given)), "exept", "except"],
  ["reduction", (given) => reduction(shipped, using({}, given)), "list", "lists"],
  ["order", (given) => order(FILES, using({}, given)), "compiles", "compile"],
])("%s", (_, call, path, nearest) => {
  const name = path.slice(path.indexOf(".") + 1);
  const hint = nearest === "" ? "" : `: did you mean "${nearest}"?`;

  test(`has no option ${path}`, async () => {
    await expect(async () => await call({ [name]: true })).rejects.toThrow(
      new TypeError(`there is no option ${path}${hint}`),
    );
  });

  test("passes over one that is undefined", async () => {
    const told = await (async () => await call({ [name]: undefined }))().then(() => "", String);
    expect(told).not.toContain("there is no option");
  });
});

describe.each<[string, (options: object) => unknown, readonly [object, string][]]>([
  [
    "watchPolicies",
    (given) => watchPolicies("absent", using({ onEvent: ignore }, given)),
    [
      [{ quietMs: Number.NaN }, "quietMs must be a number of milliseconds of 0 or more, or absent"],
      [{ quietMs: -1 }, "quietMs must be"],
      [{ graceMs: "30000" }, "graceMs must be"],
      [{ intervalMs: null }, "intervalMs must be"],
      [{ onEvent: 1 }, "onEvent must be a function"],
      [{ onEvent: undefined }, "onEvent must be a function"],
      [{ requires: true }, "requires must be a function, or absent"],
      [{ now: 1 }, "now must be a function, or absent"],
      [{ cerbos: "9" }, "cerbos must be"],
    ],
  ],
  [
    "watchBundle",
    (given) => watchBundle("absent", using({ onEvent: ignore }, given)),
    [
      [{ intervalMs: Number.NaN }, "intervalMs must be"],
      [{ fetch: "https://example.com" }, "fetch must be a function, or absent"],
      [{ onEvent: undefined }, "onEvent must be a function"],
    ],
  ],
  [
    "loadBundle",
    (given) => loadBundle(bundle, using({}, given)),
    [[{ platform: "forbidden" }, 'platform must be "none"']],
  ],
  ["loadBundleText", (given) => loadBundleText("", using({}, given)), [[{ signature: 1 }, "signature must be a text"]]],
  [
    "readSuiteDirectory",
    (given) => readSuiteDirectory(POLICIES, using({}, given)),
    [[{ followLinks: "false" }, "followLinks must be true or false, or absent"]],
  ],
  [
    "bearerKey",
    (given) => bearerKey({}, using({}, given)),
    [
      [{ maxLength: Number.NaN }, "maxLength must be a whole number of 1 or more, or absent"],
      [{ maxLength: 0 }, "maxLength must be"],
    ],
  ],
  [
    "fetchListener",
    (given) => fetchListener(untyped({}), using({}, given)),
    [[{ behindProxy: "false" }, "behindProxy must be true or false, or absent"]],
  ],
  [
    "keepDeciders",
    (given) => keepDeciders(shipped, using({ revision: ignore }, given)),
    [
      [{ limit: Number.NaN }, "limit must be a whole number of 1 or more, or absent"],
      [{ revision: "v1" }, "revision must be a function"],
    ],
  ],
  [
    "shadow",
    (given) => shadow(shipped, using({ onDifference: ignore }, given)),
    [
      [{ sample: Number.NaN }, "sample must be a number from 0 to 1, or absent"],
      [{ budgetMs: 0 }, "budgetMs must be a number of milliseconds above 0, and at most 1000, or absent"],
      [{ onDifference: 1 }, "onDifference must be a function"],
    ],
  ],
  [
    "guard",
    (given) => guard(using({ ...GUARD, onError: ignore }, given)),
    [
      [{ onFault: "refused" }, 'onFault must be "fail" or "refuse", or absent'],
      [{ challenge: "true" }, "challenge must be true or false, or absent"],
      [{ account: undefined }, "account must be a function"],
      [{ decide: undefined }, "decide must be a function, or the result of keepDeciders"],
      [{ onDecision: true }, "onDecision must be a function, or absent"],
    ],
  ],
  [
    "guardTools",
    (given) => guardTools({ server: {} }, using(TOOLS, given)),
    [
      [{ ttlMs: Number.NaN }, "ttlMs must be"],
      [{ unlisted: "decided" }, 'unlisted must be "unknown" or "decide", or absent'],
      [{ account: "a" }, "account must be a function, or absent"],
    ],
  ],
  [
    "EmbeddedClient",
    (given) => new EmbeddedClient(engine, using({}, given)),
    [
      [{ limits: { maxActionsPerResource: Number.NaN } }, "limits.maxActionsPerResource must be a whole number"],
      [{ limits: 50 }, "limits must be an object, or absent"],
      [{ decodeJWT: true }, "decodeJWT must be a function, or absent"],
    ],
  ],
  [
    "authzenHandler",
    (given) => authzenHandler(using({ policies: alone }, given)),
    [
      [{ limits: { depth: Number.POSITIVE_INFINITY } }, "limits.depth must be a whole number of 1 or more"],
      [{ authenticate: true }, "authenticate must be a function, or absent"],
    ],
  ],
  [
    "toSql",
    (given) => toSql({ op: "unknown" }, using({ dialect: "sqlite" }, { attributes: given })),
    [
      [
        { a: { column: "a", type: "text", nulls: "never" } },
        'there is no option attributes.a.nulls: did you mean "null"?',
      ],
      [{ a: { type: "text" } }, "attributes.a.column must be a text"],
      [{ a: null }, "attributes.a must be an object"],
      [{ a: { table: "t", on: {}, field: {} } }, 'there is no option attributes.a.field: did you mean "fields"?'],
      [{ a: { table: "t", on: {}, fields: { b: { name: "b" } } } }, "there is no option attributes.a.fields.b.name"],
    ],
  ],
])("%s", (_, call, cases) => {
  test.each(cases)("%o", async (options, message) => {
    const told = await (async () => await call(options))().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(told).toBeInstanceOf(TypeError);
    expect(String(told)).toContain(message);
  });
});

test.each<[string, () => unknown, string]>([
  [
    "compilePolicies",
    () => compilePolicies(untyped([{ text: "" }])),
    "files must be a list of files, each with its path and its text",
  ],
  ["compilePolicies", () => compilePolicies(untyped({ "a.yaml": "" })), "files must be a list of files"],
  ["compileCheckEngine", () => compileCheckEngine(untyped([{ path: "a.yaml" }])), "files must be a list of files"],
  ["runSuites", () => runSuites(untyped(["a.yaml"]), new Map()), "policies must be a list of files"],
  ["runSuites", () => runSuites(FILES, untyped({})), "files must be a map of texts by their paths"],
  [
    "decideEach",
    () => decideEach(shipped, untyped({}), untyped([null])[0]),
    "resources must be an iterable, or an async iterable",
  ],
  [
    "requestIdFrom",
    () => requestIdFrom(untyped({ "x-request-id": "req_1" })),
    "headers must be the Headers of the Fetch API",
  ],
  ["requestIdFrom", () => requestIdFrom(untyped([null])[0]), "headers must be the Headers of the Fetch API"],
  ["errorBody", () => errorBody(untyped([null])[0], untyped({})), "decision must be an object"],
  ["errorBody", () => errorBody({ outcome: "forbidden" }, untyped([null])[0]), "options must be an object"],
  ["policySetHash", () => policySetHash(untyped([null])[0]), "policies must be an object"],
  ["toSql", () => toSql(untyped({ outcome: "all" }), { dialect: "sqlite" }), "filter must be the `filter` of a plan"],
  ["loadPolicies", () => loadPolicies(untyped([null])[0]), "directory must be a text"],
  ["readPolicyDirectory", () => readPolicyDirectory(untyped([1])[0]), "directory must be a text"],
  ["loadCheckEngine", () => loadCheckEngine(untyped([null])[0]), "directory must be a text"],
  ["LivePolicies.load", () => LivePolicies.load(untyped([null])[0]), "directory must be a text"],
  ["readSuiteDirectory", () => readSuiteDirectory(untyped([null])[0]), "directory must be a text"],
])("an argument of another type is named: %s", (_, call, message) => {
  expect(call).toThrow(TypeError);
  expect(call).toThrow(message);
});
