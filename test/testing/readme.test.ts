/**
 * The README's examples of laws and matchers run unchanged in vitest.
 *
 * @module-tag long
 */

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "../support/built.js";
import { ask } from "../support/requests.js";

const run = promisify(execFile);

/** Declarations that the README's reader has already. */
const PRELUDE = `
import { readFileSync, readdirSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compilePolicies, decide } from "keyward";
const root = ${JSON.stringify(`${ROOT}policies/`)};
const paths = readdirSync(root, { recursive: true }).filter((path) => /\\.(yaml|json)$/.test(path) && !path.includes("testdata"));
const loaded = compilePolicies(paths.map((path) => ({ path, text: readFileSync(root + path, "utf8") })));
const policies = loaded.right;
const request = ${JSON.stringify(ask("keys.createKey", { account: { usage: { apis: 1, keys: 100 } } }))};
`;

const CONFIG = {
  resolve: {
    alias: [
      { find: /^keyward\/testing\/vitest$/.source, replacement: `${ROOT}src/testing/vitest.ts` },
      { find: /^keyward\/testing$/.source, replacement: `${ROOT}src/testing/index.ts` },
      { find: /^keyward$/.source, replacement: `${ROOT}src/index.ts` },
    ],
  },
  test: { include: ["*.test.ts"], testTimeout: 60_000 },
};

test("they pass, and fail where the quota is another", async () => {
  const readme = await readFile(`${ROOT}README.md`, "utf8");
  const [block, ...others] = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, text = ""]) => text);
  expect(block).toContain('from "keyward/testing"');
  expect(others).toEqual([]);
  expect(block?.trim().split("\n").length).toBe(5);
  await mkdir(`${ROOT}.build`, { recursive: true });
  const directory = await mkdtemp(join(ROOT, ".build", "readme-"));
  try {
    const aliases = CONFIG.resolve.alias.map(
      ({ find, replacement }) =>
        `{ find: new RegExp(${JSON.stringify(find)}), replacement: ${JSON.stringify(replacement)} }`,
    );
    const config = `export default { resolve: { alias: [${aliases.join()}] }, test: ${JSON.stringify(CONFIG.test)} };`;
    await writeFile(join(directory, "vitest.config.mjs"), config);
    await writeFile(join(directory, "good.test.ts"), PRELUDE + block);
    await writeFile(join(directory, "bad.test.ts"), PRELUDE + block?.replace("quota_exceeded", "delete_protected"));
    const args = ["--root", directory, "--reporter", "json", "--outputFile", join(directory, "out.json")];
    await run(process.execPath, [`${ROOT}node_modules/vitest/vitest.mjs`, "run", ...args], { cwd: directory }).catch(
      () => undefined,
    );
    const { testResults } = JSON.parse(await readFile(join(directory, "out.json"), "utf8"));
    const results = testResults.flatMap(
      (file: { name: string; assertionResults: { title: string; status: string }[] }) =>
        file.assertionResults.map(({ title, status }) => `${file.name.split("/").at(-1)} ${title}: ${status}`),
    );
    expect(results.sort()).toEqual([
      "bad.test.ts damaged data opens nothing: passed",
      "bad.test.ts no key helps where the platform forbids: passed",
      "bad.test.ts the quota: failed",
      "good.test.ts damaged data opens nothing: passed",
      "good.test.ts no key helps where the platform forbids: passed",
      "good.test.ts the quota: passed",
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
