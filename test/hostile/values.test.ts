/**
 * Requests with hostile objects: getters, proxies, revoked proxies, values that change after the first read, and values
 * that are not data. Deciding never throws. The decision equals the one on a plain request with the values of the first
 * read, because nothing is read twice.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { type DecisionRequest, decide, deciderFor } from "../../src/index.js";
import { type Profile, policySet, request as requestFor } from "../property/arbitraries/index.js";
import { compiledDocuments, shipped } from "../support/policies.js";
import { ask, KINDS } from "../support/requests.js";
import { SEED } from "../support/seed.js";
import { sized } from "../support/size.js";

let state = SEED;
/** A random integer below `below`, by a linear congruential generator modulo 2 ** 32. */
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

function pick<T>(values: readonly [T, ...T[]]): T {
  return values[random(values.length)] ?? values[0];
}

/** Objects that cannot be read at all, so that no plain request has their values. */
const unreadable = new WeakSet<object>();

function marked(value: object): object {
  unreadable.add(value);
  return value;
}

const refuse = () => {
  throw new Error("hostile");
};

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return marked(proxy);
}

const thrower = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((trap) => [trap, refuse]));

/** Makers of odd values, called when a value is needed. */
const STRANGE: readonly [() => unknown, ...(() => unknown)[]] = [
  () => ["admin"],
  () => [],
  () => "free",
  () => "acc_2",
  () => false,
  () => 1_000_000,
  () => undefined,
  () => null,
  () => Number.NaN,
  () => 1n,
  () => Symbol("x"),
  () => refuse,
  () => new Map([["plan", "enterprise"]]),
  () => new Date(Number.NaN),
  () => marked(new Proxy({}, thrower)),
  () => marked(new Proxy([], thrower)),
  revoked,
  () => Object.freeze([Object.freeze({})]),
  () => Object.create({ id: "k", roles: ["admin"], length: 1 }),
  () => [new Proxy({}, thrower)],
  () => ["admin", revoked()],
  () => JSON.parse('{"__proto__":{"plan":"enterprise"},"constructor":null}'),
  () => ({ toString: refuse, toJSON: refuse, [Symbol.toPrimitive]: refuse, [Symbol.iterator]: refuse }),
];

/** A hostile field, and the value of the same field in the plain request. */
interface Field {
  readonly descriptor: PropertyDescriptor;
  /** The value of the first read. */
  readonly plain: unknown;
  /** False if reading throws: then no plain request corresponds. */
  readonly isReadable: boolean;
  /** False if a second read gives another value. */
  readonly isSteady: boolean;
}

function fieldOf(value: unknown): Field {
  const field = anyField(value);
  const { plain, isReadable } = field;
  const isObject = typeof plain === "object" && plain !== null;
  return { ...field, isReadable: isReadable && !(isObject && unreadable.has(plain)) };
}

function anyField(value: unknown): Field {
  const shown = (get: () => unknown): PropertyDescriptor => ({ get, enumerable: true, configurable: true });
  switch (random(6)) {
    case 0: {
      const next = pick(STRANGE)();
      let reads = 0;
      return {
        descriptor: shown(() => (reads++ === 0 ? value : next)),
        plain: value,
        isReadable: true,
        isSteady: false,
      };
    }
    case 1: {
      const first = pick(STRANGE)();
      let reads = 0;
      return {
        descriptor: shown(() => (reads++ === 0 ? first : value)),
        plain: first,
        isReadable: true,
        isSteady: false,
      };
    }
    case 2: {
      const strange = pick(STRANGE)();
      return {
        descriptor: { value: strange, enumerable: true, configurable: true },
        plain: strange,
        isReadable: true,
        isSteady: true,
      };
    }
    case 3:
      return { descriptor: shown(refuse), plain: undefined, isReadable: false, isSteady: false };
    default:
      return { descriptor: shown(() => value), plain: value, isReadable: true, isSteady: true };
  }
}

interface Made {
  readonly hostile: object;
  readonly plain: { [name: string]: unknown };
  readonly isReadable: boolean;
  readonly isSteady: boolean;
}

const PARTS: ReadonlySet<string> = new Set(["key", "resource", "account", "attr"]);

/** A copy of `part` in which some fields, at any depth, are hostile. */
function disturbed(part: object, often: number): Made {
  const target = random(3) === 0 ? Object.create(null) : {};
  const plain: Made["plain"] = {};
  let [isReadable, isSteady] = [true, true];
  for (const [name, value] of Object.entries(part)) {
    const inner = PARTS.has(name) && random(4) > 0 ? disturbed(value, often) : undefined;
    isReadable &&= inner?.isReadable ?? true;
    isSteady &&= inner?.isSteady ?? true;
    const field = random(often) === 0 ? fieldOf(inner?.hostile ?? value) : undefined;
    if (field === undefined) {
      target[name] = inner?.hostile ?? value;
      plain[name] = inner?.plain ?? value;
      continue;
    }
    Object.defineProperty(target, name, field.descriptor);
    isReadable &&= field.isReadable;
    isSteady &&= field.isSteady;
    plain[name] = inner !== undefined && field.plain === inner.hostile ? inner.plain : field.plain;
  }
  const forwarded = random(6) === 0 ? new Proxy(target, {}) : target;
  return { hostile: random(4) === 0 ? Object.freeze(forwarded) : forwarded, plain, isReadable, isSteady };
}

