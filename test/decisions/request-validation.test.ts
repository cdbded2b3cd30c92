/** Request validation: every field of every part, for objects of every kind, with each value read once. */

import { afterEach, describe, expect, test } from "vitest";
import { Timestamp } from "../../src/cel/values.js";
import { ownFields } from "../../src/decisions/own-fields.js";
import {
  type KnownSubjects,
  OTHER_KEY,
  readOnce,
  type ValidatedRequest,
  type ValidatedTarget,
} from "../../src/decisions/request.js";
import { RequestIssue } from "../../src/decisions/request-issue.js";
import { requestIssues } from "../../src/decisions/request-issues.js";
import { validated, validatedTarget } from "../../src/decisions/request-validation.js";
import type { RequestFields } from "../../src/decisions/well-formed.js";
import type { AccountFrame } from "../../src/engine/frame/frame.js";
import { throwingProxy } from "../support/hostile.js";

type Part = { readonly [field: string]: unknown };
type Parts = { readonly key?: unknown; readonly account?: unknown; readonly resource?: unknown } & Part;

const KEY = { id: "k", roles: ["a", "b"], attr: { x: 1 }, scope: "s" };
const ACCOUNT = { id: "a", attr: { y: 2 }, scope: "t" };
const RESOURCE = { kind: "doc", id: "r", attr: { z: 3 }, scope: "u" };
const WHOLE: Parts = { key: KEY, operation: "read", resource: RESOURCE, account: ACCOUNT };
const SOUND = {
  key: KEY,
  action: "read",
  resource: RESOURCE,
  account: { ...ACCOUNT, roles: ["account"] },
  now: undefined,
};

const NAME = "must be a string of 1 to 4096 characters";
const OBJECT = "must be an object";
const MISSING = "is missing";
const ROLES = "must be a list of 1 to 1000 role names";
const VERSION = "must be absent: the layer is the policy version";
const issue = (path: string, message: string) => new RequestIssue(path, message);

/** A field, its value, and the result for its part: the validated fields, or the issue. */
type Change = readonly [field: string, value: unknown, taken: Part | readonly [path: string, message: string]];

const LONG = "n".repeat(4_096);
const same = (field: string, values: readonly unknown[]): readonly Change[] =>
  values.map((value) => [field, value, { [field]: value }]);
const wrong = (field: string, message: string, values: readonly unknown[]): readonly Change[] =>
  values.map((value) => [field, value, [field, message]]);
const NO_NAMES = ["", `${LONG}n`, 1, null, ["a"], {}, true];

const COMMON: readonly Change[] = [
  ...same("id", ["x", LONG]),
  ...wrong("id", MISSING, [undefined]),
  ...wrong("id", NAME, NO_NAMES),
  ...same("attr", [
    {},
    { a: { b: [1] } },
    Object.create(null),
    new (class A {
      a = 1;
    })(),
  ]),
  ["attr", undefined, { attr: {} }],
  ...wrong("attr", OBJECT, [null, [], "a", 1, false]),
  ...same("scope", ["x", LONG]),
  ...["", undefined].map((value): Change => ["scope", value, { scope: "" }]),
  ...wrong("scope", NAME, [`${LONG}n`, 1, null, ["a"], {}]),
  ...["", undefined].map((value): Change => ["policyVersion", value, {}]),
  ...wrong("policyVersion", VERSION, ["default", 1, null, false]),
  ["attributes", { older: 1 }, {}],
  ["attributes", null, {}],
  ["other", "x", {}],
];

const CHANGES: { readonly [part in "key" | "account" | "resource"]: readonly Change[] } = {
  key: [
    ...COMMON,
    ...same("roles", [["a"], ["a", "a", LONG], [LONG]]),
    ...wrong("roles", MISSING, [undefined]),
    ...wrong("roles", ROLES, [
      null,
      [],
      "a",
      [""],
      ["a", ""],
      ["", "a"],
      [`${LONG}n`],
      ["a", 1],
      [1],
      [["a"]],
      { 0: "a", length: 1 },
      new Array(1),
      new Array(2),
    ]),
    ["kind", 1, {}],
  ],
  account: [...COMMON, ["roles", ["admin"], {}], ["kind", 1, {}]],
  resource: [
    ...COMMON,
    ...same("kind", ["x", LONG]),
    ...wrong("kind", MISSING, [undefined]),
    ...wrong("kind", NAME, NO_NAMES),
    ["roles", 1, {}],
  ],
};

