/**
 * Decision records with attributes: `keyward replay` decides them again, and they have no secret.
 *
 * @module-tag long
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shippedPolicies } from "keyward/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shippedCopy } from "../../test/support/directory.js";
import { keyward } from "../../test/support/terminal.js";
import { chainOf } from "../src/audit-log.js";
import type { AppOptions } from "../src/http/app.js";
import { logLineOf, type ServiceRecord } from "../src/observability/decision-log.js";
import { MASKABLE } from "../src/observability/maskable.js";
import type { Store } from "../src/store/store.js";
import { openNewPglite } from "./support/databases.js";
import { testService } from "./support/service.js";
import { newAccount } from "./support/world.js";

const SALT = "sixteen characters";

let store: Store;
beforeAll(async () => {
  store = await openNewPglite();
});
afterAll(() => store.close());

/** A service, and its decision log. */
async function recording(recordReads: AppOptions["recordReads"]) {
  const records: ServiceRecord[] = [];
  const decisionLog: AppOptions["decisionLog"] = {
    write: async (record) => void records.push(record),
    ping: async () => {},
    reopen: () => {},
    close: async () => {},
  };
  return { records, service: await testService(store, { decisionLog, recordReads }) };
}

/** The records of a key below one that loses a permission, and then is revoked. */
async function restricted() {
  const { records, service } = await recording({ record: "reads" });
  const { admin, active: apiId } = await newAccount(store);
  const call = async (path: string, key: string, body: object) => (await service.call(path, key, body)).body.data;
  const make = (key: string, ...permissions: readonly string[]) =>
    call("/v1/keys.createKey", key, { apiId, name: "x", permissions });
  const parent = await make(admin.secret, "api.*.create_key", "api.*.read_api");
  const child = await make(parent.key, "api.*.read_api");
  const read = () => call("/v2/apis.getApi", child.key, { apiId });
  await read();
  await call("/v2/keys.updateKey", admin.secret, { keyId: parent.keyId, permissions: ["api.*.create_key"] });
  await read();
  await call("/v2/keys.revokeKey", admin.secret, { keyId: parent.keyId });
  await read();
  return { records: records.filter(({ keyId }) => keyId === child.keyId), parentId: parent.keyId };
}

/** Calls of all kinds, by keys of all roles. Returns the decision log, the audit chain and the secrets. */
async function worked(recordReads: AppOptions["recordReads"]) {
  const { records, service } = await recording(recordReads);
  const world = await newAccount(store);
  const { admin, editor, viewer, active: apiId, system, workspaceId } = world;
  const call = async (path: string, key: string, body: object) => (await service.call(path, key, body)).body.data;
  const child = await call("/v1/keys.createKey", admin.secret, { apiId, name: "x", permissions: ["api.*.read_api"] });
  for (const { secret } of [admin, editor, viewer, { secret: child.key }]) {
    await call("/v2/workspaces.createWorkspace", secret, {
      name: `w-${secret.slice(3, 9)}`,
      environment: "production",
    });
    const made = await call("/v2/apis.createApi", secret, { workspaceId, name: "new" });
    for (const id of [apiId, system, made?.apiId ?? apiId]) {
      for (const operation of ["getApi", "listKeys"]) await call(`/v2/apis.${operation}`, secret, { apiId: id });
    }
    await call("/v2/apis.listApis", secret, { workspaceId });
    await call("/v2/apis.updateApi", secret, { apiId, deleteProtection: true });
    for (const id of [system, apiId]) await call("/v2/apis.deleteApi", secret, { apiId: id });
    await call("/v2/keys.getKey", secret, { keyId: child.keyId });
    await call("/v2/keys.verifyKey", secret, { key: viewer.secret, may: { operation: "apis.getApi", apiId } });
    await call("/v1/keys.createKey", secret, { apiId, name: "x", roles: ["admin"] });
  }
  await call("/v2/keys.revokeKey", child.key, { keyId: child.keyId });
  await call("/v2/keys.revokeKey", viewer.secret, { keyId: viewer.keyId });
  const audited: string[] = [];
  for await (const { entry } of chainOf(store, world.accountId)) audited.push(entry);
  return { records, audited, secrets: [admin.secret, editor.secret, viewer.secret, child.key], child };
}

function replay(records: readonly ServiceRecord[], ...args: readonly string[]) {
  return keyward(["replay", "-", ...args, "--format=json"], records.map((one) => `${logLineOf(one)}\n`).join(""));
}

