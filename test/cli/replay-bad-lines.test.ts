/** Bad lines between good ones are counted and named, and the good lines are replayed. */

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compileCheckEngineOrThrow } from "../../src/cerbos/engine.js";
import { decisionRecord } from "../../src/http/index.js";
import { compilePoliciesOrThrow, decide } from "../../src/index.js";
import { type EntryInput, entryOf } from "../replay/recorded.js";
import { keyward, withFiles } from "../support/terminal.js";

const POLICY = JSON.stringify({
  apiVersion: "api.cerbos.dev/v1",
  resourcePolicy: {
    ...{ resource: "doc", version: "default" },
    rules: [
      {
        ...{ actions: ["view"], effect: "EFFECT_ALLOW", roles: ["*"] },
        condition: { match: { expr: "R.attr.public == true && now() > timestamp('2020-01-01T00:00:00Z')" } },
      },
    ],
  },
});
const FILES = [{ path: "doc.json", text: POLICY }];
const engine = compileCheckEngineOrThrow(FILES, {});
const set = compilePoliciesOrThrow(FILES, { platform: "none" });

const INPUT: EntryInput = {
  principal: { id: "u1", roles: ["user"] },
  resource: { kind: "doc", id: "d1", attr: { public: true } },
  actions: ["view"],
};

function entry(id: string, more: object = {}) {
  return { ...entryOf(engine, INPUT, id), ...more };
}

function record(id: string, more: object = {}) {
  const request = {
    ...{ key: { id: "k1", roles: ["user"] }, operation: "view" },
    ...{ resource: { kind: "doc", id: "d1", attr: { public: true } }, now: new Date("2026-11-28T00:00:00Z") },
  };
  const about = { requestId: id, durationMs: 1, policySetHash: "sha256:0", record: "reads" } as const;
  const made = decisionRecord({ ...about, request, decision: decide(set, request), policies: set });
  return { time: "2026-11-28T02:37:34Z", ...made, ...more };
}

async function replayed(lines: readonly (string | Uint8Array)[], end = "\n") {
  const bytes = lines.flatMap((line, i) => [Buffer.from(line), Buffer.from(i < lines.length - 1 ? "\n" : end)]);
  return await withFiles({ "set/doc.json": POLICY, "a.log": Buffer.concat(bytes) }, async (directory) => {
    const [log, policies] = [join(directory, "a.log"), join(directory, "set")];
    const run = await keyward(["replay", log, policies, "--permission-only", "--format=json"]);
    return { code: run.code, report: JSON.parse(run.out) };
  });
}

const text = JSON.stringify;
const check = entryOf(engine, INPUT).checkResources;