/** Copies a part into an object of a class, or without a prototype. */
const FORMS: { readonly [name: string]: (part: Part) => Part } = {
  plain: (part) => ({ ...part }),
  "of nothing": (part) => Object.assign(Object.create(null), part),
  "of a class": (part) =>
    Object.assign(
      new (class Of {
        method() {}
      })(),
      part,
    ),
  "of a class that has fields of its own": (part) =>
    Object.assign(Object.create({ roles: ["inherited"], kind: "inherited", scope: "inherited" }), part),
};

/** The fields of a frame; other values are returned unchanged. */
function fieldsOf(part: unknown): unknown {
  if (typeof part !== "object" || part === null || !("part" in part)) return part;
  const { id, kind, roles, attr, scope }: RequestFields = Object(part);
  return part.part === "resource" ? { kind, id, attr, scope } : { id, roles, attr, scope };
}

function shown(taken: ValidatedRequest | ValidatedTarget): Part {
  return Object.fromEntries(Object.entries(taken).map(([name, part]) => [name, fieldsOf(part)]));
}

/** Validates a request: returns its parts, or the issues. */
const read = (request: unknown, absent?: AccountFrame) => shown(validated(request, absent));

function accountFrame(account: unknown): AccountFrame | undefined {
  const taken = validated({ ...WHOLE, account }).account;
  return taken instanceof RequestIssue ? undefined : taken;
}

/**
 * Validates a request to a decider of a valid key, and perhaps an account; returns the parts with the decider's key.
 */
function readOn(request: unknown, subjects: KnownSubjects): Part {
  const { key, account } = subjects;
  return { key: read({ ...WHOLE, key }).key, ...shown(validatedTarget(request, accountFrame(account), subjects)) };
}

const readTarget = (own: boolean) => (request: Parts) => {
  const { key, account, ...rest } = request;
  const isSound = !(read({ ...WHOLE, key }).key instanceof RequestIssue) && accountFrame(account) !== undefined;
  if (!isSound) return read(request);
  return own ? readOn({ ...rest, account }, { key }) : readOn(rest, { key, account });
};

const WAYS: { readonly [name: string]: (request: Parts) => unknown } = {
  "a request": (request) => read(request),
  "a request to a decider, with its account": readTarget(true),
  "a request to a decider, without its account": readTarget(false),
};

/** The known subjects of a decider of {@link KEY}. */
const OF_KEY = { key: KEY };
const OF_BOTH = { key: KEY, account: ACCOUNT };

describe.each(Object.entries(WAYS))("%s", (_, take) => {
  describe.each(Object.entries(FORMS))("of parts that are %s", (_form, form) => {
    const made = (parts: Parts) =>
      take({
        ...parts,
        key: form(parts.key as Part),
        account: form(parts.account as Part),
        resource: form(parts.resource as Part),
      });

    test.each(Object.entries(CHANGES))("the %s", (part, changes) => {
      for (const [field, value, taken] of changes) {
        const given = { ...WHOLE, [part]: { ...(WHOLE[part] as Part), [field]: value } };
        const before = SOUND[part as keyof typeof CHANGES];
        const isWrong = Array.isArray(taken);
        const [path, message] = isWrong ? taken : [];
        const expected = isWrong ? issue(`${part}.${path}`, message) : { ...before, ...taken };
        const found = made(given);
        expect([field, value, found]).toEqual([
          field,
          value,
          {
            ...SOUND,
            isSound: !isWrong,
            ...(isWrong ? { whole: undefined } : {}),
            [part]: expected,
          },
        ]);
      }
    });

    test("the older name of attributes is taken where there is no other", () => {
      for (const part of ["key", "account", "resource"] as const) {
        const { attr: _attr, ...rest } = WHOLE[part] as Part;
        const other = (attributes: unknown) =>
          Reflect.get(made({ ...WHOLE, [part]: { ...rest, attributes } }) as Part, part);
        expect(other({ older: 1 })).toEqual({ ...SOUND[part], attr: { older: 1 } });
        expect([other(null), other([])]).toEqual(Array(2).fill(issue(`${part}.attr`, OBJECT)));
      }
    });
  });

  test.each<readonly [field: string, value: unknown, name: string, taken: unknown]>([
    ["operation", LONG, "action", LONG],
    ["operation", undefined, "action", issue("operation", MISSING)],
    ...NO_NAMES.map((value) => ["operation", value, "action", issue("operation", NAME)] as const),
    ["now", new Date(1_500), "now", new Timestamp(1, 500_000_000)],
    ["now", new Date(-1), "now", new Timestamp(-1, 999_000_000)],
    ["now", new Date(0), "now", new Timestamp(0, 0)],
    ...[new Date(Number.NaN), 0, "2024-01-01", null, {}].map(
      (value) => ["now", value, "now", issue("now", "must be a valid Date")] as const,
    ),
    ["resource", undefined, "resource", issue("resource", MISSING)],
    ...[null, 1, "x"].map((value) => ["resource", value, "resource", issue("resource", OBJECT)] as const),
    ["resource", [], "resource", issue("resource.kind", MISSING)],
  ])("%s: %j", (field, value, name, taken) => {
    const isSound = !(taken instanceof RequestIssue);
    expect(take({ ...WHOLE, [field]: value })).toEqual({
      ...SOUND,
      isSound,
      ...(isSound ? {} : { whole: undefined }),
      [name]: taken,
    });
  });
});

