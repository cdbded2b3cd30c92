/**
 * Any value passed as a request: `decide` soon returns a decision, never an `allow` because of that value. The decision
 * is the same each time, and the passed value stays unchanged.
 */

import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { type Decision, type DecisionRequest, decide, decideAll, errorBody, requestIssues } from "../../src/index.js";
import { policy, when } from "../support/compose.js";
import { throwingProxy, withGetter } from "../support/hostile.js";
import { compiled, shipped, shippedFiles } from "../support/policies.js";
import { ask, KINDS } from "../support/requests.js";

const REQUEST = ask("keys.createKey", { roles: ["editor"], key: { permissions: ["api.*.create_key"] } });
const { key: KEY, resource: RESOURCE, account: ACCOUNT } = REQUEST;

/** `decide` with any value as the request. */
function decideUnknown(request: unknown): Decision {
  return decide(shipped, Object.assign(Object.create(null), { request }).request);
}

function refusal(request: unknown): string {
  const decision = decideUnknown(request);
  expect(decideUnknown(request)).toEqual(decision);
  return decision.outcome;
}

const thrower = (): never => {
  throw new Error("hostile");
};

test("what these tests change is allowed as it is", () => {
  expect(decide(shipped, REQUEST).outcome).toBe("allow");
});

describe("a request that is no request", () => {
  test.each([undefined, null, 0, 1n, "", "request", true, Symbol("request"), [], [REQUEST], {}, () => REQUEST])(
    "%s",
    (request) => {
      expect(refusal(request)).toBe("forbidden");
      expect(requestIssues(request)).not.toEqual([]);
    },
  );
});

/** Values that no part of a request accepts as a name. */
const NOT_NAMES = [
  undefined,
  null,
  0,
  1,
  true,
  "",
  1n,
  [],
  ["a"],
  {},
  new Date(0),
  Symbol("a"),
  () => "a",
  new String("a"),
  "x".repeat(4_097),
];
const NOT_OBJECTS = [undefined, null, 0, 1, true, "", "a", 1n, Symbol("a")];
const NOT_ATTRIBUTES = [null, 0, 1, true, "", "a", 1n, [], ["a"], Symbol("a"), () => ({})];