function decided(request: object): string {
  const { outcome, permission, platform } = Reflect.apply(decide, undefined, [shipped, request]);
  return JSON.stringify([outcome, permission.effect, platform.effect]);
}

test("a million hostile requests: none throws, and each has the answer of a plain one where it has one", () => {
  const count = sized(1_000_000, 200_000);
  const requests: readonly DecisionRequest[] = Object.keys(KINDS).flatMap((operation) => [
    ask(operation),
    ask(operation, { roles: ["viewer", "custom"], account: { holds: ["abuse"] } }),
  ]);
  const outcomes = new Map<string, number>();
  const compared = { steady: 0, changing: 0 };
  for (let i = 0; i < count; i++) {
    const request = requests[random(requests.length)] ?? ask("apis.getApi");
    const { hostile, plain, isReadable, isSteady } = disturbed(request, 2 + random(12));
    const answer = decided(hostile);
    outcomes.set(answer, (outcomes.get(answer) ?? 0) + 1);
    if (!isReadable) continue;
    compared[isSteady ? "steady" : "changing"] += 1;
    expect([i, answer]).toEqual([i, decided(plain)]);
  }
  const allowed = [...outcomes].filter(([answer]) => answer.startsWith('["allow"')).reduce((sum, [, n]) => sum + n, 0);
  expect(allowed).toBeGreaterThan(count / 100);
  expect(outcomes.size).toBeGreaterThan(2);
  expect(compared.steady).toBeGreaterThan(count / 4);
  expect(compared.changing).toBeGreaterThan(count / 20);
});

/** A copy of `value` that counts in `reads` how often each part is read. */
function counted(value: unknown, path: string, reads: Map<string, number>): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const made: object = Array.isArray(value) ? [] : {};
  for (const [name, part] of Object.entries(value)) {
    const at = `${path}/${name}`;
    const inner = counted(part, at, reads);
    const get = () => {
      reads.set(at, (reads.get(at) ?? 0) + 1);
      return inner;
    };
    Object.defineProperty(made, name, { get, enumerable: true, configurable: true });
  }
  return made;
}

const PROFILES: readonly Profile[] = ["any", "whole", "optionals", "typed"];

test("no value is read twice for one decision, whether functions or closures decide, and whoever is bound", () => {
  let most = 0;
  let decisions = 0;
  const check = <R extends object>(request: R, decide: (request: R) => unknown): void => {
    const reads = new Map<string, number>();
    Reflect.apply(decide, undefined, [counted(request, "", reads)]);
    const twice = [...reads].filter(([, times]) => times > 1);
    if (twice.length > 0) expect({ request, twice }).toEqual({ request, twice: [] });
    most = Math.max(most, reads.size);
    decisions += 1;
  };
  const cases = fc.constantFrom(...PROFILES).chain((profile) =>
    policySet({ profile }).chain((documents) =>
      fc.record({
        documents: fc.constant(documents),
        requests: fc.array(requestFor(documents), { minLength: 12, maxLength: 12 }),
      }),
    ),
  );
  for (const { documents, requests } of fc.sample(cases, { numRuns: sized(1_500, 60), seed: SEED })) {
    const policies = compiledDocuments(documents);
    for (const request of requests) {
      // Taken out before the counting starts: V8 may read the excluded fields of a rest pattern once more.
      const { key, ...withoutKey } = request;
      const { account, ...withoutBoth } = withoutKey;
      const ofKey = deciderFor(policies, { key });
      const ofBoth = deciderFor(policies, { key, account });
      for (const round of [0, 1, 24, 25]) {
        if (round === 24) for (let i = 0; i < 24; i++) decide(policies, request);
        check(request, (one) => decide(policies, one));
        check(withoutKey, (one) => ofKey.decide(one));
        check(withoutBoth, (one) => ofBoth.decide(one));
      }
    }
  }
  expect(most).toBeGreaterThan(20);
  expect(decisions).toBeGreaterThan(10_000 * sized(1, 0));
});

test("an object where a number belongs is not asked for one", () => {
  let asked = 0;
  const keyCount = { valueOf: () => ++asked, toString: () => String(++asked), [Symbol.toPrimitive]: () => ++asked };
  const request = ask("apis.deleteApi");
  const { resource } = request;
  for (let round = 0; round < 30; round++) {
    decided({ ...request, resource: { ...resource, attr: { ...resource.attr, keyCount: [keyCount] } } });
    decided({ ...request, resource: { ...resource, attr: { ...resource.attr, keyCount } } });
  }
  expect(asked).toBe(0);
});