/** A line, and the reason for skipping it. */
const SKIPPED: readonly (readonly [name: string, line: string | Uint8Array, reason: string])[] = [
  ["a damaged line", text(entry("x")).replace('"checkResources":{', '"checkResources":{{'), "not JSON"],
  ["half a line", text(entry("x")).slice(0, 200), "not JSON"],
  ["bytes that are not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), "not UTF-8"],
  [
    "a log of another tool: OPA",
    text({ decision_id: "1", path: "a/b", input: {}, result: true }),
    "not a decision entry",
  ],
  ["a log of another tool: a web server", "127.0.0.1 - - [28/Nov/2026] GET / 200", "not JSON"],
  ["a list", text([entry("x")]), "not a decision entry"],
  ["a number", "5", "not a decision entry"],
  ["null", "null", "not a decision entry"],
  ["an access entry", text({ "log.kind": "access", callId: "x", method: "/a.B/ServerInfo" }), "access entry"],
  ["a time that is none", text(entry("x", { timestamp: "yesterday" })), "the time is damaged"],
  ["an oversized entry", text(entry("x", { oversized: true })), "inputs left out as oversized"],
  [
    "an error",
    text(entry("x", { checkResources: { ...Object(check), error: "e" } })),
    "the server answered with an error",
  ],
  ["no inputs", text(entry("x", { checkResources: { outputs: [] } })), "inputs or outputs are missing or masked"],
  [
    "inputs of another shape",
    text(entry("x", { checkResources: { inputs: 1, outputs: 2 } })),
    "inputs or outputs are missing or masked",
  ],
  ["a record of another version", text(record("x", { version: 9 })), "decision record of another shape"],
  ["a record about another key", text(record("x", { refusedBy: "key_2" })), "the decision is about another key"],
];

/** Files that are no logs, and what the message says about their lines. */
const NO_LOGS: typeof SKIPPED = [
  ["a document", "# Policies\n\nThe policies of documents.\n", "not JSON: 2 lines"],
  [
    "a policy on several lines",
    JSON.stringify(JSON.parse(POLICY), null, 2).slice(0, 12),
    "not JSON: 1 line; torn line: 1 line",
  ],
  ["bytes", new Uint8Array([0x7b, 0xff, 0x7d]), "not UTF-8: 1 line"],
];

/** Logs without a decision. */
const NO_DECISIONS: readonly (readonly [name: string, content: string])[] = [
  ["an empty file", ""],
  ["blank lines", "\n \n"],
  ["half a line", text(entry("x")).slice(0, 200)],
  ...SKIPPED.flatMap(([name, line, reason]) =>
    typeof line === "string" && reason !== "not JSON" ? [[name, line] as const] : [],
  ),
];

test.each(NO_DECISIONS)("a log with nothing but %s is a log: replay ends with 0", async (_, content) => {
  const { code, report } = await replayed([content], "");
  expect([code, report.same, report.skipped.length]).toEqual([0, 0, report.lines]);
});

test.each(NO_LOGS)("%s is no log: replay and tighten end with 2", async (_, content, reason) => {
  await withFiles({ "set/doc.json": POLICY, "a.log": content }, async (directory) => {
    const log = join(directory, "a.log");
    for (const command of ["replay", "tighten"]) {
      const args = [command, log, join(directory, "set"), "--permission-only", "--format=json"];
      const { code, out, err } = await keyward(args);
      const { lines, skipped } = command === "replay" ? JSON.parse(out) : JSON.parse(out).log;
      expect([code, skipped.length]).toEqual([2, lines]);
      expect(err).toBe(
        `keyward ${command}: no log: ${log} (${reason}): LOG must be a Cerbos server's audit log, or decision records of keyward (exit 2)\n`,
      );
    }
  });
});

describe.each([
  ["a server's log", entry],
  ["decision records", record],
])("%s", (_, made) => {
  const [first, last] = [text(made("a")), text(made("b"))];
  // Records have a clock of their own.
  const timed = (lines: number) =>
    made === entry ? [`the server records no clock: ${lines} lines had the time of the entry as now()`] : [];

  test.each(SKIPPED)("%s is skipped", async (_name, line, reason) => {
    const { code, report } = await replayed([first, line, last]);
    expect([code, report]).toMatchObject([0, { lines: 3, same: 2, changed: [], undetermined: [], unreproduced: [] }]);
    expect(report.skipped).toEqual([{ line: 2, reason }]);
  });

  test("a torn last line", async () => {
    const { report } = await replayed([first, last, last.slice(0, -1)], "");
    expect(report).toMatchObject({ lines: 3, same: 2, skipped: [{ line: 3, reason: "torn line" }] });
  });

  test("byte order marks, as joined files have them", async () => {
    const { report } = await replayed([`\uFEFF${first}`, "\uFEFF", `\uFEFF${last}`]);
    expect(report).toMatchObject({ lines: 2, same: 2, skipped: [], notes: timed(2) });
  });

  test("unknown fields, blank lines, carriage returns, and no newline at the end", async () => {
    const odd = `{"__proto__":{"oversized":true},"later":{"of":[1]},${first.slice(1)}`;
    const { report } = await replayed([odd, "", "  ", `${last}\r`, text(made("c"))], "");
    expect(report).toMatchObject({ lines: 3, same: 3, skipped: [], notes: timed(3) });
  });

  test("ids that repeat and clocks that run backwards", async () => {
    const name = made === entry ? "timestamp" : "time";
    const at = (id: string, time: string) => text(made(id, { [name]: time }));
    const { report } = await replayed([
      at("a", "2026-11-28T02:00:00.5Z"),
      at("b", "2026-11-28T02:00:00.51Z"),
      at("c", "2026-11-28T01:00:00.52-01:00"),
      at("b", "2026-11-28T02:00:00Z"),
      at("a", "2026-11-28T03:00:00Z"),
    ]);
    expect(report).toMatchObject({ lines: 5, from: "2026-11-28T02:00:00Z", to: "2026-11-28T03:00:00Z" });
    expect(report.notes).toEqual([
      "2 entries repeat the id of a call, first in line 4",
      "the clock runs backwards in 1 line, first in line 4",
      ...timed(5),
    ]);
  });
});
