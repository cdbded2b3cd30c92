/**
 * Mistakes of handlers, each planted in a right handler. The compiler finds most with the types of `keyward types`. Seven
 * requests find the others: a refused request is not answered as it must be.
 *
 * @module-tag long
 */

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUILT, ROOT } from "../support/built.js";
import { shipped } from "../support/policies.js";
import { type Finding, findings, newProject } from "./project.js";

/** The handlers of `handlers/`. */
const FILES = { decide: "delete-api", guard: "guarded-delete-api" };

interface Mistake {
  readonly name: string;
  readonly handler: keyof typeof FILES;
  readonly from: string;
  readonly to: string;
}

const mistake = (handler: Mistake["handler"], name: string, from: string, to: string): Mistake => ({
  name,
  handler,
  from,
  to,
});

/** Found by the compiler; the word occurs in its message. */
const COMPILER: readonly (readonly [Mistake, word: string])[] = [
  [mistake("decide", "an operation is misspelt", "apis.deleteApi", "apis.delteApi"), "apis.delteApi"],
  [mistake("decide", "an operation of another kind", "apis.deleteApi", "apis.createApi"), "apis.createApi"],
  [mistake("decide", "an operation from the request", '"apis.deleteApi"', "String(request.method)"), "string"],
  [mistake("decide", "a kind is misspelt", 'kind: "api"', 'kind: "apis"'), "apis"],
  [mistake("decide", "the account is forgotten", "resource, account }", "resource }"), "account"],
  [mistake("decide", "the account's promise is not awaited", "await data.findAccount", "data.findAccount"), "Promise"],
  [mistake("decide", "the row's promise is not awaited", "await data.findApi", "data.findApi"), "Promise"],
  [mistake("decide", "an unknown key goes on", "if (key === undefined)", "if (key === null)"), "undefined"],
  [mistake("decide", "an unknown API goes on", "if (row === undefined)", "if (row === null)"), "undefined"],
  [mistake("decide", "the credential is not taken out", "findKey(secret.right)", "findKey(secret)"), "string"],
  [mistake("decide", "an attribute is left out", "attr: row }", "attr: { ...row, keyCount: undefined } }"), "keyCount"],
  [
    mistake(
      "decide",
      "an attribute of another type",
      "attr: row }",
      "attr: { ...row, keyCount: String(row.keyCount) } }",
    ),
    "keyCount",
  ],
  [
    mistake(
      "decide",
      "an attribute is renamed",
      "attr: row }",
      "attr: { ...row, state: undefined, status: row.state } }",
    ),
    "state",
  ],
  [
    mistake(
      "decide",
      "permissions as one text",
      "key, operation",
      'key: { ...key, attr: { ...key.attr, permissions: "api.*.delete_api" } }, operation',
    ),
    "readonly string[]",
  ],
  [
    mistake("decide", "a role that no policy knows", "key, operation", 'key: { ...key, roles: ["owner"] }, operation'),
    "owner",
  ],
  [mistake("decide", "the time as a number", "resource, account }", "resource, account, now: Date.now() }"), "Date"],
  [
    mistake(
      "decide",
      "an outcome that there is not",
      "if (refusal !== undefined)",
      'if (decision.outcome !== "allowed")',
    ),
    "allowed",
  ],
  [mistake("decide", "a field that there is not", "if (refusal !== undefined)", "if (!decision.allowed)"), "allowed"],
  [
    mistake("decide", "the caller gets no request id", "(decision, options)", '(decision, { docsUrl: "" })'),
    "requestId",
  ],
  [
    mistake(
      "decide",
      "a missing key is answered, and not returned",
      "if (key === undefined) return",
      "if (key === undefined)",
    ),
    "undefined",
  ],
  [mistake("guard", "the result as a condition", "if (!guarded.allowed)", "if (!guarded)"), "never"],
  [mistake("guard", "the check is not awaited", "await check(request)", "check(request)"), "Promise"],
  [
    mistake("guard", "an unknown key goes on", "return key ?? new ApiError(UNAUTHENTICATED)", "return key"),
    "undefined",
  ],
  [mistake("guard", "an operation of another kind", '"apis.deleteApi"', '"keys.deleteKey"'), "keys.deleteKey"],
  [
    mistake("guard", "the account is an id", "data.findAccount(resource.attr.accountId)", "resource.attr.accountId"),
    "string",
  ],
  [mistake("guard", "errors are not reported", "    onError: (error) => data.report(error),\n", ""), "onError"],
];

