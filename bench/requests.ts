/** A seeded stream of well-formed requests over the worked example: the workload of the benchmarks. */

import type { DecisionRequest } from "../src/index.js";
import type { HandRequest } from "./handwritten.js";

/** A request for both the engine and the handwritten function. */
export type Work = HandRequest & DecisionRequest;

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const ON_API = ["apis.getApi", "apis.listKeys", "keys.createKey", "apis.updateApi", "apis.deleteApi"];
const ON_KEY = ["keys.getKey", "keys.updateKey", "keys.deleteKey"];
const ACTIONS = ["read_api", "read_key", "create_key", "update_api", "delete_api", "update_key", "delete_key"];

/**
 * `count` requests by 200 keys of 20 accounts, with 0 to 20 permission tuples for each key. They are parsed from JSON,
 * as in a service. About 40 % are allowed; the rest is split between the two refusals.
 */
export function workload(count: number, seed = 1): Work[] {
  const next = random(seed);
  const below = (n: number): number => Math.floor(next() * n);
  const pick = <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0];
  const chance = (p: number): boolean => next() < p;
  const accounts = Array.from({ length: 20 }, (_, i) => ({
    id: `acc_${i}`,
    attr: {
      plan: pick(["pro", "enterprise", "free"]),
      status: chance(0.9) ? "active" : pick(["past_due", "suspended"]),
      limits: { apis: 10, keys: 100 },
      usage: { apis: below(11), keys: below(103) },
      holds: chance(0.05) ? ["abuse"] : [],
    },
  }));
  const keys = Array.from({ length: 200 }, (_, i) => ({
    id: `key_${i}`,
    roles: [pick(["admin", "editor", "viewer", "custom"])],
    attr: {
      accountId: `acc_${i % 20}`,
      workspaceIds: chance(0.5) ? ["*"] : [`ws_${below(4)}`, `ws_${below(4)}`],
      environment: pick(["production", "production", "development"]),
      permissions: Array.from(
        { length: below(21) },
        () => `api.${chance(0.2) ? "*" : `api_${below(20)}`}.${ACTIONS[below(ACTIONS.length)]}`,
      ),
    },
  }));
  const requests = Array.from({ length: count }, () => {
    const k = below(200);
    const key = keys[k];
    const account = accounts[k % 20];
    const place = {
      accountId: account?.id,
      workspaceId: `ws_${below(4)}`,
      environment: chance(0.85) ? key?.attr.environment : pick(["production", "development"]),
    };
    const system = chance(0.04);
    const roll = next();
    if (roll < 0.1) {
      const attr = {
        accountId: place.accountId,
        environment: place.environment,
        state: chance(0.9) ? "active" : "suspended",
      };
      return {
        key,
        operation: "apis.createApi",
        resource: { kind: "workspace", id: place.workspaceId, attr },
        account,
      };
    }
    if (roll < 0.7) {
      const state = chance(0.85) ? "active" : pick(["draft", "suspended", "deleting"]);
      const attr = { ...place, system, deleteProtection: chance(0.1), state, keyCount: chance(0.6) ? 0 : below(40) };
      return {
        key,
        operation: ON_API[below(ON_API.length)],
        resource: { kind: "api", id: `api_${below(20)}`, attr },
        account,
      };
    }
    const attr = {
      ...place,
      apiId: `api_${below(20)}`,
      state: chance(0.85) ? "enabled" : pick(["disabled", "revoked", "suspended"]),
      system,
    };
    return {
      key,
      operation: ON_KEY[below(ON_KEY.length)],
      resource: { kind: "key", id: `key_${below(200)}`, attr },
      account,
    };
  });
  return JSON.parse(JSON.stringify(requests));
}
