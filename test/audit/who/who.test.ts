/** Who may perform an operation: refusals, results without a proof, and the wording. */

import { afterAll, describe, expect, test, vi } from "vitest";
import { type OperationWays, whoMay, whoText } from "../../../src/audit/index.js";
import { decideAny } from "../../../src/decisions/decide.js";
import { findSolver, type Solver } from "../../../src/solver/solver.js";
import { requestOf } from "../../../src/space/draft.js";
import { permissions, policy, supportAll, when } from "../../support/compose.js";
import { compiled, SHIPPED_ROOT, shipped } from "../../support/policies.js";
import { keyward, withFiles } from "../../support/terminal.js";

const ALLOW = "actions: [read], effect: EFFECT_ALLOW";
const DENY = "actions: [read], effect: EFFECT_DENY";

describe("what the policies do not know is refused", () => {
  test.each([
    ["apis.deleteApis", undefined, "no policy knows the operation apis.deleteApis", 'did you mean "apis.deleteApi"?'],
    ["apis.deleteApi", "apii", "no policy is about the kind apii", 'did you mean "api"?'],
  ])("%s on %s", async (operation, kind, message, hint) => {
    const found = await whoMay(shipped, operation, undefined, kind === undefined ? {} : { kind });
    expect(found).toEqual({ kind: "unknown", message, hint });
  });

  test("by the command: bad input", async () => {
    const { code, out, err } = await keyward(["who", "apis.deleteApis", "--policies", SHIPPED_ROOT]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe('keyward who: no policy knows the operation apis.deleteApis (did you mean "apis.deleteApi"?)\n');
  });

  test.each([
    [["--policies", SHIPPED_ROOT], 2],
    [["apis.getApi"], 2],
    [["apis.getApi", "--policies", "/nowhere"], 2],
    [["apis.getApi", "--policies", SHIPPED_ROOT, "--limit", "many"], 2],
    [["apis.getApi", "--policies", SHIPPED_ROOT, "--limit", "0"], 2],
    [["apis.getApi", "--policies", SHIPPED_ROOT, "--format", "sarif"], 2],
    [["apis.getApi", "--policies", SHIPPED_ROOT, "--total-time", "0"], 2],
  ])("%j", async (args, code) => {
    expect((await keyward(["who", ...args])).code).toBe(code);
  });

  test("policies that are invalid: 3", async () => {
    const { code } = await withFiles({ "doc.yaml": "resourcePolicy: 7\n" }, (directory) =>
      keyward(["who", "read", "--policies", directory]),
    );
    expect(code).toBe(3);
  });
});

describe("what is not proved", () => {
  const unsearched = "apis.getApi on api: the search for ways did not run: no solver was used: ";

  test("without a solver: that nothing was looked for, and how to install one", async () => {
    const found = await whoMay(shipped, "apis.getApi", undefined);
    const operations = found.kind === "answered" ? found.operations : [];
    expect(operations).toMatchObject([{ searched: false, result: "unproven", ways: [] }]);
    expect(whoText(operations)).toMatch(new RegExp(`^${unsearched}.*npm install --save-dev z3-solver.*\n$`));
  });

  test("by the command without one: that none was wanted", async () => {
    const { code, out } = await keyward(["who", "apis.getApi", "--policies", SHIPPED_ROOT, "--no-solver"]);
    expect([code, out]).toEqual([5, `${unsearched}--no-solver was given\n`]);
  });

  test("a solver that ends", async () => {
    const solver: Solver = {
      ask: () => Promise.resolve({ kind: "unknown", why: "it took more than 1 s" }),
      close: () => undefined,
      version: "0",
      timeLimit: 1_000,
    };
    const found = await whoMay(shipped, "apis.getApi", solver);
    const why = "it took more than 1 s";
    expect(found).toMatchObject({ operations: [{ searched: true, result: "unproven", ways: [], why }] });
    const text = whoText(found.kind === "answered" ? found.operations : []);
    expect(text).toContain("apis.getApi on api may be allowed, but no way was found.\n");
  });
});

describe("ways", { tags: "long" }, () => {
  const solver = findSolver();
  afterAll(() => solver?.close());

  /** The requirements of each way, its own and the common ones, sorted. */
  async function waysOf(rules: readonly string[], limit = 20): Promise<OperationWays> {
    const set = permissions({ "doc.yaml": policy({ rules: rules.map((rule, i) => `name: r${i}, ${rule}`) }) });
    const found = await whoMay(set, "read", solver, { limit });
    const [one] = found.kind === "answered" ? found.operations : [];
    if (one === undefined) throw new Error("there is no answer");
    for (const { request } of one.ways) expect(decideAny(set, requestOf(request)).outcome).toBe("allow");
    return one;
  }

  const said = ({ ways }: OperationWays) =>
    ways.map(({ when: all, told }) => [...all, ...told].map(({ text }) => text)).toSorted();

  const ROOT = "the resource has no scope";
  const OWNER = "the resource's `owner` is the key's id";

  test.each<[string, readonly string[], readonly (readonly string[])[]]>([
    ["nobody", [`${DENY}, roles: ["*"]`], []],
    ["a denial that covers it", [`${ALLOW}, roles: [user]`, `${DENY}, roles: ["*"]`], []],
    ["a role", [`${ALLOW}, roles: [user]`], [["the key has the role `user`", ROOT]]],
    ["every role", [`${ALLOW}, roles: ["*"]`], [[ROOT]]],
    [
      "a role, or who owns it",
      [`${ALLOW}, roles: [admin]`, `${ALLOW}, roles: ["*"], ${when("R.attr.owner == P.id")}`],
      [
        [ROOT, OWNER],
        ["the key has the role `admin`", ROOT, `checking whether ${OWNER} causes no error`],
      ],
    ],
    [
      "unless a denial holds",
      [`${ALLOW}, roles: [user]`, `${DENY}, roles: ["*"], ${when('R.attr.state == "locked" || R.attr.size > 3.0')}`],
      [
        [
          "the key has the role `user`",
          ROOT,
          'the resource\'s `state` is not `"locked"`',
          "the resource's `size` is not more than `3.0`",
        ],
      ],
    ],
    [
      "what another statement implies is not said",
      [`${ALLOW}, roles: [user], ${when('R.attr.size > 3.0 && R.attr.size > 1.0 && R.attr.state in ["a", "b"]')}`],
      [
        [
          "the key has the role `user`",
          ROOT,
          "the resource's `size` is more than `3.0`",
          'the resource\'s `state` is one of `"a"` or `"b"`',
        ],
      ],
    ],
    [
      "a way within another is none of its own",
      [
        `${ALLOW}, roles: [user], ${when("R.attr.size > 3.0")}`,
        `${ALLOW}, roles: [user], ${when("R.attr.size > 1.0")}`,
      ],
      [["the key has the role `user`", ROOT, "the resource's `size` is more than `1.0`"]],
    ],
    [
      "what cannot be is none",
      [`${ALLOW}, roles: [user], ${when('(R.attr.state == "a" || R.attr.size < 1.0) && R.attr.state == "b"')}`],
      [
        [
          "the key has the role `user`",
          ROOT,
          "the resource's `size` is less than `1.0`",
          'the resource\'s `state` is `"b"`',
        ],
      ],
    ],
  ])("%s", async (_what, rules, wanted) => {
    const found = await waysOf(rules);
    expect(found).toMatchObject({ result: "proved", unshown: [] });
    expect(said(found)).toEqual(wanted.toSorted());
  });

  test("an allowed request fits a way, even if it lacks what another role's rule reads", async () => {
    const small = when("P.attr.n <= 1.0");
    const found = await waysOf([
      `${ALLOW}, roles: ["*"], ${small}`,
      `${DENY}, roles: [admin], ${small}`,
      `${ALLOW}, roles: [user], ${when('"u" in P.attr.l')}`,
    ]);
    const reads = 'checking whether `"u"` is in the key\'s `l` causes no error';
    expect(found.result).toBe("proved");
    // A key without the role `user` needs no list.
    const others = said(found).filter((all) => !all.includes("the key has the role `user`"));
    expect(others.some((all) => !all.includes(reads))).toBe(true);
  });

  const IN = "R.attr.team in P.attr.teams";

  test.each<[string, readonly string[]]>([
    [
      "an element, beside another rule",
      [`${ALLOW}, roles: [user], ${when(IN)}`, `${ALLOW}, roles: [user], ${when("R.attr.owner == P.id")}`],
    ],
    [
      "an element, or another role",
      [`${ALLOW}, roles: [user], ${when(IN)}`, `${ALLOW}, roles: [admin], ${when("R.attr.org == P.attr.org")}`],
    ],
    ["a key of a map", [`${ALLOW}, roles: [user], ${when(`has(P.attr.teams.a) && ${IN}`)}`]],
    [
      "a list as an element",
      [`${ALLOW}, roles: [user], ${when(`R.attr.team[0] == "a" && P.attr.teams[0] == "b" && ${IN}`)}`],
    ],
    [
      "a map as an element",
      [`${ALLOW}, roles: [user], ${when(`R.attr.team.a == "a" && P.attr.teams[0] == "b" && ${IN}`)}`],
    ],
  ])("membership of unknown values has examples: %s", async (_, rules) => {
    const { result, unshown } = await waysOf(rules);
    expect([result, unshown]).toEqual(["proved", []]);
  });

  test("a list is no element of itself, which is not proved", async () => {
    expect(await waysOf([`${ALLOW}, roles: [user], ${when("R.attr.l in R.attr.l")}`])).toMatchObject({ ways: [] });
  });

  test("more than are wanted: not proved to be all", async () => {
    const found = await waysOf(
      ["a", "b", "c"].map((role) => `${ALLOW}, roles: [${role}]`),
      2,
    );
    expect(found).toMatchObject({ result: "unproven", why: "there are more than 2" });
    expect(found.ways.length).toBe(2);
  });

  test("the time for all questions together is over: what was found is said, and nothing else is asked", async () => {
    const found = findSolver();
    if (found === undefined) throw new Error("there is no solver");
    const clock = vi.spyOn(performance, "now").mockReturnValue(0);
    // The clock advances only with solver queries, so every run asks the same ones.
    const ask = vi.spyOn(found, "ask");
    const second = 1_000;
    clock.mockImplementation(() => ask.mock.calls.length * second);
    const rules = Array.from({ length: 30 }, (_, i) => `${ALLOW}, roles: [r${i}]`);
    const kinds = ["doc", "key"];
    const files = kinds.map((resource) => ({ path: `${resource}.yaml`, text: policy({ resource, rules }) }));
    const set = compiled([...supportAll(...kinds), ...files]);
    const may = await whoMay(set, "read", found, { timeLimit: 60 * second });
    vi.restoreAllMocks();
    found.close();
    const why = "the time limit for all questions (60 s) was reached";
    const [first, next] = may.kind === "answered" ? may.operations : [];
    expect(first).toMatchObject({ kind: "doc", searched: true, result: "unproven", unshown: [], why });
    expect(first?.ways.length).toBeGreaterThan(0);
    expect(first?.ways.length).toBeLessThan(30);
    expect(next).toMatchObject({ kind: "key", searched: false, result: "unproven", ways: [], unshown: [], why });
    expect(ask.mock.calls.length).toBeLessThanOrEqual(60);
  });

  test("what depends on a function without a translation is said not to be shown", async () => {
    const found = await waysOf([`${ALLOW}, roles: [user], ${when('R.attr.name.matches("^x{3}y$")')}`]);
    expect(found).toMatchObject({ result: "unproven", ways: [] });
    expect(found.unshown.map(({ when: all }) => all.at(-1)?.source)).toEqual(['R.attr.name.matches("^x{3}y$")']);
    expect(whoText([found])).toContain("Without an example: when");
  });

  test("by the command: text, and JSON", async () => {
    const { code, out } = await keyward(["who", "apis.deleteApi", "--policies", SHIPPED_ROOT]);
    expect(code).toBe(0);
    expect(out).toContain("apis.deleteApi on api is allowed in 2 ways. It is proved that there are no others.\n");
    expect(out).toContain("     - the resource's `keyCount` is `0`\n");
    expect(out).toMatch(/ {2}\d\. When\n {5}- the key has the role `admin`\n/);
    const json = await keyward([
      "who",
      "apis.deleteApi",
      "--policies",
      SHIPPED_ROOT,
      "--kind",
      "api",
      "--format",
      "json",
    ]);
    const { result, operations } = JSON.parse(json.out);
    expect([json.code, result, operations.length, operations[0].ways.length]).toEqual([0, "proved", 1, 2]);
    const requests = operations[0].ways.map((way: { request: unknown }) => `${JSON.stringify(way.request)}\n`).join("");
    const decided = await keyward(["decide", "--policies", SHIPPED_ROOT], requests);
    for (const line of decided.out.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ outcome: "allow" });
  });
});