/** Found by requests. `any` hides the types of a row. */
const REQUESTS: readonly Mistake[] = [
  mistake(
    "decide",
    "a decision as a condition",
    "if (refusal !== undefined) return refusal",
    "if (!decision) return refusal ?? errorResponse(NOT_FOUND, options)",
  ),
  mistake(
    "decide",
    "untyped policies, an operation is misspelt",
    'decide(policies, { key, operation: "apis.deleteApi"',
    'decide(policies as PolicySet, { key, operation: "apis.delteApi"',
  ),
  mistake("decide", "a refusal is made, and not returned", "if (refusal !== undefined) return refusal;", ""),
  mistake(
    "decide",
    "the work comes before the decision",
    "const decision =",
    "await data.removeApi(row.id);\n    const decision =",
  ),
  mistake(
    "decide",
    "only one refusal counts",
    "if (refusal !== undefined)",
    'if (refusal !== undefined && decision.outcome === "forbidden")',
  ),
  mistake(
    "decide",
    "each refusal is one of permissions",
    "refusalResponse(decision,",
    'refusalResponse({ outcome: decision.outcome === "allow" ? "allow" : "insufficient_permissions" },',
  ),
  mistake(
    "decide",
    "the permission layer alone",
    "if (refusal !== undefined)",
    'if (refusal !== undefined && decision.permission.effect === "deny")',
  ),
  mistake(
    "decide",
    "an attribute of another type in a row of any type",
    "attr: row }",
    "attr: { ...row, keyCount: String(row.keyCount) } as any }",
  ),
  mistake(
    "decide",
    "an attribute is missing in a row of any type",
    "attr: row }",
    "attr: { ...row, system: undefined } as any }",
  ),
  mistake(
    "decide",
    "the account that the caller names, for the API",
    "findApi(id, key.attr.accountId)",
    'findApi(id, request.headers.get("x-account") ?? key.attr.accountId)',
  ),
  mistake(
    "decide",
    "the account that the caller names, for the plan",
    "findAccount(row.accountId)",
    'findAccount(request.headers.get("x-account") ?? row.accountId)',
  ),
];

let project = "";
let compiled: readonly Finding[] = [];

const fileOf = (i: number) => `mistake_${i}`;
const ALL = [...COMPILER.map(([one]) => one), ...REQUESTS];

beforeAll(async () => {
  project = await newProject(["./*.ts"]);
  for (const file of Object.values(FILES)) await writeFile(join(project, `${file}.ts`), await textOf(file));
  for (const [i, { name, handler, from, to }] of ALL.entries()) {
    const text = await textOf(FILES[handler]);
    if (text.split(from).length !== 2) throw new Error(`${name}: "${from}" must occur once`);
    await writeFile(
      join(project, `${fileOf(i)}.ts`),
      text.replace(from, () => to),
    );
  }
  compiled = await findings(project, "node_modules/typescript");
}, 120_000);

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

async function textOf(file: string): Promise<string> {
  return await readFile(`${ROOT}test/types/handlers/${file}.ts`, "utf8");
}

/** The messages of the compiler about a file. */
function messagesOn(file: string): readonly string[] {
  return compiled.filter((one) => one.file === `${file}.ts`).map(({ message }) => message);
}

test("the right handlers compile", () => {
  expect(Object.values(FILES).flatMap(messagesOn)).toEqual([]);
});

