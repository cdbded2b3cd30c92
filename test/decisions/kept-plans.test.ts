/** What is kept of a question is not made again, and no more is kept than is allowed; counted, with a source of functions that counts. */

import { describe, expect, test, vi } from "vitest";
import { BoundPage, BoundPair } from "../../src/decisions/bound-pair.js";
import { Asked, Pair } from "../../src/decisions/pair.js";
import type { Decision } from "../../src/decisions/types.js";
import type { Binding, FunctionSource, Holder, Holding } from "../../src/engine/evaluate/equipment.js";
import { Joint } from "../../src/engine/evaluate/joint.js";
import { Layer } from "../../src/engine/evaluate/layer.js";
import { WHOLE, WITHOUT_CODE } from "../../src/engine/evaluate/whole.js";
import { Recent } from "../../src/engine/plan/recent.js";
import type { JointRequest } from "../../src/engine/plan/subjects.js";
import { policy, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

/** For each action of a name as many rules that look at an attribute each. */
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

/** Counts what it is asked for. */
class Source implements FunctionSource {
  warmUp = 3;
  readonly holders: Holder[] = [];
  readonly bindingHolders: Holder[] = [];
  readonly boundParts: (readonly string[])[] = [];
  binds = 0;
  holding: Holding | undefined = { run: () => 0, left: [], reads: [] };
  binding: Binding | undefined = {
    stages: {
      bind: () => {
        this.binds++;
        return {};
      },
      run: () => 0,
    },
    reads: [],
  };

  functionFor(_wanted: unknown, holder: Holder): Holding | undefined {
    this.holders.push(holder);
    return this.holding;
  }

  bindingFor(_wanted: unknown, bound: ReadonlySet<string>, holder: Holder): Binding | undefined {
    this.boundParts.push([...bound]);
    this.bindingHolders.push(holder);
    return this.binding;
  }
}

function pairWith(source: FunctionSource, files = FILES): Pair {
  const { model } = compiled(files);
  const equipment = { ...WHOLE, source: () => source };
  const options = { equipment, codegen: true, globals: {}, typedReads: true, enforceSchemas: false };
  return new Pair(
    new Layer(model, "default", "not_granted", options),
    new Layer(model, "platform", "not_available", options),
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
  readonly attr?: JointRequest["resource"]["attr"];
}

function request(question: Question = {}): JointRequest {
  const { kind = "doc", action = "one", roles = ["user"], key = "k", account = "a", attr = {}, scope = "" } = question;
  return {
    key: { id: key, roles, attr: {}, scope: question.keyScope ?? "" },
    account: { id: account, roles: ["account"], attr: {}, scope: question.accountScope ?? "" },
    resource: { kind, id: "r", attr, scope },
    action,
    now: undefined,
  };
}

describe("plans are looked for once", () => {
  test.each<readonly [string, Question, number]>([
    ["in the root scope", {}, 2],
    ["in the scope of a resource", { scope: "acme" }, 2],
    ["in the scope of a key", { keyScope: "acme" }, 2],
    ["for each question of an account that has a scope", { accountScope: "acme" }, 6],
    ["for each question of a key that has policies", { key: "personal" }, 6],
    ["for each question of an account that has policies", { account: "personal_account" }, 6],
  ])("%s", (_, question, times) => {
    const pair = pairWith(new Source(), [...FILES, ...PERSONAL]);
    const planned = vi.spyOn(Layer.prototype, "planned");
    const all = [request(question), request(question), request(question)].map((one) => pair.asked(one));
    expect(planned).toHaveBeenCalledTimes(times);
    planned.mockRestore();
    expect(new Set(all).size).toBe(times / 2);
    expect(new Set(all.map(({ joint }) => joint)).size).toBe(1);
  });

  test("what decides is the same for all names that choose the same plans", () => {
    const pair = pairWith(new Source());
    const [first, ...others] = [["other"], ["another"], ["other", "another"]].map((roles) =>
      pair.asked(request({ roles })),
    );
    for (const one of others) expect(one).toBe(first);
    expect(pair.asked(request({ roles: ["user"] }))).not.toBe(first);
  });

  test("what chooses other plans does not find them", () => {
    const pair = pairWith(new Source(), [...FILES, ...PERSONAL]);
    const questions = [
      ...[{}, { action: "none" }, { kind: "note" }, { roles: ["nobody"] }, { scope: "acme" }, { key: "personal" }],
      { account: "personal_account" },
    ].map(request);
    const all = [...questions, ...questions].map((one) => pair.asked(one).joint);
    expect(new Set(all).size).toBe(questions.length);
    expect(all.slice(questions.length)).toEqual(all.slice(0, questions.length));
  });
});

/** A resource on which the rules with these numbers hold. */
const holding = (...rules: readonly number[]) =>
  Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`a_${i}`, rules.includes(i)]));

