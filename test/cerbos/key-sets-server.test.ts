/**
 * Tokens are accepted as the Cerbos server accepts them, with the same configuration, but for tokens that RFC 7515 refuses.
 *
 * @module-tag long
 */

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHECK, post, serving } from "../serve/support.js";
import { NO_SERVER, startServer } from "../support/server.js";
import { withFiles } from "../support/terminal.js";
import { KEY_FILES, KEY_SET_CASES, REFUSED_HERE, TOKENS, type TokenName } from "./key-sets.js";

const RECORD = `
apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: record
  version: default
  rules:
    - name: read
      actions: [read]
      effect: EFFECT_ALLOW
      roles: ["*"]
      condition: { match: { expr: 'request.aux_data.jwt.sub == "alice"' } }
`;

const bodyOf = (token: string) => ({
  requestId: "r",
  principal: { id: "a", roles: ["u"] },
  resources: [{ actions: ["read"], resource: { kind: "record", id: "1" } }],
  auxData: { jwt: { token } },
});

describe.skipIf(NO_SERVER !== undefined)("the server", () => {
  test.each(KEY_SET_CASES)("%s", async (name, jwt) => {
    await withFiles({ ...KEY_FILES, "policies/record.yaml": RECORD }, async (directory) => {
      const absolute = JSON.parse(JSON.stringify(jwt), (key, value) =>
        key === "file" ? join(directory, value) : value,
      );
      const server = await startServer(join(directory, "policies"), { auxData: { jwt: absolute } });
      try {
        const files = { "policies/record.yaml": RECORD, "cerbos.json": JSON.stringify({ auxData: { jwt: absolute } }) };
        await serving(
          ["--key-sets", "FILE:cerbos.json"],
          async ({ origin }) => {
            for (const token of Object.keys(TOKENS) as TokenName[]) {
              const body = bodyOf(TOKENS[token]);
              const theirs = await server.check(body);
              const ours = await post(origin + CHECK, body);
              if (REFUSED_HERE.includes(token)) {
                expect(ours.status, token).toBe(400);
                if (name === "keys with ids and algorithms") expect(theirs.status, token).toBe(200);
                continue;
              }
              expect(ours.status, token).toBe(theirs.status);
              if (ours.status !== 200) continue;
              const { results } = JSON.parse(await ours.text());
              expect(results, token).toEqual(JSON.parse(theirs.text).results);
            }
          },
          files,
        );
      } finally {
        await server.stop();
      }
    });
  });
});
