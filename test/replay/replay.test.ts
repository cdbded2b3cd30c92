/** What a replay says of single entries. */

import { isLeft } from "fp-ts/lib/Either.js";
import { expect, test } from "vitest";
import { type CheckEngineOptions, compileCheckEngine } from "../../src/cerbos/engine.js";
import type { CheckEngine } from "../../src/engine/evaluate/check-engine.js";
import { Replay } from "../../src/replay/replay.js";
import { type EntryInput, entryOf } from "./recorded.js";

interface Conditions {
  readonly [action: string]: unknown;
}

/** A policy for `doc`: one ALLOW rule for each action, for everybody. */
function engineOf(
  conditions: Conditions,
  variables: object = {},
  constants: object = {},
  options: CheckEngineOptions = {},
): CheckEngine {
  const rules = Object.entries(conditions).map(([action, match]) => ({
    ...{ actions: [action], effect: "EFFECT_ALLOW", roles: ["*"] },
    condition: { match: typeof match === "string" ? { expr: match } : match },
  }));
  const definitions = { variables: { local: variables }, constants: { local: constants } };
  const resourcePolicy = { resource: "doc", version: "default", ...definitions, rules };
  const text = JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy });
  const compiled = compileCheckEngine([{ path: "doc.json", text }], options);
  if (isLeft(compiled)) throw new Error(JSON.stringify(compiled.left));
  return compiled.right;
}

function input(attr: object, principal: object = {}): EntryInput {
  return {
    principal: { id: "u1", roles: ["user"], attr: { ...principal } },
    resource: { kind: "doc", id: "d1", attr: { ...attr } },
    actions: ["view"],
  };
}

/** The entry of `recorded` by `old`, with other attributes in the record. */
function entry(old: CheckEngine, recorded: EntryInput, kept: EntryInput): string {
  const made = entryOf(old, recorded);
  return JSON.stringify({ ...made, checkResources: { ...Object(made.checkResources), inputs: [kept] } });
}

interface ReplayCase {
  readonly name: string;
  /** The conditions before and after the change. */
  readonly old: unknown;
  readonly now: unknown;
  /** The attributes of the resource, and those in the record. */
  readonly attr: object;
  readonly kept: object;
  readonly result: string;
  /** The result if the old policies are given, too; by default the same. */
  readonly against?: string;
}

const any = (...of: readonly string[]) => ({ any: { of: of.map((expr) => ({ expr })) } });

const CASES: readonly ReplayCase[] = [
  {
    name: "the same policy",
    old: "R.attr.x == 1",
    now: "R.attr.x == 1",
    attr: { x: 1 },
    kept: { x: 1 },
    result: "same",
  },
  { name: "a change", old: "R.attr.x == 1", now: "R.attr.x == 2", attr: { x: 1 }, kept: { x: 1 }, result: "changed" },
  {
    ...{ name: "an attribute that was absent, as the record says", old: "R.attr.x == 1", now: "R.attr.x == 1" },
    ...{ attr: {}, kept: {}, result: "same" },
  },
  {
    ...{ name: "a lost attribute", old: "R.attr.x == 1", now: "R.attr.x != 1" },
    ...{ attr: { x: 1 }, kept: {}, result: "undetermined" },
  },
  {
    ...{
      name: "a lost attribute that cannot matter",
      old: "R.attr.x == 1 || R.attr.y",
      now: "R.attr.x == 2 || R.attr.y",
    },
    ...{ attr: { x: 1, y: true }, kept: { y: true }, result: "same" },
  },
  {
    ...{ name: "a lost attribute beside one that decides", old: "R.attr.y", now: "R.attr.x == 2 && R.attr.z" },
    ...{ attr: { x: 2, y: true, z: false }, kept: { y: true, z: false }, result: "changed" },
  },
  {
    ...{ name: "a lost member of any", old: any("R.attr.x == 1", "R.attr.y"), now: any("R.attr.x == 2", "R.attr.y") },
    ...{ attr: { x: 3, y: true }, kept: { y: true }, result: "same" },
  },
  {
    ...{ name: "has() of a lost attribute", old: "has(R.attr.x)", now: "!has(R.attr.x)" },
    // The old policies allowed, so the attribute was there.
    ...{ attr: { x: 1 }, kept: {}, result: "undetermined", against: "changed" },
  },
  {
    ...{ name: "has(), either way the same", old: "has(R.attr.x) || R.attr.y", now: "R.attr.y" },
    ...{ attr: { x: 1, y: true }, kept: { y: true }, result: "same" },
  },
  {
    ...{ name: "an error beside has() of a lost attribute", old: "has(R.attr.x) && R.attr.y == 1" },
    ...{ now: "R.attr.y == 1 && has(R.attr.x)", attr: { x: 1 }, kept: {}, result: "same" },
  },
  {
    ...{
      name: "a lost attribute, read optionally",
      old: "R.attr.?x.orValue(1) == 1",
      now: "R.attr.?x.orValue(2) == 1",
    },
    ...{ attr: {}, kept: {}, result: "undetermined" },
  },
  {
    ...{ name: "all attributes as one value", old: "size(R.attr) == 1", now: "size(R.attr) == 1" },
    ...{ attr: { x: 1 }, kept: { x: 1 }, result: "undetermined", against: "same" },
  },
];

test.each(CASES)("$name", ({ old: before, now: after, attr, kept, result, against = result }) => {
  const [old, now] = [engineOf({ view: before }), engineOf({ view: after })];
  const line = entry(old, input(attr), input(kept));
  expect([new Replay(now), new Replay(now, { old })].map((replay) => replay.line(line).result.kind)).toEqual([
    result,
    against,
  ]);
});