describe("decisions", () => {
  test.each(["none", "eight", "nine", "fifty", "many"] as const)("are kept, and frozen, of %s", (action) => {
    const { permission, platform: wall } = compiled(FILES);
    const pair = new Pair(permission, wall);
    const ask = (attr: Question["attr"] & object) => pair.decision(request({ action, attr }));
    for (let i = 0; i < 25; i++) ask(holding(0));
    const [a, b] = [holding(1), holding(1, 2)];
    const first = ask(a);
    expect(ask({ ...a })).toBe(first);
    expect(ask({ ...b })).toBe(ask(b));
    expect(ask(a)).toBe(first);
    expect(Object.isFrozen(ask(a))).toBe(true);
    if (action !== "none") expect(ask(b)).not.toBe(ask(a));
    // One that errs is of its request alone.
    if (action !== "none") expect(ask({})).not.toBe(ask({}));
  });

  test("with outputs that are the same for every request are", () => {
    const rule = `name: told, actions: [told], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.a_0 == true")}, output: { when: { ruleActivated: '"yes"' } }`;
    const set = compiled([
      { path: "doc.yaml", text: policy({ rules: [rule] }) },
      { path: "p.yaml", text: platform("doc") },
    ]);
    const ask = () => set.pair.decision(request({ action: "told", attr: holding(0) }));
    for (let i = 0; i < 25; i++) ask();
    expect(ask()).toBe(ask());
    expect(ask().permission.outputs.map(({ val }) => val)).toEqual(["yes"]);
    expect(Object.isFrozen(ask().permission.outputs[0])).toBe(true);
  });

  test("so is the fault of one", () => {
    const { permission, platform: wall } = compiled(FILES);
    const pair = new Pair(permission, wall);
    const ask = () => pair.decision(request({ action: "unknown" }));
    for (let i = 0; i < 25; i++) ask();
    expect(ask()).toBe(ask());
    expect(ask().fault?.kind).toBe("unknown_operation");
    expect(Object.isFrozen(ask().fault)).toBe(true);
  });

  test("with outputs are not", () => {
    const { permission, platform: wall } = compiled(FILES);
    const pair = new Pair(permission, wall);
    const ask = () => pair.decision(request({ action: "told", attr: holding(0) }));
    for (let i = 0; i < 25; i++) ask();
    expect(ask()).toEqual(ask());
    expect(ask()).not.toBe(ask());
    expect(Object.isFrozen(ask())).toBe(false);
  });

  test("of what no policy has say each what it is that they do not know", () => {
    const { permission, platform: wall } = compiled(FILES);
    const pair = new Pair(permission, wall);
    const questions = [{ action: "x" }, { action: "y" }, { kind: "k", action: "x" }, { kind: "l", action: "x" }].map(
      request,
    );
    for (let i = 0; i < 25; i++) {
      const told = questions.map((one) => pair.decision(one).fault?.message ?? "");
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
    }
  });

  test("of a key that has policies are not, for they are asked for anew", () => {
    const { permission, platform: wall } = compiled([...FILES, ...PERSONAL]);
    const pair = new Pair(permission, wall);
    const ask = () => pair.decision(request({ key: "personal", action: "nine", attr: holding(1) }));
    for (let i = 0; i < 25; i++) ask();
    expect(ask()).not.toBe(ask());
    expect(Object.isFrozen(ask())).toBe(false);
  });

  test("are let go when there are too many", () => {
    const { permission, platform: wall } = compiled(FILES);
    const asked = new Pair(permission, wall).asked(request({ action: "fifty" }));
    const attr = (n: number) => holding(...Array.from({ length: 50 }, (_, i) => i).filter((i) => (n >> i) % 2 === 1));
    const ask = (n: number) => {
      const one = request({ action: "fifty", attr: attr(n) });
      return asked.decision(asked.joint.found(one), one);
    };
    for (let i = 0; i < 25; i++) ask(0);
    const all = Array.from({ length: 255 }, (_, n) => ask(n + 1));
    expect(ask(1)).toBe(all[0]);
    // The list is full with this one and the first, and one more empties it.
    expect(ask(0)).toBe(ask(0));
    ask(256);
    expect(ask(256)).toBe(ask(256));
    expect(ask(1)).not.toBe(all[0]);
  });
});

