/**
 * The packed package installs beside any version of its optional peers. npm resolves each installation with the registry
 * and writes its lock file, without a download of the packages; that takes some seconds each.
 *
 * @module-tag long
 */

import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUILT, ROOT } from "../support/built.js";
import { say } from "../support/seed.js";

/** What an application has beside `keyward`. */
const APPLICATIONS: readonly { readonly [name: string]: string }[] = [
  { "fast-check": "^2.0.0" },
  { "fast-check": "^3.0.0" },
  { fastify: "^3.0.0" },
  { fastify: "^4.0.0" },
  { chokidar: "^3.0.0" },
  { chokidar: "^4.0.0" },
  { vitest: "^2.0.0" },
  { vitest: "^3.0.0" },
  { express: "^4.0.0" },
  { hono: "^3.0.0" },
  { jose: "^4.0.0" },
  { "prom-client": "^14.0.0" },
  { "@opentelemetry/api": "1.0.0" },
  { "@modelcontextprotocol/sdk": "1.0.0" },
  { "@cerbos/core": "0.6.0" },
  { "@cerbos/core": "0.17.1" },
  { "@cerbos/core": "0.28.0" },
  { "@cerbos/grpc": "0.6.0" },
  { "@cerbos/grpc": "^0.23.0", "@cerbos/core": "^0.26.0" },
  { "@cerbos/grpc": "^0.25.0" },
];

/** npm's errors for missing packages and for an unreachable registry: not faults of the package. */
const NOT_THERE = /\b(ETARGET|E404|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH)\b/;

describe.skipIf(!BUILT)("the packed package (skipped without dist/: npm run build)", () => {
  const home = mkdtempSync(join(tmpdir(), "keyward-peers-"));
  let tarball = "";

  beforeAll(() => {
    const packed: unknown = JSON.parse(
      execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", home], {
        cwd: ROOT,
        encoding: "utf8",
      }),
    );
    tarball = join(home, Object(packed)[0].filename);
  }, 120_000);

  afterAll(() => rmSync(home, { recursive: true, force: true }), 60_000);

  /** npm's message if the installation does not resolve. */
  function refusal(directory: string): Promise<string | undefined> {
    const args = ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    return new Promise((resolve) => {
      execFile("npm", args, { cwd: directory, encoding: "utf8" }, (error, _, stderr) =>
        resolve(error === null ? undefined : stderr),
      );
    });
  }

  test.concurrent.for(APPLICATIONS)("beside %j", { timeout: 600_000 }, async (dependencies, context) => {
    const directory = mkdtempSync(join(home, "application-"));
    const manifest = { private: true, dependencies: { ...dependencies, keyward: `file:${tarball}` } };
    writeFileSync(join(directory, "package.json"), JSON.stringify(manifest));
    const failure = await refusal(directory);
    if (failure !== undefined && NOT_THERE.test(failure)) {
      say(`${JSON.stringify(dependencies)} is not tried, for the registry has not all that it needs: ${failure}`);
      context.skip();
    }
    expect(failure).toBeUndefined();
    const { packages } = JSON.parse(readFileSync(join(directory, "package-lock.json"), "utf8"));
    for (const name of [...Object.keys(dependencies), "keyward"])
      expect(packages).toHaveProperty([`node_modules/${name}`]);
  });
});

test("every peer dependency is optional, and of any version", () => {
  const { peerDependencies, peerDependenciesMeta } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const optional = Object.fromEntries(Object.keys(peerDependencies).map((name) => [name, { optional: true }]));
  expect(peerDependenciesMeta).toEqual(optional);
  expect(new Set(Object.values(peerDependencies))).toEqual(new Set(["*"]));
});
