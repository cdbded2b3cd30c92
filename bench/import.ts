/**
 * The processor time that `import "keyward"`, and everything before a first decision, adds to an empty Node process.
 * Needs `dist/` (npm run build).
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { leastRatio, show, spread } from "./rounds.js";

const ROUNDS = 15;

const ROOT = new URL("../..", import.meta.url);

/** The request is parsed from a text, as in a service. Importing `node:fs` to read it would add a tenth to the result. */
const REQUEST = `JSON.parse(${JSON.stringify(readFileSync(new URL("examples/request.json", ROOT), "utf8"))})`;

/** A program's first decision, by the shipped policies. */
const FIRST_DECISION = `
  import { decide } from "keyward";
  import { loadPoliciesOrThrow, shippedPolicies } from "keyward/node";
  decide(await loadPoliciesOrThrow(shippedPolicies), ${REQUEST});`;

/** The same decision by the bundle that is written for these policies. */
const FROM_BUNDLE = `
  import { decide, loadBundleOrThrow } from "keyward/runtime";
  import { bundle } from "./bench/.build/policies.mjs";
  decide(loadBundleOrThrow(bundle), ${REQUEST});`;

/** Makes a process report its processor time when it exits. */
const AT_THE_END = `
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    process.stdout.write(String((user + system) / 1000));
  });`;

function millis(source: string): number {
  const args = ["--input-type=module", "-e", source + AT_THE_END];
  return Number(execFileSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" }));
}

export async function benchImport(): Promise<void> {
  const empty: number[] = [];
  const imported: number[] = [];
  const decided: number[] = [];
  const bundled: number[] = [];
  const build = ["dist/cli.js", "build", "policies", "--output", "bench/.build/policies.mjs"];
  execFileSync(process.execPath, build, { cwd: ROOT, stdio: "ignore" });
  for (let i = 0; i < ROUNDS; i++) {
    empty.push(millis(""));
    imported.push(millis('import "keyward"'));
    decided.push(millis(FIRST_DECISION));
    bundled.push(millis(FROM_BUNDLE));
  }
  const added = (times: readonly number[]) => spread(times.map((time, i) => time - (empty[i] ?? 0)));
  console.log(`an empty process          ${show(spread(empty), 0)} ms`);
  console.log(`import "keyward" adds     ${show(added(imported), 0)} ms`);
  for (const [from, all] of [
    ["texts", decided],
    ["a bundle", bundled],
  ] as const) {
    const times = spread(all.map((time, i) => time / (empty[i] ?? 0)));
    const least = leastRatio(all, empty);
    console.log(
      `import, the shipped policies from ${from} and a decision take ${show(times)} times an empty process; least by least ${least}`,
    );
  }
}
