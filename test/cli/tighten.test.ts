/** `keyward tighten`: logs, exit codes and the forms of its output. */

import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { compileCheckEngineOrThrow } from "../../src/cerbos/engine.js";
import { decisionRecord } from "../../src/http/index.js";
import { compilePoliciesOrThrow, decide } from "../../src/index.js";
import { TIGHTENING_SCHEMA } from "../../src/replay/tighten/tightening-schema.js";
import { entryOf } from "../replay/recorded.js";
import { keyward, withFiles } from "../support/terminal.js";

const validate = new Ajv({ strict: false }).compile(TIGHTENING_SCHEMA);

const POLICY = JSON.stringify({
  apiVersion: "api.cerbos.dev/v1",
  resourcePolicy: {
    ...{ resource: "doc", version: "default" },
    rules: [
      {
        ...{ name: "permitted", actions: ["view"], effect: "EFFECT_ALLOW", roles: ["*"] },
        condition: { match: { expr: 'hasIntersection(P.attr.permissions, ["doc.*.view", "doc." + R.id + ".view"])' } },
      },
      { name: "admin", actions: ["*"], effect: "EFFECT_ALLOW", roles: ["admin"] },
    ],
  },
});
const FILES = [{ path: "doc.json", text: POLICY }];

const set = compilePoliciesOrThrow(FILES, { platform: "none" });
const engine = compileCheckEngineOrThrow(FILES, {});

const key = (id: string, ...permissions: readonly string[]) => ({ id, roles: ["user"], attr: { permissions } });

function serverLine(id: string, doc: string, ...permissions: readonly string[]): string {
  const principal = { ...key(id), attr: { permissions: [...permissions] } };
  return JSON.stringify(entryOf(engine, { principal, resource: { kind: "doc", id: doc }, actions: ["view"] }, doc));
}

function ownLine(id: string, doc: string, ...permissions: readonly string[]): string {
  const request = { key: key(id, ...permissions), operation: "view", resource: { kind: "doc", id: doc } };
  const about = { requestId: doc, durationMs: 1, policySetHash: "sha256:0", record: "reads" } as const;
  return JSON.stringify({
    time: "2026-11-28T00:00:00Z",
    ...decisionRecord({ ...about, request, decision: decide(set, request), policies: set }),
  });
}

function tighten(log: string, args: readonly string[] = [], files: object = {}) {
  return withFiles({ "set/doc.json": POLICY, "broken/doc.json": "{", "a.log": log, ...files }, (directory) =>
    keyward(
      ["tighten", ...args.map((one) => one.replace("@", `${directory}/`)), "--permission-only"],
      args.includes("-") ? log : undefined,
    ),
  );
}

