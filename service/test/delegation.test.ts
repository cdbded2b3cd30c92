/** The probe questions that tell which powers a key may pass on, and the check that they suffice for the policies. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decide, type PolicySet } from "keyward";
import { loadPoliciesOrThrow, shippedPolicies } from "keyward/node";
import { describe, expect, test } from "vitest";
import { shippedCopy } from "../../test/support/directory.js";
import { createLogger } from "../src/observability/logger.js";
import { findExceedingPower, PROBED, type Probe } from "../src/operations/delegation.js";
import { OPERATIONS } from "../src/operations/index.js";
import { principalOf } from "../src/operations/resources.js";
import { openPolicies, PoliciesInvalid } from "../src/policies/policies.js";
import type { KeyPowers } from "../src/store/rows.js";

const API = "permissions/api.yaml";

/** A copy of the shipped policies, with every occurrence of `from` replaced in one file. */
function edited(path: string, from: string, to: string): string {
  const directory = shippedCopy();
  const file = join(directory, path);
  const text = readFileSync(file, "utf8");
  expect(text).toContain(from);
  writeFileSync(file, text.replaceAll(from, to));
  return directory;
}

const logger = () => createLogger("silent", { write: () => {} });

/** The issues that make the service refuse the policies at its start, as `file code message`. */
async function problemsOf(directory: string): Promise<readonly string[]> {
  const opened = await openPolicies(directory, logger()).catch((error: unknown) => error);
  if (!(opened instanceof PoliciesInvalid)) return [];
  return opened.issues.map(({ file, code, message }) => `${file} ${code} ${message}`);
}

const refusal = (path: string, rule: string, read: string) =>
  `${path} requirement rule ${rule} reads ${read}, so the service cannot tell which keys may make which`;

describe("a permission rule that reads what no question varies is refused", () => {
  const deletion = 'V.in_reach && hasIntersection(P.attr.permissions, ["api.*.delete_api"';
  const rule = "resource.api.vdefault#permission_to_delete_api";

  test.each([
    ['R.attr.state == "draft"', "R.attr.state"],
    ["R.attr.system == false", "R.attr.system"],
    ["R.attr.deleteProtection == false", "R.attr.deleteProtection"],
    ["R.attr.keyCount < 1.0", "R.attr.keyCount"],
    ['has(R.attr.name) && R.attr.name == "x"', "R.attr.name", "R.attr.name"],
    ['R.attr["state"] == "draft"', "R.attr.state"],
    ['request.resource.attr.state == "draft"', "R.attr.state"],
    ["size(R.attr) > 3", "R.attr"],
    ['now() > timestamp("2030-01-01T00:00:00Z")', "now()"],
  ])("in its condition: %s", async (expression, ...reads) => {
    const directory = edited(API, deletion, deletion.replace("&&", `&& ${expression} &&`));
    expect(await problemsOf(directory)).toEqual(reads.map((read) => refusal(API, rule, read)));
  });

  test("in a variable, for each rule that comes to it", async () => {
    const path = "permissions/reach.yaml";
    const directory = edited(path, "V.same_account && V.same_environment", 'R.attr.state != "x" && V.same_account');
    const rules = (await problemsOf(directory)).map((problem) => problem.split(" ")[3]?.split("#")[0]);
    expect([rules.length, [...new Set(rules)].sort()]).toEqual([
      15,
      ["resource.api.vdefault", "resource.key.vdefault"],
    ]);
  });

  test("and the shipped policies are not, nor a rule that reads what the questions vary", async () => {
    expect(await problemsOf(shippedPolicies)).toEqual([]);
    const more =
      'R.kind == "api" && R.id != "x" && R.attr.workspaceId != "x" && R.attr.environment != "x" && P.id != "x"';
    expect(await problemsOf(edited(API, deletion, deletion.replace("&&", `&& ${more} &&`)))).toEqual([]);
  });

  test("and so it is at a reload: the set in force stays", async () => {
    const directory = shippedCopy();
    const policies = await openPolicies(directory, logger());
    const before = policies.current;
    const file = join(directory, API);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll(deletion, deletion.replace("&&", '&& R.attr.state == "draft" &&')));
    await policies.reload();
    expect([policies.current === before, policies.refused]).toEqual([true, true]);
  });
});

test("the questions have every operation that the service decides on", () => {
  const undecided = "keys.whoami";
  const served = OPERATIONS.map(({ name }) => name).filter((name) => name !== undecided);
  expect(Object.values(PROBED).flat().sort()).toEqual([...served, "keys.removeLastAdmin"].sort());
});

describe("a key of another place is passed on to nobody who has less", () => {
  const maker: KeyPowers = {
    id: "key_1",
    accountId: "acc_1",
    roles: ["custom"],
    permissions: ["api.*.create_key"],
    workspaceIds: ["ws_1"],
    environment: "production",
  };
  const permitsIn = (set: PolicySet) => (holder: KeyPowers, probe: Probe) =>
    decide(set, { key: principalOf(holder), ...probe, account: { id: "" } }).permission.effect === "allow";

  test.each([
    ["another environment", 'R.attr.environment == "development"', { permissions: ["api.*.delete_api"] }],
    ["another workspace", 'R.attr.workspaceId != "ws_1"', { permissions: ["api.*.delete_api"], workspaceIds: [] }],
  ])("in %s", async (_, condition, more) => {
    const set = await loadPoliciesOrThrow(
      edited(
        API,
        'V.in_reach && hasIntersection(P.attr.permissions, ["api.*.delete_api"',
        `${condition} && hasIntersection(P.attr.permissions, ["api.*.delete_api"`,
      ),
    );
    const after: KeyPowers = { ...maker, id: "key_2", ...more };
    expect(findExceedingPower(permitsIn(set), maker, { after })?.operation).toBe("apis.deleteApi");
  });

  test("by rules for every role, to a key without permissions", async () => {
    const set = await loadPoliciesOrThrow(edited(API, "        - admin\n", "        - admin\n        - custom\n"));
    const after: KeyPowers = { ...maker, id: "key_2", permissions: [], workspaceIds: ["*"] };
    expect(findExceedingPower(permitsIn(set), maker, { after })?.operation).toBe("apis.getApi");
  });
});
