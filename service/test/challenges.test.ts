/** `CHALLENGES=1`: a refused caller is told the permissions that it lacks, and nothing else. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { codeOf, type TestService, testService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

const CREATE = "/v1/keys.createKey";

describeStores("challenges", (open) => {
  let store: Store;
  let service: TestService;
  let plain: TestService;
  let world: World;
  let apiId: string;
  beforeAll(async () => {
    store = await open();
    service = await testService(store, { challenges: true });
    plain = await testService(store);
    world = await newAccount(store);
    apiId = await add(store, world, (things) => things.api(world.workspaceId, { name: "Api", state: "active" }));
  });
  afterAll(() => store.close());

  const keyWith = async (...permissions: string[]) =>
    (await add(store, world, (things) => things.key(world.system, { name: "x", roles: ["custom"], permissions })))
      .secret;
  const challenge = async (key: string, path: string, body: object) => {
    const [answer, without] = [await service.call(path, key, body), await plain.call(path, key, body)];
    expect(without.headers.has("www-authenticate")).toBe(false);
    if (answer.status !== 200) expect({ ...answer.body, meta: 0 }).toEqual({ ...without.body, meta: 0 });
    return [codeOf(answer), answer.headers.get("www-authenticate")];
  };
  const scope = (...permissions: readonly string[]) => [
    "insufficient_permissions",
    `Bearer error="insufficient_scope", scope="${permissions.join(" ")}"`,
  ];
  const granting = (...permissions: readonly string[]) => ({ apiId, name: "x", permissions });

  test("name the permission for the operation", async () => {
    const key = await keyWith(`api.${apiId}.read_api`);
    expect(await challenge(key, CREATE, granting())).toEqual(scope(`api.${apiId}.create_key`));
    expect(await challenge(key, "/v2/apis.deleteApi", { apiId })).toEqual(scope(`api.${apiId}.delete_api`));
    expect(await challenge(key, "/v2/apis.getApi", { apiId })).toEqual(["ok", null]);
    const viewer = await add(store, world, (things) => things.key(world.system, { name: "v", roles: ["viewer"] }));
    expect(await challenge(viewer.secret, CREATE, granting())).toEqual(scope(`api.${apiId}.create_key`));
  });

  test("name the granted permissions that the maker lacks, and those that would let it pass them on", async () => {
    const [create, read, remove] = ["create_key", "read_api", "delete_api"].map((verb) => `api.${apiId}.${verb}`);
    if (create === undefined || read === undefined || remove === undefined) throw new Error("no permissions");
    const key = await keyWith(create, read);
    expect(await challenge(key, CREATE, granting(remove))).toEqual(scope(remove));
    expect(await challenge(key, CREATE, granting(read, remove, "api.*.update_api"))).toEqual(
      scope(remove, "api.*.update_api"),
    );
    expect(await challenge(key, CREATE, granting(read))).toEqual(["ok", null]);
    const more = await keyWith(create, read, remove, "api.*.update_api");
    expect(codeOf(await service.call(CREATE, more, granting(read, remove, "api.*.update_api")))).toBe("ok");
  });

  test("say nothing where permissions would not be enough", async () => {
    const key = await keyWith(`api.${apiId}.create_key`);
    const refused = ["insufficient_permissions", null];
    expect(await challenge(key, CREATE, { ...granting(), roles: ["admin"] })).toEqual(refused);
    expect(await challenge(key, CREATE, { ...granting(`api.${apiId}.read_api`), roles: ["admin"] })).toEqual(refused);
    const wide = { ...granting(`api.${apiId}.create_key`), workspaceIds: ["*"] };
    expect(await challenge(key, CREATE, wide)).toEqual(["ok", null]);
    expect(await challenge(world.admin.secret, "/v2/apis.deleteApi", { apiId: world.system })).toEqual([
      "forbidden",
      null,
    ]);
  });

  test("say nothing of the keys above", async () => {
    const parent = await keyWith(`api.${apiId}.create_key`, `api.${apiId}.read_api`, `api.${apiId}.update_api`);
    const made = await service.call(CREATE, parent, granting(`api.${apiId}.create_key`, `api.${apiId}.read_api`));
    const child: string = made.body.data.key;
    expect(await challenge(child, "/v2/apis.getApi", { apiId })).toEqual(["ok", null]);
    // The parent loses the permission: the child has it, and asking for it would not help.
    const { keyId } = (await service.call("/v2/keys.whoami", parent, {})).body.data;
    const permissions = [`api.${apiId}.create_key`];
    const reduced = await service.call("/v2/keys.updateKey", world.admin.secret, { keyId, permissions });
    expect(reduced.status).toBe(200);
    expect(await challenge(child, "/v2/apis.getApi", { apiId })).toEqual(["insufficient_permissions", null]);
  });
});
