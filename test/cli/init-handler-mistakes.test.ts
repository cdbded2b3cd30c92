/**
 * Mistakes in the handlers of `keyward init`: those in words that all frameworks have, in one of them, and those in words
 * of their own, in each. The compiler finds some, and the test that `keyward init` writes beside the handler finds the
 * others.
 *
 * @module-tag long
 */

import { spawnSync } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FRAMEWORKS, type Framework } from "../../src/cli/init/frameworks.js";
import { BUILT } from "../support/built.js";
import { NEW_SETS } from "../support/new-sets.js";
import { say } from "../support/seed.js";
import { keyward } from "../support/terminal.js";
import { type Finding, findings, newProject } from "../types/project.js";

/** Texts that replace others. Each of the others occurs once in the handler. */
type Edits = readonly (readonly [from: string, to: string])[];

/** The types show these. */
const COMPILER: { readonly [mistake: string]: Edits } = {
  "an operation is misspelt": [['answer("devices.delete"', 'answer("devices.destroy"']],
  "a list is answered as a single resource": [['answerList("devices.list")', 'answer("devices.list", existing)']],
  "a caller without a key goes on": [["    if (key === undefined) throw new ApiError(UNAUTHENTICATED);\n", ""]],
  "a missing resource goes on": [["    if (resource === undefined) throw new ApiError(NOT_FOUND);\n", ""]],
  "an id of any type goes on": [
    [
      '    if (typeof id !== "string") throw new ApiError({ ...INVALID_BODY, detail: "The request body has no string id" });\n',
      "",
    ],
  ],
  "the credential is not taken out": [["service.findKey(secret.right)", "service.findKey(secret)"]],
  "the account of a list is not awaited": [["const account = await service", "const account = service"]],
  "a kind is misspelt": [
    ['{ key, account, operation, kind: "device" }', '{ key, account, operation, kind: "devise" }'],
  ],
  "a state that no schema knows": [['state: "active"', 'state: "new"']],
  "the account is an id": [["=> service.findAccount(resource.attr.accountId)", "=> resource.attr.accountId"]],
};

const KEY = 'const key = secret._tag === "Right" ? await service.findKey(secret.right) : undefined;';
const LEAVE = "decide: (asked: DecisionRequest<Policies>) => decide(policies, asked)";
const FOUND = "resource(request, key),\n      account";

