/** A small store that makes responses show every kind of content. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const rule = (name: string, effect: "ALLOW" | "DENY", actions: readonly string[], more: object = {}) => ({
  name,
  actions,
  roles: ["user"],
  effect: `EFFECT_${effect}`,
  ...more,
});

const when = (expr: string) => ({ condition: { match: { expr } } });

const output = (ruleActivated: string, conditionNotMet?: string) => ({
  output: { when: conditionNotMet === undefined ? { ruleActivated } : { ruleActivated, conditionNotMet } },
});

const policy = (body: object) => JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...body });

export const STORE: { readonly [path: string]: string } = {
  "_schemas/document.json": JSON.stringify({
    type: "object",
    required: ["owner"],
    properties: { owner: { type: "string" }, size: { type: "integer", minimum: 0 } },
  }),
  "_schemas/user.json": JSON.stringify({ type: "object", properties: { level: { type: "number" } } }),
  "roles.json": policy({
    derivedRoles: {
      name: "common",
      definitions: [{ name: "owner", parentRoles: ["user"], ...when("R.attr.owner == P.id") }],
    },
  }),
  "document.json": policy({
    resourcePolicy: {
      resource: "document",
      version: "default",
      importDerivedRoles: ["common"],
      schemas: {
        principalSchema: { ref: "cerbos:///user.json" },
        resourceSchema: { ref: "cerbos:///document.json", ignoreWhen: { actions: ["peek"] } },
      },
      rules: [
        rule("read", "ALLOW", ["view", "peek"]),
        {
          name: "own",
          actions: ["edit"],
          derivedRoles: ["owner"],
          effect: "EFFECT_ALLOW",
          ...output('"mine: " + R.id'),
        },
        rule("big", "DENY", ["edit"], {
          ...when("R.attr.size > G.limit + 1"),
          ...output('{"size": R.attr.size}', '"small"'),
        }),
        rule(
          "admin",
          "ALLOW",
          ["delete"],
          when('request.auxData.jwt.level == "admin" && "one" in request.auxData.jwt.aud'),
        ),
        rule(
          "expiry",
          "ALLOW",
          ["expire"],
          when('timestamp(request.auxData.jwt.exp) > timestamp("2090-01-01T00:00:00Z")'),
        ),
        rule("odd", "ALLOW", ["odd"], when('R.attr["__proto__"].admin == true && !has(R.attr.admin)')),
        rule("long", "ALLOW", ["long"], when("size(R.attr.text) > 5000000")),
        rule(
          "values",
          "ALLOW",
          ["values"],
          output('[1, 2.5, "x", true, null, {"a": [R.attr.owner]}, duration("90s")]'),
        ),
      ],
    },
  }),
  "scoped.json": policy({
    resourcePolicy: { resource: "document", version: "default", scope: "acme", rules: [rule("no", "DENY", ["view"])] },
  }),
  "principal.json": policy({
    principalPolicy: {
      principal: "root",
      version: "default",
      rules: [{ resource: "*", actions: [{ action: "*", effect: "EFFECT_ALLOW" }] }],
    },
  }),
};

export const GLOBALS = { limit: 10 };

/** Runs `use` with the files in a directory. */
export async function withStore<T>(
  files: { readonly [path: string]: string },
  use: (directory: string) => Promise<T>,
): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), "keyward-store-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    return await use(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** An unsigned token. */
export function token(claims: object, header: object = { alg: "none" }): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part(header)}.${part(claims)}.`;
}
