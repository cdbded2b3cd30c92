/**
 * Runs docs/tutorial.md as written: its commands in their order, its programs compiled and over HTTP.
 *
 * @module-tag long
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { BIN, BUILT, ROOT } from "../support/built.js";
import { blocks } from "../support/documents.js";

const PAGE = "docs/tutorial.md";
const [
  FIRST = "",
  PROGRAM = "",
  CHECKS = "",
  HANDLER = "",
  CHANGED = "",
  COMPILE = "",
  CURL = "",
  BUILD = "",
  BUNDLE = "",
] = blocks(PAGE, "sh").map(([, block]) => block);

const homes: string[] = [];
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill();
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

/** A folder in which `npx` finds the commands. The packages of the page are installed in `node_modules`. */
function folder(name: string): string {
  const root = mkdtempSync(join(tmpdir(), "keyward-tutorial-"));
  homes.push(root);
  const home = join(root, name);
  mkdirSync(home);
  const modules = join(root, "node_modules");
  for (const scope of [".bin", "@electric-sql", "@types"]) mkdirSync(join(modules, scope), { recursive: true });
  symlinkSync(ROOT, join(modules, "keyward"));
  for (const name of [
    "fastify",
    "hono",
    "@electric-sql/pglite",
    "@types/node",
    "@types/pg",
    "undici-types",
    "typescript",
    "z3-solver",
  ]) {
    symlinkSync(`${ROOT}node_modules/${name}`, join(modules, name));
  }
  symlinkSync(BIN, join(modules, ".bin", "keyward"));
  symlinkSync(`${ROOT}node_modules/.bin/tsc`, join(modules, ".bin", "tsc"));
  return home;
}

function ran(home: string, command: string): { readonly status: number | null; readonly output: string } {
  const path = `${join(home, "..", "node_modules", ".bin")}:${process.env.PATH}`;
  const { status, stdout, stderr } = spawnSync(command.replaceAll(/^npx /gm, ""), {
    shell: true,
    cwd: home,
    encoding: "utf8",
    env: { ...process.env, PATH: path },
  });
  return { status, output: stdout + stderr };
}

const lines = (block: string): readonly string[] => block.trimEnd().split("\n");

/** Replaces texts in a file. Each must be there. */
function edit(path: string, ...changes: readonly (readonly [from: string, to: string])[]): void {
  const before = readFileSync(path, "utf8");
  const after = changes.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replaceAll(from, to);
  }, before);
  writeFileSync(path, after);
}

test("the page has nine blocks of commands", () => {
  expect(blocks(PAGE, "sh")).toHaveLength(9);
});

