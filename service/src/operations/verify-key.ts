/** Verifies a secret: is it a valid key of the caller's account, and what may the key do? */

import { z } from "@hono/zod-openapi";
import { matches, prefixOf } from "../auth/secret.js";
import { deletionOf } from "./keys.js";
import { type Call, operation } from "./operation.js";
import { apiResource, keyResource, workspaceResource } from "./resources.js";
import * as schemas from "./schemas.js";

/** The operations to ask about: those on existing resources. */
const ON_WORKSPACES = ["apis.createApi", "apis.listApis"] as const;
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
  keyId: schemas.keyId.nullable().openapi({ description: "`null` if the account has no such key." }),
  outcome: z
    .enum(["allow", "insufficient_permissions", "forbidden"])
    .nullable()
    .openapi({ description: "What a request by the key would meet; `null` if nothing was asked, or it is not valid." }),
});

export const verifyKey = operation(
  {
    name: "keys.verifyKey",
    version: "v2",
    summary: "Says whether a secret is a valid key of the account, and whether it may do something.",
    input: z.strictObject({
      key: schemas.text(200).openapi({ description: "The secret.", example: `kw_0123456789abcdef_${"A".repeat(43)}` }),
      may: about.optional(),
    }),
    output: verdict,
  },
  async (call, { key: secret, may }) => {
    const sight = await call.seeIfAny("secret", prefixOf(secret) ?? "");
    const { target } = sight;
    // A nearly correct secret is invalid. The response tells nothing of the key with the same prefix.
    if (target === undefined || !matches(secret, target.hash)) return { valid: false, keyId: null, outcome: null };
    await call.authorize({ sight: { ...sight, target }, operation: "keys.verifyKey", resource: keyResource(target) });
    const keyId = target.id;
    if (!target.usable) return { valid: false, keyId, outcome: null };
    if (may === undefined) return { valid: true, keyId, outcome: null };
    return { valid: true, keyId, outcome: await call.ask({ holder: target, ...(await questionOf(call, may)) }) };
  },
);

async function questionOf(call: Call, may: z.output<typeof about>) {
  const { operation } = may;
  if ("workspaceId" in may) {
    const { target, account } = await call.see("workspace", may.workspaceId);
    return { operation, resource: workspaceResource(target), account };
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
