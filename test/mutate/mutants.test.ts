/** The mutants of a policy set: each operator, exact places, and no dependence on anything else. */

import { describe, expect, test } from "vitest";
import { changedLines } from "../../src/mutate/changed-lines.js";
import { type Mutant, mutantsOf } from "../../src/mutate/mutants.js";
import { shuffled } from "../../src/mutate/sample.js";
import { policy, supportAll, when } from "../support/compose.js";
import { compiled, shipped, shippedFiles } from "../support/policies.js";

/** The changes of a file of a set, as `from -> to`. */
function changes(text: string, others: readonly { path: string; text: string }[] = []): readonly string[] {
  const set = compiled([...supportAll("doc"), { path: "doc.yaml", text }, ...others]);
  return mutantsOf(set).flatMap(({ file, from, to }) => (file === "doc.yaml" ? [`${from} -> ${to}`] : []));
}

const rule = (expr: string) => `name: a, actions: [read, write], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`;
const quoted = (change: string) => change.replaceAll('"', '\\"');

/** The changes of a condition in a JSON text. */
const ofCondition = (expr: string) => {
  const without = new Set(changes(policy({ rules: [rule("R.attr.other")] })));
  const found = changes(policy({ rules: [rule(expr)] }));
  return found.filter((one) => !without.has(one) && !one.startsWith("- {"));
};