const BARE = request();

/** Both layers on an action, as often as is said. */
function times(count: number, run: () => unknown): void {
  for (let i = 0; i < count; i++) run();
}

describe("functions", () => {
  test("are asked for when a plan has proved to be in use, and no more where there is none", () => {
    const source = new Source();
    source.holding = undefined;
    const { joint } = pairWith(source).asked(BARE);
    times(2, () => joint.found(BARE));
    expect(source.holders).toHaveLength(0);
    joint.found(BARE);
    expect(source.holders).toEqual([joint]);
    times(20, () => joint.found(BARE));
    expect(source.holders).toHaveLength(1);
    expect(joint.found(BARE)).toBeUndefined();
  });

  test("are asked for later each time that they are taken back", () => {
    const source = new Source();
    const { joint } = pairWith(source).asked(BARE);
    const found = () => joint.found(BARE);
    expect([found(), found(), found(), found()]).toEqual([undefined, undefined, 0, 0]);
    for (const waits of [6, 12, 24]) {
      const before = source.holders.length;
      joint.release();
      times(waits - 1, () => expect(found()).toBeUndefined());
      expect(source.holders).toHaveLength(before);
      expect(found()).toBe(0);
      expect(source.holders).toHaveLength(before + 1);
    }
  });

  test("are not asked for where nothing makes any, and closures decide", () => {
    const { model } = compiled(FILES);
    const options = { equipment: WITHOUT_CODE, codegen: true, globals: {}, typedReads: true, enforceSchemas: false };
    const pair = new Pair(new Layer(model, "default", "not_granted", options), undefined);
    for (const x of [true, false]) {
      const asked = request({ attr: { a_0: x } });
      times(30, () => expect(pair.decision(asked).outcome).toBe(x ? "allow" : "insufficient_permissions"));
    }
  });

  test("of one layer without conditions are not needed", () => {
    const source = new Source();
    const { permission } = pairWith(source);
    const { joint } = new Pair(permission, undefined).asked(request({ action: "none" }));
    expect([joint.isSteady, joint.found(request({ action: "none" }))]).toEqual([true, 0]);
  });

  test("are asked for at once where they were made ahead of time", () => {
    const source = new Source();
    source.warmUp = 1;
    const { joint } = pairWith(source).asked(BARE);
    expect([joint.found(BARE), source.holders.length]).toEqual([0, 1]);
  });

  test("are not needed where there are no conditions", () => {
    const source = new Source();
    const none = request({ action: "none" });
    const { joint } = pairWith(source).asked(none);
    times(10, () => expect(joint.found(none)).toBe(0));
    expect(source.holders).toHaveLength(0);
  });

  test.each<readonly [string, unknown]>([
    ["is no set", [-1]],
    ["has too few words", []],
    ["has other words", ["1"]],
    ["is a text", "1"],
    ["is nothing", undefined],
  ])("what %s is left to closures", (_, found) => {
    const { joint } = pairWith(new Source()).asked(BARE);
    const one = request({ attr: holding(0) });
    const { first, second, isShared } = joint.verdicts(found, one);
    expect([first.effect, first.reasons[0]?.rule, second?.effect, isShared]).toEqual([
      "allow",
      "one_0",
      "allow",
      false,
    ]);
    expect(joint.verdicts(found, request()).first.errors).toHaveLength(1);
  });

  test("and so is what throws, and what they leave", () => {
    const source = new Source();
    source.holding = {
      run: () => {
        throw new Error("a getter");
      },
      left: [],
      reads: [],
    };
    const { joint } = pairWith(source).asked(BARE);
    times(5, () => expect(joint.found(BARE)).toBeUndefined());
    const other = new Source();
    // Of these two, it has found the first to hold, and left the others.
    other.holding = { run: () => 3, left: [1, 2, 3, 4, 5, 6, 7], reads: [] };
    const eight = request({ action: "eight", attr: holding(4, 6) });
    const some = pairWith(other).asked(eight).joint;
    times(3, () => some.found(eight));
    const verdicts = some.verdicts(some.found(eight), eight);
    expect(verdicts.first.reasons.map(({ rule }) => rule)).toEqual(["eight_0", "eight_4", "eight_6"]);
    expect(verdicts.isShared).toBe(false);
  });
});

