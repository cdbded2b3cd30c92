/**
 * Inputs of commands that do not fit into memory: lines are answered as they come, and a reader that is slow slows the
 * command down instead of filling its memory.
 *
 * @module-tag long
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { BIN, BUILT } from "../support/built.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { sized } from "../support/size.js";
import { keyward } from "../support/terminal.js";

const MEGABYTE = 2 ** 20;
const REQUEST = `${JSON.stringify(ask("apis.deleteApi"))}\n`;

/** Small heaps: a command that keeps its input or its output in memory dies of it. */
const SMALL = { ...process.env, NODE_OPTIONS: "--max-old-space-size=40 --max-semi-space-size=2" };

/** A check request whose answer is about as long as the request. */
const CHECK = `${JSON.stringify({
  principal: { id: "key_1", roles: ["admin"] },
  resources: [{ actions: ["apis.deleteApi"], resource: { kind: "api", id: "api_1", attr: { note: "n".repeat(300) } } }],
})}\n`;

test.runIf(BUILT).each([
  ["decide", REQUEST],
  ["check-resources", CHECK],
])("%s answers many lines in little memory, for a slow reader", { timeout: 600_000 }, async (command, line) => {
  const count = sized(1_000_000, 60_000);
  const child = spawn(process.execPath, [BIN, command, SHIPPED_ROOT], {
    env: SMALL,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  Readable.from(repeated(line, count)).pipe(child.stdin);
  let answers = 0;
  for await (const piece of child.stdout) {
    if (answers === 0) await setTimeout(3_000);
    for (const byte of piece) if (byte === 10) answers += 1;
  }
  expect([answers, (await ended)[0]]).toEqual([count, 0]);
});

function* repeated(line: string, count: number): Generator<string> {
  const block = line.repeat(100);
  for (let i = 0; i < count; i += 100) yield block;
}

test("a line of more than 64 MiB is refused, and the next one decided", { timeout: 120_000 }, async () => {
  const run = await keyward(["decide", SHIPPED_ROOT], [REQUEST, ...blanks(65), "\n", REQUEST]);
  const [first, second, third] = run.out
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text));
  expect([run.code, run.err, first.outcome, third.outcome]).toEqual([2, "", "allow", "allow"]);
  expect(second).toEqual({ invalid: [{ path: "", message: "longer than 64 MiB" }] });
});

test("a text of more than 64 MiB over several lines is read by lines", { timeout: 120_000 }, async () => {
  const run = await keyward(
    ["decide", SHIPPED_ROOT],
    ["{\n", ...blanks(65).map((text) => `${text}"\n`), "}\n", REQUEST],
  );
  const answers = run.out
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text));
  expect([run.code, run.err, answers.length]).toEqual([2, "", 68]);
  expect(answers.slice(0, -1).every(({ invalid }) => /^not JSON: /.test(invalid[0].message))).toBe(true);
  expect(answers.at(-1).outcome).toBe("allow");
});

function blanks(megabytes: number): string[] {
  return Array.from({ length: megabytes }, () => " ".repeat(MEGABYTE));
}
