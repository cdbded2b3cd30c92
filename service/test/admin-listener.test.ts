/** The operator's actions over HTTP: only with a token, in the name that belongs to it. */

import { hash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chainOf } from "../src/audit-log.js";
import type { RunningServer } from "../src/http/server.js";
import { createLogger } from "../src/observability/logger.js";
import { readOperatorTokens, startAdminListener } from "../src/operator/listener.js";
import type { Store } from "../src/store/store.js";
import { openNewPglite } from "./support/databases.js";
import { answerOf, DOCS } from "./support/service.js";
import { newAccount } from "./support/world.js";

const home = mkdtempSync(join(tmpdir(), "keyward-tokens-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const fileWith = (text: string) => {
  const path = join(home, "tokens");
  writeFileSync(path, text);
  return path;
};
const line = (name: string, token: string) => `${name} ${hash("sha256", token)}\n`;

let store: Store;
let server: RunningServer;
const logged: string[] = [];
beforeAll(async () => {
  store = await openNewPglite();
  const tokens = readOperatorTokens(fileWith(`# on call\n\n${line("Alice B", "token-a")}${line("bob", "token-b")}`));
  const logger = createLogger("debug", { write: (text) => logged.push(text) });
  server = await startAdminListener({ store, tokens, port: 0, docsUrl: DOCS, logger });
});
afterAll(async () => {
  await server.close(1_000);
  await store.close();
});

const post = async (path: string, token: string | undefined, body: unknown, method = "POST") => {
  const response = await fetch(`${server.baseUrl}/${path}`, {
    method,
    headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
    ...(method === "POST" && { body: JSON.stringify(body) }),
  });
  return await answerOf(response);
};

test("an action is the command's, in the name of the token's operator", async () => {
  expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
  const { accountId, admin } = await newAccount(store);
  const { status, body } = await post("accounts.suspend", "token-a", { id: accountId, reason: "ticket 7" });
  expect([status, body]).toMatchObject([200, { changed: true, account: { status: "suspended" } }]);
  const entries = [];
  for await (const { entry } of chainOf(store, accountId)) entries.push(JSON.parse(entry));
  expect(entries).toMatchObject([{ operator: "Alice B", reason: "ticket 7", command: "accounts.suspend" }]);
  expect((await post("accounts.update", "token-b", { id: accountId, keys: 5 })).body.account.limits.keys).toBe(5);
  expect((await post("keys.list", "token-b", { account: accountId, limit: 1 })).body.keys).toHaveLength(1);
  const log = logged.join("");
  expect(log).toContain('"operator":"Alice B","command":"accounts.suspend","status":200');
  for (const secret of ["token-a", "token-b", admin.secret.slice(20)]) expect(log).not.toContain(secret);
});

test("anything else is refused in the envelope", async () => {
  const { accountId } = await newAccount(store);
  const suspend = (token: string | undefined, body: unknown, method?: string) =>
    post("accounts.suspend", token, body, method);
  expect((await suspend(undefined, { id: accountId })).status).toBe(401);
  expect((await suspend("token-c", { id: accountId })).status).toBe(401);
  // A hash from the file is not a token.
  expect((await suspend(hash("sha256", "token-a"), { id: accountId })).status).toBe(401);
  expect((await post("nothing", undefined, {})).status).toBe(401);
  expect((await post("accounts.delete", "token-a", {})).status).toBe(404);
  expect((await suspend("token-a", undefined, "GET")).status).toBe(405);
  for (const [body, detail] of [
    [{ id: accountId, operator: "bob" }, "the token names the operator"],
    [[], "JSON object"],
    [{ id: accountId, plan: "pro" }, "plan"],
    [{}, "id: is required"],
    [{ id: "acc_none" }, "there is no account acc_none"],
  ] as const) {
    const refused = await suspend("token-a", body);
    expect([refused.status, refused.body.error.detail]).toEqual([400, expect.stringContaining(detail)]);
  }
});

test.each([
  ["", "without an operator"],
  ["alice", "entry 1"],
  [`alice ${"0".repeat(63)}`, "entry 1"],
  [`${line("alice", "a")}bob a`, "entry 2"],
  [`${line("alice", "a")}${line("bob", "a")}`, "entry 2"],
  [line(" ", "a"), "entry 1"],
])("a file of operators that is wrong: %j", (text, message) => {
  expect(() => readOperatorTokens(fileWith(text))).toThrow(message);
});

test("a file of operators that is missing", () => {
  expect(() => readOperatorTokens(join(home, "none"))).toThrow("cannot be read");
});