/** The types do not show these. */
const TEST: { readonly [mistake: string]: Edits } = {
  "an unknown key is answered as a missing resource": [
    [
      "if (key === undefined) throw new ApiError(UNAUTHENTICATED)",
      "if (key === undefined) throw new ApiError(NOT_FOUND)",
    ],
  ],
  "a missing resource is answered as a refusal": [
    [
      "throw new ApiError(NOT_FOUND)",
      'throw new ApiError({ status: 403, category: "authorization", code: "forbidden", detail: "No" })',
    ],
  ],
  "a body without an id is answered as a missing resource": [
    ["throw new ApiError({ ...INVALID_BODY", "throw new ApiError({ ...NOT_FOUND"],
  ],
  "a key is kept": [
    [KEY, KEY.replace("const key =", "const key = kept ??=")],
    ["  const callersKey", "  let kept: Key | undefined;\n  const callersKey"],
  ],
  "an account is kept": [
    ["=> service.findAccount(resource.attr.accountId)", "=> (kept ??= service.findAccount(resource.attr.accountId))"],
    ["    const allowed = authorize(", "    let kept: Promise<Account> | undefined;\n    const allowed = authorize("],
  ],
  "the account that the caller names, for the resource": [
    ["const { id } = await jsonBody(request)", "const { id, accountId } = await jsonBody(request)"],
    ["service.find(id, key.attr.accountId)", "service.find(id, String(accountId ?? key.attr.accountId))"],
  ],
  "the account that the caller names, for the plan": [
    ["account: (_, { resource }) =>", "account: async (request, { resource }) =>"],
    [
      "service.findAccount(resource.attr.accountId)",
      "service.findAccount(String((await jsonBody(request)).accountId ?? resource.attr.accountId))",
    ],
  ],
  "the account that the caller names, for a new resource": [
    ["const created = async (_:", "const created = async (request:"],
    [
      'attr: { accountId: key.attr.accountId, state: "active" }',
      'attr: { accountId: String((await jsonBody(request)).accountId ?? key.attr.accountId), state: "active" }',
    ],
  ],
  "the resource of another id": [
    ["service.find(id, key.attr.accountId)", 'service.find("device_1", key.attr.accountId)'],
  ],
  "the id that the caller names, for a new resource": [
    ["const created = async (_:", "const created = async (request:"],
    ["id: randomUUID()", "id: String((await jsonBody(request)).id)"],
  ],
  "the same id for each new resource": [["id: randomUUID()", "id: randomUUID().slice(36)"]],
  "a new resource in another state": [['state: "active"', 'state: "suspended"']],
  "the decision for another operation": [
    ["      operation,\n      resource:", '      operation: "devices.read",\n      resource:'],
  ],
  "the decision for another key": [
    [
      LEAVE,
      LEAVE.replace("asked)", '{ ...asked, key: { ...asked.key, roles: ["admin"] } })').replace("asked:", "asked:"),
    ],
  ],
  "the decision on another resource": [
    [
      FOUND,
      'resource(request, key).then((one): Resource => ({ ...one, attr: { ...one.attr, state: "active" } })),\n      account',
    ],
  ],
  "the work of another operation": [["service.perform[operation]", 'service.perform["devices.read"]']],
  "the work before the decision": [
    [
      FOUND,
      "resource(request, key).then(async (one) => {\n        await service.perform[operation](one, {});\n        return one;\n      }),\n      account",
    ],
  ],
  "a list without decisions": [
    ['found.filter((_, i) => decisions[i]?.outcome === "allow")', "decisions.length > 0 ? found : []"],
  ],
  "a list with what the permissions do not allow": [
    ['decisions[i]?.outcome === "allow"', 'decisions[i]?.outcome !== "forbidden"'],
  ],
  "a list without the filter": [["service.findAll(plan.filter, body)", 'service.findAll({ op: "all", of: [] }, body)']],
  "a list that is read for nobody": [['plan.outcome === "none" ? [] : await service.findAll', "await service.findAll"]],
  "errors are not reported": [["(error: unknown) => service.onError(error)", "(_: unknown) => undefined"]],
};

/** The same, in the words of a framework. */
const IN_FRAMEWORKS: { readonly [framework in Framework]: { readonly [mistake: string]: Edits } } = {
  fastify: {
    "no guard": [["{ preHandler: allowed }, ", ""]],
    "no guard, and the resource of the body": [
      ["{ preHandler: allowed }, ", ""],
      ["decided<Policies>(request).request.resource", "await resource(request, await callersKey(request))"],
      ["import { answerErrors, authorize, decided, jsonBody }", "import { answerErrors, authorize, jsonBody }"],
    ],
    "errors without the envelope": [
      ["app.setErrorHandler(answerErrors({ docsUrl, onError }))", "answerErrors({ docsUrl, onError })"],
    ],
    "the work is not awaited": [["return await service.perform", "return void service.perform"]],
  },
  express: {
    "no guard": [["allowed, async (request: Request, response)", "async (request: Request, response)"]],
    "no guard, and the resource of the body": [
      ["allowed, async (request: Request, response)", "async (request: Request, response)"],
      ["decided<Policies>(request).request.resource", "await resource(request, await callersKey(request))"],
      ["import { answerErrors, authorize, decided, jsonBody }", "import { answerErrors, authorize, jsonBody }"],
    ],
    "errors without the envelope": [
      ["  app.use(answerErrors({ docsUrl, onError }));\n", "  answerErrors({ docsUrl, onError });\n"],
    ],
    "the work is not awaited": [["response.json(await service.perform", "response.json(service.perform"]],
  },
  hono: {
    "no guard, and the resource of the body": [
      ["allowed, async (c)", "async (c)"],
      ["c.var.decided.request.resource", "await resource(c, await callersKey(c))"],
    ],
    "errors without the envelope": [
      ["app.onError(answerErrors({ docsUrl, onError }))", "answerErrors({ docsUrl, onError })"],
    ],
    "the work is not awaited": [["c.json(await service.perform", "c.json(service.perform"]],
  },
};

interface PlantedMistake {
  readonly name: string;
  /** The directory of the handler, below the project. */
  readonly framework: Framework;
  readonly edits: Edits;
  readonly tool: "compiler" | "test";
}

