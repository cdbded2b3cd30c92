/** Verifies a secret: is it a valid key of the caller's account, and what may the key do? */

import { z } from "@hono/zod-openapi";
import { hashOf, prefixOf, provesKey } from "../auth/secret.js";
import type { KeyPowers } from "../store/rows.js";
import { deletionOf } from "./keys.js";
import { type Call, operation } from "./operation.js";
import { apiResource, keyResource, type Resource, workspaceResource } from "./resources.js";
import * as schemas from "./schemas.js";
import { workspaceDeletionOf } from "./workspaces.js";

const OPERATION = "keys.verifyKey";

/** The operations to ask about: those on existing resources. */
const ON_WORKSPACES = ["apis.createApi", "apis.listApis", "workspaces.deleteWorkspace"] as const;
const ON_APIS = ["apis.getApi", "apis.updateApi", "apis.deleteApi", "apis.listKeys", "keys.createKey"] as const;
const ON_KEYS = ["keys.getKey", "keys.verifyKey", "keys.updateKey", "keys.revokeKey", "keys.deleteKey"] as const;

/** The operations that change keys. */
const CHANGES_KEYS: ReadonlySet<string> = new Set(["keys.updateKey", "keys.revokeKey", "keys.deleteKey"]);

const about = z
  .discriminatedUnion("operation", [
    z.strictObject({ operation: z.enum(ON_WORKSPACES), workspaceId: schemas.workspaceId }),
    z.strictObject({ operation: z.enum(ON_APIS), apiId: schemas.apiId }),
    z.strictObject({ operation: z.enum(ON_KEYS), keyId: schemas.keyId }),
  ])
  .openapi("MayIt", { description: "What the key might do, and to what." });

const verdict = z.strictObject({
  valid: z.boolean().openapi({
    description: "Whether the key may make requests at all. A suspended API or workspace does not change that.",
  }),
  code: z
    .enum(["valid", "not_found", "disabled", "revoked", "expired", "insufficient_permissions", "usage_exceeded"])
    .openapi({
      description:
        "Why it is not valid. `insufficient_permissions`: it lacks one of the product permissions that were asked about. `usage_exceeded`: fewer credits are left than the request costs.",
    }),
  keyId: schemas.keyId.nullable().openapi({ description: "`null` if the account has no such key." }),
  outcome: z
    .enum(["allow", "insufficient_permissions", "forbidden"])
    .nullable()
    .openapi({ description: "What a request by the key would meet; `null` if nothing was asked, or it is not valid." }),
  rateLimit: z
    .strictObject({ limit: z.number().min(0), remaining: z.int().min(0) })
    .nullable()
    .openapi({
      description:
        "The requests a second that the key may make in this replica, and those that it may make at once now. `null` without a limit, or for no key.",
    }),
  credits: z
    .strictObject({ remaining: z.int().min(0) })
    .nullable()
    .openapi({ description: "The credits that are left, after this request; `null` without a limit, or for no key." }),
  externalId: schemas.externalId.nullable(),
  meta: schemas.meta.nullable(),
  productPermissions: schemas.productPermissions.nullable(),
});

/** The response for a secret of another account, or of no key. */
const NO_KEY: z.input<typeof verdict> = {
  ...{ valid: false, keyId: null, outcome: null, rateLimit: null, credits: null, externalId: null, meta: null },
  ...{ productPermissions: null, code: "not_found" },
};

/** The key lacks a product permission. */
const LACKING = { valid: false, code: "insufficient_permissions", outcome: null } as const;