describe("expressions", () => {
  test.each([
    ["R.attr.a && R.attr.b && R.attr.c", "R.attr.b &&  -> "],
    ["R.attr.a && R.attr.b", " && R.attr.b -> "],
    ["R.attr.a && R.attr.b", "&& -> ||"],
    ["R.attr.a || R.attr.b", "R.attr.a ||  -> "],
    ["R.attr.a || R.attr.b", "|| -> &&"],
    ["(R.attr.a && R.attr.b) || R.attr.c", "(R.attr.a && R.attr.b) ||  -> "],
    ["R.attr.a in [1, 2]", "R.attr.a in [1, 2] -> !(R.attr.a in [1, 2])"],
    ["R.attr.a in [1, 2]", "R.attr.a in [1, 2] -> (true)"],
    ["R.attr.a in [1, 2]", "1,  -> "],
    ["R.attr.a == 1", "== -> !="],
    ["R.attr.a != 1", "!= -> =="],
    ["R.attr.a < 1.0", "< -> <="],
    ["R.attr.a <= 1.0", "<= -> <"],
    ["R.attr.a > 1.0", "> -> >="],
    ["R.attr.a >= 1.5", ">= -> >"],
    ["R.attr.a < 1.0", "< -> !="],
    ["R.attr.a <= 1.0", "<= -> =="],
    ["R.attr.a > 1.0", "> -> !="],
    ["R.attr.a >= 1.5", ">= -> =="],
    ["R.attr.a >= 1.5", "1.5 -> 2.5"],
    ["R.attr.a >= 1.0", "1.0 -> 0.0"],
    ["R.attr.a == 0u || R.attr.a == 3u", "0u -> 1u"],
    ["R.attr.a == -1", "-1 -> 0"],
    ["R.attr.a == false", "false -> true"],
    ['R.attr.a == "x" || R.attr.a == "y"', '"x" -> "y"'],
    ['R.attr.a in ["x", "y"] || R.attr.a == "z"', '"x" -> "z"'],
    ['R.attr.a == "x"', '"x" -> "x_"'],
    ['"a." + R.id in P.attr.p || "b." + R.id in P.attr.p', '"a." -> "b."'],
    ["[1, 2].exists(x, x == R.attr.a)", "== -> !="],
    ["!R.attr.a", "!R.attr.a -> !(!R.attr.a)"],
  ])("%s: %s", (expr, change) => {
    expect(ofCondition(expr)).toContain(quoted(change));
  });

  test("a conjunction is not left out as a whole, and has no neighbour of a constant that does not exist", () => {
    expect(ofCondition("R.attr.a == 0u && P.id != R.id")).toEqual([
      "R.attr.a == 0u &&  -> ",
      "R.attr.a == 0u && P.id != R.id -> !(R.attr.a == 0u && P.id != R.id)",
      "== -> !=",
      "0u -> 1u",
      " && P.id != R.id -> ",
      "&& -> ||",
      "!= -> ==",
    ]);
  });

  test("plain and folded texts stay texts", () => {
    const text = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - actions: [read]
      roles: [user]
      effect: EFFECT_ALLOW
      condition:
        match:
          all:
            of:
              - expr: P.attr.a && !R.attr.b
              - expr: >-
                  P.attr.a &&
                  R.attr.c
`;
    expect(changes(text)).toEqual(
      expect.arrayContaining([
        "P.attr.a && !R.attr.b -> (!(P.attr.a && !R.attr.b))",
        "P.attr.a && !R.attr.b -> (!R.attr.b)",
        "P.attr.a &&\n                  R.attr.c -> !(P.attr.a &&\n                  R.attr.c)",
        "P.attr.a &&\n                   -> ",
        "- expr: P.attr.a && !R.attr.b -> ",
        "all -> any",
      ]),
    );
  });
});

describe("rules", () => {
  test.each([
    ["EFFECT_ALLOW -> EFFECT_DENY"],
    ["read,  -> "],
    ["write -> read_all"],
    ["user -> owner"],
    ["default -> platform"],
    [`{name: b, actions: [read_all], roles: [owner], effect: EFFECT_DENY, ${when("P.id == R.id")}} -> `],
  ])("%s", (change) => {
    const other = `name: b, actions: [read_all], roles: [owner], effect: EFFECT_DENY, ${when("P.id == R.id")}`;
    const found = changes(policy({ rules: [rule("P.id == R.id"), other] }));
    expect(found.map((one) => one.replace(/^- (?=\{)/, ""))).toContain(change);
  });

  test("derived roles, their parents, imports, variables, constants and scope permissions", () => {
    const roles = `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: roles
  definitions:
    - {name: owner, parentRoles: [user, guest], condition: {match: {expr: R.attr.owner == P.id}}}
    - {name: friend, parentRoles: [user]}
`;
    const text = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  scopePermissions: SCOPE_PERMISSIONS_OVERRIDE_PARENT
  importDerivedRoles: [roles]
  variables: {import: [], local: {a: R.attr.a > C.b}}
  constants: {local: {b: 5, c: x}}
  rules:
    - {actions: [read], derivedRoles: [owner], effect: EFFECT_ALLOW, condition: {match: {expr: V.a}}}
    - {actions: [read], derivedRoles: [friend], effect: EFFECT_ALLOW, condition: {match: {none: {of: [{expr: R.id == C.c}]}}}}
`;
    const set = compiled([...supportAll("doc"), { path: "doc.yaml", text }, { path: "roles.yaml", text: roles }]);
    const found = mutantsOf(set).map(({ file, from, to }) => `${file} ${from} -> ${to}`);
    expect(found).toEqual(
      expect.arrayContaining([
        "doc.yaml SCOPE_PERMISSIONS_OVERRIDE_PARENT -> SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
        "doc.yaml roles -> ",
        "doc.yaml > -> >=",
        "doc.yaml 5 -> 6",
        "doc.yaml 5 -> 4",
        "doc.yaml x -> x_",
        "doc.yaml owner -> friend",
        "doc.yaml none -> any",
        "roles.yaml user,  -> ",
        "roles.yaml == -> !=",
        "roles.yaml R.attr.owner == P.id -> (true)",
      ]),
    );
  });

  test("rules of principals and of roles", () => {
    const principal = `apiVersion: api.cerbos.dev/v1
principalPolicy:
  principal: anna
  version: default
  rules:
    - resource: doc
      actions:
        - action: read
          effect: EFFECT_ALLOW
        - action: write
          effect: EFFECT_DENY
`;
    const role = `apiVersion: api.cerbos.dev/v1
rolePolicy:
  role: clerk
  parentRoles: [user, guest]
  rules:
    - {resource: doc, allowActions: [read, write]}
`;
    const set = compiled([
      ...supportAll("doc"),
      { path: "doc.yaml", text: policy({ rules: [rule("true")] }) },
      { path: "anna.yaml", text: principal },
      { path: "clerk.yaml", text: role },
    ]);
    const found = mutantsOf(set).map(({ file, from, to }) => `${file} ${from} -> ${to}`);
    expect(found).toEqual(
      expect.arrayContaining([
        "anna.yaml read -> write",
        "anna.yaml EFFECT_DENY -> EFFECT_ALLOW",
        "anna.yaml - action: write\n          effect: EFFECT_DENY -> ",
        "clerk.yaml user,  -> ",
        "clerk.yaml read,  -> ",
      ]),
    );
  });
});