describe.each([
  ["a server's log", serverLine],
  ["decision records", ownLine],
])("%s", (_, line) => {
  const log = `${line("k1", "d1", "doc.*.view", "doc.d1.view", "doc.d2.view")}\n${line("k2", "d9", "doc.d1.view")}\n`;

  test("text names the permissions to drop and to keep", async () => {
    const { code, out, err } = await tighten(log, ["@a.log", "@set", "--complete"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("2 lines from ");
    expect(out).toContain("k1: 1 allowed, 0 refused");
    expect(out).toContain("  drop doc.*.view (1 use,");
    expect(out).toContain("  keep role user (1 use,");
    expect(out).toContain("roles that allowed:\n  user of 2 keys (1 use,");
    expect(out).toContain("roles that allowed nothing:\n  admin of 0 keys\nrules that allowed:\n");
    expect(out).toContain("  keep doc.d1.view (1 use,");
    expect(out).toContain("  drop doc.d2.view (unused)\n");
    expect(out).toContain("k2: 0 allowed, 1 refused");
    expect(out).toContain("rules that allowed nothing:\n  resource.doc.vdefault#admin\n");
  });

  test("CSV and JSON; standard input and compressed logs", async () => {
    const csv = await tighten(log, ["-", "@set", "--complete", "--format=csv"]);
    expect(csv.out.split("\r\n").slice(0, 3)).toEqual([
      "key,scope,item,list,value,needed,instead,uses,first,last,proved",
      expect.stringMatching(/^k1,,role,roles,user,yes,,1,2026-.*,2026-.*,yes$/),
      expect.stringMatching(/^k1,,permission,attr\.permissions,doc\.\*\.view,no,,1,2026-.*,2026-.*,yes$/),
    ]);
    expect(csv.out.split("\r\n").slice(-5)).toEqual([
      ",,role,,admin,,,0,,,",
      expect.stringMatching(/^,,role,,user,,,1,2026-.*,2026-.*,$/),
      expect.stringMatching(/^,,rule,,resource\.doc\.vdefault#permitted,,,1,2026-.*,2026-.*,$/),
      ",,rule,,resource.doc.vdefault#admin,,,0,,,",
      "",
    ]);
    const json = await tighten(log, ["@b.log.gz", "@set", "--complete", "--format=json"], {
      "b.log.gz": gzipSync(log),
    });
    const report = JSON.parse(json.out);
    expect(report).toMatchObject({ policySetHash: expect.stringMatching(/^sha256:/), log: { lines: 2, skipped: [] } });
    expect([validate(report), validate.errors]).toEqual([true, null]);
    expect(report.keys[0]).toMatchObject({ key: "k1", roles: ["user"], neededRoles: ["user"], isProved: true });
    expect(report.keys[0].permissions.map(({ isNeeded }: { isNeeded: boolean }) => isNeeded)).toEqual([
      ...[false, true, false],
    ]);
  });

  test("a torn line, a damaged line, unknown fields, a foreign line, a repeated id and a clock that runs backwards", async () => {
    const [first, second] = log.split("\n");
    if (first === undefined || second === undefined) throw new Error("no lines");
    const unknown = JSON.stringify({ ...JSON.parse(first), unheard: { of: 1 } });
    const earlier = second.replace("2026-11-28", "2026-11-27");
    const odd = [first, first.slice(0, -9), unknown, '{"msg":"started"}', earlier, '{"torn'].join("\n");
    const { out } = await tighten(odd, ["@a.log", "@set", "--complete", "--format=json"]);
    const report = JSON.parse(out);
    expect([validate(report), validate.errors]).toEqual([true, null]);
    expect(report.log).toMatchObject({
      lines: 6,
      skipped: [
        { line: 2, reason: "not JSON" },
        { line: 4, reason: "not a decision entry" },
        { line: 6, reason: "torn line" },
      ],
      notes: [
        "1 entry repeats the id of a call, first in line 3",
        "the clock runs backwards in 1 line, first in line 5",
      ],
    });
    expect(report.keys.map(({ allowed }: { allowed: number }) => allowed)).toEqual([2, 0]);
    const replayed = await withFiles({ "set/doc.json": POLICY, "a.log": odd }, (directory) =>
      keyward([
        ...["replay", join(directory, "a.log"), join(directory, "set")],
        ...["--permission-only", "--complete", "--format=json"],
      ]),
    );
    const { lines, same, skipped, notes } = JSON.parse(replayed.out);
    expect([lines, same, skipped, notes]).toEqual([6, 3, report.log.skipped, report.log.notes]);
  });
});

test("exit codes", async () => {
  const whole = serverLine("k1", "d1", "doc.d1.view");
  const bare = JSON.stringify({ ...JSON.parse(ownLine("k1", "d1")), version: undefined, reads: undefined });
  const codes = [
    await tighten(whole, ["@a.log", "@set", "--complete"]),
    await tighten(bare, ["@a.log", "@set"]),
    await tighten(whole, ["@nowhere.log", "@set"]),
    await tighten(whole, ["@set"]),
    await tighten(whole, ["@a.log", "@broken"]),
  ];
  expect(codes.map(({ code }) => code)).toEqual([0, 5, 2, 2, 3]);
  const undetermined = await tighten(bare, ["@a.log", "@set", "--format=json"]);
  expect([validate(JSON.parse(undetermined.out)), validate.errors]).toEqual([true, null]);
  expect(codes[1]?.err).toBe("keyward tighten: 1 line without attributes (exit 5)\n");
});