describe("missing and wrongly typed fields", () => {
  const cases: (readonly [
    field: string,
    values: readonly unknown[],
    outcome: string,
    make: (value: unknown) => object,
  ])[] = [
    ["key", NOT_OBJECTS, "insufficient_permissions", (key) => ({ ...REQUEST, key })],
    ["key.id", NOT_NAMES, "insufficient_permissions", (id) => ({ ...REQUEST, key: { ...KEY, id } })],
    [
      "key.roles",
      [...NOT_OBJECTS, [], {}, [""], [null], ["editor", 1], [["editor"]], { 0: "editor", length: 1 }],
      "insufficient_permissions",
      (roles) => ({ ...REQUEST, key: { ...KEY, roles } }),
    ],
    ["key.attr", NOT_ATTRIBUTES, "insufficient_permissions", (attr) => ({ ...REQUEST, key: { ...KEY, attr } })],
    ["operation", NOT_NAMES, "forbidden", (operation) => ({ ...REQUEST, operation })],
    ["resource", NOT_OBJECTS, "forbidden", (resource) => ({ ...REQUEST, resource })],
    ["resource.kind", NOT_NAMES, "forbidden", (kind) => ({ ...REQUEST, resource: { ...RESOURCE, kind } })],
    ["resource.id", NOT_NAMES, "forbidden", (id) => ({ ...REQUEST, resource: { ...RESOURCE, id } })],
    ["resource.attr", NOT_ATTRIBUTES, "forbidden", (attr) => ({ ...REQUEST, resource: { ...RESOURCE, attr } })],
    ["account", NOT_OBJECTS, "forbidden", (account) => ({ ...REQUEST, account })],
    ["account.id", NOT_NAMES, "forbidden", (id) => ({ ...REQUEST, account: { ...ACCOUNT, id } })],
    ["account.attr", NOT_ATTRIBUTES, "forbidden", (attr) => ({ ...REQUEST, account: { ...ACCOUNT, attr } })],
    [
      "now",
      [null, 0, "2024-01-01T00:00:00Z", new Date(Number.NaN), {}, Object.create(Date.prototype)],
      "forbidden",
      (now) => ({ ...REQUEST, now }),
    ],
  ];

  test.each(cases)("%s", (field, values, outcome, make) => {
    for (const value of values) {
      const request = make(value);
      expect(refusal(request)).toBe(outcome);
      const [issue, ...others] = requestIssues(request);
      expect([issue?.path, others]).toEqual([field, []]);
      const { permission, platform } = decideUnknown(request);
      const refusing = outcome === "forbidden" ? platform : permission;
      expect(refusing.reasons).toEqual([{ kind: "error", reason: "invalid_request", rule: "", policy: "" }]);
      expect(refusing.errors).toEqual([
        expect.objectContaining({ message: `invalid request: ${field} ${issue?.message}` }),
      ]);
    }
  });

  test.each(["key", "operation", "resource", "account"])("no %s", (field) => {
    const { [field]: _, ...rest } = Object.fromEntries(Object.entries(REQUEST));
    expect(refusal(rest)).toBe(field === "key" ? "insufficient_permissions" : "forbidden");
  });

  test.each([
    ["key", KEY, "insufficient_permissions"],
    ["resource", RESOURCE, "forbidden"],
  ] as const)("a policy version, which is not a request's to choose: %s", (part, value, outcome) => {
    expect(refusal({ ...REQUEST, [part]: { ...value, policyVersion: "default" } })).toBe(outcome);
    expect(refusal({ ...REQUEST, [part]: { ...value, policyVersion: "" } })).toBe("allow");
  });

  test("a scope that has no policies, or is none", () => {
    for (const scope of ["acme", 5, null, ["acme"], {}, "x".repeat(5_000)]) {
      expect(refusal({ ...REQUEST, resource: { ...RESOURCE, scope } })).toBe("forbidden");
    }
    expect(refusal({ ...REQUEST, resource: { ...RESOURCE, scope: "" } })).toBe("allow");
    expect(refusal({ ...REQUEST, key: { ...KEY, scope: 5 } })).toBe("insufficient_permissions");
    expect(refusal({ ...REQUEST, account: { ...ACCOUNT, scope: 5 } })).toBe("forbidden");
  });
});

describe("an own key __proto__ is a name like any other", () => {
  const parts = ["key", "resource", "account"] as const;
  test.each(parts)("with every attribute of the %s in it: they are not there", (part) => {
    const { attr, ...rest } = REQUEST[part];
    const hidden = JSON.parse(`{"__proto__": ${JSON.stringify(attr)}}`);
    expect(Object.keys(hidden)).toEqual(["__proto__"]);
    expect(refusal({ ...REQUEST, [part]: { ...rest, attr: hidden } })).not.toBe("allow");
    expect(refusal({ ...REQUEST, [part]: JSON.parse(`{"__proto__": ${JSON.stringify(REQUEST[part])}}`) })).not.toBe(
      "allow",
    );
  });

  test("with the whole request in it", () => {
    expect(refusal(JSON.parse(`{"__proto__": ${JSON.stringify(REQUEST)}}`))).toBe("forbidden");
  });

  test.each(["key", "resource", "account"])("beside the fields of the %s: it changes nothing", (part) => {
    const json = JSON.stringify(REQUEST).replace(
      `"${part}":{`,
      `"${part}":{"__proto__":{"roles":["admin"],"attr":{}},`,
    );
    expect(json).toContain("__proto__");
    expect(refusal(JSON.parse(json))).toBe("allow");
  });

  test("as an id, a kind, a role and an operation", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect(refusal({ ...REQUEST, key: { ...KEY, id: name } })).toBe("allow");
      expect(refusal({ ...REQUEST, key: { ...KEY, roles: [name], attr: { ...KEY.attr, permissions: [] } } })).toBe(
        "insufficient_permissions",
      );
      expect(refusal({ ...REQUEST, operation: name })).toBe("forbidden");
      expect(refusal({ ...REQUEST, resource: { ...RESOURCE, kind: name } })).toBe("forbidden");
    }
  });
});