test("a part that cannot be read", () => {
  const take = (part: string) => read({ ...WHOLE, [part]: throwingProxy() });
  for (const part of ["key", "account", "resource"]) {
    expect(take(part)).toEqual({ ...SOUND, isSound: false, whole: undefined, [part]: issue(part, "cannot be read") });
  }
  expect(take("now")).toMatchObject({ isSound: false, now: issue("now", "cannot be read") });
});

test("a key and an account that are none", () => {
  const parts = (key: unknown, account: unknown) => [read({ ...WHOLE, key }).key, read({ ...WHOLE, account }).account];
  expect(parts(undefined, undefined)).toEqual([issue("key", MISSING), issue("account", MISSING)]);
  expect([null, 1, "x"].flatMap((one) => parts(one, one))).toEqual(
    Array(3)
      .fill([issue("key", OBJECT), issue("account", OBJECT)])
      .flat(),
  );
  expect(parts([], [])).toEqual([issue("key.roles", MISSING), issue("account.id", MISSING)]);
  const { key: _, ...rest } = WHOLE;
  const target = (account: unknown) => readOn({ ...rest, account }, OF_KEY).account;
  expect([null, 1, []].map(target)).toEqual([
    issue("account", OBJECT),
    issue("account", OBJECT),
    issue("account.id", MISSING),
  ]);
  expect(readOn({ operation: "read", resource: RESOURCE }, OF_KEY).account).toEqual(issue("account", MISSING));
  expect(read({ ...WHOLE, account: undefined }, accountFrame(ACCOUNT)).account).toEqual(SOUND.account);
  // An account that is not an object is an issue, even if the decider has a default account.
  expect(read({ ...WHOLE, account: null }, accountFrame(ACCOUNT)).account).toEqual(issue("account", OBJECT));
});

test("all issues of a request; of a set with one layer, those of an account where one is given", () => {
  const paths = (request: unknown, permissionOnly?: boolean) =>
    requestIssues(request, permissionOnly === undefined ? undefined : { permissionOnly }).map(({ path }) => path);
  const unreadable = {
    ...WHOLE,
    get account() {
      throw new Error("no");
    },
  };
  const { account: _, ...without } = WHOLE;
  const cases = [
    WHOLE,
    without,
    { ...without, account: undefined },
    { ...WHOLE, account: null },
    unreadable,
    throwingProxy(),
    null,
    {},
  ];
  expect(cases.map((one) => paths(one))).toEqual([
    ...[[], ["account"], ["account"], ["account"], [""], [""], [""], ["key", "operation", "resource", "account"]],
  ]);
  expect(cases.map((one) => paths(one, true))).toEqual([
    ...[[], [], [], ["account"], [""], [""], [""], ["key", "operation", "resource"]],
  ]);
  expect(paths({ ...WHOLE, operation: 1, now: 1, resource: { kind: "doc" } })).toEqual([
    "operation",
    "resource.id",
    "now",
  ]);
});

test("a key of the request's own is an issue of a request to a decider, unless the caller vouches for it", () => {
  const { key: _, ...rest } = WHOLE;
  for (const key of [KEY, { ...KEY, id: "other" }, null, 1, throwingProxy()]) {
    const expected = { ...SOUND, isSound: false, whole: undefined, key: OTHER_KEY };
    expect(readOn({ ...rest, key }, OF_KEY)).toEqual(expected);
    expect(readOn({ ...rest, key }, OF_BOTH)).toEqual(expected);
    expect(readOn({ ...rest, key }, { ...OF_KEY, isOfKey: true })).toEqual({ ...SOUND, isSound: true });
  }
  for (const one of [{ ...rest, key: undefined }, Object.assign(Object.create({ key: KEY }), rest)]) {
    expect(readOn(one, OF_KEY)).toEqual({ ...SOUND, isSound: true });
  }
});

