/** A variable that errs is unset: reading it is an error, and `has()` of it is false. The server agrees. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { compileCheckEngine } from "../../src/cerbos/engine.js";
import { check } from "../../src/engine/evaluate/check.js";
import type { CheckResult } from "../../src/engine/evaluate/check-types.js";
import { NO_SERVER, startServer } from "../support/server.js";

const VARIABLES = {
  missing: "R.attr.missing",
  division: "1 / size(R.attr.text.substring(0, 0)) == 1",
  overload: "R.attr.text > 1",
  within: "[R.attr.missing]",
  absorbed: "R.attr.missing || true",
  unabsorbed: "R.attr.missing || false",
  nothing: "null",
  attribute: "R.attr.nothing",
  empty: '""',
  map: '{"a": 1}',
  of_unset: "V.missing",
  of_field: "V.missing.x",
  of_has: "has(V.missing)",
};

/** Expressions and their values; `ERRS` marks an error. */
const ERRS = Symbol("errs");
const OBSERVED: readonly (readonly [expression: string, value: unknown])[] = [
  ["has(V.missing)", false],
  ["has(variables.missing)", false],
  ["has(V.division)", false],
  ["has(V.overload)", false],
  ["has(V.within)", false],
  ["has(V.absorbed)", true],
  ["has(V.unabsorbed)", false],
  ["has(V.nothing)", true],
  ["has(V.attribute)", true],
  ["has(V.empty)", true],
  ["has(V.of_unset)", false],
  ["has(V.of_field)", false],
  ["has(V.of_has)", true],
  ["has(V.missing.x)", ERRS],
  ["has(V.map.a)", true],
  ["has(V.map.b)", false],
  ["has(V.of_unset.x.y)", ERRS],
  ["!has(V.missing)", true],
  ["[1].exists(x, has(V.missing))", false],
  ["V.missing == null", ERRS],
  ["V.division == null", ERRS],
  ["V.of_unset == null", ERRS],
  ["V.of_has == null", false],
  ["V.of_has", false],
  ["V.missing == V.of_unset", ERRS],
  ["[V.missing]", ERRS],
  ["type(V.missing) == null_type", ERRS],
  ["V.missing.x", ERRS],
  ["V.missing > 1", ERRS],
];

/** Conditions of derived roles: whether the role is reported as active, and whether a rule for that role holds. */
const ROLES: readonly (readonly [expression: string, active: boolean, ruleHolds: boolean])[] = [
  ["has(V.missing)", true, false],
  ["!has(V.missing)", false, true],
  ["has(variables.division)", true, false],
  ["V.missing == null", true, false],
  ["V.missing != 1", true, false],
  ["has(V.missing.x)", false, false],
  ["has(V.of_field)", true, false],
  ["V.of_has", true, false],
  ["has(V.nothing)", true, true],
  ["V.missing > 1", false, false],
];

const ATTR = { text: "x", nothing: null };

function policy(expressions: readonly string[]): string {
  return JSON.stringify({
    apiVersion: "api.cerbos.dev/v1",
    resourcePolicy: {
      resource: "doc",
      version: "default",
      variables: { local: VARIABLES },
      importDerivedRoles: ["set"],
      rules: [
        ...expressions.map((expr, i) => ({
          name: `r${i}`,
          actions: ["read"],
          roles: ["*"],
          effect: "EFFECT_ALLOW",
          // Wrapping the value in a list distinguishes an error from null.
          output: { when: { ruleActivated: `[${expr}]` } },
        })),
        ...ROLES.map((_, i) => ({ actions: [`role${i}`], derivedRoles: [`role${i}`], effect: "EFFECT_ALLOW" })),
      ],
    },
  });
}

const SET = JSON.stringify({
  apiVersion: "api.cerbos.dev/v1",
  derivedRoles: {
    name: "set",
    variables: { local: VARIABLES },
    definitions: ROLES.map(([expr], i) => ({
      name: `role${i}`,
      parentRoles: ["user"],
      condition: { match: { expr } },
    })),
  },
});