describe("objects that answer as they like", () => {
  const fields = [
    ["key", "insufficient_permissions"],
    ["operation", "forbidden"],
    ["resource", "forbidden"],
    ["account", "forbidden"],
  ] as const;

  test.each(fields)("a getter that throws, as %s", (field) => {
    expect(refusal(withGetter(REQUEST, field, thrower))).toBe("forbidden");
  });

  test.each([
    ["key.id", { ...REQUEST, key: withGetter(KEY, "id", thrower) }, "insufficient_permissions"],
    ["key.roles", { ...REQUEST, key: withGetter(KEY, "roles", thrower) }, "insufficient_permissions"],
    ["key.attr", { ...REQUEST, key: withGetter(KEY, "attr", thrower) }, "insufficient_permissions"],
    [
      "an attribute of the key",
      { ...REQUEST, key: { ...KEY, attr: withGetter(KEY.attr, "accountId", thrower) } },
      "insufficient_permissions",
    ],
    ["resource.kind", { ...REQUEST, resource: withGetter(RESOURCE, "kind", thrower) }, "forbidden"],
    [
      "an attribute of the resource",
      { ...REQUEST, resource: { ...RESOURCE, attr: withGetter(RESOURCE.attr, "system", thrower) } },
      "forbidden",
    ],
    ["account.id", { ...REQUEST, account: withGetter(ACCOUNT, "id", thrower) }, "forbidden"],
    [
      "an attribute of the account",
      { ...REQUEST, account: { ...ACCOUNT, attr: withGetter(ACCOUNT.attr, "holds", thrower) } },
      "forbidden",
    ],
  ])("a getter that throws, as %s", (_, request, outcome) => {
    expect(refusal(request)).toBe(outcome);
  });

  test("what a getter throws is not looked at", () => {
    const thrown = [
      throwingProxy(),
      undefined,
      {
        get message() {
          return thrower();
        },
      },
      Object.create(null),
    ];
    for (const value of thrown) {
      const get = () => {
        throw value;
      };
      expect(refusal({ ...REQUEST, account: { ...ACCOUNT, attr: withGetter(ACCOUNT.attr, "holds", get) } })).toBe(
        "forbidden",
      );
    }
  });

  test.each(["key", "resource", "account"] as const)("a proxy that throws at everything, as %s", (part) => {
    const outcome = part === "key" ? "insufficient_permissions" : "forbidden";
    expect(refusal({ ...REQUEST, [part]: throwingProxy() })).toBe(outcome);
    expect(refusal({ ...REQUEST, [part]: { ...REQUEST[part], attr: throwingProxy() } })).toBe(outcome);
  });

  test("a proxy that throws at everything, as the request, the roles, the time and inside attributes", () => {
    expect(refusal(throwingProxy())).toBe("forbidden");
    expect(refusal({ ...REQUEST, key: { ...KEY, roles: throwingProxy() } })).toBe("insufficient_permissions");
    expect(refusal({ ...REQUEST, now: throwingProxy() })).toBe("forbidden");
    for (const [name] of Object.entries(ACCOUNT.attr)) {
      expect(refusal({ ...REQUEST, account: { ...ACCOUNT, attr: { ...ACCOUNT.attr, [name]: throwingProxy() } } })).toBe(
        "forbidden",
      );
    }
  });

  test.each(["getPrototypeOf", "ownKeys", "has", "get", "getOwnPropertyDescriptor"])(
    "a proxy whose trap %s throws",
    (trap) => {
      for (const part of ["key", "resource", "account"] as const) {
        const proxy = new Proxy(REQUEST[part], { [trap]: thrower });
        const attr = new Proxy(REQUEST[part].attr, { [trap]: thrower });
        // A trap that is not reached changes nothing; a reached trap denies.
        const outcomes = ["allow", part === "key" ? "insufficient_permissions" : "forbidden"];
        expect(outcomes).toContain(refusal({ ...REQUEST, [part]: proxy }));
        expect(outcomes).toContain(refusal({ ...REQUEST, [part]: { ...REQUEST[part], attr } }));
      }
    },
  );

  test("a revoked proxy", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const part of ["key", "resource", "account"]) expect(refusal({ ...REQUEST, [part]: proxy })).not.toBe("allow");
  });

  const NAMES = [REQUEST.operation, "admin", "", undefined, null, 5];
  const LISTS = [["editor"], ["admin", "viewer"], [], [""], "admin", undefined];
  const MAPS = [{}, { system: false }, [], null, undefined];
  const READS: readonly (readonly ["request" | "key" | "resource" | "account", string, readonly unknown[]])[] = [
    ["request", "operation", NAMES],
    ["request", "now", [undefined, new Date(0), "2026-01-01", new Date(Number.NaN)]],
    ["request", "key", [KEY, { ...KEY, roles: ["admin"] }, 5, undefined]],
    ["request", "resource", [RESOURCE, { ...RESOURCE, kind: "other" }, [], null]],
    ["request", "account", [ACCOUNT, { ...ACCOUNT, id: "" }, "acc_1"]],
    ["key", "id", NAMES],
    ["key", "roles", LISTS],
    ["key", "attr", [KEY.attr, ...MAPS]],
    ["key", "attributes", [KEY.attr, ...MAPS]],
    ["key", "scope", NAMES],
    ["key", "policyVersion", [undefined, "", "platform", 1]],
    ["resource", "kind", [RESOURCE.kind, ...NAMES]],
    ["resource", "id", NAMES],
    ["resource", "attr", [RESOURCE.attr, ...MAPS]],
    ["resource", "scope", NAMES],
    ["account", "id", [ACCOUNT.id, ...NAMES]],
    ["account", "attr", [ACCOUNT.attr, ...MAPS]],
    ["account", "policyVersion", [undefined, "", "platform", 1]],
  ];

  test.each(READS)("%s.%s, read once: what it would say the second time counts for nothing", (part, field, values) => {
    for (const prototype of [Object.prototype, null, { [field]: "inherited" }]) {
      for (const first of values) {
        for (const second of values) {
          let reads = 0;
          const own = (target: object, changes: PropertyDescriptor) =>
            Object.defineProperty(Object.assign(Object.create(prototype), target), field, {
              ...changes,
              enumerable: true,
            });
          const changed = (changes: PropertyDescriptor) =>
            part === "request" ? own(REQUEST, changes) : { ...REQUEST, [part]: own(REQUEST[part], changes) };
          const hostile = changed({ get: () => (reads++ === 0 ? first : second) });
          expect(decideUnknown(hostile)).toEqual(decideUnknown(changed({ value: first })));
          expect(reads).toBe(1);
        }
      }
    }
  });

  test("a role that is another one when it is read again", () => {
    for (const first of ["viewer", "", 5]) {
      let reads = 0;
      const roles = Object.defineProperty([first], 0, { get: () => (reads++ === 0 ? first : "admin") });
      const { outcome } = decideUnknown({ ...REQUEST, operation: "apis.deleteApi", key: { ...KEY, roles } });
      expect(outcome).toBe("insufficient_permissions");
      expect(reads).toBe(1);
    }
  });

  test("an attribute that answers differently each time decides nothing for the requests after it", {
    tags: "long",
  }, () => {
    const states = ["active", "suspended", "deleting", "draft"];
    for (const first of states) {
      for (const second of states) {
        const policies = compiled(shippedFiles);
        let reads = 0;
        const attr = withGetter(RESOURCE.attr, "state", () => (reads++ === 0 ? first : second));
        decide(policies, Object.assign({ ...REQUEST }, { resource: { ...RESOURCE, attr } }));
        for (const state of states) {
          const honest = ask("keys.createKey", { roles: ["editor"], resource: { state } });
          expect(decide(policies, honest), `${state} after ${first}, ${second}`).toEqual(decide(shipped, honest));
        }
      }
    }
  });

  test("an attribute that decides another request when it is read", () => {
    const inner: string[] = [];
    const reenter = () => {
      inner.push(decide(shipped, ask("apis.deleteApi", { roles: ["viewer"] })).outcome);
      inner.push(decide(shipped, ask("apis.deleteApi", { resource: { system: true } })).outcome);
      return "active";
    };
    const attr = withGetter(RESOURCE.attr, "state", reenter);
    expect(decideUnknown({ ...REQUEST, resource: { ...RESOURCE, attr } }).outcome).toBe("allow");
    expect(new Set(inner)).toEqual(new Set(["insufficient_permissions", "forbidden"]));
    const system = withGetter({ ...RESOURCE.attr, system: true }, "state", reenter);
    expect(decideUnknown({ ...REQUEST, resource: { ...RESOURCE, attr: system } }).outcome).toBe("forbidden");
  });

  test("an attribute that decides the same request when it is read, without end", () => {
    const policies = compiled(shippedFiles);
    let reads = 0;
    const attr = withGetter(RESOURCE.attr, "state", (): string => {
      reads += 1;
      return decide(policies, request).outcome;
    });
    const request: DecisionRequest = Object.assign({ ...REQUEST }, { resource: { ...RESOURCE, attr } });
    expect(decide(policies, request).outcome).toBe("forbidden");
    expect(reads).toBeLessThan(2_000);
    expect(decide(policies, REQUEST).outcome).toBe("allow");
    expect(decide(shipped, REQUEST).outcome).toBe("allow");
  });
});

