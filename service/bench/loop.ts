/** Measures how long the largest requests hold the event loop. */

import { callsOf } from "./calls.js";
import type { Measured } from "./servers.js";

export interface Held {
  readonly what: string;
  readonly statuses: readonly number[];
  /** The longest turn of each repetition, in microseconds of processor time. */
  readonly micros: readonly number[];
}

/** The limits of a request: see `BODY_LIMIT` of the service, and its schemas of permissions and workspaces. */
const BODY_LIMIT = 65_536;
const PERMISSIONS = 50;
const WORKSPACES = 20;
const PAGE = 100;

/** Sends each request so many times, one after the other. */
export async function loop({ served, longestTurn }: Measured, repetitions: number): Promise<readonly Held[]> {
  const held: Held[] = [];
  for (const [what, { path, body }] of Object.entries(await largestRequests(served))) {
    const { one } = callsOf(served.baseUrl, path, served.other.admin, body);
    const [statuses, micros]: [Set<number>, number[]] = [new Set(), []];
    for (let i = 0; i < repetitions; i++) {
      await longestTurn.start();
      statuses.add((await one()).status);
      micros.push(await longestTurn.stop());
    }
    held.push({ what, statuses: [...statuses], micros });
  }
  return held;
}

interface Sent {
  readonly path: string;
  readonly body: object;
}

async function largestRequests({ baseUrl, other }: Measured["served"]): Promise<{ readonly [what: string]: Sent }> {
  const post = async (path: string, body: object): Promise<{ readonly [name: string]: string }> => {
    const headers = { authorization: `Bearer ${other.admin}`, "content-type": "application/json" };
    const response = await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
    const { data } = (await response.json()) as { readonly data?: { readonly [name: string]: string } };
    if (data === undefined) throw new Error(`${path}: ${response.status}`);
    return data;
  };
  const workspaceIds: string[] = [];
  for (let i = 0; i < WORKSPACES; i++) {
    const { workspaceId = "" } = await post("/v2/workspaces.createWorkspace", {
      name: `${i}`,
      environment: "production",
    });
    workspaceIds.push(workspaceId);
  }
  const permissions = Array.from(
    { length: PERMISSIONS },
    (_, i) => `api.api_${String(i).padStart(24, "0")}.create_key`,
  );
  const roles = ["viewer", "editor", "admin", "custom"];
  const grant = { apiId: other.apiId, name: "x", roles, permissions, workspaceIds };
  const { keyId = "", key = "" } = await post("/v1/keys.createKey", grant);
  for (let i = 0; i < PAGE; i++) await post("/v1/keys.createKey", { ...grant, roles: ["custom"] });
  const createKey = (body: object) => ({ path: "/v1/keys.createKey", body });
  return {
    "createKey with all roles, 50 permissions and 20 workspaces": createKey(grant),
    "createKey with 50 permissions and 20 workspaces": createKey({ ...grant, roles: ["custom"] }),
    "updateKey to all roles, 50 permissions and 20 workspaces": {
      path: "/v2/keys.updateKey",
      body: { keyId, roles, permissions, workspaceIds },
    },
    "verifyKey of that key": {
      path: "/v2/keys.verifyKey",
      body: { key, may: { operation: "keys.createKey", apiId: other.apiId } },
    },
    "listKeys: 100 such keys": { path: "/v2/apis.listKeys", body: { apiId: other.apiId, limit: PAGE } },
    "64 KiB: one text": createKey({ ...grant, name: filled((length) => "x".repeat(length)) }),
    "64 KiB: a list of numbers": createKey({ ...grant, permissions: filled((length) => Array(length >> 1).fill(0)) }),
    "64 KiB: a list of permissions": createKey({
      ...grant,
      permissions: filled((length) => Array.from({ length: length >> 5 }, (_, i) => `api.api_${1e10 + i}.read_key`)),
    }),
    "64 KiB: names in meta": createKey({ ...grant, meta: filled((length) => names(length, "")) }),
    "64 KiB: unknown names": createKey(filled((length) => names(length, 0))),
  };
}

/** A value that nearly fills a body. */
function filled<T>(make: (length: number) => T): T {
  return make(BODY_LIMIT - 4_096);
}

/** An object of so many bytes. */
function names(length: number, value: "" | 0): object {
  return Object.fromEntries(Array.from({ length: Math.floor(length / 12) }, (_, i) => [`n${i + 10_000}`, value]));
}
