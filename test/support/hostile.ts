/** Values that a caller should never pass, but might. */

import fc from "fast-check";

/** A proxy that throws on every operation. */
export function throwingProxy(): object {
  const refuse = () => {
    throw new Error("hostile");
  };
  const traps = Object.getOwnPropertyNames(Reflect).map((trap) => [trap, refuse]);
  return new Proxy({}, Object.fromEntries(traps));
}

/** `value` with the field replaced by a getter. */
export function withGetter<T extends object>(value: T, field: string, get: () => unknown): T {
  return Object.defineProperty({ ...value }, field, { get, enumerable: true, configurable: true });
}

const thrower = () => {
  throw new Error("hostile");
};

/** Makers of hostile values for a key. Each call makes a new one, since some values have state. */
export const HOSTILE_KEYS: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => 1,
  () => "key",
  () => Symbol("key"),
  () => [],
  () => ({}),
  () => () => "key",
  () => new Date(0),
  () => ({ id: "k" }),
  () => ({ id: "k", roles: [] }),
  () => ({ id: "k", roles: "admin" }),
  () => ({ id: "k", roles: ["admin", 1] }),
  () => ({ id: "", roles: ["admin"] }),
  () => ({ id: 1n, roles: ["admin"] }),
  () => ({ id: "k", roles: ["account"], attr: { system: false } }),
  () => ({ id: "k", roles: ["*"], attr: {} }),
  () => ({ id: "k", roles: ["admin"], attr: null }),
  () => ({ id: "k", roles: ["admin"], attr: "attr" }),
  () => ({ id: "k", roles: ["admin"], attr: throwingProxy() }),
  () => ({ id: "k", roles: ["admin"], attr: {}, policyVersion: "platform" }),
  () => ({ id: "k", roles: ["admin"], attr: {}, scope: "acme" }),
  () => JSON.parse('{"id":"k","roles":["admin"],"attr":{"__proto__":{"accountId":"acc_1"}}}'),
  () => JSON.parse('{"__proto__":{"id":"k","roles":["admin"]}}'),
  () => Object.create({ id: "k", roles: ["admin"], attr: {} }),
  () => withGetter({ id: "k", roles: ["admin"], attr: {} }, "roles", thrower),
  () => withGetter({ id: "k", roles: ["admin"], attr: {} }, "attr", thrower),
  throwingProxy,
];

/** A maker of one of {@link HOSTILE_KEYS}. */
export const hostileKey: fc.Arbitrary<() => unknown> = fc.constantFrom(...HOSTILE_KEYS);

/** Makers of hostile values for an account. */
export const HOSTILE_ACCOUNTS: readonly (() => unknown)[] = [
  ...HOSTILE_KEYS,
  () => ({ id: "acc_1", attr: { plan: "enterprise", status: "active", holds: [] } }),
  () => ({ id: "acc_1", roles: ["admin"], attr: {} }),
  () => ({ id: "acc_1".repeat(10_000), attr: {} }),
];

/** A maker of one of {@link HOSTILE_ACCOUNTS}. */
export const hostileAccount: fc.Arbitrary<() => unknown> = fc.constantFrom(...HOSTILE_ACCOUNTS);
