/** What `import "keyward"` adds to an empty Node process. Needs `dist/` (npm run build). */

import { execFileSync } from "node:child_process";
import { show, spread } from "./rounds.js";

const ROUNDS = 15;

function millis(source: string): number {
  const start = process.hrtime.bigint();
  execFileSync(process.execPath, ["--input-type=module", "-e", source], { cwd: new URL("../..", import.meta.url) });
  return Number(process.hrtime.bigint() - start) / 1e6;
}

export async function benchImport(): Promise<void> {
  const empty: number[] = [];
  const imported: number[] = [];
  const whole: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    empty.push(millis(""));
    imported.push(millis('import "keyward"'));
    whole.push(millis('import "@bufbuild/cel"'));
  }
  const added = (times: readonly number[]) => spread(times.map((time, i) => time - (empty[i] ?? 0)));
  console.log(`an empty process          ${show(spread(empty), 0)} ms`);
  console.log(`import "keyward" adds     ${show(added(imported), 0)} ms`);
  console.log(
    `import "@bufbuild/cel" adds ${show(added(whole), 0)} ms (for comparison: see docs/decisions/bundled-parser.md)`,
  );
}