describe("parts that decide the request they are part of", () => {
  test("are read until the depth of decisions is spent, and no longer", () => {
    let reads = 0;
    const request: DecisionRequest = Object.defineProperties(
      { ...REQUEST },
      Object.fromEntries(
        (["key", "resource", "account"] as const).map((part) => {
          const get = () => {
            reads += 1;
            decide(shipped, request);
            return REQUEST[part];
          };
          return [part, { get, enumerable: true }];
        }),
      ),
    );
    expect(decide(shipped, request).outcome).toBe("allow");
    expect(reads).toBe(3 + 3 ** 2 + 3 ** 3 + 3 ** 4 + 3 ** 5);
  });
});

describe("unusual objects with the right content", () => {
  const make: readonly (readonly [string, (value: object) => unknown])[] = [
    ["with a null prototype", (value) => Object.assign(Object.create(null), value)],
    ["of a class", (value) => Object.assign(new (class Part {})(), value)],
    ["frozen", (value) => Object.freeze({ ...value })],
    ["behind a proxy that forwards", (value) => new Proxy(value, {})],
    ["with symbols", (value) => ({ ...value, [Symbol("x")]: 1 })],
    ["from another realm's JSON", (value) => JSON.parse(JSON.stringify(value))],
  ];
  test.each(make)("%s", (_, change) => {
    const request = { ...REQUEST, key: change(KEY), resource: change(RESOURCE), account: change(ACCOUNT) };
    expect(refusal(change(request))).toBe("allow");
    const attributes = {
      ...REQUEST,
      key: { ...KEY, attr: change(KEY.attr) },
      resource: { ...RESOURCE, attr: change(RESOURCE.attr) },
      account: { ...ACCOUNT, attr: change(ACCOUNT.attr) },
    };
    expect(refusal(attributes)).toBe("allow");
  });

  test("inherited fields and attributes are absent", () => {
    for (const part of ["key", "resource", "account"] as const) {
      expect(refusal({ ...REQUEST, [part]: Object.create(REQUEST[part]) })).not.toBe("allow");
      const attr = Object.create(REQUEST[part].attr);
      expect(refusal({ ...REQUEST, [part]: { ...REQUEST[part], attr } })).not.toBe("allow");
    }
    expect(refusal(Object.create(REQUEST))).toBe("forbidden");
  });

  test("a class whose fields are accessors of its prototype has no attributes", () => {
    class Account {
      get holds() {
        return [];
      }
    }
    const { holds: _, ...rest } = ACCOUNT.attr;
    expect(refusal({ ...REQUEST, account: { ...ACCOUNT, attr: Object.assign(new Account(), rest) } })).toBe(
      "forbidden",
    );
  });
});