describe("functions that are bound", () => {
  const bound = (joint: Joint) => joint.boundTo("principal", BARE.key, BARE.account);

  test("are asked for once there is one that is not, and then once", () => {
    const source = new Source();
    const { joint } = pairWith(source).asked(BARE);
    expect(bound(joint)).toBeUndefined();
    times(3, () => joint.found(BARE));
    times(2, () => expect(bound(joint)).toBeDefined());
    expect(source.boundParts).toEqual([["principal"]]);
    expect([source.bindingHolders.length, source.binds]).toEqual([1, 2]);
    expect(joint.boundTo("both", BARE.key, BARE.account)).toBeDefined();
    expect(source.boundParts.slice(1)).toEqual([["principal", "account"]]);
    source.bindingHolders[0]?.release();
    expect(bound(joint)).toBeDefined();
    expect(source.bindingHolders).toHaveLength(3);
    expect(joint.boundTo("both", BARE.key, BARE.account)).toBeDefined();
    expect(source.bindingHolders).toHaveLength(3);
  });

  test("are not asked for again where there are none", () => {
    const source = new Source();
    source.binding = undefined;
    const { joint } = pairWith(source).asked(BARE);
    times(3, () => joint.found(BARE));
    times(3, () => expect(bound(joint)).toBeUndefined());
    expect(source.bindingHolders).toHaveLength(1);
    const unable: FunctionSource = { warmUp: 1, functionFor: () => source.holding };
    const other = pairWith(unable).asked(BARE).joint;
    other.found(BARE);
    expect(bound(other)).toBeUndefined();
  });

  test("are awaited as long as there may be a function", () => {
    const source = new Source();
    source.holding = undefined;
    const { joint } = pairWith(source).asked(BARE);
    const awaits = [0, 1, 2, 3].map(() => [joint.awaitsFunction, joint.found(BARE)][0]);
    expect(awaits).toEqual([true, true, true, false]);
    const other = pairWith(new Source()).asked(BARE).joint;
    times(3, () => other.found(BARE));
    expect(other.awaitsFunction).toBe(false);
    other.release();
    expect(other.awaitsFunction).toBe(true);
    const none = compiled(FILES, { codegen: false }).pair.asked(BARE).joint;
    expect([none.awaitsFunction, none.found(BARE), none.awaitsFunction]).toEqual([true, undefined, false]);
  });

  test("are none without a source", () => {
    const set = compiled(FILES, { codegen: false });
    const none = request({ action: "none" });
    expect(bound(set.pair.asked(none).joint)).toBeUndefined();
    expect(set.pair.decision(none).outcome).toBe("allow");
  });

  test.each<readonly [string, (source: Source) => void]>([
    ["throws", (source) => (source.binding = { stages: { bind: () => raised(), run: () => 0 }, reads: [] })],
    ["gives nothing", (source) => (source.binding = { stages: { bind: () => undefined, run: () => 0 }, reads: [] })],
  ])("what %s as it is bound is none", (_, change) => {
    const source = new Source();
    change(source);
    const { joint } = pairWith(source).asked(BARE);
    times(3, () => joint.found(BARE));
    expect(bound(joint)).toBeUndefined();
  });

  test.each<readonly [string, boolean, (source: Source) => void]>([
    ["fifty", true, () => {}],
    ["many", false, () => {}],
    ["told", false, () => {}],
    ["one", false, (source) => (source.holding = { run: () => 0, left: [0], reads: [] })],
  ])("of %s: %s", (action, expected, change) => {
    const source = new Source();
    change(source);
    const one = request({ action });
    const { joint } = pairWith(source).asked(one);
    times(3, () => joint.found(one));
    expect(bound(joint) !== undefined).toBe(expected);
    expect(source.bindingHolders).toHaveLength(expected ? 1 : 0);
  });
});

