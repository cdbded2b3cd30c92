/**
 * Recorded answers of the Cerbos server 0.55.0 to our own questions. The engine's whole responses must equal them. This
 * needs no server, so it runs on every platform and in every clone. `npm run record` records anew.
 */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadCheckEngineOrThrow } from "../../src/node/load-check-engine.js";
import { isObject, type Json, type JsonObject, listAt, objectAt, textAt } from "../differential/json.js";
import { answer } from "../query/differential.js";
import { keyward, withFiles } from "../support/terminal.js";
import { comparable, comparablePlan } from "./comparable.js";
import { answersFile, plansFile, type Topic, topics } from "./topics.js";

const all = topics();

function recorded(topic: Topic): { readonly [name: string]: Json } {
  return JSON.parse(readFileSync(answersFile(topic), "utf8"));
}

async function answered({ policies, options, requests }: Topic): Promise<{ readonly [name: string]: Json }> {
  const { lenientScopeSearch, strictEvaluation, schemaEnforcement = "none", globals = {} } = options;
  return withFiles({ "globals.json": JSON.stringify(globals) }, async (root) => {
    const { out, err } = await keyward(
      [
        ...["check-resources", "--policies", policies, "--globals", `${root}/globals.json`],
        ...["--schema-enforcement", schemaEnforcement, "--insecure-jwt"],
        ...(lenientScopeSearch === true ? ["--lenient-scope-search"] : []),
        ...(strictEvaluation === true ? ["--strict-evaluation"] : []),
      ],
      [...requests.values()].map((request) => `${JSON.stringify(request)}\n`),
    );
    expect(err).toBe("");
    const answers = out.trim().split("\n");
    return Object.fromEntries(
      [...requests.keys()].map((name, i) => [name, comparable(JSON.parse(answers[i] ?? "null"))]),
    );
  });
}

describe("the server's recorded answers", () => {
  test.each(all.map((topic) => [topic.name, topic] as const))("%s", async (_, topic) => {
    expect(await answered(topic)).toEqual(recorded(topic));
  });

  test.each(all.filter(({ plans }) => plans.size > 0).map((topic) => [topic.name, topic] as const))(
    "%s, as plans",
    async (_, topic) => {
      const engine = await loadCheckEngineOrThrow(topic.policies, topic.options);
      const theirs: object = JSON.parse(readFileSync(plansFile(topic), "utf8"));
      const asked = [...topic.plans].filter(([name]) => name in theirs);
      const answers = asked.map(([name, plan]) => [name, comparablePlan(answer(engine, plan), Date.now())]);
      expect(Object.fromEntries(answers)).toEqual(theirs);
    },
  );

  test("show every sort of answer, each often", () => {
    const counts = new Map<string, number>();
    const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
    for (const answer of all.flatMap((topic) => Object.values(recorded(topic)))) {
      if (!isObject(answer)) continue;
      if (answer.message !== undefined) count("refused");
      for (const result of listAt(answer, "results").filter(isObject)) for (const what of shownBy(result)) count(what);
    }
    for (const [what, least] of LEAST) expect(counts.get(what) ?? 0, what).toBeGreaterThanOrEqual(least);
  });
});

const LEAST: ReadonlyMap<string, number> = new Map([
  ["refused", 12],
  ["EFFECT_ALLOW by resource", 400],
  ["EFFECT_DENY by resource", 800],
  ["EFFECT_ALLOW by principal", 40],
  ["EFFECT_DENY by principal", 40],
  ["EFFECT_DENY by role", 60],
  ["EFFECT_DENY by NO_MATCH", 200],
  ["EFFECT_ALLOW in a scope", 40],
  ["EFFECT_DENY in a scope", 100],
  ["derived role", 25],
  ["validation error", 100],
  ["output", 350],
  ["output that errs", 150],
]);

/** The features that a result shows. */
function* shownBy(result: JsonObject): Generator<string> {
  const meta = objectAt(result, "meta");
  for (const [action, effect] of Object.entries(objectAt(result, "actions"))) {
    const found = objectAt(objectAt(meta, "actions"), action);
    yield `${effect} by ${textAt(found, "matchedPolicy").split(".")[0]}`;
    if (textAt(found, "matchedScope") !== "") yield `${effect} in a scope`;
  }
  for (const output of listAt(result, "outputs").filter(isObject)) {
    yield output.error === undefined ? "output" : "output that errs";
  }
  for (const _ of listAt(result, "validationErrors")) yield "validation error";
  for (const _ of listAt(meta, "effectiveDerivedRoles")) yield "derived role";
}
