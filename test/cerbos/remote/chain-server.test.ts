/**
 * The outcome for a key and the keys above it is the AND of single decisions by the real server.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DecisionRequest, decideChain } from "../../../src/index.js";
import { SHIPPED_ROOT, shipped } from "../../support/policies.js";
import { ask, KINDS } from "../../support/requests.js";
import { say } from "../../support/seed.js";
import { NO_SERVER, type Server, startServer } from "../../support/server.js";
import { sized } from "../../support/size.js";

type Key = DecisionRequest["key"];
type Target = Omit<DecisionRequest, "key" | "account">;

const permission = fc
  .tuple(
    fc.constantFrom("api.*", "api.api_1", "key.*", "key.key_1", "workspace.*"),
    fc.constantFrom("read_api", "read_key", "create_key", "update_api", "update_key", "delete_api", "create_api"),
  )
  .map((parts) => parts.join("."));
const link: fc.Arbitrary<Key> = fc
  .record({
    roles: fc.constantFrom(["admin"], ["admin"], ["admin"], ["editor"], ["viewer"], ["custom"], ["viewer", "custom"]),
    permissions: fc.uniqueArray(permission, { maxLength: 8 }),
    workspaceIds: fc.constantFrom(["*"], ["*"], ["ws_1"], ["ws_2"]),
    environment: fc.constantFrom(...Array.from({ length: 9 }, () => "production"), "development"),
  })
  .map(({ roles, ...attr }) => ({ id: "key_link", roles, attr: { accountId: "acc_1", ...attr } }));

const target: fc.Arbitrary<Target> = fc
  .record({
    operation: fc.constantFrom(...Object.keys(KINDS)),
    resource: fc.constantFrom({}, {}, { state: "suspended" }, { environment: "development" }),
    system: fc.constantFrom(false, false, false, true),
  })
  .map(({ operation, resource, system }) => {
    const own = KINDS[operation] === "workspace" ? {} : { system };
    const { key: _, account: __, ...rest } = ask(operation, { resource: { ...resource, ...own } });
    return rest;
  });

/** The account of all targets of a tree. */
const account = fc
  .constantFrom({}, {}, {}, { status: "suspended" }, { holds: ["abuse"] })
  .map((changes) => ask("apis.getApi", { account: changes }).account);

const TARGETS = 6;

describe.skipIf(NO_SERVER !== undefined)(
  `chains of keys${NO_SERVER === undefined ? "" : ` (skipped: ${NO_SERVER})`}`,
  () => {
    let server: Server;
    beforeAll(async () => {
      server = await startServer(SHIPPED_ROOT, { schema: { enforcement: "reject" } });
    });
    afterAll(() => server.stop());

    /** Whether the server allows a principal each of the targets. */
    const allowed = async (principal: object, policyVersion: string, targets: readonly Target[]) => {
      const resources = targets.map(({ resource, operation }, at) => ({
        resource: { ...resource, id: `${resource.id}`, policyVersion, attr: { ...resource.attr } },
        actions: [operation],
        at,
      }));
      const { status, text } = await server.check({
        requestId: "r",
        principal: { ...principal, policyVersion },
        resources: resources.map(({ at: _, ...one }) => one),
      });
      expect([status, text.slice(0, 200)]).toEqual([200, expect.any(String)]);
      const answer: { readonly results: readonly { readonly actions: { readonly [action: string]: string } }[] } =
        JSON.parse(text);
      return targets.map(({ operation }, at) => answer.results[at]?.actions[operation] === "EFFECT_ALLOW");
    };

    // The whole sample takes minutes.
    test("random key trees", { timeout: 3_600_000 }, async () => {
      const counts = { trees: 0, decisions: 0, allow: 0, insufficient_permissions: 0, forbidden: 0 };
      const trees = fc.tuple(
        fc.array(link, { minLength: 1, maxLength: 5 }),
        fc.array(target, { minLength: TARGETS, maxLength: TARGETS }),
        account,
      );
      await fc.assert(
        fc.asyncProperty(trees, async ([links, targets, owner]) => {
          const permitted = await Promise.all(links.map((one) => allowed(one, "default", targets)));
          const supported = await allowed({ ...owner, roles: ["account"] }, "platform", targets);
          counts.trees += 1;
          for (const [at, one] of targets.entries()) {
            const each = permitted.map((ofLink) => ofLink[at] === true);
            const isAllowed = each.every((may) => may);
            const expected = supported[at] !== true ? "forbidden" : isAllowed ? "allow" : "insufficient_permissions";
            const { outcome, link: refuses } = decideChain(shipped, links, { ...one, account: owner });
            expect({ outcome, one, links }).toEqual({ outcome: expected, one, links });
            expect(refuses).toBe(expected === "insufficient_permissions" ? each.indexOf(false) : undefined);
            counts.decisions += 1;
            counts[outcome] += 1;
          }
        }),
        { numRuns: sized(5_000, 100) },
      );
      say(`chains and the server: ${JSON.stringify(counts)}`);
      for (const outcome of ["allow", "insufficient_permissions", "forbidden"] as const) {
        expect(counts[outcome] / counts.decisions, outcome).toBeGreaterThan(0.05);
      }
    });
  },
);