function raised(): never {
  throw new Error("hostile");
}

/** A question is asked of a pair that is bound, about the account that is. */
function targeted(pair: BoundPair | BoundPage, question: Question = {}): Decision {
  const { action, resource, now } = request(question);
  const { kind, id, attr, scope } = resource;
  return pair.target(action, kind, id, attr, scope, BARE.account, now);
}

describe("a pair that is bound", () => {
  function counted<T>(run: (ask: (question?: Question) => void) => T, source = new Source(), account = true) {
    const pair = pairWith(source);
    const { key, account: its } = BARE;
    const boundPair = new BoundPair(pair, key, account ? its : undefined);
    const asked = vi.spyOn(Pair.prototype, "asked");
    const boundTo = vi.spyOn(Joint.prototype, "boundTo");
    const found = vi.spyOn(Joint.prototype, "found");
    /** To whom the function was bound that was asked, each time; undefined: it was bound to nobody. */
    const binds: unknown[] = [];
    const ask = (question: Question = {}) => {
      const before = found.mock.calls.length;
      targeted(boundPair, question);
      binds.push(found.mock.calls.length > before ? undefined : boundTo.mock.lastCall?.[0]);
    };
    run(ask);
    const calls = [asked, boundTo].map((spy) => spy.mock.calls.length);
    for (const spy of [asked, boundTo, found]) spy.mockRestore();
    return { asked: calls[0], boundTo: calls[1], binds };
  }

  test("looks for a plan once for each kind and action, in whatever order they come", () => {
    const questions = [
      {},
      { action: "none" },
      { kind: "note" },
      {},
      { kind: "note", action: "none" },
      { kind: "note" },
    ];
    expect(counted((ask) => times(5, () => questions.forEach(ask))).asked).toBe(4);
    expect(counted((ask) => times(5, () => ask())).asked).toBe(1);
  });

  test("has places for so many functions, where two that share one take turns", () => {
    const source = new Source();
    source.warmUp = 1;
    const calls = (kinds: number) =>
      counted((ask) => {
        times(2, () => {
          // Of one character each, so that each has a place of its own among what is remembered.
          for (let i = 0; i < kinds; i++) ask({ kind: String.fromCodePoint(0x4e00 + i) });
        });
      }, source).boundTo;
    expect([1, 16, 17, 40].map(calls)).toEqual([1, 16, 17, 40]);
    expect(calls(320)).toBeGreaterThanOrEqual(320 + 2 * 64);
  });

  test("shares what decides with all who have the same names, and with nobody else", () => {
    const files = [
      ...FILES,
      {
        path: "principals/someone.yaml",
        text: "apiVersion: api.cerbos.dev/v1\nprincipalPolicy: { principal: someone, version: default, rules: [] }",
      },
    ];
    const pair = pairWith(new Source(), files);
    const { key, account } = BARE;
    const of = (changes: Partial<typeof key>, whose: typeof account | undefined = undefined) =>
      pair.questionsOf({ ...key, ...changes }, whose);
    const shared = of({});
    expect(of({ id: "another", attr: { x: 1 } })).toBe(shared);
    expect(of({}, account)).toBe(shared);
    for (const other of [{ roles: ["other"] }, { roles: [...key.roles, "other"] }, { scope: "acme" }]) {
      expect(of(other)).not.toBe(shared);
      expect(of(other)).toBe(of(other));
    }
    expect(of({ id: "someone" })).not.toBe(of({ id: "someone" }));
    expect(of({}, { ...account, scope: "acme" })).not.toBe(shared);
  });

  test("binds what has a function, to both, or to the key alone", () => {
    // As long as there is no function, it is asked for each time; from the next time on it decides.
    const { warmUp } = new Source();
    const bound = (whom: string) => [
      ...new Array<undefined>(warmUp + 1).fill(undefined),
      ...new Array<string>(5).fill(whom),
    ];
    const both = counted((ask) => times(warmUp + 6, () => ask()));
    expect([both.binds, both.boundTo]).toEqual([bound("both"), warmUp + 1]);
    expect(counted((ask) => times(warmUp + 6, () => ask()), new Source(), false).binds).toEqual(bound("principal"));
  });

  test("asks again for one as long as there may be one", () => {
    const source = new Source();
    source.binding = undefined;
    const calls = [1, 3, 4, 200].map((n) => counted((ask) => times(n, () => ask()), source).boundTo);
    expect(calls).toEqual([1, 3, 4, 4]);
    expect(counted((ask) => times(200, () => ask({ action: "none" }))).boundTo).toBe(1);
  });

  test("a page looks up what decides where the kind or the scope changes", () => {
    const { key, account } = BARE;
    const source = new Source();
    const page = new BoundPage(new BoundPair(pairWith(source), key, account));
    const questions = [{}, { kind: "note" }, { scope: "acme" }];
    // Until there is a function, the request is taken up as decide takes it up.
    for (const question of questions) times(source.warmUp + 2, () => targeted(page, question));
    const looked = vi.spyOn(Recent.prototype, "get");
    const calls = [...questions, {}, {}].map((question) => {
      looked.mockClear();
      times(5, () => targeted(page, question));
      return looked.mock.calls.length;
    });
    expect(calls).toEqual([1, 1, 1, 1, 0]);
    looked.mockRestore();
  });

  test.each([
    ["pair", [{}, { kind: "note" }, {}, { action: "none" }, {}, { scope: "acme" }, {}, { action: "eight" }], 5],
    ["page", [{}, { kind: "note" }, {}, { scope: "acme" }, {}, { kind: "note", scope: "acme" }, { kind: "note" }], 4],
  ] as const)(
    "what was asked last of a %s is not taken for another kind, action or scope",
    (which, questions, different) => {
      const pair = pairWith(new Source());
      const { key, account } = BARE;
      const alone = new BoundPair(pair, key, account);
      const boundPair = which === "pair" ? alone : new BoundPage(alone);
      const decided = vi.spyOn(Asked.prototype, "readyFor");
      for (const question of [...questions, ...questions]) targeted(boundPair, question);
      const asked = decided.mock.contexts;
      decided.mockRestore();
      for (const [i, question] of [...questions, ...questions].entries()) {
        expect(asked[i]).toBe(pair.asked({ ...request(question), key, account }));
      }
      expect(new Set(asked).size).toBe(different);
    },
  );
});
