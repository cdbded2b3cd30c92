/** `keyward replay`: logs, exit codes and both forms of its output. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { compileCheckEngine } from "../../src/cerbos/engine.js";
import { entryOf } from "../replay/recorded.js";
import { keyward, withFiles } from "../support/terminal.js";

const policy = (expr: string) =>
  JSON.stringify({
    apiVersion: "api.cerbos.dev/v1",
    resourcePolicy: {
      ...{ resource: "doc", version: "default" },
      rules: [{ actions: ["view"], effect: "EFFECT_ALLOW", roles: ["*"], condition: { match: { expr } } }],
    },
  });

const PUBLIC = "R.attr.public == true";

/** The entry of one check by {@link PUBLIC}. */
function line(id: string, attr: object): string {
  const compiled = compileCheckEngine([{ path: "doc.json", text: policy(PUBLIC) }], {});
  if (isLeft(compiled)) throw new Error(JSON.stringify(compiled.left));
  return JSON.stringify(
    entryOf(
      compiled.right,
      {
        principal: { id: `u-${id}`, roles: ["user"] },
        resource: { kind: "doc", id: "d1", attr: { ...attr } },
        actions: ["view"],
      },
      id,
    ),
  );
}

const LOG = [line("a", { public: true }), line("b", { public: false }), line("c", { public: true })].join("\n");

interface SarifResult {
  readonly ruleId: string;
  readonly message: { readonly text: string };
  readonly locations?: readonly { readonly physicalLocation: { readonly region: { readonly startLine: number } } }[];
}

const FILES = {
  "old/doc.json": policy(PUBLIC),
  "new/doc.json": policy("R.attr.public == false"),
  "more/doc.json": policy(`${PUBLIC} || P.id == "u-b"`),
  "owner/doc.json": policy(`${PUBLIC} && R.attr.owner == P.id`),
  "broken/doc.json": "{",
  "audit.log": `${LOG}\n`,
};

function replay(...args: readonly string[]) {
  return withFiles(FILES, async (directory) => {
    const at = (path: string) => (path in FILES || !/^[a-z]+$/.test(path) ? path : join(directory, path));
    const given = args.map((one) => (one.startsWith("-") ? one : one === "audit.log" ? join(directory, one) : at(one)));
    const run = await keyward(["replay", ...given], FILES["audit.log"]);
    return { ...run, out: run.out.replaceAll(directory, "") };
  });
}

describe("exit codes", () => {
  test.each([
    ["0: nothing changes", ["audit.log", "old"], 0, ""],
    ["4: answers change", ["audit.log", "new"], 4, "keyward replay: 3 lines changed (exit 4)\n"],
    [
      "4: answers widen",
      ["audit.log", "more", "--fail-on=widened"],
      4,
      "keyward replay: 1 line changed (widened) (exit 4)\n",
    ],
    ["0: no answer narrows", ["audit.log", "more", "--fail-on=narrowed"], 0, ""],
    ["0: changes are accepted", ["audit.log", "new", "--fail-on=none"], 0, ""],
    [
      "5: attributes are missing",
      ["audit.log", "owner"],
      5,
      "keyward replay: 2 lines undetermined, for lack of attributes (exit 5)\n",
    ],
    ["4: nothing is missing", ["audit.log", "owner", "--complete"], 4, "keyward replay: 2 lines changed (exit 4)\n"],
    ["0: standard input", ["-", "old"], 0, ""],
  ])("%s", async (_, args, code, err) => {
    expect(await replay(...args)).toMatchObject({ code, err });
  });

  test.each([
    ["2: no log", ["old"], 2, /LOG or the policies are missing/],
    ["2: a log that is not there", ["nowhere.log", "old"], 2, /cannot read nowhere.log/],
    ["2: an unknown choice", ["audit.log", "old", "--fail-on=all"], 2, /--fail-on must be one of any, widened/],
    ["3: invalid policies", ["audit.log", "broken"], 3, /doc.json:1/],
    ["3: invalid changed policies", ["audit.log", "old", "--against=broken"], 2, /broken/],
  ])("%s", async (_, args, code, err) => {
    const run = await replay(...args);
    expect(run.code).toBe(code);
    expect(run.err).toMatch(err);
  });
});

test("JSON counts each line once", async () => {
  const { out } = await replay("audit.log", "new", "--format=json");
  const report = JSON.parse(out);
  expect(report).toMatchObject({ lines: 3, same: 0, undetermined: [], unreproduced: [], skipped: [], notes: [] });
  expect(report.changed).toEqual(
    ["a", "b", "c"].map((id, i) => ({
      line: i + 1,
      before: { view: id === "b" ? "EFFECT_DENY" : "EFFECT_ALLOW" },
      after: { view: id === "b" ? "EFFECT_ALLOW" : "EFFECT_DENY" },
      request: {
        principal: { id: `u-${id}`, roles: ["user"] },
        resource: { kind: "doc", id: "d1", attr: { public: id !== "b" } },
        actions: ["view"],
      },
    })),
  );
  expect(report.groups).toMatchObject([
    { kind: "doc", action: "view", before: "EFFECT_ALLOW", after: "EFFECT_DENY", lines: 2, principals: 2 },
    { kind: "doc", action: "view", before: "EFFECT_DENY", after: "EFFECT_ALLOW", lines: 1, principals: 1 },
  ]);
});