describe.skipIf(!BUILT)("docs/tutorial.md (skipped without dist/: npm run build)", () => {
  test("two commands come to a decision, and the changes that it names to the other outcomes", () => {
    expect(lines(FIRST)).toHaveLength(2);
    const home = folder("first");
    const request = join(home, "testdata", "request.json");
    const [init = "", decide = ""] = lines(FIRST);
    expect(ran(home, init)).toMatchObject({ status: 0 });
    expect(ran(home, decide)).toMatchObject({ status: 0, output: expect.stringMatching(/^\{"outcome":"allow"/) });
    edit(request, ['"admin"', '"viewer"']);
    expect(ran(home, decide).output).toMatch(/^\{"outcome":"insufficient_permissions"/);
    edit(request, ['"viewer"', '"admin"'], ['"devices": 0', '"devices": 3']);
    expect(ran(home, decide).output).toMatch(/^\{"outcome":"forbidden"/);
  });

  const home = folder("program");
  const timeout = 900_000;

  test("in a program every check is green, and a rule is changed", { timeout }, () => {
    // `folder` has installed the packages.
    writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, type: "module" }));
    const commands = lines(PROGRAM);
    expect(commands.slice(0, 4).every((command) => command.startsWith("npm "))).toBe(true);
    expect(ran(home, commands[4] ?? "")).toMatchObject({ status: 0 });
    for (const command of [...lines(CHECKS), ...lines(HANDLER)]) {
      expect(ran(home, command), command).toMatchObject({ status: 0 });
    }

    const at = (...path: readonly string[]) => join(home, "policies", ...path);
    const [[, changed = ""] = []] = blocks(PAGE, "yaml");
    edit(at("platform", "device.yaml"), [changed.trim().replace("< 5", "< 3"), changed.trim()]);
    const [lock = "", run = ""] = lines(CHANGED);
    expect(ran(home, run)).toMatchObject({ status: 3, output: expect.stringContaining("keyward.lock") });
    expect(ran(home, lock)).toMatchObject({ status: 0 });
    expect(ran(home, run)).toMatchObject({ status: 4, output: expect.stringContaining("2 of 85 tests failed") });
    edit(
      at("testdata", "platform.decisions.yaml"),
      ["{ account: { usage: { devices: 2 } } }", "{ account: { usage: { devices: 4 } } }"],
      ["{ account: { usage: { devices: 3 } } }", "{ account: { usage: { devices: 5 } } }"],
    );
    edit(at("testdata", "damaged.decisions.yaml"), ["devices: 3", "devices: 5"]);
    expect(ran(home, run)).toMatchObject({ status: 0 });
    expect(ran(home, "npx keyward prove policies --claim 'plan free'")).toMatchObject({ status: 4 });
    edit(at("testdata", "device.claims.yaml"), ["at most 3", "at most 5"], [">= 3", ">= 5"]);
    expect(ran(home, "npx keyward prove policies --claim 'plan free'")).toMatchObject({ status: 0 });
    // The test of the handler follows the policies.
    expect(ran(home, lines(HANDLER)[1] ?? "")).toMatchObject({ status: 0 });
  });

  // Declarations of Fastify load those of Node; Hono's do not.
  test("the handler of another framework compiles, and passes its test, as the page and the test say", {
    timeout,
  }, () => {
    const hono = folder("hono");
    writeFileSync(join(hono, "package.json"), JSON.stringify({ private: true, type: "module" }));
    expect(ran(hono, `${lines(PROGRAM)[4]} --framework hono`)).toMatchObject({ status: 0 });
    const text = readFileSync(join(hono, "handler-test.ts"), "utf8");
    for (const command of lines(HANDLER)) {
      expect(text).toContain(` *     ${command}\n`);
      expect(ran(hono, command), command).toMatchObject({ status: 0 });
    }
  });

  test("the service compiles, and answers over HTTP; a bundle decides", { timeout }, async () => {
    for (const [, block] of blocks(PAGE, "ts")) writeFileSync(join(home, /^\/\/ (\S+)/.exec(block)?.[1] ?? ""), block);
    // A pool of `pg` takes the place of PGlite, as the page says.
    writeFileSync(
      join(home, "pool.ts"),
      'import type { Pool } from "pg";\nimport { serviceOn } from "./service.js";\nexport const on = (pool: Pool) => serviceOn(pool);\n',
    );
    const [compile = "", start = ""] = lines(COMPILE);
    expect(ran(home, `${compile} pool.ts`)).toEqual({ status: 0, output: "" });
    edit(join(home, "service.ts"), ['"devices.rename"', '"devices.renamed"']);
    expect(ran(home, compile)).toMatchObject({
      status: expect.any(Number),
      output: expect.stringContaining("renamed"),
    });

    const [program = "", file = ""] = start.split(" ");
    const service = spawn(program, [file], { cwd: home, env: { ...process.env, PORT: "0" } });
    running.push(service);
    let errors = "";
    service.stderr.on("data", (data) => {
      errors += data;
    });
    const address = await new Promise<string>((resolve, reject) => {
      service.stdout.once("data", (data) => resolve(String(data).trim()));
      service.once("exit", () => reject(new Error(errors)));
    });
    const shell = CURL.replace("http://127.0.0.1:3000", address);
    const [url = "", type = "", create = "", list = "", refused = ""] = lines(shell);
    const ask = (command: string) => JSON.parse(ran(home, [url, type, command].join("\n")).output);
    const created = ask(create);
    expect(created).toEqual({ id: expect.any(String) });
    expect(ask(list)).toMatchObject({ resources: [{ id: created.id, name: "lamp" }] });
    const error = (code: string) => ({ error: { status: 403, type: expect.stringMatching(new RegExp(`/${code}$`)) } });
    expect(ask(refused)).toMatchObject(error("insufficient_permissions"));
    const body = (command: string, text: string) => ask(command.replace(/-d '.*'/, `-d '${text}'`));
    const invalid = (field: string) => ({ error: { status: 400, detail: `${field} must be a string without U+0000` } });
    for (const text of ['"\\u0000"', '"a\\u0000"', "1", "null", "{}", '{ "toString": 1 }']) {
      expect(body(list, `{ "after": ${text} }`), text).toMatchObject(invalid("after"));
      expect(body(create, `{ "name": ${text} }`), text).toMatchObject(invalid("name"));
    }
    expect(body(create, "{}")).toMatchObject(invalid("name"));
    expect(body(list, '{ "after": "\\ud800" }')).toMatchObject({ resources: expect.any(Array) });
    const read = list.replace("devices.list", "devices.read");
    expect(body(read, '{ "id": "\\u0000" }')).toMatchObject({ error: { status: 404 } });
    for (let devices = 2; devices <= 5; devices++) expect(ask(create)).toEqual({ id: expect.any(String) });
    expect(ask(create)).toMatchObject(error("forbidden"));
    const page = ask(list.replace("{}", `{ "after": "${ask(list).resources[1].id}" }`));
    expect(page.resources).toHaveLength(3);
    expect(errors).toBe("");

    expect(ran(home, BUILD)).toMatchObject({ status: 0 });
    expect(ran(home, BUNDLE)).toEqual({ status: 0, output: blocks(PAGE, "text")[0]?.[1] });
  });
});
