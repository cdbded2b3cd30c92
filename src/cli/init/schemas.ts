/** The JSON Schemas of keys, accounts and resources. */

import { an, CUSTOM_ROLE, hasUsage, type PolicyDomain, ROLES } from "./domain.js";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
const NAME = { type: "string", minLength: 1 };

export function keySchema({ kind, operations }: PolicyDomain): string {
  const actions = operations.map(({ action }) => action).join("|");
  const roles = [...ROLES.map(({ name }) => name), CUSTOM_ROLE].join(", ");
  return schemaText("The API key that makes a request: the principal of the permission layer", {
    description: `Further attributes are allowed: no policy reads them. The roles are not attributes: ${roles}.`,
    properties: {
      accountId: { ...NAME, description: "The account that the key belongs to." },
      permissions: {
        type: "array",
        items: { type: "string", pattern: `^${kind}\\..+\\.(${actions})$` },
        description: `What the key may do beyond its roles: ${kind}.<id or *>.<action>.`,
      },
    },
    required: ["accountId", "permissions"],
  });
}

export function accountSchema(domain: PolicyDomain): string {
  const { counter, nouns, plans } = domain;
  const count = { type: "integer", minimum: 0, description: `How many ${nouns} the account has.` };
  const usage = { type: "object", properties: { [counter]: count }, required: [counter], additionalProperties: true };
  const isCounted = hasUsage(domain);
  return schemaText("An account: the principal of the platform layer", {
    description: "Further attributes are allowed: no policy reads them.",
    properties: {
      plan: { enum: plans.map(({ name }) => name) },
      status: { enum: ["active", "suspended"] },
      ...(isCounted ? { usage } : {}),
    },
    required: ["plan", "status", ...(isCounted ? ["usage"] : [])],
  });
}

export function resourceSchema({ kind, noun }: PolicyDomain): string {
  const title = an(noun);
  return schemaText(`${title.charAt(0).toUpperCase()}${title.slice(1)}: the resource of kind ${kind}`, {
    description: "Further attributes are allowed: no policy reads them.",
    properties: {
      accountId: { ...NAME, description: "The account that it belongs to." },
      state: { enum: ["active", "suspended"] },
    },
    required: ["accountId", "state"],
  });
}

interface ObjectSchema {
  readonly description: string;
  readonly properties: object;
  readonly required: readonly string[];
}

function schemaText(title: string, { description, properties, required }: ObjectSchema): string {
  const schema = {
    $schema: DIALECT,
    title,
    description,
    type: "object",
    properties,
    required,
    additionalProperties: true,
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
