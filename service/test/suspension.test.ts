/** A suspended workspace or API suspends its content, even for changes that already wait for a lock. */

import { Client } from "pg";
import { describe, expect, test } from "vitest";
import type { Store } from "../src/store/store.js";
import { describeStores, NO_POSTGRES, newDatabase, openPostgresAt, skipped } from "./support/databases.js";
import { type TestService, testService } from "./support/service.js";
import { add, newAccount } from "./support/world.js";

/** A workspace with an active API, a draft, an API in deletion, and keys of every state in the active API. */
async function populated(store: Store) {
  const world = await newAccount(store);
  return await add(store, world, async (things) => {
    const workspaceId = await things.workspace({ name: "Billing", environment: "production" });
    const api = (state: "active" | "draft" | "deleting") => things.api(workspaceId, { name: state, state });
    const [apiId, draft, deleting] = [await api("active"), await api("draft"), await api("deleting")];
    const key = (state: "enabled" | "disabled" | "revoked") =>
      things.key(apiId, { name: state, roles: ["editor"], state });
    const [enabled, disabled, revoked] = [await key("enabled"), await key("disabled"), await key("revoked")];
    return { ...world, workspaceId, apiId, draft, deleting, enabled, disabled, revoked };
  });
}

type Place = Awaited<ReturnType<typeof populated>>;

/** The platform's SQL that suspends a container or lifts the suspension. */
const CONTAINERS = {
  workspace: ({ workspaceId }: Place, state: string) =>
    `update workspaces set state = '${state}' where id = '${workspaceId}'`,
  api: ({ apiId }: Place, state: string) => `update apis set state = '${state}' where id = '${apiId}'`,
} as const;

const CHANGES = {
  "apis.createApi": ["/v2", ({ workspaceId }: Place) => ({ workspaceId, name: "x" })],
  "apis.updateApi": ["/v2", ({ apiId }: Place) => ({ apiId, deleteProtection: true })],
  "apis.deleteApi": ["/v2", ({ draft }: Place) => ({ apiId: draft })],
  "keys.createKey": ["/v1", ({ apiId }: Place) => ({ apiId, name: "x" })],
  "keys.updateKey": ["/v2", ({ enabled }: Place) => ({ keyId: enabled.keyId, permissions: ["api.*.read_api"] })],
  "keys.deleteKey": ["/v2", ({ disabled }: Place) => ({ keyId: disabled.keyId })],
} as const;

/** Changes that a suspension of the API itself forbids. */
const IN_API = ["apis.updateApi", "keys.createKey", "keys.updateKey", "keys.deleteKey"] as const;

/** The data of the answer, or its error type and the platform reasons. */
async function outcome({ call, records }: TestService, path: string, secret: string, body: object) {
  records.length = 0;
  const { status, body: given } = await call(path, secret, body);
  return status === 200 ? given.data : [given.error.type.split("/").at(-1), records.at(-1)?.platformReasons];
}

const FORBIDDEN = ["forbidden", ["state_forbids_modification"]];

describeStores("a suspended container", (open) => {
  const within = async (work: (store: Store, service: TestService, place: Place) => Promise<void>) => {
    const store = await open();
    try {
      await work(store, await testService(store), await populated(store));
    } finally {
      await store.close();
    }
  };

  test.each([
    ["workspace", Object.keys(CHANGES).filter(isChange)],
    ["api", IN_API],
  ] as const)("%s: nothing is created or changed in it", (container, names) =>
    within(async (store, service, place) => {
      await store.queries.execute(CONTAINERS[container](place, "suspended"));
      const answers = [];
      for (const name of names) {
        const [version, body] = CHANGES[name];
        answers.push([name, await outcome(service, `${version}/${name}`, place.admin.secret, body(place))]);
      }
      expect(answers).toEqual(names.map((name) => [name, FORBIDDEN]));
    }),
  );

  test.each([
    ["workspace", { active: "suspended", draft: "suspended", deleting: "suspended" }],
    ["api", { active: "suspended", draft: "draft", deleting: "deleting" }],
  ] as const)("%s: reading is allowed, alone and in lists, and shows the state in force", (container, states) =>
    within(async (store, service, place) => {
      const { secret } = place.viewer;
      const get = (path: string, body: object) => outcome(service, path, secret, body);
      const apiIds = { active: place.apiId, draft: place.draft, deleting: place.deleting };
      const keyIds = [place.enabled.keyId, place.disabled.keyId, place.revoked.keyId];
      const seen = async () => {
        const apis = [];
        for (const apiId of Object.values(apiIds)) apis.push(await get("/v2/apis.getApi", { apiId }));
        const keys = [];
        for (const keyId of keyIds) keys.push(await get("/v2/keys.getKey", { keyId }));
        const inOrder = apis.toSorted((a, b) => (a.apiId < b.apiId ? -1 : 1));
        const { workspaceId, apiId } = place;
        expect(await get("/v2/apis.listApis", { workspaceId })).toEqual({ apis: inOrder, nextCursor: null });
        expect(await get("/v2/apis.listKeys", { apiId })).toEqual({ keys, nextCursor: null });
        return { apis: apis.map(({ state }) => state), keys: keys.map(({ state }) => state) };
      };
      const own = { apis: Object.keys(states), keys: ["enabled", "disabled", "revoked"] };
      expect(await seen()).toEqual(own);
      await store.queries.execute(CONTAINERS[container](place, "suspended"));
      expect(await seen()).toEqual({ apis: Object.values(states), keys: ["suspended", "suspended", "revoked"] });
      await store.queries.execute(CONTAINERS[container](place, "active"));
      expect(await seen()).toEqual(own);
    }),
  );

  test.each(["workspace", "api"] as const)("%s: a key in it is verified, may read, and is revoked", (container) =>
    within(async (store, service, place) => {
      await store.queries.execute(CONTAINERS[container](place, "suspended"));
      const { keyId, secret: key } = place.enabled;
      const verify = (may?: object) => outcome(service, "/v2/keys.verifyKey", place.viewer.secret, { key, may });
      const { apiId } = place;
      expect([
        await verify(),
        await verify({ operation: "apis.getApi", apiId }),
        await verify({ operation: "keys.createKey", apiId }),
        await verify({ operation: "keys.updateKey", keyId }),
        await verify({ operation: "keys.revokeKey", keyId }),
      ]).toMatchObject(
        [null, "allow", "forbidden", "forbidden", "allow"].map((outcome) => ({ valid: true, keyId, outcome })),
      );
      // The key revokes itself, then the admin revokes it again, which changes nothing.
      for (const secret of [key, place.admin.secret]) {
        expect(await outcome(service, "/v2/keys.revokeKey", secret, { keyId })).toMatchObject({ state: "revoked" });
      }
      expect(await verify()).toMatchObject({ valid: false, code: "revoked", keyId, outcome: null });
      expect(await outcome(service, "/v2/keys.getKey", place.viewer.secret, { keyId })).toMatchObject({
        state: "revoked",
      });
      const api = await outcome(service, "/v2/apis.getApi", place.viewer.secret, { apiId });
      expect(api).toMatchObject({ state: "suspended", keyCount: 1 });
    }),
  );
});

