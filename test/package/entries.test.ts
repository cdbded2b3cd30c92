/**
 * The package's entries work as programs import them.
 *
 * @module-tag long
 */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createContext, Script } from "node:vm";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import * as root from "../../src/index.js";
import { toSqlOrThrow } from "../../src/sql/index.js";
import { BUILT, ROOT } from "../support/built.js";
import { bundled } from "../support/bundle.js";
import { shipped, shippedFiles } from "../support/policies.js";
import { ask, KINDS } from "../support/requests.js";

const REQUESTS = Object.keys(KINDS).flatMap((operation) => [
  ask(operation),
  ask(operation, { roles: ["custom"] }),
  ask(operation, { resource: { system: true, state: "suspended" }, account: { holds: ["abuse"] } }),
]);
const EXPECTED = REQUESTS.map((request) => root.decide(shipped, request));

/** The JSON output of a module in a new process. Warnings of libraries go to standard error. */
function printed(module: string): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module"], {
    cwd: ROOT,
    encoding: "utf8",
    input: module,
  });
  const last = stdout.trim().split("\n").at(-1) ?? "";
  if (last === "") throw new Error(stderr.slice(-1_000));
  return JSON.parse(last);
}

describe.skipIf(!BUILT)("built (skipped without dist/: npm run build)", () => {
  test("the root entry exports what the source does", () => {
    const names = printed(
      'import * as keyward from "keyward"; console.log(JSON.stringify(Object.keys(keyward).sort()))',
    );
    expect(names).toEqual(Object.keys(root).sort());
    expect(names).not.toContain("default");
  });

  test("keyward/node loads the shipped policies, and they decide as the source does", () => {
    const decided = printed(`
      import { decide } from "keyward";
      import { loadPolicies, shippedPolicies } from "keyward/node";
      const { right } = await loadPolicies(shippedPolicies)();
      console.log(JSON.stringify(${JSON.stringify(REQUESTS)}.map((request) => decide(right, request))));
    `);
    expect(decided).toEqual(JSON.parse(JSON.stringify(EXPECTED)));
  });

  test("keyward/cerbos answers as Cerbos's clients do", () => {
    const answered = printed(`
      import { EmbeddedClient } from "keyward/cerbos";
      import { loadCheckEngine, shippedPolicies } from "keyward/node";
      import { Client } from "@cerbos/core";
      const { right } = await loadCheckEngine(shippedPolicies)();
      const client = new EmbeddedClient(right);
      const principal = { id: "k", roles: ["viewer"], attr: { accountId: "a", workspaceIds: ["*"], environment: "production", permissions: [] } };
      const resource = { kind: "api", id: "i", attr: { accountId: "a", workspaceId: "w", environment: "production" } };
      const { actions } = await client.checkResource({ principal, resource, actions: ["apis.getApi", "apis.deleteApi"] });
      console.log(JSON.stringify([client instanceof Client, actions]));
    `);
    expect(answered).toEqual([true, { "apis.getApi": "EFFECT_ALLOW", "apis.deleteApi": "EFFECT_DENY" }]);
  });

  test("keyward/http answers refusals, and its adapters load without their frameworks", () => {
    const found = printed(`
      import { decide, requestId } from "keyward";
      import { ApiError, bearerKey, refusalResponse } from "keyward/http";
      import { authorize as onExpress } from "keyward/http/express";
      import { authorize as onFastify } from "keyward/http/fastify";
      import { authorize as onHono } from "keyward/http/hono";
      import { loadPolicies, shippedPolicies } from "keyward/node";
      const { right } = await loadPolicies(shippedPolicies)();
      const request = ${JSON.stringify(ask("keys.createKey", { roles: ["viewer"] }))};
      const response = refusalResponse(decide(right, request), { requestId: requestId(), docsUrl: "docs.example.com" });
      const key = bearerKey(new Headers({ authorization: "Bearer k" }));
      const error = new ApiError({ status: 404, category: "a", code: "b", detail: "c" });
      // An adapter recognizes an error thrown in a handler, because both entries share the chunk with its class.
      const unused = { decide() {}, resource() {}, account() {} };
      const options = { ...unused, docsUrl: "docs.example.com", key: () => { throw error; }, operation: "", onError() {} };
      const answered = await onHono(options)({}, () => {});
      console.log(JSON.stringify([response.status, key, answered.status, typeof onExpress, typeof onFastify]));
    `);
    expect(found).toEqual([403, { _tag: "Right", right: "k" }, 404, "function", "function"]);
  });

  test("keyward/sql writes the condition of a plan", () => {
    const { key, account, operation } = ask("apis.getApi");
    const asked = { key, account, operation, kind: "api" };
    const made = printed(`
      import { planDecisions } from "keyward";
      import { loadPolicies, shippedPolicies } from "keyward/node";
      import { toSqlOrThrow } from "keyward/sql";
      const { right } = await loadPolicies(shippedPolicies)();
      const { filter } = planDecisions(right, ${JSON.stringify(asked)});
      console.log(JSON.stringify(toSqlOrThrow(filter, { dialect: "postgres", id: "id", others: "attr" })));
    `);
    const { filter } = root.planDecisions(shipped, asked);
    const here = toSqlOrThrow(filter, { dialect: "postgres", id: "id", others: "attr" });
    expect(made).toEqual(JSON.parse(JSON.stringify(here)));
    expect(made).toMatchObject({ text: expect.stringContaining('"attr"'), isExact: true });
  });

  test("only keyward/cerbos and the command that needs them load Cerbos's packages", async () => {
    const entries = ["index", "node", "cli", "audit", "testing", "cerbos", "sql"];
    for (const entry of [...entries, "http", "http-hono", "http-express", "http-fastify"]) {
      const metafile = await bundled(entry);
      const [output] = Object.entries(metafile.outputs).filter(([path]) => path.endsWith(`${entry}.js`));
      const loaded = new Set<string>();
      const pending = [output?.[0]];
      for (const path of pending) {
        for (const { path: imported, kind } of metafile.outputs[path ?? ""]?.imports ?? []) {
          if (kind !== "import-statement" || loaded.has(imported)) continue;
          loaded.add(imported);
          pending.push(imported);
        }
      }
      const cerbos = [...loaded].some((path) => /^@cerbos|^@bufbuild/.test(path));
      expect([entry, cerbos]).toEqual([entry, entry === "cerbos"]);
      if (entry.startsWith("http")) expect([...loaded].filter((path) => !path.includes("none/"))).toEqual([]);
    }
  });

  test("there are no other entries", () => {
    const paths = ["keyward/dist/index.js", "keyward/decisions/decide.js", "keyward/cli"];
    const codes = printed(`
      const codes = await Promise.all(${JSON.stringify(paths)}.map((path) => import(path).then(() => "loaded", (error) => error.code)));
      console.log(JSON.stringify(codes));
    `);
    expect(codes).toEqual(paths.map(() => "ERR_PACKAGE_PATH_NOT_EXPORTED"));
  });

  test("every file that package.json names is there", () => {
    const { exports, bin } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
    const files = JSON.stringify([exports, bin]).match(/\.\/[\w./-]+/g) ?? [];
    expect(files).toContain("./dist/cli.js");
    for (const file of files.filter((each) => /\.\w+$/.test(each))) {
      expect(readFileSync(ROOT + file).length, file).toBeGreaterThan(0);
    }
  });

  const poisons = {
    polluted: true,
    system: false,
    roles: ["admin"],
    attr: {},
    holds: [],
    state: "active",
    id: "acc_1",
  };
  const cases = Object.entries(poisons).flatMap(([name, value]) =>
    [true, false].map((enumerable) => ({ name, value, enumerable })),
  );
  const requests = [...REQUESTS, {}, { ...ask("apis.getApi"), key: {} }, { ...ask("apis.getApi"), account: {} }];

  test.each(cases)(
    "Object.prototype.$name (enumerable: $enumerable) before it was imported: the same answers, or none",
    (poison) => {
      const found = printed(`
      const { name, value, enumerable, files, requests } = ${JSON.stringify({ ...poison, files: shippedFiles, requests })};
      Object.defineProperty(Object.prototype, name, { value, enumerable, configurable: true, writable: true });
      const keyward = await import("keyward").catch(() => undefined);
      const loaded = keyward?.compilePolicies(files);
      const outcomes = loaded?._tag === "Right" ? requests.map((request) => keyward.decide(loaded.right, request).outcome) : undefined;
      delete Object.prototype[name];
      console.log(JSON.stringify(outcomes ?? null));
    `);
      const expected = [
        ...EXPECTED.map(({ outcome }) => outcome),
        "forbidden",
        "insufficient_permissions",
        "forbidden",
      ];
      if (found !== null || (poison.name !== "id" && !poison.enumerable)) expect(found).toEqual(expected);
    },
  );
});