test("the result names both answers, the request, and the attributes that decide", () => {
  const [old, now] = [engineOf({ view: "R.attr.x == 1" }), engineOf({ view: "R.attr.x == 2" })];
  const [whole, lost] = [input({ x: 1 }), input({})];
  const replay = new Replay(now);
  expect(replay.line(entry(old, whole, whole)).result).toEqual({
    kind: "changed",
    before: { view: "EFFECT_ALLOW" },
    after: { view: "EFFECT_DENY" },
    request: whole,
  });
  expect(replay.line(entry(old, whole, lost)).result).toEqual({
    ...{ kind: "undetermined", reads: ["resource.attr.x"], request: lost },
  });
});

test("a complete log lacks what was absent", () => {
  const engine = engineOf({ view: "!has(R.attr.x)" });
  const line = entry(engine, input({}), input({}));
  expect(new Replay(engine).line(line).result.kind).toBe("undetermined");
  expect(new Replay(engine, { isComplete: true }).line(line).result.kind).toBe("same");
});

test("what the old policies do not answer is unreproduced", () => {
  const [recorded, old] = [engineOf({ view: "R.attr.x == 1" }), engineOf({ view: "R.attr.x == 3" })];
  const line = entry(recorded, input({ x: 1 }), input({ x: 1 }));
  expect(new Replay(old, { old }).line(line).result).toMatchObject({
    ...{ kind: "unreproduced", before: { view: "EFFECT_ALLOW" }, after: { view: "EFFECT_DENY" } },
  });
});

test("an error in the record counts only if one attribute alone can be its cause", () => {
  const engine = engineOf({ view: "R.attr.x == P.attr.x" });
  const changed = engineOf({ view: "R.attr.x == P.attr.x || R.attr.x == 1" });
  // The principal lacked x; the resource had x = 1, and the record has lost it.
  const line = entry(engine, input({ x: 1 }), input({}));
  expect(new Replay(changed).line(line).result.kind).toBe("undetermined");
});

test("variables, and expressions with the same text but other variables", () => {
  const expression = { view: "V.ok" };
  const [old, now] = [engineOf(expression, { ok: "R.attr.x == 1" }), engineOf(expression, { ok: "R.attr.x == 2" })];
  const line = entry(old, input({ x: 1 }), input({}));
  expect(new Replay(now, { old }).line(line).result.kind).toBe("undetermined");
  expect(new Replay(old, { old }).line(line).result.kind).toBe("same");
});

test("expressions with the same text but other constants", () => {
  const expression = { view: "R.attr.x == C.limit" };
  const [old, now] = [1, 2].map((limit) => engineOf(expression, {}, { limit }));
  if (old === undefined || now === undefined) throw new Error("there are two engines");
  const line = entry(old, input({ x: 1 }), input({}));
  expect(new Replay(now, { old }).line(line).result.kind).toBe("undetermined");
  expect(new Replay(old, { old }).line(line).result.kind).toBe("same");
});

test("expressions with the same text, in sets with other globals", () => {
  const expression = { view: "R.attr.x == G.limit" };
  const [old, now] = [1, 2].map((limit) => engineOf(expression, {}, {}, { globals: { limit } }));
  if (old === undefined || now === undefined) throw new Error("there are two engines");
  const line = entry(old, input({ x: 1 }), input({}));
  expect(new Replay(now, { old }).line(line).result.kind).toBe("undetermined");
});

const ENTRY = entryOf(engineOf({ view: "R.attr.x == 1" }), input({ x: 1 }));

/** Lines that are no whole decision, and why they are skipped. */
const SKIPPED: readonly (readonly [line: unknown, reason: string])[] = [
  ["{", "not JSON"],
  ["[]", "not a decision entry"],
  ["null", "not a decision entry"],
  [{ decision: "allow" }, "not a decision entry"],
  [{ "log.kind": "access", method: "/cerbos.svc.v1.CerbosService/CheckResources" }, "access entry of a decision"],
  [{ "log.kind": "access", method: "/cerbos.svc.v1.CerbosAdminService/ListPolicies" }, "access entry"],
  [{ ...ENTRY, oversized: true }, "inputs left out as oversized"],
  [{ ...ENTRY, checkResources: { ...Object(ENTRY.checkResources), error: "no" } }, "the server answered with an error"],
  [{ ...ENTRY, checkResources: { inputs: [] } }, "inputs or outputs are missing or masked"],
  [
    { ...ENTRY, checkResources: { ...Object(ENTRY.checkResources), inputs: [{}] } },
    "inputs or outputs are missing or masked",
  ],
  [
    { ...ENTRY, checkResources: { ...Object(ENTRY.checkResources), outputs: [{ actions: {} }] } },
    "inputs or outputs are missing or masked",
  ],
];

test.each(SKIPPED)("%j is skipped", (line, reason) => {
  const text = typeof line === "string" ? line : JSON.stringify(line);
  expect(new Replay(engineOf({ view: "true" })).line(text).result).toEqual({ kind: "skipped", reason });
});

test("the shape of older servers", () => {
  const { checkResources, ...head } = ENTRY;
  const line = JSON.stringify({ ...head, ...Object(checkResources) });
  expect(new Replay(engineOf({ view: "R.attr.x == 1" })).line(line).result.kind).toBe("same");
});

test("names of objects are attributes like others", () => {
  const engine = engineOf({ view: 'R.attr["__proto__"] == 1 || R.attr.constructor == 1' });
  const attr = JSON.parse('{"__proto__": 2, "constructor": 1}');
  const line = JSON.stringify(entryOf(engine, input({}))).replace('"attr":{}', `"attr":${JSON.stringify(attr)}`);
  expect(new Replay(engine).line(line).result.kind).toMatch(/undetermined|same|changed/);
});
