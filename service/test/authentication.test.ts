/** Authentication: valid keys get in, and a refusal never says why. */

import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { hashOf, newSecret, prefixOf, provesKey } from "../src/auth/secret.js";
import { keys } from "../src/store/schema.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { answerOf, type TestService, testService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

describeStores("authentication", (open) => {
  let store: Store;
  let service: TestService;
  let world: World;
  const invalid = new Map<string, string | undefined>();
  beforeAll(async () => {
    store = await open();
    service = await testService(store);
    world = await newAccount(store);
    const key = (more: object) =>
      add(store, world, (things) => things.key(world.system, { name: "x", roles: ["admin"], ...more }));
    const valid = world.admin.secret;
    const { secret: unknown } = newSecret();
    const bearer = async (made: Promise<{ secret: string }>) => `Bearer ${(await made).secret}`;
    const deleted = await key({});
    await store.queries.delete(keys).where(eq(keys.id, deleted.keyId));
    const cases: [string, string | undefined][] = [
      ["missing", undefined],
      ["empty", ""],
      ["no scheme", valid],
      ["another scheme", `Basic ${valid}`],
      ["no key", "Bearer "],
      ["malformed", "Bearer kw_nothing"],
      ["two keys", `Bearer ${valid}, Bearer ${valid}`],
      ["unknown", `Bearer ${unknown}`],
      ["a known prefix, another secret", `Bearer ${valid.slice(0, 20)}${unknown.slice(20)}`],
      ["truncated", `Bearer ${valid.slice(0, -1)}`],
      ["longer", `Bearer ${valid}A`],
      ["revoked", await bearer(key({ state: "revoked" }))],
      ["disabled", await bearer(key({ state: "disabled" }))],
      ["expired", await bearer(key({ expiresAt: new Date(Date.now() - 1_000) }))],
      ["deleted", `Bearer ${deleted.secret}`],
      ["SQL", "Bearer ' or '1'='1"],
    ];
    for (const [name, field] of cases) invalid.set(name, field);
  });
  afterAll(() => store.close());

  const ask = async (field: string | undefined, path = "/v2/keys.whoami") => {
    const headers = new Headers({ "content-type": "application/json" });
    if (field !== undefined) headers.set("authorization", field);
    return answerOf(await service.app.request(path, { method: "POST", headers, body: "{}" }));
  };

  test("the key of a request is the one it was sent with", async () => {
    expect((await ask(`Bearer ${world.admin.secret}`)).body.data.keyId).toBe(world.admin.keyId);
    expect((await ask(`bearer  ${world.editor.secret}`)).body.data.keyId).toBe(world.editor.keyId);
    const lasting = await add(store, world, (things) =>
      things.key(world.system, { name: "x", roles: ["custom"], expiresAt: new Date(Date.now() + 60_000) }),
    );
    expect((await ask(`Bearer ${lasting.secret}`)).status).toBe(200);
  });

  test("every other gets the same 401, byte for byte but for the request's id", async () => {
    const texts = new Set<string>();
    for (const [name, field] of invalid) {
      const answer = await ask(field);
      expect([name, answer.status]).toEqual([name, 401]);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      texts.add(answer.text.replace(answer.body.meta.requestId, "req_"));
      expect([...answer.headers.keys()].sort()).toEqual(
        ["cache-control", "content-type", "www-authenticate", "x-request-id"].sort(),
      );
    }
    expect([...texts]).toEqual([
      '{"meta":{"requestId":"req_"},"error":{"detail":"The API key is missing or not valid","status":401,' +
        '"title":"Unauthorized","type":"https://docs.example.com/api-reference/errors-v2/service/authentication/invalid_key"}}',
    ]);
  });

  test("and does so before anything of the body is looked at", async () => {
    const headers = { "content-type": "text/plain" };
    const answer = await answerOf(
      await service.app.request("/v2/keys.whoami", { method: "POST", headers, body: "not JSON" }),
    );
    expect(answer.status).toBe(401);
  });

  test("after the same work: one look-up, one hash, two comparisons in constant time", async () => {
    const work = {
      lookups: vi.spyOn(store, "run"),
      hashes: vi.spyOn(crypto, "hash"),
      comparisons: vi.spyOn(crypto, "timingSafeEqual"),
    };
    // Updates modules that import the two functions by name: now to the spies, after the test to the originals.
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    for (const [name, field] of [...invalid, ["valid", `Bearer ${world.admin.secret}`] as const]) {
      for (const counted of Object.values(work)) counted.mockClear();
      expect([name, (await ask(field)).status]).toEqual([name, name === "valid" ? 200 : 401]);
      const counts = Object.entries(work).map(([what, counted]) => [what, counted.mock.calls.length]);
      expect([name, counts]).toEqual([
        name,
        [
          ["lookups", 1],
          ["hashes", 1],
          ["comparisons", 2],
        ],
      ]);
    }
  });

  test("what is stored proves a secret, and does not give it away", async () => {
    const rows = await store.queries.select().from(keys).where(eq(keys.id, world.admin.keyId));
    const { secret } = world.admin;
    expect(rows[0]?.hash).toBe(crypto.createHash("sha256").update(secret).digest("hex"));
    expect(rows[0]?.prefix).toBe(prefixOf(secret));
    expect(JSON.stringify(rows)).not.toContain(secret.slice(20));
    expect(service.logged.join("")).not.toMatch(/kw_[0-9a-f]{16}/);
  });
});

test("secrets are 256 random bits, and are compared whole", () => {
  const made = Array.from({ length: 200 }, newSecret);
  expect(new Set(made.map(({ secret }) => secret)).size).toBe(200);
  for (const { secret, hash, prefix } of made) {
    expect(Buffer.from(secret.slice(20), "base64url").length).toBe(32);
    expect(secret.startsWith(`kw_${prefix}_`)).toBe(true);
    expect(provesKey(hashOf(secret), { hash, oldHash: null })).toBe(true);
    expect(provesKey(hashOf(secret), { hash: newSecret().hash, oldHash: hash })).toBe(true);
    expect(provesKey(hashOf(`${secret}x`), { hash, oldHash: hash })).toBe(false);
    expect(provesKey(hashOf(secret), { hash: "", oldHash: null })).toBe(false);
    expect(provesKey(hashOf(secret), undefined)).toBe(false);
  }
});
