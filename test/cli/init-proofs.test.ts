/**
 * The sets of `keyward init` are proved, and their suites notice every mutant. The real Cerbos server takes them.
 *
 * @module-tag long
 */

import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { NEW_SETS } from "../support/new-sets.js";
import { say } from "../support/seed.js";
import { NO_SERVER, startServer } from "../support/server.js";
import { keyward, withFiles } from "../support/terminal.js";

describe.each(NEW_SETS.map((args) => [args.join(" "), args] as const))("keyward init %s", (_, args) => {
  test("every law and every claim is proved, and every mutant is killed or equivalent", async () => {
    await withFiles({}, async (root) => {
      expect(await keyward(["init", root, ...args])).toMatchObject({ code: 0 });
      const proved = await keyward(["prove", root]);
      expect(proved).toMatchObject({ code: 0, err: "" });
      expect(proved.out).toMatch(/^\d+ proved, 0 broken, 0 unproven$/m);
      const mutated = await keyward(["mutate", root, "--format", "json"]);
      expect(mutated).toMatchObject({ code: 0, err: "" });
      expect(JSON.parse(mutated.out)).toMatchObject({ score: 100, survivors: [], unproven: [] });
    });
  });
});

if (NO_SERVER !== undefined) say(NO_SERVER);

test.skipIf(NO_SERVER !== undefined)(
  "the server loads a set with a hidden configuration, and allows alike",
  async () => {
    await withFiles({}, async (root) => {
      expect(await keyward(["init", root])).toMatchObject({ code: 0 });
      await rename(join(root, "keyward.yaml"), join(root, ".keyward.yaml"));
      const { key, operation, resource, account } = JSON.parse(
        await readFile(join(root, "testdata", "request.json"), "utf8"),
      );
      const server = await startServer(root, { schema: { enforcement: "reject" } });
      try {
        for (const [principal, roles, policyVersion] of [
          [key, key.roles, "default"],
          [account, ["account"], "platform"],
        ] as const) {
          const { status, text } = await server.check({
            requestId: "1",
            principal: { ...principal, roles, policyVersion },
            resources: [{ resource: { ...resource, policyVersion }, actions: [operation, "documents.unknown"] }],
          });
          expect(status).toBe(200);
          expect(JSON.parse(text).results[0].actions).toEqual({
            [operation]: "EFFECT_ALLOW",
            "documents.unknown": "EFFECT_DENY",
          });
        }
      } finally {
        await server.stop();
      }
    });
  },
);
