/** `auxData` and the other fields of a `@cerbos/core` request: each is passed on, or refused with its path. */

import { NotOK, Status } from "@cerbos/core";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { Timestamp } from "../../src/cel/values.js";
import { tokenClaims } from "../../src/cerbos/claims.js";
import { compileCheckEngine, EmbeddedClient, type EmbeddedClientOptions } from "../../src/cerbos/index.js";
import { policy, when } from "../support/compose.js";
import { token } from "./store.js";

const ALL = 'actions: [view], roles: ["*"]';
const COMPILED = compileCheckEngine([
  {
    path: "doc.yaml",
    text: policy({
      rules: [
        `name: all, ${ALL}, effect: EFFECT_ALLOW, output: {when: {ruleActivated: request.auxData.jwts}}`,
        `name: app, ${ALL}, effect: EFFECT_DENY, ${when("request.auxData.jwts.app.claims.revoked == true")}`,
        `name: proto, ${ALL}, effect: EFFECT_DENY, ${when('request.auxData.jwts["__proto__"].claims.revoked == true')}`,
        `name: one, ${ALL}, effect: EFFECT_DENY, ${when("request.auxData.jwt.revoked == true")}`,
      ],
    }),
  },
]);
if (isLeft(COMPILED)) throw new Error(JSON.stringify(COMPILED.left));
const engine = COMPILED.right;

const verified: unknown[] = [];
function decodeJWT(text: string, keySetId: string | undefined) {
  verified.push(keySetId);
  return tokenClaims(text, new Timestamp(1, 0));
}

function clientWith(options: EmbeddedClientOptions = { decodeJWT }): EmbeddedClient {
  return new EmbeddedClient(engine, options);
}

const principal = { id: "ann", roles: ["user"] };
const resource = { kind: "doc", id: "d1" };
const REVOKED = { token: token({ revoked: true }) };
const VALID = { token: token({ revoked: false }) };

/** Each method of the client, called with fields that its types do not have. */
const WAYS: { readonly [name: string]: (client: EmbeddedClient, more: object) => Promise<unknown> } = {
  isAllowed: (client, more) => client.isAllowed(Object.assign({ principal, resource, action: "view" }, more)),
  checkResource: async (client, more) =>
    (await client.checkResource(Object.assign({ principal, resource, actions: ["view"] }, more))).isAllowed("view"),
  checkResources: async (client, more) => {
    const resources = [{ resource, actions: ["view"] }];
    return (await client.checkResources(Object.assign({ principal, resources }, more))).isAllowed({
      resource,
      action: "view",
    });
  },
  planResources: async (client, more) =>
    (await client.planResources(Object.assign({ principal, resource: { kind: "doc" }, actions: ["view"] }, more)))
      .kind === "KIND_ALWAYS_ALLOWED",
};

async function outcome(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    return error instanceof NotOK ? `${Status[error.code]} ${error.details}` : error;
  }
}

