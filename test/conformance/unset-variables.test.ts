/** A variable that errs is unset: null to what reads it, and not there to `has()`. As here, so on the server. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { compileCheckEngine } from "../../src/cerbos/engine.js";
import { check } from "../../src/engine/check/check.js";
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

/** Expressions and their values; `ERRS` is an error. */
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
  ["has(V.of_unset)", true],
  ["has(V.of_field)", false],
  ["has(V.of_has)", true],
  ["has(V.missing.x)", false],
  ["has(V.map.a)", true],
  ["has(V.map.b)", false],
  ["has(V.of_unset.x.y)", ERRS],
  ["!has(V.missing)", true],
  ["[1].exists(x, has(V.missing))", false],
  ["V.missing == null", true],
  ["V.division == null", true],
  ["V.of_unset == null", true],
  ["V.of_has == null", false],
  ["V.of_has", false],
  ["V.missing == V.of_unset", true],
  ["[V.missing]", [null]],
  ["type(V.missing) == null_type", true],
  ["V.missing.x", ERRS],
  ["V.missing > 1", ERRS],
];

const ATTR = { text: "x", nothing: null };

function policy(expressions: readonly string[]): string {
  return JSON.stringify({
    apiVersion: "api.cerbos.dev/v1",
    resourcePolicy: {
      resource: "doc",
      version: "default",
      variables: { local: VARIABLES },
      rules: expressions.map((expr, i) => ({
        name: `r${i}`,
        actions: ["read"],
        roles: ["*"],
        effect: "EFFECT_ALLOW",
        // An error is told from null by what a list of it is.
        output: { when: { ruleActivated: `[${expr}]` } },
      })),
    },
  });
}

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

function outputsHere(text: string, strictEvaluation: boolean): readonly Output[] {
  const engine = compileCheckEngine([{ path: "doc.json", text }], { strictEvaluation });
  if (isLeft(engine)) throw new Error(JSON.stringify(engine.left));
  const input = {
    principal: { id: "p", roles: ["user"], attr: {}, policyVersion: "", scope: "" },
    resource: { kind: "doc", id: "d", attr: ATTR, policyVersion: "", scope: "" },
    actions: ["read"],
    jwt: {},
    now: undefined,
  };
  return check(engine.right.table, input, engine.right.options).outputs;
}

describe("variables that err", () => {
  const here = values(outputsHere(TEXT, false));
  test.each(OBSERVED.map(([expression, value], i) => [expression, value, here[i]] as const))(
    "%s",
    (_, value, found) => {
      expect(found).toEqual(value);
    },
  );

  test.skipIf(NO_SERVER !== undefined)(`on the server ${NO_SERVER ?? ""}`, async () => {
    const directory = await mkdtemp(join(tmpdir(), "keyward-variables-"));
    try {
      await writeFile(join(directory, "doc.json"), TEXT);
      const server = await startServer(directory);
      try {
        const resource = { kind: "doc", id: "d", attr: ATTR };
        const { text } = await server.check({
          principal: { id: "p", roles: ["user"] },
          resources: [{ actions: ["read"], resource }],
        });
        const theirs = values(JSON.parse(text).results[0].outputs);
        expect(EXPRESSIONS.map((expression, i) => [expression, theirs[i]])).toEqual(OBSERVED);
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
    expect(outputsHere(text, strict)).toMatchObject([{ val: null }]);
  });
});
