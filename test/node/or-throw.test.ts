/** The throwing variants of functions that return an `Either`: the same sets, and one error with all issues. */

import { describe, expect, test } from "vitest";
import { compileCheckEngineOrThrow, EmbeddedClient } from "../../src/cerbos/index.js";
import { compilePolicies, compilePoliciesOrThrow, decide, PoliciesError, policySetHash } from "../../src/index.js";
import { loadCheckEngineOrThrow, loadPoliciesOrThrow } from "../../src/node/index.js";
import { policy } from "../support/compose.js";
import { SHIPPED_ROOT, shipped, shippedFiles } from "../support/policies.js";
import { ask } from "../support/requests.js";

const BROKEN = [
  { path: "b.yaml", text: policy({ rules: ["actions: [read], roles: [user], effect: ALLOW"] }) },
  { path: "a.yaml", text: "apiVersion: [\u001b[31m" },
];

async function thrownBy(load: () => unknown): Promise<PoliciesError> {
  try {
    await load();
  } catch (error) {
    if (error instanceof PoliciesError) return error;
  }
  throw new Error("no PoliciesError");
}

describe("policies that are valid", () => {
  test("are what the Either has on its right", async () => {
    for (const set of [compilePoliciesOrThrow(shippedFiles), await loadPoliciesOrThrow(SHIPPED_ROOT)]) {
      expect(await policySetHash(set)).toBe(await policySetHash(shipped));
      expect(decide(set, ask("apis.deleteApi"))).toEqual(decide(shipped, ask("apis.deleteApi")));
    }
    const alone = await loadPoliciesOrThrow(SHIPPED_ROOT, { platform: "none" });
    const { account: _, ...request } = ask("apis.getApi");
    expect(decide(alone, request).platform.asked).toBe(false);
  });

  test("are an engine for checks", async () => {
    const principal = { id: "k", roles: ["viewer"] };
    const resource = { kind: "api", id: "i" };
    for (const engine of [compileCheckEngineOrThrow(shippedFiles), await loadCheckEngineOrThrow(SHIPPED_ROOT)]) {
      expect(await new EmbeddedClient(engine).isAllowed({ principal, resource, action: "apis.deleteApi" })).toBe(false);
    }
  });
});

test("policies that are not are one error, with every problem in a line of its own and nothing to command a terminal", async () => {
  const compiled = compilePolicies(BROKEN);
  for (const load of [() => compilePoliciesOrThrow(BROKEN), () => compileCheckEngineOrThrow(BROKEN)]) {
    const { name, message, issues } = await thrownBy(load);
    expect(name).toBe("PoliciesError");
    expect(compiled).toMatchObject({ left: issues });
    const [head, ...lines] = message.split("\n");
    expect(head).toBe(`the policies are not valid: ${issues.length} problems`);
    expect(issues.length).toBeGreaterThan(1);
    for (const [i, { file, line, column }] of issues.entries())
      expect(lines[i]).toContain(`${file}:${line}:${column} `);
    expect(message).toContain("b.yaml:");
    expect(message).not.toContain("\u001b");
  }
});

test("a directory that is not there is said in the same way", async () => {
  for (const load of [() => loadPoliciesOrThrow("nowhere"), () => loadCheckEngineOrThrow("nowhere")]) {
    expect((await thrownBy(load)).message).toMatch(/^the policies are not valid: 1 problem\n {2}nowhere:1:1 error io /);
  }
});