test("what is no request", () => {
  const none = {
    key: issue("key", MISSING),
    action: issue("operation", MISSING),
    resource: issue("resource", MISSING),
    account: issue("account", MISSING),
    now: undefined,
  };
  for (const one of [null, undefined, 1, "x"]) {
    const whole = issue("", OBJECT);
    expect(read(one)).toEqual({ isSound: false, ...none, whole });
    expect(readOn(one, OF_BOTH)).toEqual({
      ...none,
      isSound: false,
      key: KEY,
      account: SOUND.account,
      whole,
    });
  }
  const unreadable = issue("", "cannot be read");
  expect(read(throwingProxy())).toEqual({ isSound: false, ...none, whole: unreadable });
  expect(read([])).toEqual({ isSound: false, ...none, whole: undefined });
});

/** An object that counts the reads of its own fields. */
function counting(fields: Part, counts: Map<string, number>, name: string): Part {
  const made = {};
  for (const [field, value] of Object.entries(fields)) {
    const get = () => {
      counts.set(`${name}.${field}`, (counts.get(`${name}.${field}`) ?? 0) + 1);
      return value;
    };
    Object.defineProperty(made, field, { get, enumerable: true });
  }
  return made;
}

test("each value is read once, of what is usual and of what is not", () => {
  const odd: readonly Part[] = [
    {},
    { attributes: {} },
    { policyVersion: "x" },
    { scope: 1 },
    { attr: null },
    { id: "" },
  ];
  for (const part of ["key", "account", "resource"] as const) {
    for (const change of odd) {
      for (const more of [{}, { now: "x" }, { operation: "" }]) {
        for (const way of ["whole", "target", "own"] as const) {
          const counts = new Map<string, number>();
          const parts = Object.fromEntries(
            (["key", "account", "resource"] as const).map((name) => [
              name,
              counting({ ...(WHOLE[name] as Part), ...(name === part ? change : {}) }, counts, name),
            ]),
          );
          const { key, account, ...rest } = parts;
          const request = { operation: "read", now: new Date(0), ...more };
          if (way === "whole") validated(counting({ ...request, ...parts }, counts, ""));
          else if (part === "resource" || (way === "own" && part === "account")) {
            const [own, subjects] = way === "own" ? [{ account }, OF_KEY] : [{}, OF_BOTH];
            readOn(counting({ ...request, ...rest, ...own }, counts, ""), subjects);
          }
          expect([part, change, more, way, [...counts].filter(([, count]) => count > 1)]).toEqual([
            part,
            change,
            more,
            way,
            [],
          ]);
        }
      }
    }
  }
});

describe("what all objects inherit", () => {
  const FIELDS = {
    key: KEY,
    operation: "read",
    resource: RESOURCE,
    account: ACCOUNT,
    now: new Date(0),
    ...KEY,
    ...RESOURCE,
    attributes: { a: 1 },
    policyVersion: "x",
  };
  const { prototype } = Object;
  afterEach(() => {
    for (const name of Object.keys(FIELDS)) Reflect.deleteProperty(prototype, name);
  });

  test.each(Object.entries(FIELDS))("%s is no field of a request", (name, value) => {
    const without = (part: Part) => Object.fromEntries(Object.entries(part).filter(([field]) => field !== name));
    const bare = {
      ...without(WHOLE),
      ...Object.fromEntries(
        ["key", "resource", "account"]
          .filter((part) => part !== name)
          .map((part) => [part, without(WHOLE[part] as Part)]),
      ),
    };
    const { key: _, ...rest } = { key: undefined, ...bare };
    const bound = accountFrame(ACCOUNT);
    const target = () => ({ key: SOUND.key, ...shown(validatedTarget(rest, bound, OF_BOTH)) });
    const expected = [read(bare), target()];
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
    const found = [read(bare), target()];
    const [own, all] = [ownFields(WHOLE), readOnce(bare)];
    Reflect.deleteProperty(prototype, name);
    expect(found).toEqual(expected);
    expect([
      own === WHOLE,
      Object.getPrototypeOf(own),
      Object.hasOwn(all, name) ? Reflect.get(all, name) : undefined,
    ]).toEqual([false, null, undefined]);
    expect(own).toEqual(WHOLE);
  });

  test("what has no fields of its own is no request, whatever all objects inherit", () => {
    const bound = accountFrame(ACCOUNT);
    const all = () => [null, 1, {}, []].flatMap((one) => [read(one), shown(validatedTarget(one, bound, OF_BOTH))]);
    const expected = all();
    for (const [name, value] of Object.entries({ ...FIELDS, ...WHOLE })) {
      Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
    }
    const found = all();
    for (const name of Object.keys(FIELDS)) Reflect.deleteProperty(prototype, name);
    expect(found).toEqual(expected);
    expect(found.some(({ isSound }) => isSound)).toBe(false);
  });

  test("an object is itself where there is nothing of the kind", () => {
    expect(ownFields(WHOLE)).toBe(WHOLE);
    expect(ownFields(Object.create({ key: 1 }))).toEqual({});
  });
});
