/**
 * `keyward replay` and `keyward tighten` read logs that are larger than the memory that they take.
 *
 * @module-tag long
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LogForm, logText } from "../../bench/replay-log.js";
import { BIN, BUILT } from "../support/built.js";
import { SHIPPED_ROOT, shipped } from "../support/policies.js";
import { say } from "../support/seed.js";
import { IS_WHOLE, sized } from "../support/size.js";

const LINES = sized(1_000_000, 1_500);

/** A short log has long lines, so that a command that keeps it takes too much memory. Unknown fields are ignored. */
const PADDING = IS_WHOLE ? 0 : 100_000;

/** The short log takes 110 to 140. In memory it would add 150 and more. */
const MAX_MEGABYTES = IS_WHOLE ? 512 : 220;

const FORMS: readonly LogForm[] = IS_WHOLE ? ["records", "entries"] : ["records"];

/** Linux tells the most memory that a program took. `maxRSS` is of no use here: it is at least that of the parent. */
const STATUS = "/proc/self/status";

/** Prints the most memory that the process took, in KiB. */
const PROGRAM = `
import { readFileSync } from "node:fs";
process.on("exit", () => {
  process.stderr.write(/VmHWM:\\s+(\\d+)/.exec(readFileSync("${STATUS}", "utf8"))[1]);
});
`;
const PROBE = `data:text/javascript,${encodeURIComponent(PROGRAM)}`;

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "keyward-memory-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function run(args: readonly string[], input?: Readable) {
  const child = spawn(process.execPath, ["--import", PROBE, BIN, ...args]);
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const closed = once(child, "close");
  if (input === undefined) child.stdin.end();
  else await pipeline(input, child.stdin);
  const [code]: readonly unknown[] = await closed;
  return { code, out, megabytes: Number(err.split("\n").at(-1)) / 1024 };
}

describe.skipIf(!BUILT || !existsSync(STATUS))(
  "(skipped without dist/, npm run build, and on other systems than Linux)",
  () => {
    describe.each(FORMS)("a log of %s", (form) => {
      const log = () => Readable.from(logText(shipped, { lines: LINES, form, padding: PADDING }));

      test.each(["replay", "tighten"])(
        "%s: standard input, and a compressed file",
        { timeout: 7_200_000 },
        async (command) => {
          const path = join(directory, `${form}.log.gz`);
          await pipeline(log(), createGzip({ level: 1 }), createWriteStream(path));
          const runs = [await run([command, "-", SHIPPED_ROOT], log()), await run([command, path, SHIPPED_ROOT])];
          const said = runs.map(({ megabytes }) => Math.round(megabytes));
          say(`${command} of ${LINES} ${form}: ${said.join(" and ")} MB`);
          for (const { code, out, megabytes } of runs) {
            expect([code, out.slice(0, out.indexOf(" "))]).toEqual([0, String(LINES)]);
            expect(megabytes).toBeGreaterThan(20);
            expect(megabytes).toBeLessThan(MAX_MEGABYTES);
          }
          expect(runs[0]?.out).toBe(runs[1]?.out);
        },
      );
    });
  },
);
