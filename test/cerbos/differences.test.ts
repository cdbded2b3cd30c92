/**
 * The differences in docs/differences-from-cerbos.md that concern checks and have no other test. Also checks that the
 * tests named there exist.
 */

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compileCheckEngine, EmbeddedClient } from "../../src/cerbos/index.js";
import { ROOT } from "../support/built.js";
import { policy } from "../support/compose.js";

test.each(["0.0 / 0.0", "1.0 / 0.0", "[-1.0 / 0.0]"])("an output that is no number fails alone: %s", async (output) => {
  const rule = (name: string, action: string, value: string) =>
    `name: ${name}, actions: [${action}], roles: [user], effect: EFFECT_ALLOW, output: {when: {ruleActivated: ${JSON.stringify(value)}}}`;
  const text = policy({ rules: [rule("bad", "read", output), rule("good", "list", '"fine"')] });
  const engine = compileCheckEngine([{ path: "doc.yaml", text }]);
  if (engine._tag === "Left") throw new Error(JSON.stringify(engine.left));
  const result = await new EmbeddedClient(engine.right).checkResource({
    principal: { id: "ann", roles: ["user"] },
    resource: { kind: "doc", id: "d1" },
    actions: ["read", "list"],
  });
  expect(result.actions).toEqual({ read: "EFFECT_ALLOW", list: "EFFECT_ALLOW" });
  const values = Object.fromEntries(result.outputs.map(({ action, value }) => [action, value ?? null]));
  expect(values).toEqual({ read: null, list: "fine" });
});

test("what is selected optionally of constants and variables is there, whatever else reads it", async () => {
  const resourcePolicy = {
    resource: "doc",
    version: "default",
    constants: { local: { c: 1 } },
    variables: { local: { v: "P.id" } },
    rules: [
      {
        actions: ["read"],
        roles: ["user"],
        effect: "EFFECT_ALLOW",
        condition: { match: { expr: 'C.?c.orValue(2) == 1 && V.?v == optional.of("ann")' } },
      },
    ],
  };
  const text = JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy });
  const engine = compileCheckEngine([{ path: "doc.json", text }]);
  if (engine._tag === "Left") throw new Error(JSON.stringify(engine.left));
  const principal = { id: "ann", roles: ["user"] };
  const asked = { principal, resource: { kind: "doc", id: "d1" }, actions: ["read"] };
  const { actions } = await new EmbeddedClient(engine.right).checkResource(asked);
  expect(actions).toEqual({ read: "EFFECT_ALLOW" });
});

describe("docs/differences-from-cerbos.md", () => {
  const page = readFileSync(`${ROOT}docs/differences-from-cerbos.md`, "utf8");
  const tables = page.split(/\n{2,}/).filter((block) => /^\|.*\| Test +\|/.test(block));
  const named = tables.flatMap((table) =>
    table
      .trimEnd()
      .split("\n")
      .slice(2)
      .map((row) => (row.split(/(?<!\\)\|/).at(-2) ?? "").trim()),
  );

  test("each row of a table with tests names one", () => {
    expect(named.length).toBeGreaterThan(15);
    expect(named).not.toContain("");
  });

  test.each(named.filter((name) => name !== "the same"))("the test exists: %s", (name) => {
    const [, file = "test/conformance/deterministic.test.ts", said] = /^`(.+?)`(?:: (.*))?/.exec(name) ?? [];
    expect(existsSync(ROOT + file)).toBe(true);
    const title = name.startsWith("`") ? said : name;
    if (title !== undefined) expect(readFileSync(ROOT + file, "utf8")).toContain(title);
  });
});