describe.each(Object.entries(WAYS))("%s", (_, ask) => {
  test.each<[string, unknown, boolean]>([
    ["none", undefined, true],
    ["null", null, true],
    ["nothing in it", {}, true],
    ["a token", { jwt: REVOKED }, false],
    ["a token that holds", { jwt: VALID }, true],
    ["null for a token", { jwt: null }, true],
    ["a named token", { jwts: { app: REVOKED } }, false],
    ["a named token that holds", { jwts: { app: VALID } }, true],
    ["a named token that no rule reads", { jwts: { other: REVOKED } }, true],
    ["two named tokens", { jwts: { other: VALID, app: REVOKED } }, false],
    ["the name of the prototype", { jwts: { ["__proto__"]: REVOKED } }, false],
    ["names of other fields", { jwts: { jwt: VALID, attr: VALID, auxData: VALID, app: REVOKED } }, false],
    ["no named token", { jwts: {} }, true],
    ["an absent key set", { jwts: { app: { ...REVOKED, keySetId: undefined } } }, false],
  ])("%s", async (_name, auxData, allowed) => {
    expect(await outcome(ask(clientWith(), { auxData }))).toBe(allowed);
  });

  test.each<[string, unknown, string]>([
    ["a text", "x", "auxData: must be an object"],
    ["a list", [], "auxData: must be an object"],
    ["a Map", new Map([["jwt", REVOKED]]), "auxData: must be an object"],
    ["a promise", Promise.resolve({ jwt: REVOKED }), "auxData: must be an object"],
    ["an unknown field", { jwt: VALID, later: 1 }, "auxData.later: unknown field, there can be a jwt or jwts"],
    ["a token as a text", { jwt: REVOKED.token }, "auxData.jwt: must be an object"],
    ["an empty text for a token", { jwt: "" }, "auxData.jwt: must be an object"],
    ["an object without a token", { jwt: {} }, "auxData.jwt.token: must be a string"],
    ["a promise of a token", { jwt: Promise.resolve(REVOKED) }, "auxData.jwt.token: must be a string"],
    ["an empty token", { jwt: { token: "" } }, "validation error: aux_data.jwt.token: value is required"],
    ["a key set that is no text", { jwt: { ...VALID, keySetId: 1 } }, "auxData.jwt.keySetId: must be a string"],
    [
      "an unknown field of a token",
      { jwt: { ...VALID, claims: {} } },
      "auxData.jwt.claims: unknown field, there can be a token and a keySetId",
    ],
    [
      "both",
      { jwt: VALID, jwts: { app: REVOKED } },
      "validation error: aux_data: Only one of the jwt or jwts fields must be set",
    ],
    ["null for named tokens", { jwts: null }, "auxData.jwts: must be a map"],
    ["a list of tokens", { jwts: [REVOKED] }, "auxData.jwts: must be a map"],
    ["a Map of tokens", { jwts: new Map([["app", REVOKED]]) }, "auxData.jwts: must be a map"],
    ["a promise of tokens", { jwts: Promise.resolve({ app: REVOKED }) }, "auxData.jwts: must be a map"],
    ["tokens that a class has", { jwts: new (class Tokens {})() }, "auxData.jwts: must be a map"],
    ["no name", { jwts: { "": REVOKED } }, 'validation error: aux_data.jwts[""]: must be at least 1 characters'],
    [
      "an empty named token",
      { jwts: { app: { token: "" } } },
      'validation error: aux_data.jwts["app"].token: value is required',
    ],
    ...[undefined, null, REVOKED.token, [], { token: 1 }, { ...REVOKED, claims: {} }, { ...REVOKED, keySetId: 1 }].map(
      (app): [string, unknown, string] => [
        `${JSON.stringify(app)} for a named token`,
        { jwts: { app } },
        'aux_data.jwts["app"]: must have a token, and a keySetId at most',
      ],
    ),
    ["a token that is none", { jwts: { app: { token: "x" } } }, "invalid auxData"],
  ])("%s is refused", async (_name, auxData, message) => {
    expect(await outcome(ask(clientWith(), { auxData }))).toBe(`INVALID_ARGUMENT ${message}`);
  });

  test.each([{ jwt: VALID }, { jwts: { app: VALID } }])("without decodeJWT %j is refused", async (auxData) => {
    expect(await outcome(ask(clientWith({}), { auxData }))).toBe(
      "INVALID_ARGUMENT invalid auxData: the client has no decodeJWT",
    );
  });

  test("each named token goes to decodeJWT with its key set", async () => {
    verified.length = 0;
    await ask(clientWith(), { auxData: { jwts: { app: { ...VALID, keySetId: "k" }, other: VALID } } });
    expect(verified).toEqual(["k", undefined]);
  });

  test("tokens may be what a class inherits", async () => {
    const named = new (class {
      get token() {
        return REVOKED.token;
      }
    })();
    const one = new (class {
      get jwt() {
        return named;
      }
    })();
    const several = new (class {
      get jwts() {
        return { app: named };
      }
    })();
    for (const auxData of [one, several]) expect(await outcome(ask(clientWith(), { auxData }))).toBe(false);
  });
});

test("tokens of a client with a principal", async () => {
  const ask = (always: object, more: object = {}) =>
    outcome(
      clientWith()
        .withPrincipal(principal, always)
        .isAllowed({ resource, action: "view", ...more }),
    );
  expect(await ask({ jwts: { app: REVOKED } })).toBe(false);
  expect(await ask({ jwts: { app: VALID } })).toBe(true);
  expect(await ask({}, { auxData: { jwts: { app: REVOKED } } })).toBe(false);
  expect(await ask({ later: 1 })).toBe("INVALID_ARGUMENT auxData.later: unknown field, there can be a jwt or jwts");
});

test("named tokens of one call are not those of another under way", async () => {
  const client = clientWith({
    decodeJWT: async (text) => {
      await new Promise((resolve) => setTimeout(resolve, text === REVOKED.token ? 5 : 1));
      return tokenClaims(text, new Timestamp(1, 0));
    },
  });
  const tokens = [REVOKED, VALID, undefined, VALID, REVOKED, undefined];
  const ask = (app: typeof VALID | undefined) =>
    WAYS.isAllowed?.(client, app === undefined ? {} : { auxData: { jwts: { app } } });
  expect(await Promise.all(tokens.map(ask))).toEqual([false, true, true, true, false, true]);
});