describe("the compiler finds", () => {
  test.each(COMPILER.map(([{ name, handler }, word], i) => [`${name} (${handler})`, word, i] as const))(
    "%s",
    (_, word, i) => {
      const messages = messagesOn(fileOf(i));
      expect(messages.filter((message) => message.includes(word))).not.toEqual([]);
    },
  );
});

const attr = { accountId: "acc_1", workspaceId: "ws_1", environment: "production", system: false, state: "active" };
const ROWS = [
  { id: "api", ...attr, deleteProtection: false, keyCount: 0 },
  { id: "protected", ...attr, deleteProtection: true, keyCount: 0 },
  { id: "other", ...attr, accountId: "acc_2", deleteProtection: false, keyCount: 0 },
];
const held = { accountId: "acc_1", workspaceIds: ["*"], environment: "production", permissions: [] };
const KEYS = ["admin", "viewer"].map((role) => ({ id: role, roles: [role], attr: held }));
const PRO = { plan: "pro", status: "active", limits: { apis: 1, keys: 1 }, usage: { apis: 1, keys: 0 }, holds: [] };

interface Asked {
  readonly key?: string;
  readonly id: string;
  /** A header that no handler may believe. */
  readonly account?: string;
  readonly answer: readonly [status: number, code?: string];
}

const ASKED: readonly Asked[] = [
  { key: "admin", id: "api", answer: [200] },
  { key: "viewer", id: "api", answer: [403, "insufficient_permissions"] },
  { key: "admin", id: "protected", answer: [403, "forbidden"] },
  { key: "admin", id: "other", account: "acc_2", answer: [404, "not_found"] },
  { key: "admin", id: "api", account: "acc_2", answer: [200] },
  { key: "unknown", id: "api", answer: [401, "invalid_key"] },
  { id: "api", answer: [401, "invalid_key"] },
];

/** The answers of a handler that the requests do not expect, and what it removes without leave. */
async function wrongAnswers(file: string): Promise<readonly string[]> {
  const { code } = await transform(await readFile(join(project, `${file}.ts`), "utf8"), {
    loader: "ts",
    format: "esm",
  });
  await writeFile(join(project, `${file}.mjs`), code);
  const { deleteApi } = await import(pathToFileURL(join(project, `${file}.mjs`)).href);
  const wrong: string[] = [];
  for (const { key, id, account, answer } of ASKED) {
    const removed: string[] = [];
    const handler = deleteApi(shipped, {
      findKey: async (secret: string) => KEYS.find((one) => one.id === secret),
      findApi: async (api: string, owner: string) => ROWS.find((row) => row.id === api && row.accountId === owner),
      findAccount: async (owner: string) => ({ id: owner, attr: PRO }),
      removeApi: async (api: string) => void removed.push(api),
      report: () => undefined,
    });
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(account === undefined ? {} : { "x-account": account }),
    };
    const response: Response = await handler(new Request(`http://localhost/?id=${id}`, { method: "DELETE", headers }));
    const { error }: { readonly error?: { readonly type: string } } = JSON.parse(await response.text());
    const given = [response.status, ...(error === undefined ? [] : [error.type.split("/").at(-1)])];
    const expected = { answer, removed: answer[0] === 200 ? [id] : [] };
    if (JSON.stringify({ answer: given, removed }) !== JSON.stringify(expected)) wrong.push(`${key} ${id}: ${given}`);
  }
  return wrong;
}

describe.skipIf(!BUILT)("seven requests find (skipped without dist/: npm run build)", () => {
  test.each(Object.values(FILES))("nothing in the right handler: %s", async (file) => {
    expect(await wrongAnswers(file)).toEqual([]);
  });

  test.each(REQUESTS.map(({ name, handler }, i) => [`${name} (${handler})`, COMPILER.length + i] as const))(
    "%s",
    async (_, i) => {
      // The types do not show these mistakes.
      expect(messagesOn(fileOf(i))).toEqual([]);
      expect(await wrongAnswers(fileOf(i)).catch((error: unknown) => [String(error)])).not.toEqual([]);
    },
  );
});
