/**
 * Cached plans and decisions are not made again, and the caches stay within their bounds. A function source that counts
 * measures both.
 */

import { describe, expect, test, vi } from "vitest";
import { type AnyDecider, deciderOf } from "../../src/decisions/decider.js";
import { DecisionTable, DecisionTables } from "../../src/decisions/decision-tables.js";
import { CompiledPlan } from "../../src/engine/evaluate/compiled-plan.js";
import type { Equipment, FunctionHolder, FunctionSource, HeldFunctions } from "../../src/engine/evaluate/equipment.js";
import { CLOSURES_ONLY, FULL_EQUIPMENT } from "../../src/engine/evaluate/full-equipment.js";
import { Layer } from "../../src/engine/evaluate/layer.js";
import type { ResourceReader } from "../../src/engine/generate/written.js";
import { type Decision, type DecisionRequest, decide, type PolicySet } from "../../src/index.js";
import { policy, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";
import { withLayers } from "../support/with-layers.js";

/** The number of rules for each action; each rule reads an attribute of its own. */
const COUNTS = { none: 0, one: 1, eight: 8, nine: 9, fifty: 50, many: 51 } as const;
const rules = [
  "name: any, actions: [none], roles: [user], effect: EFFECT_ALLOW",
  ...Object.entries(COUNTS).flatMap(([action, count]) =>
    Array.from(
      { length: count },
      (_, i) =>
        `name: ${action}_${i}, actions: [${action}], roles: [user], effect: EFFECT_ALLOW, ${when(`R.attr.a_${i} == true`)}`,
    ),
  ),
  `name: told, actions: [told], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.a_0 == true")}, output: { when: { ruleActivated: "R.id" } }`,
];
const own = (principal: string, version: string) => `apiVersion: api.cerbos.dev/v1
principalPolicy:
  principal: ${principal}
  version: ${version}
  rules:
    - { resource: doc, actions: [{ action: one, effect: EFFECT_DENY }] }
`;
const platform = (resource: string) =>
  policy({ resource, version: "platform", rules: ["actions: ['*'], roles: [account], effect: EFFECT_ALLOW"] });
const FILES = [
  { path: "doc.yaml", text: policy({ rules }) },
  { path: "note.yaml", text: policy({ resource: "note", rules }) },
  {
    path: "scoped.yaml",
    text: policy({ body: "scope: acme", rules: ["actions: [other], roles: [user], effect: EFFECT_ALLOW"] }),
  },
  { path: "platform.yaml", text: platform("doc") },
  { path: "platform_note.yaml", text: platform("note") },
];
const PERSONAL = [
  { path: "own.yaml", text: own("personal", "default") },
  { path: "its.yaml", text: own("personal_account", "platform") },
];

/** Returns the same functions for every plan; they find that no condition holds. */
class Source implements FunctionSource {
  warmUp = 3;
  readonly holders: FunctionHolder[] = [];
  readonly readerHolders: FunctionHolder[] = [];
  functions: HeldFunctions | undefined = {
    read: (frame) => void Object.assign(frame, { values: { k: 0 } }),
    judge: () => 0,
    left: [],
    principal: [],
    resource: [],
  };
  reader: ResourceReader | undefined = (frame) => void Object.assign(frame, { first: { k: 0 }, second: { k: 0 } });

  layerFunctions(_wanted: unknown, holder: FunctionHolder): HeldFunctions | undefined {
    this.holders.push(holder);
    return this.functions && { ...this.functions };
  }

  resourceReader(_plans: unknown, holder: FunctionHolder): ResourceReader | undefined {
    this.readerHolders.push(holder);
    return this.reader;
  }
}

/** A source with another reader for each plan. */
class SourceOfReaders extends Source {
  override layerFunctions(wanted: unknown, holder: FunctionHolder): HeldFunctions | undefined {
    const functions = super.layerFunctions(wanted, holder);
    return functions && { ...functions, read: (...given) => functions.read(...given) };
  }
}

function setWith(source: Equipment["source"], files = FILES): PolicySet {
  const set = compiled(files);
  const options = {
    equipment: { ...FULL_EQUIPMENT, source },
    codegen: true,
    globals: {},
    typedReads: true,
    enforceSchemas: false,
  };
  return withLayers(
    set,
    new Layer(set.model, "default", "not_granted", options),
    new Layer(set.model, "platform", "not_available", options),
  );
}

interface Question {
  readonly kind?: string;
  readonly action?: string;
  readonly roles?: readonly string[];
  readonly key?: string;
  readonly account?: string;
  readonly scope?: string;
  readonly keyScope?: string;
  readonly accountScope?: string;
  readonly attr?: NonNullable<DecisionRequest["resource"]["attr"]>;
}

function request(question: Question = {}): DecisionRequest {
  const { kind = "doc", action = "one", roles = ["user"], key = "k", account = "a", attr = {}, scope = "" } = question;
  return {
    key: { id: key, roles, attr: {}, scope: question.keyScope ?? "" },
    account: { id: account, attr: {}, scope: question.accountScope ?? "" },
    resource: { kind, id: "r", attr, scope },
    operation: action,
  };
}

/** The decision table that the set uses for a question. */
function tableOf({ tables }: PolicySet, question: Question = {}): DecisionTable {
  const { key, account, resource, operation } = request(question);
  const principal = (part: typeof key | typeof account, roles: readonly string[]) => {
    const { id, scope = "" } = part;
    return { id, roles, attr: {}, scope };
  };
  const { kind, id, scope = "" } = resource;
  return tables.find(
    principal(key, key.roles),
    principal(account, ["account"]),
    { kind, id, attr: {}, scope },
    operation,
  );
}

function times(count: number, run: () => unknown): void {
  for (let i = 0; i < count; i++) run();
}

describe("plans are looked for once", () => {
  test.each<readonly [string, Question, number]>([
    ["in the root scope", {}, 2],
    ["in the scope of a resource", { scope: "acme" }, 2],
    ["in the scope of a key", { keyScope: "acme" }, 2],
    ["for each question of an account that has a scope", { accountScope: "acme" }, 6],
    ["for each question of a key that has policies", { key: "personal" }, 6],
    ["for each question of an account that has policies", { account: "personal_account" }, 6],
  ])("%s", (_, question, count) => {
    const set = setWith(() => new Source(), [...FILES, ...PERSONAL]);
    const planned = vi.spyOn(Layer.prototype, "planFor");
    const all = [1, 2, 3].map(() => tableOf(set, question));
    expect(planned).toHaveBeenCalledTimes(count);
    planned.mockRestore();
    expect(new Set(all).size).toBe(1);
  });

  test("what decides is the same for all names that choose the same plans", () => {
    const set = setWith(() => new Source());
    const [first, ...others] = [["other"], ["another"], ["other", "another"]].map((roles) => tableOf(set, { roles }));
    for (const one of others) expect(one).toBe(first);
    expect(tableOf(set, { roles: ["user"] })).not.toBe(first);
  });

  test("what chooses other plans does not find them", () => {
    const set = setWith(() => new Source(), [...FILES, ...PERSONAL]);
    const questions: readonly Question[] = [
      ...[{}, { action: "none" }, { kind: "note" }, { roles: ["nobody"] }, { scope: "acme" }, { key: "personal" }],
      { account: "personal_account" },
    ];
    const all = [...questions, ...questions].map((one) => tableOf(set, one));
    expect(new Set(all).size).toBe(questions.length);
    for (const [i, one] of questions.entries()) expect(all[questions.length + i]).toBe(tableOf(set, one));
  });
});

/** A resource for which the rules with these numbers hold. */
const holding = (...rules: readonly number[]) =>
  Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`a_${i}`, rules.includes(i)]));