describe("with attributes", () => {
  let work: Awaited<ReturnType<typeof worked>>;
  beforeAll(async () => {
    work = await worked({ record: "reads" });
  });

  test("each decision of a key without a parent replays as the same", async () => {
    const { records, child } = work;
    const alone = records.filter(({ keyId, exceeding }) => keyId !== child.keyId && exceeding === undefined);
    expect(new Set(alone.map(({ outcome }) => outcome))).toEqual(
      new Set(["allow", "insufficient_permissions", "forbidden"]),
    );
    const { code, out } = await replay(alone, shippedPolicies);
    expect([code, JSON.parse(out)]).toMatchObject([0, { lines: alone.length, same: alone.length }]);
  });

  test("a changed policy changes exactly the decisions that it is about", async () => {
    const alone = work.records.filter(({ keyId }) => keyId !== work.child.keyId);
    const directory = shippedCopy();
    const file = join(directory, "permissions", "api.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("- viewer", "- auditor"));
    const { code, out } = await replay(alone, shippedPolicies, "--against", directory);
    const { changed } = JSON.parse(out);
    expect(code).toBe(4);
    expect(changed.length).toBeGreaterThan(0);
    for (const { line } of changed) {
      expect(alone[line - 1]).toMatchObject({ keyRoles: ["viewer"], resourceKind: "api", outcome: "allow" });
    }
  });

  test("each decision of a key below another one is replayed whole", async () => {
    const { records, child } = work;
    const below = records.filter(({ keyId, exceeding }) => keyId === child.keyId && exceeding === undefined);
    expect(below.filter(({ reads }) => reads?.ancestors?.length === 1).length).toBeGreaterThan(5);
    expect(below.some(({ reads }) => reads?.ancestors === undefined)).toBe(true);
    const { code, out } = await replay(below, shippedPolicies);
    expect([code, JSON.parse(out)]).toMatchObject([0, { lines: below.length, same: below.length }]);
  });

  test("a key above that lacks the permission, or may no longer be used", async () => {
    const { records, parentId } = await restricted();
    expect(records.map(({ outcome, refusedBy }) => [outcome, refusedBy])).toEqual([
      ["allow", undefined],
      ["insufficient_permissions", parentId],
      ["insufficient_permissions", undefined],
    ]);
    expect(records.at(-1)?.reads?.ancestors).toEqual([null]);
    const { code, out } = await replay(records, shippedPolicies);
    expect([code, JSON.parse(out)]).toMatchObject([0, { lines: 3, same: 3 }]);
  });

  test("a decision about other powers is skipped", async () => {
    const others = work.records.filter(({ exceeding }) => exceeding !== undefined);
    const report = JSON.parse((await replay(others, shippedPolicies)).out);
    expect(others.length).toBeGreaterThan(0);
    expect(report.skipped.map(({ reason }: { reason: string }) => reason)).toEqual(
      others.map(() => "the decision is about another key"),
    );
  });

  test("the attributes are those that can be masked, and no secret is among them", () => {
    const { records, audited, secrets } = work;
    const names = records.flatMap(({ reads }) =>
      (["key", "account", "resource"] as const).flatMap((part) =>
        Object.keys(reads?.[part]?.attr ?? {}).map((name) => `${part}.attr.${name}`),
      ),
    );
    expect(new Set(names).size).toBeGreaterThan(8);
    expect(names.filter((name) => !MASKABLE.some((one) => one === name))).toEqual([]);
    const logged = JSON.stringify(records);
    for (const secret of secrets) {
      expect(logged).not.toContain(secret);
      expect(logged).not.toContain(secret.replace(/^kw_[0-9a-f]+_/, ""));
    }
    expect(audited.length).toBeGreaterThan(0);
    for (const entry of audited) expect(JSON.parse(entry)).not.toHaveProperty("reads");
  });
});

test("masked attributes are texts of one form, and never replay as changed", async () => {
  const { records } = await worked({ record: "reads", mask: MASKABLE, salt: SALT });
  const values = records.flatMap(({ reads }) =>
    [reads?.key, reads?.account, reads?.resource].flatMap((part) => Object.values(part?.attr ?? {})),
  );
  expect(values.length).toBeGreaterThan(50);
  for (const value of values) expect(value).toMatch(/^hmac-sha256:[0-9a-f]{64}$/);
  expect(JSON.parse((await replay(records, shippedPolicies)).out)).toMatchObject({ changed: [] });
});

test("without the option records have no attributes", async () => {
  const { records } = await worked(undefined);
  for (const record of records) expect(Object.keys(record)).not.toContain("reads");
});
