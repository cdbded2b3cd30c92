import { expect, test } from "vitest";
import type { PolicyDocuments } from "./documents.js";
import { type NaiveVerdict, naiveLayer } from "./naive.js";
import { ATTR, CONSTANTS, ERROR, NOT_JSON, OBSERVED, VARIABLES } from "./observed.js";

const PRINCIPAL = { id: "p1", roles: ["user"], attr: {} };
const RESOURCE = { kind: "doc", id: "d1", attr: ATTR };
const NOW = new Date("2026-01-01T00:00:00Z");

/** The verdict of a rule with this output. */
function output(expression: string): NaiveVerdict {
  const documents: PolicyDocuments = [
    {
      apiVersion: "api.cerbos.dev/v1",
      resourcePolicy: {
        resource: "doc",
        version: "default",
        variables: { local: VARIABLES },
        constants: { local: CONSTANTS },
        rules: [
          { actions: ["a"], roles: ["*"], effect: "EFFECT_ALLOW", output: { when: { ruleActivated: expression } } },
        ],
      },
    },
  ];
  return naiveLayer(documents, "default", PRINCIPAL, RESOURCE, "a", NOW);
}

test.each(OBSERVED)("%s is what the server makes of it", (expression, expected) => {
  const { errors, outputs } = output(expression);
  if (expected === ERROR || expected === NOT_JSON) {
    expect(errors).toMatchObject([{ rule: "rule-001", expression }]);
    expect(outputs).toMatchObject([{ val: null }]);
  } else {
    expect(errors).toEqual([]);
    expect(outputs[0]?.val).toEqual(expected);
  }
});

test("a variable that fails is an error where it is read, as in later versions", () => {
  expect(output("V.bad == 1").errors).toHaveLength(1);
});

test("the time must be given to be read", () => {
  const documents: PolicyDocuments = [
    {
      apiVersion: "api.cerbos.dev/v1",
      resourcePolicy: {
        resource: "doc",
        version: "default",
        rules: [
          {
            actions: ["a"],
            roles: ["*"],
            effect: "EFFECT_ALLOW",
            condition: { match: { expr: 'now() > timestamp("2024-01-01T00:00:00Z")' } },
          },
        ],
      },
    },
  ];
  expect(naiveLayer(documents, "default", PRINCIPAL, RESOURCE, "a", NOW).effect).toBe("allow");
  const without = naiveLayer(documents, "default", PRINCIPAL, RESOURCE, "a", undefined);
  expect(without).toMatchObject({ effect: "deny", reasons: [{ kind: "error", rule: "rule-001" }] });
});