describe("decisions", () => {
  test.each(["none", "eight", "nine", "fifty", "many"] as const)("are kept, and frozen, of %s", (action) => {
    const set = compiled(FILES);
    const ask = (attr: Question["attr"] & object) => decide(set, request({ action, attr }));
    times(25, () => ask(holding(0)));
    const [a, b] = [holding(1), holding(1, 2)];
    const first = ask(a);
    expect(ask({ ...a })).toBe(first);
    expect(ask({ ...b })).toBe(ask(b));
    expect(ask(a)).toBe(first);
    expect(Object.isFrozen(ask(a))).toBe(true);
    if (action !== "none") expect(ask(b)).not.toBe(ask(a));
    // A decision with an error belongs to its request alone.
    if (action !== "none") expect(ask({})).not.toBe(ask({}));
  });

  test("with outputs that are the same for every request are", () => {
    const rule = `name: told, actions: [told], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.a_0 == true")}, output: { when: { ruleActivated: '"yes"' } }`;
    const set = compiled([
      { path: "doc.yaml", text: policy({ rules: [rule] }) },
      { path: "p.yaml", text: platform("doc") },
    ]);
    const ask = () => decide(set, request({ action: "told", attr: holding(0) }));
    times(25, ask);
    expect(ask()).toBe(ask());
    expect(ask().permission.outputs.map(({ val }) => val)).toEqual(["yes"]);
    expect(Object.isFrozen(ask().permission.outputs[0])).toBe(true);
  });

  test("so is the fault of one", () => {
    const set = compiled(FILES);
    const ask = () => decide(set, request({ action: "unknown" }));
    times(25, ask);
    expect(ask()).toBe(ask());
    expect(ask().fault?.kind).toBe("unknown_operation");
    expect(Object.isFrozen(ask().fault)).toBe(true);
  });

  test("with outputs are not", () => {
    const set = compiled(FILES);
    const ask = () => decide(set, request({ action: "told", attr: holding(0) }));
    times(25, ask);
    expect(ask()).toEqual(ask());
    expect(ask()).not.toBe(ask());
    expect(Object.isFrozen(ask())).toBe(false);
  });

  test("of what no policy has say each what it is that they do not know", () => {
    const set = compiled(FILES);
    const questions = [{ action: "x" }, { action: "y" }, { kind: "k", action: "x" }, { kind: "l", action: "x" }].map(
      request,
    );
    times(25, () => {
      const told = questions.map((one) => decide(set, one).fault?.message ?? "");
      expect(
        told.map((message) => [
          /"?\bx\b/.test(message),
          /\by\b/.test(message),
          /\bk\b/.test(message),
          /\bl\b/.test(message),
        ]),
      ).toEqual([
        [true, false, false, false],
        [false, true, false, false],
        [false, false, true, false],
        [false, false, false, true],
      ]);
    });
  });

  test("of a key that has policies are kept, and of nobody else", () => {
    const set = compiled([...FILES, ...PERSONAL]);
    const ask = (key: string) => decide(set, request({ key, action: "one", attr: holding(0) }));
    times(25, () => ask("personal"));
    expect(ask("personal")).toBe(ask("personal"));
    expect([ask("personal").outcome, ask("other").outcome]).toEqual(["insufficient_permissions", "allow"]);
  });

  test("are let go when there are too many", () => {
    const set = compiled(FILES);
    const attr = (n: number) => holding(...Array.from({ length: 50 }, (_, i) => i).filter((i) => (n >> i) % 2 === 1));
    const ask = (n: number) => decide(set, request({ action: "fifty", attr: attr(n) }));
    times(25, () => ask(0));
    const all = Array.from({ length: 255 }, (_, n) => ask(n + 1));
    expect(ask(1)).toBe(all[0]);
    // These decisions and the first one fill the list; one more empties it.
    expect(ask(0)).toBe(ask(0));
    ask(256);
    expect(ask(256)).toBe(ask(256));
    expect(ask(1)).not.toBe(all[0]);
  });
});