/** A change, the platform's concurrent SQL on a row that was decided on, and the resulting answer. */
const BY_SQL: readonly (readonly [
  name: keyof typeof CHANGES,
  title: string,
  sql: (place: Place) => string,
  answer: readonly unknown[],
])[] = [
  ...IN_API.map((name) => [name, "the API is suspended", suspended("api"), FORBIDDEN] as const),
  ...Object.keys(CHANGES)
    .filter(isChange)
    .map((name) => [name, "the workspace is suspended", suspended("workspace"), FORBIDDEN] as const),
  [
    "apis.deleteApi",
    "the API is protected",
    ({ draft }) => `update apis set delete_protection = true where id = '${draft}'`,
    ["forbidden", ["delete_protected"]],
  ],
  [
    "keys.updateKey",
    "the key is revoked",
    ({ enabled }) => `update keys set state = 'revoked' where id = '${enabled.keyId}'`,
    FORBIDDEN,
  ],
  [
    "keys.createKey",
    "the caller is reduced",
    ({ admin }) => `update keys set roles = '{viewer}' where id = '${admin.keyId}'`,
    ["insufficient_permissions", ["supported"]],
  ],
  [
    "keys.createKey",
    "the caller is revoked",
    ({ admin }) => `update keys set state = 'revoked' where id = '${admin.keyId}'`,
    ["invalid_key", ["supported"]],
  ],
  [
    "apis.createApi",
    "the account is suspended",
    ({ accountId }) => `update accounts set status = 'suspended' where id = '${accountId}'`,
    ["forbidden", ["not_available"]],
  ],
];

function suspended(container: keyof typeof CONTAINERS) {
  return (place: Place) => CONTAINERS[container](place, "suspended");
}

function isChange(name: string): name is keyof typeof CHANGES {
  return name in CHANGES;
}

describe.skipIf(NO_POSTGRES !== undefined)(`while a change waits${skipped(NO_POSTGRES)}`, () => {
  test.each(BY_SQL)("%s, and %s: it is decided on again", async (name, _, sql, answer) => {
    const url = await newDatabase();
    const store = await openPostgresAt(url);
    const platform = new Client({ connectionString: url });
    await platform.connect();
    try {
      // The change waits for the lock of the account in one run, for that of the row in the other.
      for (const locksAccount of [true, false]) {
        const place = await populated(store);
        const service = await testService(store);
        await platform.query("begin");
        if (locksAccount) {
          await platform.query("select from accounts where id = $1 for update", [place.accountId]);
        } else {
          await platform.query(sql(place));
        }
        const [version, body] = CHANGES[name];
        let isAnswered = false;
        const answered = outcome(service, `${version}/${name}`, place.admin.secret, body(place)).finally(() => {
          isAnswered = true;
        });
        while (!isAnswered && !(await isWaiting(platform))) await new Promise((resolve) => setTimeout(resolve, 10));
        if (locksAccount) await platform.query(sql(place));
        await platform.query("commit");
        expect([locksAccount, await answered]).toEqual([locksAccount, answer]);
      }
    } finally {
      await platform.end();
      await store.close();
    }
  });
});

async function isWaiting(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.length > 0;
}
