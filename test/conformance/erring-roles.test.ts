/**
 * Derived roles that err: the value of `runtime.effectiveDerivedRoles` in strict and lenient mode, as on the server.
 */

import { describe, expect, test } from "vitest";
import { NO_SERVER, startServer } from "../support/server.js";
import { keyward, withFiles } from "../support/terminal.js";

const match = (expr: string) => ({ match: { expr } });
const role = (name: string, parent: string, expr?: string) => ({
  name,
  parentRoles: [parent],
  ...(expr === undefined ? {} : { condition: match(expr) }),
});
const POLICIES = {
  "roles.json": {
    derivedRoles: {
      name: "roles",
      definitions: [
        role("z_number", "*", "P.attr.text > 1.0"),
        role("unlisted", "*", "P.attr.text > 1.0"),
        role("another", "boss", "P.attr.absent == 1"),
        role("m_absent", "user", "P.attr.absent == 1"),
        role("b_fine", "user"),
        // A constant that is not a number: the server evaluates nothing here.
        role("d_planned", "user", 'P.attr.text == "a" || int("x") == 1'),
      ],
    },
  },
  "doc.json": {
    resourcePolicy: {
      resource: "doc",
      version: "default",
      importDerivedRoles: ["roles"],
      rules: [
        {
          name: "says",
          actions: ["say"],
          roles: ["user"],
          effect: "EFFECT_ALLOW",
          output: { when: { ruleActivated: "runtime.effectiveDerivedRoles" } },
        },
        {
          name: "asks",
          actions: ["ask"],
          roles: ["user"],
          effect: "EFFECT_ALLOW",
          condition: match("size(runtime.effectiveDerivedRoles) > 0"),
          output: { when: { ruleActivated: "true", conditionNotMet: "false" } },
        },
        {
          name: "lists",
          actions: ["list"],
          derivedRoles: ["z_number", "another", "m_absent", "b_fine", "d_planned"],
          effect: "EFFECT_ALLOW",
        },
      ],
    },
  },
};
const FILES = Object.fromEntries(
  Object.entries(POLICIES).map(([path, policy]) => [
    path,
    JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...policy }),
  ]),
);
const REQUEST = {
  principal: { id: "p", roles: ["user"], attr: { text: "a" } },
  resources: [{ resource: { kind: "doc", id: "d", attr: {} }, actions: ["say", "ask", "list"] }],
};

const EXPECTED = [
  {
    strictEvaluation: false,
    actions: { say: "EFFECT_ALLOW", ask: "EFFECT_ALLOW", list: "EFFECT_ALLOW" },
    outputs: [
      { src: "resource.doc.vdefault#says", action: "say", val: ["b_fine"] },
      { src: "resource.doc.vdefault#asks", action: "ask", val: true },
    ],
  },
  {
    strictEvaluation: true,
    actions: { say: "EFFECT_ALLOW", ask: "EFFECT_DENY", list: "EFFECT_DENY" },
    outputs: [
      {
        src: "resource.doc.vdefault#says",
        action: "say",
        error: "failed to compute effective derived roles [d_planned, m_absent, z_number]",
      },
    ],
  },
] as const;

describe.each(EXPECTED)("strictly: $strictEvaluation", ({ strictEvaluation, actions, outputs }) => {
  test("here", async () => {
    await withFiles(FILES, async (directory) => {
      const args = ["check-resources", "--policies", directory, ...(strictEvaluation ? ["--strict-evaluation"] : [])];
      const [result] = JSON.parse((await keyward(args, JSON.stringify(REQUEST))).out).results;
      expect(result.actions).toEqual(actions);
      expect(result.outputs).toEqual(outputs);
    });
  });

  test.skipIf(NO_SERVER !== undefined)(`on the server ${NO_SERVER ?? ""}`, { tags: "long" }, async () => {
    await withFiles(FILES, async (directory) => {
      const server = await startServer(directory, { engine: { strictEvaluation } });
      try {
        const [result] = JSON.parse((await server.check(REQUEST)).text).results;
        expect(result.actions).toEqual(actions);
        expect(result.outputs).toEqual(outputs);
      } finally {
        await server.stop();
      }
    });
  });
});