const ACTIONS = ["read", ...ROLES.map((_, i) => `role${i}`)];

interface Output {
  readonly src: string;
  readonly val?: unknown;
}

/** Values in the order of the expressions. */
function values(outputs: readonly Output[]): readonly unknown[] {
  return OBSERVED.map((_, i) => {
    const found = outputs.find(({ src }) => src === `resource.doc.vdefault#r${i}`);
    return Array.isArray(found?.val) ? found.val[0] : ERRS;
  });
}

const EXPRESSIONS = OBSERVED.map(([expression]) => expression);
const TEXT = policy(EXPRESSIONS);

function answerHere(text: string, strictEvaluation = false): CheckResult {
  const files = [
    { path: "doc.json", text },
    { path: "set.json", text: SET },
  ];
  const engine = compileCheckEngine(files, { strictEvaluation });
  if (isLeft(engine)) throw new Error(JSON.stringify(engine.left));
  const input = {
    principal: { id: "p", roles: ["user"], attr: {}, policyVersion: "", scope: "" },
    resource: { kind: "doc", id: "d", attr: ATTR, policyVersion: "", scope: "" },
    actions: ACTIONS,
    jwt: {},
    now: undefined,
  };
  return check(engine.right.policies, input, engine.right.options);
}

describe("variables that err", () => {
  const answer = answerHere(TEXT);
  const here = values(answer.outputs);
  test.each(OBSERVED.map(([expression, value], i) => [expression, value, here[i]] as const))(
    "%s",
    (_, value, found) => {
      expect(found).toEqual(value);
    },
  );

  test.each(ROLES.map((each, i) => [...each, `role${i}`] as const))(
    "%s in a derived role: active %s, its rule holds %s",
    (_, active, holds, role) => {
      expect(answer.effectiveDerivedRoles.includes(role)).toBe(active);
      expect(answer.actions.get(role)?.effect).toBe(holds ? "allow" : "deny");
    },
  );

  test.skipIf(NO_SERVER !== undefined)(`on the server ${NO_SERVER ?? ""}`, { tags: "long" }, async () => {
    const directory = await mkdtemp(join(tmpdir(), "keyward-variables-"));
    try {
      await writeFile(join(directory, "doc.json"), TEXT);
      await writeFile(join(directory, "set.json"), SET);
      const server = await startServer(directory);
      try {
        const resource = { kind: "doc", id: "d", attr: ATTR };
        const principal = { id: "p", roles: ["user"] };
        const { text } = await server.check({
          includeMeta: true,
          principal,
          resources: [{ actions: ACTIONS, resource }],
        });
        const [{ outputs, actions, meta }] = JSON.parse(text).results;
        const theirs = values(outputs);
        expect(EXPRESSIONS.map((expression, i) => [expression, theirs[i]])).toEqual(OBSERVED);
        const roles = ROLES.map(([expression], i) => {
          const active = meta.effectiveDerivedRoles.includes(`role${i}`);
          return [expression, active, actions[`role${i}`] === "EFFECT_ALLOW"];
        });
        expect(roles).toEqual(ROLES);
      } finally {
        await server.stop();
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test.each([true, false])("has() of a variable that takes too many steps errs, strictly or not (%s)", (strict) => {
    const numbers = `[${Array.from({ length: 100 }, (_, i) => i).join(", ")}]`;
    const long = `${numbers}.all(a, ${numbers}.all(b, ${numbers}.all(c, a + b + c >= 0)))`;
    const text = JSON.stringify({
      apiVersion: "api.cerbos.dev/v1",
      resourcePolicy: {
        resource: "doc",
        version: "default",
        importDerivedRoles: ["set"],
        variables: { local: { long } },
        rules: [
          {
            actions: ["read"],
            roles: ["*"],
            effect: "EFFECT_ALLOW",
            output: { when: { ruleActivated: "[!has(V.long)]" } },
          },
        ],
      },
    });
    expect(answerHere(text, strict).outputs).toMatchObject([{ error: expect.any(String) }]);
  });
});