test("text names each change, with its first line and request", async () => {
  const { out } = await replay("audit.log", "new");
  expect(out).toContain(": 0 same, 3 changed, 0 undetermined, 0 unreproduced, 0 skipped\n");
  expect(out).toContain("changed: view on doc: EFFECT_ALLOW -> EFFECT_DENY (2 lines, 2 principals, first line 1)\n");
  const requests = [...out.matchAll(/^ {2}request: (.*)$/gm)].map(([, request = ""]) => request);
  expect(requests).toHaveLength(2);
  const outcomes = ["insufficient_permissions", "allow"];
  for (const [i, request] of requests.entries()) {
    const run = await withFiles(FILES, (directory) =>
      keyward(["explain", join(directory, "new"), "--permission-only", "--format=json"], request),
    );
    expect([run.code, JSON.parse(run.out).outcome ?? JSON.parse(run.out).decision?.outcome]).toEqual([0, outcomes[i]]);
  }
});

test("findings at the lines of the log, for code scanning and pull requests", async () => {
  const sarif = JSON.parse((await replay("audit.log", "more", "--format=sarif")).out);
  const [{ results, tool }] = sarif.runs;
  expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toContain("narrowed");
  expect(results).toHaveLength(1);
  expect(results[0]).toMatchObject({ ruleId: "widened", level: "error" });
  expect(results[0].message.text).toMatch(
    /^view on doc: EFFECT_DENY -> EFFECT_ALLOW \(1 line, 1 principal\)\nexample /,
  );
  const [{ physicalLocation }] = results[0].locations;
  expect(physicalLocation.artifactLocation.uri).toMatch(/audit\.log$/);
  expect(physicalLocation.region).toEqual({ startLine: 2 });
  const { out } = await replay("audit.log", "new", "--format=github");
  expect(out.match(/^::(?:error|warning)/gm)).toEqual(["::warning", "::error"]);
  const owner = await replay("audit.log", "owner", "--format=sarif", "--limit=1");
  const found = JSON.parse(owner.out).runs[0].results.map(({ ruleId, message, locations }: SarifResult) => [
    ruleId,
    message.text,
    locations?.[0]?.physicalLocation.region.startLine,
  ]);
  expect(found).toEqual([
    ["undetermined", "depends on resource.attr.owner", 1],
    ["undetermined", "1 more are undetermined", undefined],
  ]);
});

test("--limit is the most lines of a result", async () => {
  const { out } = await replay("audit.log", "owner", "--limit=1");
  expect(out).toContain("  line 1: resource.attr.owner\n  and 1 more (--limit, or --format json)\n");
  expect((await replay("audit.log", "owner", "--limit=0")).out).toContain("  and 2 more (--limit");
  expect((await replay("audit.log", "owner", "--limit=-1")).code).toBe(2);
});

test("a note tells that the time of the entry stood for the clock", async () => {
  const timed = policy(`${PUBLIC} && now() > timestamp("2020-01-01T00:00:00Z")`);
  const run = await withFiles({ ...FILES, "timed/doc.json": timed }, (directory) =>
    keyward(["replay", join(directory, "audit.log"), join(directory, "timed"), "--format=json"]),
  );
  expect(JSON.parse(run.out)).toMatchObject({
    same: 3,
    notes: ["the server records no clock: 3 lines had the time of the entry as now()"],
  });
});

test("lines that are no decision are counted, and nothing else is lost", async () => {
  const access = { "log.kind": "access", callId: "z", method: "/cerbos.svc.v1.CerbosService/CheckResources" };
  const [a, b] = [line("a", { public: true }), line("b", { public: true })];
  const earlier = b.replace("2026-11-28", "2026-11-27");
  const log = [a, "", "no JSON", JSON.stringify(access), a, earlier, '{"torn'].join("\n");
  const run = await withFiles({ ...FILES, "odd.log": log }, (directory) =>
    keyward(["replay", join(directory, "odd.log"), join(directory, "old"), "--format=json"]),
  );
  const report = JSON.parse(run.out);
  expect([run.code, report.lines, report.same]).toEqual([0, 6, 3]);
  expect(report.skipped).toEqual([
    { line: 3, reason: "not JSON" },
    { line: 4, reason: "access entry of a decision" },
    { line: 7, reason: "torn line" },
  ]);
  expect(report.notes).toEqual([
    "1 entry repeats the id of a call, first in line 5",
    "1 call of the access log without a decision entry: refused calls, or a filtered decision log",
    "the clock runs backwards in 1 line, first in line 6",
  ]);
});

test("several logs, one of them compressed and torn, and bytes that are no text", async () => {
  await withFiles({ ...FILES, "bytes.log": new Uint8Array([0xff, 10]) }, async (directory) => {
    const [zipped, torn] = [join(directory, "b.log.gz"), join(directory, "torn.log.gz")];
    await writeFile(zipped, gzipSync(LOG));
    await writeFile(torn, (await readFile(zipped)).subarray(0, -12));
    const logs = [join(directory, "audit.log"), zipped, join(directory, "bytes.log")];
    const whole = JSON.parse((await keyward(["replay", ...logs, join(directory, "old"), "--format=json"])).out);
    expect([whole.lines, whole.same]).toEqual([7, 6]);
    expect(whole.skipped).toEqual([{ log: logs[2], line: 1, reason: "not UTF-8" }]);
    const cut = await keyward(["replay", torn, join(directory, "old")]);
    expect([cut.code, cut.err]).toEqual([2, expect.stringContaining(`cannot read ${torn}: `)]);
  });
});
