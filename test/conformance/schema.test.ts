/** Cerbos's schema validation cases (`schema/test_cases/`), under `warn` and under `reject`. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isLeft } from "fp-ts/lib/Either.js";
import { afterAll, describe, expect, test } from "vitest";
import { parseTimestamp } from "../../src/cel/time.js";
import { compileCheckEngine } from "../../src/cerbos/engine.js";
import { check } from "../../src/engine/evaluate/check.js";
import { type NoPlan, planQuery, type QueryPlan } from "../../src/engine/query/plan-query.js";
import type { PolicyFile } from "../../src/policy/parse.js";
import { ABSENT, CORPUS, type CorpusCase, casesIn, field, list, Scores, text } from "./corpus.js";

const scores = new Scores("schema/test_cases");
afterAll(() => {
  if (ABSENT === undefined) scores.print();
});

const KIND = "leave_request";

function schemaFiles(): readonly PolicyFile[] {
  const root = join(CORPUS, "schema/fs/_schemas");
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json"))
    .map((path) => ({ path: `_schemas/${path}`, text: readFileSync(join(root, path), "utf8") }));
}

/** A policy with the schema references of the case. */
function policyOf(body: unknown): PolicyFile {
  const resourcePolicy = {
    resource: KIND,
    version: "default",
    schemas: field(body, "schemaRefs"),
    rules: [{ actions: ["*"], roles: ["*"], effect: "EFFECT_ALLOW" }],
  };
  return { path: "policy.json", text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy }) };
}

/** The exceptions, all of two kinds. */
function exceptionOf({ body }: CorpusCase): string | undefined {
  const missing = list(body, "wantValidationErrors").some((error) =>
    text(error, "message").startsWith("Failed to load"),
  );
  return missing ? "a schema that cannot be loaded is refused when policies are loaded, with a position" : undefined;
}

/** A query plan that is the same for every resource, in the form of a check result. */
function planned(plan: QueryPlan | NoPlan) {
  if ("fault" in plan) throw new Error(plan.fault);
  const effect = plan.filter.kind === "always_allowed" ? "allow" : "deny";
  return { validationErrors: plan.validationErrors, actions: new Map([["", { effect }]]) };
}

async function run({ name, body }: CorpusCase, schemaEnforcement: "warn" | "reject"): Promise<void> {
  const compiled = compileCheckEngine([policyOf(body), ...schemaFiles()], { schemaEnforcement });
  if (exceptionOf({ name, body, companions: new Map() }) !== undefined) {
    expect(isLeft(compiled) && compiled.left.map(({ code }) => code)).toContain("schema");
    return;
  }
  if (isLeft(compiled)) throw new Error(JSON.stringify(compiled.left));
  const isPlan = name.startsWith("plan_");
  const input = field(body, isPlan ? "planResourcesInput" : "checkInput");
  const attributesOf = (subject: string) => JSON.parse(JSON.stringify(field(input, subject, "attr")));
  const actions = isPlan ? [text(input, "action")] : list(input, "actions").map(String);
  const asked = {
    principal: { id: "john", roles: ["employee"], attr: attributesOf("principal"), policyVersion: "", scope: "" },
    resource: { kind: KIND, id: "XX125", attr: attributesOf("resource"), policyVersion: "", scope: "" },
    actions,
    jwt: {},
    now: parseTimestamp("2024-01-01T00:00:00Z"),
  };
  const { policies, options } = compiled.right;
  const found = isPlan ? planned(planQuery(policies, asked, options)) : check(policies, asked, options);
  const wanted = list(body, "wantValidationErrors").map((error) =>
    [text(error, "source").replace("SOURCE_", "").toLowerCase(), text(error, "path"), text(error, "message")].join(" "),
  );
  const errors = found.validationErrors.map(({ source, path, message }) => `${source} ${path} ${message}`);
  expect([...errors].sort()).toEqual([...wanted].sort());
  const denied = schemaEnforcement === "reject" && wanted.length > 0;
  expect([...found.actions.values()].map(({ effect }) => effect)).toEqual(
    actions.map(() => (denied ? "deny" : "allow")),
  );
}

describe.skipIf(ABSENT !== undefined)(`Cerbos's schema cases ${ABSENT ?? ""}`, () => {
  test.each(casesIn("schema/test_cases").map((each) => [each.name, each] as const))("%s", async (name, each) => {
    const reason = exceptionOf(each);
    await scores.run(name, reason === undefined ? [] : [reason], async () => {
      await run(each, "warn");
      await run(each, "reject");
    });
  });
});