describe("functions", () => {
  /** Whether a generated function decides a request that closures allow. */
  const isByFunction = (set: PolicySet) => decide(set, request({ attr: holding(0) })).outcome !== "allow";

  test("are asked for when a plan has proved to be in use, and no more where there is none", () => {
    const source = new Source();
    source.functions = undefined;
    const set = setWith(() => source);
    times(2, () => decide(set, request()));
    expect(source.holders).toHaveLength(0);
    decide(set, request());
    expect(source.holders).toEqual([tableOf(set).plans.permission]);
    times(20, () => decide(set, request()));
    expect(source.holders).toHaveLength(1);
    expect(source.readerHolders).toHaveLength(0);
    expect(isByFunction(set)).toBe(false);
  });

  test("are asked for later each time that they are taken back", () => {
    const source = new Source();
    const set = setWith(() => source);
    const found = () => isByFunction(set);
    expect([found(), found(), found(), found()]).toEqual([false, false, true, true]);
    for (const waits of [6, 12, 24]) {
      const before = source.holders.length;
      tableOf(set).plans.permission.release();
      times(waits - 1, () => expect(found()).toBe(false));
      expect(source.holders).toHaveLength(before);
      expect(found()).toBe(true);
      expect(source.holders).toHaveLength(before + 1);
    }
  });

  test("that read resources are asked for again when they, or those of a plan, are taken back", () => {
    const source = new Source();
    const set = setWith(() => source);
    const { plans } = tableOf(set);
    times(10, () => decide(set, request()));
    expect(source.readerHolders).toEqual([plans]);
    plans.release();
    times(10, () => decide(set, request()));
    expect(source.readerHolders).toHaveLength(2);
    plans.permission.release();
    times(20, () => decide(set, request()));
    expect(source.readerHolders).toHaveLength(3);
  });

  test("are not asked for where nothing makes any, and closures decide", () => {
    const set = setWith(CLOSURES_ONLY.source);
    for (const x of [true, false]) {
      const asked = request({ attr: { a_0: x } });
      times(30, () => expect(decide(set, asked).outcome).toBe(x ? "allow" : "insufficient_permissions"));
    }
  });

  test("are asked for at once where they were made ahead of time", () => {
    const source = new Source();
    source.warmUp = 1;
    expect([isByFunction(setWith(() => source)), source.holders.length]).toEqual([true, 1]);
  });

  test("are not needed where there are no conditions", () => {
    const source = new Source();
    const set = setWith(() => source);
    times(10, () => expect(decide(set, request({ action: "none" })).outcome).toBe("allow"));
    expect(source.holders).toHaveLength(0);
  });

  test.each<readonly [string, unknown]>([
    ["is no set", -1],
    ["has too few words", []],
    ["has other words", ["1"]],
    ["is a text", "1"],
    ["is nothing", undefined],
  ])("what %s is left to closures", (_, found) => {
    const source = new Source();
    source.functions = source.functions && { ...source.functions, judge: () => found };
    const set = setWith(() => source);
    for (let i = 0; i < 5; i++) {
      const { permission, platform, outcome } = decide(set, request({ attr: holding(0) }));
      expect([permission.reasons[0]?.rule, platform.effect, outcome]).toEqual(["one_0", "allow", "allow"]);
      expect(decide(set, request()).permission.errors).toHaveLength(1);
    }
  });

  test("and so is what throws as it reads", () => {
    for (const part of ["principal", "resource"] as const) {
      const source = new Source();
      source.functions = source.functions && {
        ...source.functions,
        read: part === "principal" ? raised : source.functions.read,
        judge: (principal, resource) => (principal.values.k < 0 || resource.first.k < 0 ? -1 : 0),
      };
      if (part === "resource") source.reader = raised;
      const set = setWith(() => source);
      times(10, () => expect(isByFunction(set)).toBe(false));
      expect(source.readerHolders).toHaveLength(1);
    }
  });

  test("and the conditions that they leave", () => {
    const source = new Source();
    // The function evaluated the first condition as true and left these to closures.
    source.functions = source.functions && { ...source.functions, judge: () => 1, left: [1, 2, 3, 4, 5, 6, 7] };
    const set = setWith(() => source);
    const ask = () => decide(set, request({ action: "eight", attr: holding(4, 6) }));
    times(5, ask);
    expect(ask().permission.reasons.map(({ rule }) => rule)).toEqual(["eight_0", "eight_4", "eight_6"]);
    expect(ask()).toBe(ask());
  });
});