const mistakesOf = (
  framework: Framework,
  tool: PlantedMistake["tool"],
  all: { readonly [name: string]: Edits },
): readonly PlantedMistake[] => Object.entries(all).map(([name, edits]) => ({ name, framework, edits, tool }));

const MISTAKES = [
  ...mistakesOf("hono", "compiler", COMPILER),
  ...mistakesOf("hono", "test", TEST),
  ...FRAMEWORKS.flatMap((framework) => mistakesOf(framework, "test", IN_FRAMEWORKS[framework])),
];

const fileOf = (i: number) => `mistake-${i}`;

let project = "";
let compiled: readonly Finding[] = [];

beforeAll(async () => {
  project = await newProject(["./*/*.ts"], { noUnusedParameters: true });
  for (const framework of FRAMEWORKS) {
    const args = ["init", join(project, framework), ...(NEW_SETS[1] ?? []), "--framework", framework];
    expect(await keyward(args)).toMatchObject({ code: 0 });
  }
  for (const [i, { name, framework, edits }] of MISTAKES.entries()) {
    let text = await readFile(join(project, framework, "handler.ts"), "utf8");
    for (const [from, to] of edits) {
      if (text.split(from).length !== 2) throw new Error(`${framework}, ${name}: "${from}" must occur once`);
      text = text.replace(from, () => to);
    }
    await writeFile(join(project, framework, `${fileOf(i)}.ts`), text);
  }
  compiled = await findings(project, "node_modules/typescript");
}, 300_000);

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

const messagesOn = (file: string) => compiled.filter((one) => one.file === `${file}.ts`).map(({ message }) => message);

/** The names of the tests that fail with a handler. */
async function failures(framework: Framework, handler: string): Promise<readonly string[]> {
  const directory = join(project, framework);
  const compile = async (from: string, to: string) => {
    const text = (await readFile(join(directory, from), "utf8")).replace("./handler.js", `./${handler}.js`);
    await writeFile(join(directory, to), (await transform(text, { loader: "ts", format: "esm" })).code);
  };
  await compile(`${handler}.ts`, `${handler}.js`);
  await compile("handler-test.ts", `${handler}-test.js`);
  const run = ["--test", "--test-reporter", "tap", `${handler}-test.js`];
  const { status, stdout, stderr } = spawnSync(process.execPath, run, { cwd: directory, encoding: "utf8" });
  const failing = [...stdout.matchAll(/^not ok \d+ - (.*)$/gm)].map(([, name = ""]) => name);
  if ((status === 0) !== (failing.length === 0)) throw new Error(stdout + stderr);
  return failing;
}

test("the right handlers and their tests compile", () => {
  expect(["handler", "handler-test"].flatMap(messagesOn)).toEqual([]);
});

describe("a mistake that the compiler finds", () => {
  const found = MISTAKES.map((one, i) => ({ ...one, i })).filter(({ tool }) => tool === "compiler");
  test.each(found.map(({ name, framework, i }) => [`${name} (${framework})`, i] as const))("%s", (_, i) => {
    expect(messagesOn(fileOf(i))).not.toEqual([]);
  });
});

describe.skipIf(!BUILT)("over HTTP (skipped without dist/: npm run build)", () => {
  test.each(FRAMEWORKS)("the test of the right handler passes: %s", { timeout: 300_000 }, async (framework) => {
    expect(await failures(framework, "handler")).toEqual([]);
  });

  const tested = MISTAKES.map((one, i) => ({ ...one, i })).filter(({ tool }) => tool === "test");
  test.each(tested.map(({ name, framework, i }) => [`${name} (${framework})`, framework, i] as const))(
    "a mistake that the test finds: %s",
    { timeout: 300_000 },
    async (_, framework, i) => {
      expect(messagesOn(fileOf(i))).toEqual([]);
      expect(await failures(framework, fileOf(i))).not.toEqual([]);
    },
  );
});

test("no mistake is found by none", () => {
  const counts = { compiler: 0, test: 0 };
  for (const { tool } of MISTAKES) counts[tool]++;
  say(`mistakes of handlers ${JSON.stringify(counts)}`);
  expect(MISTAKES.length).toBeGreaterThanOrEqual(32);
});
