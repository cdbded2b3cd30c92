/** The results of policy readers for the corpus, as texts. */

import { Timestamp } from "../../../src/cel/values.js";
import { PlanFormulas, roleClassesOf } from "../../../src/engine/formula/plan-formulas.js";
import { scriptOf } from "../../../src/engine/formula/smtlib.js";
import { FormulaWorld } from "../../../src/engine/formula/world.js";
import { allowedRows } from "../../../src/engine/residual/allowed.js";
import { Residuals } from "../../../src/engine/residual/conditions.js";
import { KnownRequest, type KnownRequestPart } from "../../../src/engine/residual/known-request.js";
import { KnownValues } from "../../../src/engine/residual/known-values.js";
import { LayerQuestions, QuestionLog } from "../../../src/engine/residual/question-log.js";
import { rowPlan } from "../../../src/engine/residual/rows.js";
import type { PolicySet } from "../../../src/index.js";
import { sourceOf, stepOf } from "../formula/asked.js";
import { KEY, NOW } from "./corpus.js";
import { formulaTexts, jsonText } from "./texts.js";

const now = new Timestamp(NOW.getTime() / 1000, 0);
const row = (attr: KnownRequestPart["resource"]["attr"]) => ({ kind: "doc", id: "d1", scope: "", attr });
const PRINCIPAL = { ...KEY, scope: "" };

/** The key's attributes, and the known part of the request, including whether the row's id is known. */
const ASKED: readonly (readonly [attr: typeof KEY.attr | object, known: KnownRequestPart])[] = [
  [KEY.attr, { resource: row({}), knowsId: false, now }],
  [
    {
      ...{ team: "k", rank: 1.5, groups: ["red", 1, null], profile: { k: 1 } },
      ...{
        name64: "n".repeat(64),
        name65: "n".repeat(65),
        eight: [1, 2, 3, 4, 5, 6, 7, 8],
        nine: [1, 2, 3, 4, 5, 6, 7, 8, 9],
      },
    },
    { resource: row({ x: "red", s: "k", n: 1.5, l: ["red", null], m: { z: { deep: 1 } } }), knowsId: true, now },
  ],
  [{}, { resource: row({ tags: ["red", "x"], rows: [{ k: "red", n: 1 }], y: false }), knowsId: false, now: undefined }],
];

/** When an operation's only condition holds and when it does not, the facts for every request, and the preferences. */
function formulas(policies: PolicySet, action: string): readonly string[] {
  const world = new FormulaWorld();
  const plans = new PlanFormulas(world, roleClassesOf([policies]) ?? []);
  const source = sourceOf(policies, policies.permission);
  const [first] = plans.plansOf(source, "key", { kind: "doc", action });
  const [rule] = first?.plan.rules ?? [];
  if (first === undefined || rule === undefined) throw new Error("no rule");
  const { holds, fails } = plans.condition(rule, plans.reading(first.plan, stepOf(first.plan, rule), source, "key"));
  plans.close();
  const facts = [...world.facts];
  // The recorded questions about attributes, lists and maps as wholes.
  const noted = [
    ...world.wholes.map(({ raw, fit }) => ({ name: `whole ${raw.key}`, formulas: [fit] })),
    ...world.compared.map(({ same, of }) => ({ name: `same ${of.map(({ key }) => key)}`, formulas: [same] })),
    ...[...world.declared].map(([raw, all]) => ({ name: `declared ${raw.key}`, formulas: [...all] })),
    ...[...world.times, ...world.durations].map(([of, { isOne, nanos }]) => ({
      name: "time",
      formulas: [of, isOne, nanos],
    })),
    { name: [...world.texts].join(), formulas: [] },
  ];
  const query = { holds: [holds, ...facts], wanted: [fails] };
  return [
    ...formulaTexts([[holds], [fails], facts, [...world.preferences], ...noted.map(({ formulas }) => formulas)]),
    noted.map(({ name }) => name).join("\n"),
    ...(["whole", "symbols"] as const).map((texts) => scriptOf({ ...query, texts })),
  ];
}

/** The filter outline before values are inserted, the residual tree, and the questions about known values. */
function rows({ permission }: PolicySet, action: string): readonly string[] {
  return ASKED.flatMap(([attr, known]) => {
    const principal = { ...PRINCIPAL, attr: { ...attr } };
    const { plan } = permission.planFor(principal, known.resource, action);
    const { evaluator } = rowPlan(permission, plan);
    const given = new KnownValues([new KnownRequest(principal, known, evaluator)]);
    const inquiry = new QuestionLog(given);
    const { outline, best, open, readsClock } = allowedRows(plan, "default", new LayerQuestions(inquiry, 0));
    const answers = inquiry.asked?.map(({ answer }) => answer);
    given.end();
    const again = new KnownValues([new KnownRequest(principal, known, evaluator)]);
    const [rule] = plan.rules;
    const [step] = plan.roles[0]?.steps ?? [];
    if (rule === undefined || step === undefined) throw new Error("no rule");
    const tree = new Residuals(new LayerQuestions(new QuestionLog(again), 0)).condition(rule, step);
    again.end();
    return [outline, tree, { answers, best, open: open.map(({ name }) => name), readsClock }].map(jsonText);
  });
}

/** The result texts of one reader for an operation's only condition. */
export const OF_POLICIES = new Map([
  ["formulas", formulas],
  ["rows", rows],
]);