describe("attribute values that JSON does not have", () => {
  /** Objects with the attributes that a condition reads, but that are not JSON. */
  const IN_DISGUISE: readonly (readonly [string, (value: object) => object])[] = [
    ["a Map", (value) => new Map(Object.entries(value))],
    ["an instance of a class", (value) => Object.assign(new (class Part {})(), value)],
    ["a Date", (value) => Object.assign(new Date(0), value)],
    ["a function", (value) => Object.assign(() => true, value)],
    ["an object of another realm", (value) => Object.assign(runInNewContext("({})"), value)],
  ];
  const EXPRESSIONS = [
    "R.attr.v.a == 1.0",
    'R.attr.v["a"] == 1.0',
    '"a" in R.attr.v',
    "has(R.attr.v.a)",
    "R.attr.v == {'a': 1.0}",
    "R.attr.v != {'b': 1.0}",
    "size(R.attr.v) >= 0",
    "R.attr.v.exists(k, true)",
    "R.attr.v.all(k, true)",
    "R.attr.v.?a.hasValue()",
    "R.attr['v'] == {'a': 1.0}",
    "R.attr.v != 1",
    "R.attr.l[0].a == 1.0",
    "R.attr.l[0] != {'b': 1.0}",
    "R.attr.l.exists(x, x.a == 1.0)",
    "R.attr.l.exists(x, has(x.a))",
    "R.attr.l.exists(x, 'a' in x)",
    "R.attr.l.all(x, x != 'b')",
    "R.attr.l == [{'a': 1.0}]",
    "R.attr.l[?0].?a.hasValue()",
    "{'a': 1.0} in R.attr.l",
  ];

  test.each(IN_DISGUISE)("%s holds in no condition, with generated code and without", (_, disguise) => {
    const rules = EXPRESSIONS.map((expr, i) => `actions: [op${i}], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`);
    const text = policy({ rules });
    const asking = (operation: string, v: unknown, l: unknown): DecisionRequest => {
      const request = {
        key: { id: "k", roles: ["user"], attr: {} },
        operation,
        resource: { kind: "doc", id: "d", attr: {} },
        account: ACCOUNT,
      };
      Object.assign(request.resource.attr, { v, l });
      return request;
    };
    for (const codegen of [false, true]) {
      const policies = compiled([{ path: "a.yaml", text }], { platform: "none", codegen });
      EXPRESSIONS.forEach((expr, i) => {
        // Often enough for a function to be generated.
        for (let round = 0; round < 25; round++) {
          const data = decide(policies, asking(`op${i}`, { a: 1 }, [{ a: 1 }]));
          expect([expr, data.outcome]).toEqual([expr, "allow"]);
          const foreign = disguise({ a: 1 });
          const refused = decide(policies, asking(`op${i}`, foreign, [foreign]));
          expect([expr, refused.outcome]).toEqual([expr, "insufficient_permissions"]);
        }
      });
    }
  });

  const VALUES = [
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    1n,
    new Date(0),
    () => true,
    Symbol("x"),
    new Map(),
    new Set(["abuse"]),
    new Uint8Array(1),
    new String("active"),
    new Number(1),
    new Boolean(false),
    new Array(3),
    new Array(1),
    /x/,
    new Error("x"),
    Promise.resolve([]),
    new WeakMap(),
  ];

  test("never turn a refusal into allow, in any place", () => {
    for (const operation of Object.keys(KINDS)) {
      const refused = [
        ask(operation, { roles: ["custom"] }),
        ask(operation, { resource: { system: true, state: "suspended", keyCount: 1, deleteProtection: true } }),
        ask(operation, {
          account: { holds: ["abuse"], status: "suspended", plan: "free", usage: { apis: 10, keys: 100 } },
        }),
        ask(operation, { accountId: "acc_2" }),
      ].filter((request) => decide(shipped, request).outcome !== "allow");
      for (const request of refused) {
        for (const part of ["key", "resource", "account"] as const) {
          for (const name of Object.keys(request[part].attr)) {
            for (const value of VALUES) {
              const attr = { ...request[part].attr, [name]: value };
              const outcome = decideUnknown({ ...request, [part]: { ...request[part], attr } }).outcome;
              if (outcome === "allow") expect([operation, part, name, value, outcome]).toBe("refused");
            }
          }
        }
      }
    }
  });

  test("as a limit or a usage: NaN denies, and an infinite limit is a limit", () => {
    const limited = (apis: unknown, used: unknown) => {
      const request = ask("apis.createApi");
      const attr = { ...request.account.attr, limits: { apis, keys: 1 }, usage: { apis: used, keys: 1 } };
      return decideUnknown({ ...request, account: { ...request.account, attr } }).outcome;
    };
    expect(limited(Number.NaN, 1)).toBe("forbidden");
    expect(limited(1, Number.NaN)).toBe("forbidden");
    expect(limited(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)).toBe("forbidden");
    expect(limited(10n, 1n)).toBe("forbidden");
    expect(limited(10, Number.NEGATIVE_INFINITY)).not.toBe("insufficient_permissions");
  });

  test("sparse lists have no permission in them", () => {
    const permissions = new Array(10);
    permissions[5] = "api.*.create_key";
    const custom = (list: unknown) => ({
      ...REQUEST,
      key: { ...KEY, roles: ["custom"], attr: { ...KEY.attr, permissions: list } },
    });
    expect(refusal(custom(permissions))).toMatch(/allow|insufficient_permissions/);
    expect(refusal(custom(new Array(10)))).toBe("insufficient_permissions");
    const roles = new Array(3);
    roles[2] = "admin";
    expect(refusal({ ...REQUEST, key: { ...KEY, roles } })).toBe("insufficient_permissions");
  });

  test("cycles", () => {
    const attr: { [name: string]: unknown } = { ...RESOURCE.attr };
    attr.self = attr;
    expect(refusal({ ...REQUEST, resource: { ...RESOURCE, attr } })).toBe("allow");
    for (const name of Object.keys(RESOURCE.attr).filter((each) => !["deleteProtection", "keyCount"].includes(each))) {
      const cyclic: { [name: string]: unknown } = { ...RESOURCE.attr };
      cyclic[name] = cyclic;
      expect(refusal({ ...REQUEST, resource: { ...RESOURCE, attr: cyclic } }), name).not.toBe("allow");
    }
    const holds: unknown[] = [];
    holds.push(holds);
    expect(refusal({ ...REQUEST, account: { ...ACCOUNT, attr: { ...ACCOUNT.attr, holds } } })).toBe("forbidden");
  });
});