describe("in a browser", () => {
  test("the root entry is bundled without Node's modules, and decides in a context that has only what browsers have", async () => {
    const { outputFiles, warnings, metafile } = await build({
      entryPoints: [`${ROOT}src/index.ts`],
      bundle: true,
      write: false,
      platform: "browser",
      format: "iife",
      globalName: "keyward",
      target: "es2022",
      metafile: true,
      logLevel: "silent",
    });
    expect(warnings).toEqual([]);
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);

    const browser = createContext({
      crypto,
      TextEncoder,
      TextDecoder,
      URL,
      input: JSON.stringify({ files: shippedFiles, requests: REQUESTS }),
    });
    new Script(outputFiles[0]?.text ?? "").runInContext(browser);
    const script = new Script(`
      const { files, requests } = JSON.parse(input);
      const { right } = keyward.compilePolicies(files);
      JSON.stringify({
        globals: typeof process + typeof Buffer + typeof require,
        id: keyward.requestId(),
        decisions: requests.map((request) => keyward.decide(right, request)),
      });
    `);
    const { globals, id, decisions } = JSON.parse(script.runInContext(browser));
    expect(globals).toBe("undefinedundefinedundefined");
    expect(id).toMatch(/^req_\w{22}$/);
    expect(decisions).toEqual(JSON.parse(JSON.stringify(EXPECTED)));
  });

  test("keyward/runtime is bundled without Node's modules, and without what reads policies", async () => {
    const inputsOf = async (entry: string) => {
      const { metafile } = await build({
        entryPoints: [`${ROOT}src/${entry}.ts`],
        bundle: true,
        write: false,
        platform: "browser",
        format: "esm",
        absWorkingDir: ROOT,
        metafile: true,
        logLevel: "silent",
      });
      const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
      return used.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
    };
    const inputs = await inputsOf("bundle/index");
    expect(inputs).toContain("src/decisions/decide.ts");
    expect(
      inputs.filter((path) => !/^src\/((cel|schema|policy|engine|decisions|hints|bundle)\/|limits\.ts$)/.test(path)),
    ).toEqual([]);
    const readers =
      /\/(read|resolve|shape|text|check|generated|observe)\/|\/(parse|check|validator|generate|regex)\.ts$/;
    expect(inputs.filter((path) => readers.test(path))).toEqual([]);
    const everything = await inputsOf("bundle/everything");
    expect(everything).toContain("src/schema/validator.ts");
    expect(everything.filter((path) => /re2/.test(path)).length).toBeGreaterThan(0);
  });

  test("keyward/http is bundled without Node's modules, and works in a context that has what browsers have", async () => {
    const options = { bundle: true, write: false, platform: "browser", target: "es2022", absWorkingDir: ROOT } as const;
    const entryPoints = [`${ROOT}src/http/index.ts`];
    const { outputFiles, warnings } = await build({
      ...options,
      entryPoints,
      format: "iife",
      globalName: "keywardHttp",
      logLevel: "silent",
    });
    // Hints are imported when `challenge` or `acceptedHeader` asks for them. Decision records need the plans of the engine.
    const names = "guard, bearerKey, errorResponse, refusalResponse, requestIdFrom, NOT_FOUND";
    const contents = `export { ${names} } from "./src/http/index.js";`;
    const lazy = await build({
      ...options,
      stdin: { contents, resolveDir: ROOT, sourcefile: "index.js" },
      format: "esm",
      splitting: true,
      outdir: "out",
      metafile: true,
    });
    const chunk = (path: string): readonly string[] => {
      const { inputs = {}, imports = [] } = lazy.metafile.outputs[path] ?? {};
      const further = imports.filter(({ kind }) => kind === "import-statement").flatMap((one) => chunk(one.path));
      const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
      return [...used.map(([input]) => input), ...further];
    };
    expect(Object.keys(lazy.metafile.outputs).length).toBeGreaterThan(1);
    expect(warnings).toEqual([]);
    // The bundle makes no decisions, so of the engine it needs only the frames of requests.
    const inputs = chunk("out/stdin.js").filter(
      (path) =>
        !/^(src\/(http|decisions)|node_modules\/fp-ts)\/|^src\/(engine\/frame\/|cel\/(keep-alive|data)\.ts$|limits\.ts$|policy\/(options|distance)\.ts$|hints\/header\.ts$)/.test(
          path,
        ),
    );
    expect(inputs).toEqual([]);
    const browser = createContext({ crypto, Headers, Response, TextDecoder, TextEncoder, performance });
    new Script(outputFiles[0]?.text ?? "").runInContext(browser);
    const script = new Script(`
      const { bearerKey, guard, errorResponse, NOT_FOUND } = keywardHttp;
      const unused = { decide() {}, resource() {}, account() {} };
      const check = guard({ ...unused, docsUrl: "docs.example.com", key: () => { throw new Error("x"); }, operation: "", onError() {} });
      check({}).then(({ reply }) => JSON.stringify([
        typeof process,
        bearerKey(new Headers({ authorization: "bearer k" })).right,
        errorResponse(NOT_FOUND, { docsUrl: "docs.example.com", requestId: "req_1" }).status,
        reply.status,
      ]));
    `);
    expect(JSON.parse(await script.runInContext(browser))).toEqual(["undefined", "k", 404, 500]);
  });
});