function raised(): never {
  throw new Error("a getter");
}

describe("a decider", () => {
  const { key, account } = request();

  /** Asks a decider, with the account if it is not bound. */
  const ask = (decider: AnyDecider, question: Question = {}): Decision => {
    const { key: _, account: __, ...rest } = request(question);
    return decider.decide(rest);
  };

  /** How often `run` looks up plans, and reads a key. */
  function counted(run: () => void) {
    const found = vi.spyOn(DecisionTables.prototype, "find");
    const read = vi.spyOn(CompiledPlan.prototype, "readPrincipal");
    run();
    const keys = read.mock.calls.filter(([{ part }]) => part === "key").length;
    const counts = { found: found.mock.calls.length, keys };
    for (const spy of [found, read]) spy.mockRestore();
    return counts;
  }

  test("looks for a plan once for each kind and action, in whatever order they come", () => {
    const questions: readonly Question[] = [
      {},
      { action: "none" },
      { kind: "note" },
      {},
      { kind: "note", action: "none" },
      { kind: "note" },
    ];
    const set = setWith(() => new Source());
    const decider = deciderOf(set, { key, account });
    expect(counted(() => times(5, () => questions.map((one) => ask(decider, one)))).found).toBe(4);
  });

  test("shares what decides with all who have the same names, and with nobody else", () => {
    const files = [
      ...FILES,
      {
        path: "principals/someone.yaml",
        text: "apiVersion: api.cerbos.dev/v1\nprincipalPolicy: { principal: someone, version: default, rules: [] }",
      },
    ];
    const { tables } = setWith(() => new Source(), files);
    const whose = { id: "a", roles: ["account"], attr: {}, scope: "" };
    const of = (changes: { id?: string; roles?: string[]; scope?: string; attr?: object }, account?: typeof whose) =>
      tables.of({ id: "k", roles: ["user"], scope: "", ...changes, attr: { ...changes.attr } }, account);
    const shared = of({});
    expect(of({ id: "another", attr: { x: 1 } })).toBe(shared);
    expect(of({}, whose)).toBe(shared);
    for (const other of [{ roles: ["other"] }, { roles: ["user", "other"] }, { scope: "acme" }]) {
      expect(of(other)).not.toBe(shared);
      expect(of(other)).toBe(of(other));
    }
    expect(of({ id: "someone" })).not.toBe(of({ id: "someone" }));
    expect(of({}, { ...whose, scope: "acme" })).not.toBe(shared);
  });

  test("reads its key once, when there are functions that do", () => {
    for (const subjects of [{ key, account }, { key }]) {
      const source = new Source();
      const decider = deciderOf(
        setWith(() => source),
        subjects,
      );
      const { key: _, account: own, ...rest } = request();
      const asked = "account" in subjects ? rest : { ...rest, account: own };
      const once = () => counted(() => decider.decide(asked)).keys;
      const counts = Array.from({ length: source.warmUp + 5 }, once);
      expect(counts).toEqual([0, 0, 1, 0, 0, 0, 0, 0]);
    }
  });

  test("keeps one frame for all plans of a reader, and frames of so many readers", () => {
    const kinds = Array.from({ length: 17 }, (_, i) => `kind_${i}`);
    const rule = `actions: [one], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.a_0 == true")}`;
    const files = kinds.map((resource) => ({ path: `${resource}.yaml`, text: policy({ resource, rules: [rule] }) }));
    const readsOf = (source: Source, some: readonly string[]) => {
      source.warmUp = 1;
      const set = setWith(() => source, [...FILES, ...files]);
      const decider = deciderOf(set, { key, account });
      return counted(() => times(2, () => some.map((kind) => ask(decider, { kind })))).keys;
    };
    expect(readsOf(new Source(), kinds)).toBe(1);
    for (const [count, expected] of [
      [1, 1],
      [16, 16],
      [17, 34],
    ] as const) {
      expect(readsOf(new SourceOfReaders(), kinds.slice(0, count))).toBe(expected);
    }
  });

  test("takes what it was asked last for no other kind, action or scope", () => {
    const questions: readonly Question[] = [
      ...[{}, { kind: "note" }, {}, { action: "none" }, {}, { scope: "acme" }, {}, { action: "eight" }],
    ];
    const set = setWith(() => new Source());
    const decider = deciderOf(set, { key, account });
    const decided = vi.spyOn(DecisionTable.prototype, "decideRead");
    for (const question of [...questions, ...questions]) ask(decider, question);
    const asked = decided.mock.contexts;
    decided.mockRestore();
    for (const [i, question] of [...questions, ...questions].entries()) expect(asked[i]).toBe(tableOf(set, question));
    expect(new Set(asked).size).toBe(5);
  });
});
