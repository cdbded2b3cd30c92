/** Names that other code puts on `Object.prototype` and `Array.prototype` are never read as data. */

import { isRight } from "fp-ts/lib/Either.js";
import { afterEach, describe, expect, test } from "vitest";
import { compilePolicies, type Decider, decide, deciderFor, errorBody, requestIssues } from "../../src/index.js";
import { shipped, shippedFiles } from "../support/policies.js";
import { ask, KINDS } from "../support/requests.js";

const added: (readonly [object, PropertyKey])[] = [];

function pollute(name: string, value: unknown, enumerable: boolean, target: object = Object.prototype): void {
  Object.defineProperty(target, name, { value, enumerable, configurable: true, writable: true });
  added.push([target, name]);
}

function clean(): void {
  for (const [target, name] of added.splice(0)) Reflect.deleteProperty(target, name);
}

afterEach(clean);

/** Values that could help an attacker, by name. */
const NAMES: { readonly [name: string]: unknown } = {
  polluted: true,
  system: false,
  deleteProtection: false,
  keyCount: 0,
  state: "active",
  status: "active",
  plan: "enterprise",
  holds: [],
  limits: { apis: 1e9, keys: 1e9 },
  usage: { apis: 0, keys: 0 },
  accountId: "acc_1",
  environment: "production",
  workspaceIds: ["*"],
  permissions: ["api.*.delete_api"],
  roles: ["admin"],
  attr: { accountId: "acc_1" },
  attributes: {},
  id: "acc_1",
  kind: "api",
  key: { id: "k", roles: ["admin"] },
  account: { id: "acc_1" },
  resource: { kind: "api", id: "api_1" },
  operation: "apis.getApi",
  now: "no date",
  policyVersion: "platform",
  scope: "acme",
  effect: "allow",
  outcome: "allow",
  value: true,
  get: undefined,
  requestId: "req_1",
  docsUrl: "x",
};

/** Each operation, allowed and refused in several ways, and with each part missing. */
function requests(): unknown[] {
  return Object.keys(KINDS).flatMap((operation) => {
    const whole = [
      ask(operation),
      ask(operation, { roles: ["custom"] }),
      ask(operation, { resource: { system: true, state: "suspended" } }),
      ask(operation, { account: { holds: ["abuse"], status: "suspended" } }),
    ];
    const [first] = whole;
    if (first === undefined) return [];
    const partial = (["key", "resource", "account"] as const).flatMap((part) => [
      { ...first, [part]: {} },
      { ...first, [part]: undefined },
      ...Object.keys(first[part]).map((field) => ({ ...first, [part]: without(first[part], field) })),
      ...Object.keys(first[part].attr).map((name) => ({
        ...first,
        [part]: { ...first[part], attr: without(first[part].attr, name) },
      })),
    ]);
    return [...whole, ...partial, {}, without(first, "key"), without(first, "account"), without(first, "operation")];
  });
}

function without(value: object, name: string): object {
  return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));
}

/** Decisions and error bodies as text, computed while the prototype is polluted. */
function answers(all: readonly unknown[], policies = shipped): string[] {
  return all.map((request) => {
    const decision = decide(policies, Object.assign(Object.create(null), { request }).request);
    const { outcome, permission, platform } = decision;
    const body = errorBody(decision, { requestId: "req_a", docsUrl: "docs.example.com" });
    const shown = [permission, platform].map(({ effect, reasons, errors }) => [effect, reasons.length, errors.length]);
    const first = [permission, platform].map(({ reasons }) => reasons[0]?.reason);
    const detail = body?.error.detail;
    const issues = requestIssues(request).length;
    return `${outcome} ${shown.join(" ")} ${first.join(" ")} ${detail} ${issues} ${decided(request, policies).join(" ")}`;
  });
}

/** The outcomes of deciders: bound to the request's key, and to its account as well. */
function decided(request: unknown, policies: typeof shipped): readonly unknown[] {
  const { key, account, ...rest } = Object.assign(Object.create(null), request);
  const asked = (subjects: object, target: object): unknown => {
    const decider: Decider = Reflect.apply(deciderFor, undefined, [policies, subjects]);
    return Reflect.apply(decider.decide, decider, [target]).outcome;
  };
  const ofKey = key === undefined ? {} : { key };
  const ofAccount = account === undefined ? {} : { account };
  return [asked(ofKey, { ...rest, ...ofAccount }), asked({ ...ofKey, ...ofAccount }, { ...rest })];
}

const ALL = requests();
const EXPECTED = answers(ALL);

test("the requests of these tests are of every outcome", () => {
  const count = (outcome: string) => EXPECTED.filter((answer) => answer.startsWith(outcome)).length;
  for (const outcome of ["allow", "insufficient_permissions", "forbidden"]) expect(count(outcome)).toBeGreaterThan(8);
});

describe.each([
  ["enumerable", true],
  ["not enumerable", false],
])("after loading, %s", (_, enumerable) => {
  test.each(Object.keys(NAMES))("Object.prototype.%s changes no answer", (name) => {
    pollute(name, NAMES[name], enumerable);
    const found = answers(ALL);
    clean();
    expect(found).toEqual(EXPECTED);
  });

  test("all of them together", () => {
    for (const [name, value] of Object.entries(NAMES)) if (name !== "get") pollute(name, value, enumerable);
    const found = answers(ALL);
    clean();
    expect(found).toEqual(EXPECTED);
  });

  test("indexes of lists", () => {
    pollute("0", "admin", enumerable, Array.prototype);
    const found = answers(ALL);
    clean();
    expect(found).toEqual(EXPECTED);
  });
});

describe.each([
  ["enumerable", true],
  ["not enumerable", false],
])("while loading, %s", { tags: "long" }, (_, enumerable) => {
  // The JSON Schema library reads some of these names as its own; then the policies are refused.
  test.each(["polluted", "roles", "effect", "id", "scope", "value"])(
    "Object.prototype.%s: the same policies, or none",
    (name) => {
      pollute(name, NAMES[name], enumerable);
      const loaded = compilePolicies(shippedFiles);
      const during = isRight(loaded) ? answers(ALL, loaded.right) : EXPECTED;
      clean();
      if (name === "polluted" && !enumerable) expect(isRight(loaded)).toBe(true);
      expect(during).toEqual(EXPECTED);
      if (isRight(loaded)) expect(answers(ALL, loaded.right)).toEqual(EXPECTED);
      else expect(loaded.left[0]?.message).not.toBe("");
      expect(isRight(compilePolicies(shippedFiles))).toBe(true);
    },
  );
});