describe("purity", () => {
  const requests = Object.keys(KINDS).flatMap((operation) => [
    ask(operation),
    ask(operation, { roles: ["viewer", "custom"], key: { permissions: ["api.*.read_api", "key.*.delete_key"] } }),
    ask(operation, { resource: { system: true, keyCount: "0" }, account: { limits: null } }),
  ]);

  test("arguments are not changed, and may be frozen", () => {
    for (const request of requests) {
      const before = structuredClone(request);
      const decision = decide(shipped, request);
      expect(request).toEqual(before);
      expect(decide(shipped, deepFrozen(request))).toEqual(decision);
    }
  });

  test("a decision that is changed by its receiver changes no other", () => {
    for (const request of requests) {
      const before = structuredClone(decide(shipped, request));
      vandalise(decide(shipped, request));
      expect(decide(shipped, request)).toEqual(before);
    }
  });

  test("a request that is changed later changes no decision that was made", () => {
    for (const request of requests) {
      const decision = decide(shipped, request);
      const before = structuredClone(decision);
      vandalise(request);
      expect(decision).toEqual(before);
    }
  });

  test("neither clock nor randomness is used", () => {
    const { now } = Date;
    const { random } = Math;
    Date.now = thrower;
    Math.random = thrower;
    try {
      for (const request of requests)
        expect(errorBody(decide(shipped, request), { requestId: "req_1", docsUrl: "d" })?.meta.requestId).not.toBe("");
    } finally {
      Date.now = now;
      Math.random = random;
    }
  });
});

function deepFrozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) deepFrozen(inner);
  return Object.freeze(value);
}

/** Empties every list and object that is not frozen. */
function vandalise(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) vandalise(inner);
  for (const name of Object.keys(value)) Reflect.deleteProperty(value, name);
  if (Array.isArray(value)) Reflect.set(value, "length", 0);
}

test("decideAll, of whatever is passed as a request, is decide of each", () => {
  const values: readonly object[] = [
    REQUEST,
    {},
    Object.create(REQUEST),
    throwingProxy(),
    ...["key", "operation", "account", "now"].map((field) => withGetter(REQUEST, field, thrower)),
    ...["key", "operation", "account", "now"].map((field) => ({ ...REQUEST, [field]: 5 })),
  ];
  for (const value of values) {
    const all: DecisionRequest = Object.assign(Object.create(null), { value }).value;
    const outcomes = decideAll(shipped, all, [RESOURCE, RESOURCE]).map(({ outcome }) => outcome);
    const own = Object.fromEntries(
      ["key", "operation", "account", "now"].flatMap((field) => {
        const found = Object.getOwnPropertyDescriptor(value === values[3] ? {} : value, field);
        return found === undefined ? [] : [[field, found.get === undefined ? found.value : null]];
      }),
    );
    const outcome = value === values[3] ? "forbidden" : decideUnknown({ ...own, resource: RESOURCE }).outcome;
    expect(outcomes).toEqual([outcome, outcome]);
  }
});