test("a call's tokens beside the principal's are refused, one or named: this @cerbos/core sends both", async () => {
  const ask = (ofPrincipal: object, ofCall: object) =>
    outcome(
      clientWith().withPrincipal(principal, ofPrincipal).isAllowed({ resource, action: "view", auxData: ofCall }),
    );
  const refused = "INVALID_ARGUMENT validation error: aux_data: Only one of the jwt or jwts fields must be set";
  expect(await ask({ jwt: VALID }, { jwts: { app: VALID } })).toBe(refused);
  expect(await ask({ jwts: { app: VALID } }, { jwt: VALID })).toBe(refused);
  expect(await ask({ jwts: { app: REVOKED } }, { jwts: { app: VALID } })).toBe(true);
  expect(await ask({ jwts: { app: REVOKED } }, {})).toBe(false);
});

test("claims of named tokens are read as on the server", async () => {
  const app = { token: token({ aud: "one", exp: 4_000_000_000, none: null }) };
  const auxData: object = { jwts: { app } };
  const { outputs } = await clientWith().checkResource(
    Object.assign({ principal, resource, actions: ["view"] }, { auxData }),
  );
  expect(outputs.map(({ value }) => value)).toEqual([
    { app: { claims: { aud: ["one"], exp: "2096-10-02T07:06:40Z" } } },
  ]);
});

describe("other fields", () => {
  const text = "must be spelt";
  test.each<[string, object, string]>([
    ["aux_data", { aux_data: { jwt: REVOKED } }, `aux_data: ${text} auxData`],
    [
      "policy_version of a principal",
      { principal: { ...principal, policy_version: "v2" } },
      `principal.policy_version: ${text} policyVersion`,
    ],
    [
      "policy_version of a resource",
      { resource: { ...resource, policy_version: "v2" } },
      `resources[0].resource.policy_version: ${text} policyVersion`,
    ],
    ["a context that is none", { requestContext: 1 }, "requestContext: must be an object"],
    ["a context without annotations", { requestContext: {} }, "requestContext.annotations: must be a map"],
    [
      "an annotation without a form in JSON",
      { requestContext: { annotations: { at: new Map() } } },
      "requestContext.annotations.at: Map has no form in JSON",
    ],
  ])("%s is refused", async (_, more, message) => {
    expect(await outcome(WAYS.isAllowed?.(clientWith(), more) ?? Promise.reject())).toBe(`INVALID_ARGUMENT ${message}`);
  });

  test.each<[string, object]>([
    ["a field that the API has not", { principal: { ...principal, email: "a@b.c" }, trace: 1 }],
    ["absent fields", { requestId: undefined, includeMetadata: undefined, requestContext: undefined }],
    ["null for none", { requestContext: null }],
  ])("%s changes nothing", async (_, more) => {
    expect(await outcome(WAYS.isAllowed?.(clientWith(), more) ?? Promise.reject())).toBe(true);
  });

  test("a context reaches the decision log", async () => {
    const logged: unknown[] = [];
    const client = clientWith({ onDecision: ({ requestContext }) => logged.push(requestContext?.annotations) });
    const annotations = new (class {
      readonly trace = "t1";
    })();
    const requestContext = { annotations: { ...annotations } };
    await client.isAllowed({ principal, resource, action: "view", requestContext });
    expect(logged).toMatchObject([{ trace: { kind: { case: "stringValue", value: "t1" } } }]);
  });

  test("a plan for one action and for several is refused; an absent field is not there", async () => {
    const ask = async (more: object) => {
      const plan = await clientWith().planResources(
        Object.assign({ principal, resource: { kind: "doc" }, action: "view" }, more),
      );
      return plan.kind;
    };
    expect(await outcome(ask({ actions: ["view"] }))).toBe("INVALID_ARGUMENT action: cannot be set beside actions");
    expect(await outcome(ask({ action: "", actions: ["view"] }))).toBe("KIND_ALWAYS_ALLOWED");
    expect(await outcome(ask({ actions: undefined }))).toBe("KIND_ALWAYS_ALLOWED");
    expect(await outcome(ask({ action: undefined, actions: ["view"] }))).toBe("KIND_ALWAYS_ALLOWED");
  });
});