export const verifyKey = operation(
  {
    name: OPERATION,
    version: "v2",
    summary: "Says whether a secret is a valid key of the account, and whether it may do something.",
    cached: true,
    input: z.strictObject({
      key: schemas.text(200).openapi({ description: "The secret.", example: `kw_0123456789abcdef_${"A".repeat(43)}` }),
      may: about.optional(),
      productPermissions: schemas.productPermissions.default([]).openapi({
        description: "Product permissions that the key needs, each of them. Names are compared as they are, `*` too.",
      }),
      cost: z.int().min(0).max(1_000_000).default(1).openapi({
        description:
          "The credits to take, if the key has a limit, is valid, and may do what was asked. 0: says what is left.",
      }),
    }),
    output: verdict,
  },
  async (call, { key: secret, may, productPermissions: needed, cost }) => {
    const sight = await call.seeIfAny("secret", prefixOf(secret) ?? "");
    const { target, caller } = sight;
    // A nearly correct secret is invalid. The response tells nothing of the key with the same prefix.
    if (target === undefined || !provesKey(hashOf(secret), target)) {
      // A caller that may verify no key is refused, as it is for the secret of a key. The decision is recorded.
      await call.authorize({
        sight,
        operation: OPERATION,
        resource: call.firstPermitted(caller, OPERATION, anyKey(caller)),
      });
      return NO_KEY;
    }
    await call.authorize({ sight: { ...sight, target }, operation: OPERATION, resource: keyResource(target) });
    const { id: keyId, state, usable: valid, externalId, meta, productPermissions, credits } = target;
    const expired = state === "enabled" ? "expired" : state;
    const key = {
      valid,
      code: valid ? "valid" : expired,
      keyId,
      rateLimit: call.remainingOf(keyId),
      credits: credits && { remaining: credits.remaining },
      externalId,
      meta,
      productPermissions: Array.from(productPermissions),
    } as const;
    if (!valid) return { ...key, outcome: null };
    const held = new Set(productPermissions);
    if (needed.some((one) => !held.has(one))) {
      return { ...key, ...LACKING };
    }
    const outcome = may === undefined ? null : await call.ask({ holder: target, ...(await questionOf(call, may)) });
    if (credits === null || (outcome !== null && outcome !== "allow")) return { ...key, outcome };
    const taken = await call.takeCredits(keyId, cost);
    const left = { ...key, credits: taken ? { remaining: taken.remaining } : null };
    const usedUp = { valid: false, code: "usage_exceeded", outcome: null } as const;
    if (taken?.isTaken === false) return { ...left, ...usedUp };
    return { ...left, outcome };
  },
);

/**
 * Keys that stand for all keys that a caller could verify: in each workspace that it reaches, any key, and those that
 * its permissions name by id or by API. `*` is not an id, so no permission names it but those for every id.
 */
function anyKey({ accountId, environment, permissions, workspaceIds }: KeyPowers): readonly [Resource, ...Resource[]] {
  const named = permissions.map((permission) => permission.split("."));
  const ids = (kind: string) => named.flatMap(([type, id]) => (type === kind && id !== undefined ? [id] : []));
  const places = [{ id: ANY, apiId: ANY }].concat(
    ids("key").map((id) => ({ id, apiId: ANY })),
    ids("api").map((apiId) => ({ id: ANY, apiId })),
  );
  const at = (workspaceId: string, place: { readonly id: string; readonly apiId: string }) =>
    keyResource({ ...STAND_IN, ...place, accountId, environment, workspaceId });
  const [workspaceId = ANY] = workspaceIds;
  return [
    at(workspaceId, { id: ANY, apiId: ANY }),
    ...workspaceIds.flatMap((id) => places.map((place) => at(id, place))),
  ];
}

const ANY = "*";
const STAND_IN = { state: "enabled", containerSuspended: false, system: false } as const;

async function questionOf(call: Call, may: z.output<typeof about>) {
  const { operation } = may;
  if ("workspaceId" in may) {
    const { target, account } = await call.see("workspace", may.workspaceId);
    const asked = operation === "workspaces.deleteWorkspace" ? workspaceDeletionOf(target) : operation;
    return { operation: asked, resource: workspaceResource(target), account };
  }
  if ("apiId" in may) {
    const { target, account } = await call.see("api", may.apiId);
    return { operation, resource: apiResource(target), account };
  }
  const { target, account } = await call.see("key", may.keyId);
  const asked = operation === "keys.deleteKey" ? deletionOf(target) : operation;
  const over = CHANGES_KEYS.has(operation) ? { over: target } : {};
  return { operation: asked, resource: keyResource(target), account, ...over };
}
