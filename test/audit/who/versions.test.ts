/** `who` is about every version of the policies, and names the settings that a proof assumes. */

import { afterAll, expect, test } from "vitest";
import { whoMay, whoText } from "../../../src/audit/index.js";
import type { CompileOptions, PolicyFile } from "../../../src/index.js";
import { findSolver } from "../../../src/solver/solver.js";
import { policy, when } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

const solver = findSolver({ timeLimit: 5_000 });
afterAll(() => solver?.close());

const files = (...more: readonly PolicyFile[]): readonly PolicyFile[] => [
  {
    path: "doc.yaml",
    text: policy({ rules: [`actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("false")}`] }),
  },
  {
    path: "doc_v2.yaml",
    text: policy({ version: "v2", rules: ["actions: [read, share], roles: [user], effect: EFFECT_ALLOW"] }),
  },
  ...more,
];

async function textOf(operation: string, all: readonly PolicyFile[], options: CompileOptions = {}): Promise<string> {
  const found = await whoMay(compiled(all, { ...options, platform: "none" }), operation, solver);
  if (found.kind === "unknown") throw new Error(found.message);
  return whoText(found.operations);
}

test("the ways of each version are listed", async () => {
  const text = await textOf("read", files());
  expect(text).toContain("read on doc is never allowed. This is proved.");
  expect(text).toContain("read on doc, policies of version v2, is allowed in 1 way.");
});

test("an operation that one version knows is not unknown", async () => {
  expect(await textOf("share", files())).toMatch(/^share on doc, policies of version v2, is allowed in 1 way/);
  await expect(textOf("publish", files())).rejects.toThrow("publish");
});

test("a version that the set declares as another's is left out", async () => {
  expect(await textOf("read", files(), { otherVersions: ["v2"] })).not.toContain("v2");
});

test("assumed settings stand in the line that says proved", async () => {
  const schemas = "schemas: {resourceSchema: {ref: 'cerbos:///doc.json'}}";
  const typed = [
    { path: "_schemas/doc.json", text: "{}" },
    {
      path: "doc.yaml",
      text: policy({ body: schemas, rules: ["actions: [read], roles: [user], effect: EFFECT_DENY"] }),
    },
  ];
  expect(await textOf("read", typed)).toContain(
    "read on doc is never allowed. This is proved. It assumes schemaEnforcement: none, typedReads: true.",
  );
  const given = await textOf("read", typed, { schemaEnforcement: "none", typedReads: true });
  expect(given).not.toContain("assumes");
});