test("schemas: each bound loosened, and each required attribute optional", () => {
  const schema = JSON.stringify({
    type: "object",
    properties: { n: { type: "integer", minimum: 1, maximum: 9 }, required: { enum: ["minimum"], minLength: 0 } },
    required: ["n"],
    additionalProperties: false,
  });
  const body = "schemas: {principalSchema: {ref: cerbos:///p.json}}";
  const set = compiled([
    ...supportAll("doc"),
    { path: "doc.yaml", text: policy({ body, rules: [rule("P.attr.n == 1.0")] }) },
    { path: "_schemas/p.json", text: schema },
  ]);
  const found = mutantsOf(set).filter(({ file }) => file === "_schemas/p.json");
  expect(found.map(({ change }) => change.replace("schema bound loosened: ", ""))).toEqual([
    "minimum is 0",
    "maximum is 10",
    "n is optional",
    "additionalProperties is true",
  ]);
});

describe("of the shipped policies", () => {
  const mutants = mutantsOf(shipped);

  test("each is its file with `from` at its place replaced by `to`", () => {
    const texts = new Map(shippedFiles.map(({ path, text }) => [path, text]));
    for (const { file, line, column, from, to, text } of mutants) {
      const original = texts.get(file) ?? "";
      const start =
        original
          .split("\n")
          .slice(0, line - 1)
          .join("\n").length +
        (line > 1 ? 1 : 0) +
        column -
        1;
      expect(original.slice(start, start + from.length)).toBe(from);
      expect(text).toBe(original.slice(0, start) + to + original.slice(start + from.length));
      expect(text).not.toBe(original);
    }
  });

  test("ids are unique, and changes are distinct", () => {
    const identities = mutants.map(({ file, text }) => JSON.stringify([file, text]));
    for (const all of [mutants.map(({ id }) => id), identities]) expect(new Set(all).size).toBe(mutants.length);
  });

  test("each conjunct of a condition or variable is left out, and each effect turned", () => {
    for (const { path, text } of shippedFiles.filter((file) => !file.path.startsWith("_schemas/"))) {
      const own = mutants.filter(({ file }) => file === path);
      const code = text.replaceAll(/^ *#.*$/gm, "");
      const conjuncts = code.split(" && ").length - 1 + (code.match(/&&\n/g)?.length ?? 0);
      const left = own.filter(({ change }) => change.startsWith("conjunct left out")).length;
      const conjunctions = new Set(own.flatMap((one) => (isConjunct(one) ? [expressionAt(code, one)] : []))).size;
      expect(left).toBe(conjuncts + conjunctions);
      expect(own.filter(({ change }) => change.startsWith("effect turned")).length).toBe(
        code.match(/EFFECT_/g)?.length ?? 0,
      );
    }
  });
});

function isConjunct({ change }: Mutant): boolean {
  return change.startsWith("conjunct left out");
}

/** The line of the key whose value has the mutant's place. */
function expressionAt(code: string, { line }: Mutant): string {
  const lines = code.split("\n").slice(0, line);
  return String(lines.findLastIndex((one) => /^ *(?:- )?\w+: /.test(one)));
}

test("a seed determines an order", () => {
  const items = Array.from({ length: 50 }, (_, i) => i);
  expect(shuffled(items, 7)).toEqual(shuffled(items, 7));
  expect(shuffled(items, 7)).not.toEqual(shuffled(items, 8));
  expect(shuffled(items, 7).toSorted((a, b) => a - b)).toEqual(items);
});

test.each([
  ["a\nb\nc", "a\nb\nc", []],
  ["a\nb\nc", "a\nx\nc", [2]],
  ["a\nb\nc", "a\nb\nx\ny\nc", [3, 4]],
  ["a\nb\nc", "a\nc", [2]],
  ["a\nb\nc\nd", "x\nb\nc\ny", [1, 4]],
  ["", "a\nb", [1, 2]],
])("the lines that differ: %j, %j", (before, after, lines) => {
  expect([...changedLines(before, after)]).toEqual(lines);
});
