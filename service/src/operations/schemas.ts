/** Schemas of requests and responses. Objects are strict: unknown fields are refused, and responses have none. */

import { z } from "@hono/zod-openapi";
import { API_STATES, ENVIRONMENTS, KEY_STATES, ROLES, WORKSPACE_STATES } from "../store/schema.js";

const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** An identifier. A well-formed but unknown identifier is not found; any other text is invalid. */
const id = (kind: string, example: string) =>
  z
    .string()
    .regex(ID, "must be 1 to 64 letters, digits, _ or -")
    .openapi({ description: `The identifier of ${kind}.`, example });

export const apiId = id("the API", "api_4be1c9c1f0d24a7d8e02a3f1");
export const keyId = id("the API key", "key_91f0c2d47a3b5e6608d1c2aa");
export const workspaceId = id("the workspace", "ws_02d5e8ab91c34f7760aa1b2c");
export const parentId = keyId.openapi({
  description: "The key that made this one: it may do only what its parent may. `null`: an operator made it.",
});
const accountId = id("the account", "acc_7f31d0a2c95b48e6a1042d3e");

/** A character has two code units at most: a longer text need not be split to be refused. */
const isShort = (given: string, most: number) => given.length <= 2 * most && [...given].length <= most;

/** Text of at most `most` characters. As in JSON Schema, a surrogate pair counts as one character. */
export const text = (most: number) =>
  z
    .string()
    .min(1)
    .refine((given) => given.length <= most || isShort(given, most), `must not be longer than ${most} characters`)
    .openapi({ maxLength: most });

/** Text for people. Control characters and lone surrogates are refused: stores and terminals mangle them. */
const plainText = (most: number) =>
  text(most)
    .refine((given) => !/[\p{Cc}\p{Cs}]/u.test(given), "must not have control characters")
    .openapi({ pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$" });

export const name = plainText(255).openapi({ description: "Text without control characters.", example: "Billing" });

const repeated = "must not have one element twice";
const unique = (list: readonly string[]) => new Set(list).size === list.length;
const uniqueItems = true;

export const roles = z
  .array(z.enum(ROLES))
  .min(1)
  .max(ROLES.length)
  .refine(unique, repeated)
  .openapi({
    uniqueItems,
    description: "What the key may do by its roles; custom gives nothing.",
    example: ["viewer"],
  });

/** Tuples `<type>.<id or *>.<action>`. */
export const permissions = z
  .array(
    z
      .string()
      .regex(
        /^(workspace|api|key)\.(\*|[A-Za-z0-9_-]{1,64})\.[a-z_]{1,64}$/,
        "must be <workspace, api or key>.<id or *>.<action>",
      ),
  )
  .max(50)
  .refine(unique, repeated)
  .openapi({ uniqueItems, description: "What the key may do beyond its roles.", example: ["api.*.create_key"] });

/** The reach of a key. */
export const workspaceIds = z
  .union([z.tuple([z.literal("*")]), z.array(workspaceId).max(20)])
  .refine(unique, repeated)
  .openapi({
    type: "array",
    items: { type: "string" },
    anyOf: [
      { type: "array", items: { type: "string", enum: ["*"] }, minItems: 1, maxItems: 1 },
      { type: "array", items: { type: "string", pattern: ID.source }, uniqueItems, maxItems: 20 },
    ],
    description: 'The workspaces that the key can reach. ["*"]: every one of the account.',
    example: ["*"],
  });

export const environment = z.enum(ENVIRONMENTS);
export const apiState = z.enum(API_STATES);
/** The states that callers can give a key. */
export const keyState = z.enum(KEY_STATES);

/** An instant, in UTC or with an offset. */
export const instant = z.iso
  .datetime({ offset: true })
  .openapi({ pattern: z.regexes.datetime({ offset: true }).source, example: "2030-01-01T00:00:00Z" });

export const externalId = plainText(255).openapi({
  description: "Your own id for the holder of the key. Nothing is decided on it.",
  example: "customer_17",
});

const MAX_META = 20;

/** Texts by name. */
export const meta = z
  .record(z.string().regex(/^[A-Za-z][\w.-]{0,39}$/), plainText(500))
  .refine((given) => Object.keys(given).length <= MAX_META, `must not have more than ${MAX_META} names`)
  .openapi({
    maxProperties: MAX_META,
    description: "Texts of your own, by name. Nothing is decided on them.",
    example: { tier: "gold" },
  });

export const productPermissions = z
  .array(z.string().regex(/^[A-Za-z][\w.:/*-]{0,99}$/))
  .max(50)
  .refine(unique, repeated)
  .openapi({
    uniqueItems,
    description: "Permissions in your product, by names of your own. Only `keys.verifyKey` looks at them.",
    example: ["documents.read"],
  });

const MAX_CREDITS = 1_000_000_000;

/** How often a key may still be verified. */
const remaining = z
  .int()
  .min(0)
  .max(MAX_CREDITS)
  .openapi({ description: "How many credits are left.", example: 1_000 });
const refill = z
  .strictObject({ amount: z.int().min(1).max(MAX_CREDITS), every: z.enum(["day", "month"]) })
  .openapi({ description: "Sets what is left to `amount` at the beginning of each day or month, in UTC." });
export const newCredits = z
  .strictObject({ remaining, refill: refill.optional() })
  .openapi({ description: "How often `keys.verifyKey` finds the key valid: each time takes a credit." });
export const credits = z
  .strictObject({ remaining, refill: refill.nullable() })
  .nullable()
  .openapi({ description: "How often the key may still be verified; `null`: that is not limited." });

/** An object with an id and at least one change. All fields except the id are changes. */
export function changes<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .strictObject(shape)
    .refine((given) => Object.keys(given).length > 1, "must have something to change")
    .openapi({ minProperties: 2 });
}

export const workspace = z
  .strictObject({
    workspaceId,
    name,
    environment,
    state: z.enum(WORKSPACE_STATES),
    apiCount: z.int().min(0).openapi({ description: "APIs in the workspace." }),
    createdAt: instant,
  })
  .openapi("Workspace");

export const api = z
  .strictObject({
    apiId,
    workspaceId,
    name,
    environment,
    state: apiState.openapi({ description: "The state in force: suspended, too, while the workspace is." }),
    system: z.boolean().openapi({ description: "The platform's own: nobody changes it." }),
    deleteProtection: z.boolean(),
    keyCount: z.int().min(0).openapi({ description: "Keys in the API that are not revoked." }),
    createdAt: instant,
  })
  .openapi("Api");

/** A key without its secret, which only createKey shows, once. */
export const key = z
  .strictObject({
    keyId,
    apiId,
    parentId: parentId.nullable(),
    name,
    roles,
    permissions,
    workspaceIds,
    state: z
      .enum([...KEY_STATES, "suspended"])
      .openapi({ description: "The state in force: suspended while the API or the workspace is, unless revoked." }),
    system: z.boolean(),
    expiresAt: instant.nullable(),
    createdAt: instant,
    externalId: externalId.nullable(),
    meta: meta.nullable(),
    productPermissions,
    credits,
  })
  .openapi("Key");

export const identity = z
  .strictObject({ ...key.shape, accountId, environment })
  .omit({
    state: true,
    system: true,
    createdAt: true,
    externalId: true,
    meta: true,
    productPermissions: true,
    credits: true,
  })
  .openapi("Identity");

/** The response of deletions. */
export const nothing = z.strictObject({}).openapi("Nothing");
