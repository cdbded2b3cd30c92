/**
 * All readers of policies agree: `decide` with generated functions and with closures, the review page (which decides
 * from packed policies), `explain`, and `keyward test --coverage`. Whole verdicts are compared, with their order,
 * messages and positions.
 *
 * @module-tag long
 */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pack } from "../../src/bundle/pack.js";
import { unpack } from "../../src/bundle/unpack.js";
import { type DecisionTrace, type DecisionTracer, decisionTracer, traceDecision } from "../../src/decisions/trace.js";
import { CLOSURES_ONLY, FULL_EQUIPMENT } from "../../src/engine/evaluate/full-equipment.js";
import { Layer } from "../../src/engine/evaluate/layer.js";
import type { Observer } from "../../src/engine/evaluate/observer.js";
import type { Plan } from "../../src/engine/plan/plan.js";
import { type Decision, type DecisionRequest, decide, type PolicySet } from "../../src/index.js";
import { isGlob } from "../../src/policy/glob.js";
import type { SourcePosition } from "../../src/policy/issue.js";
import type { Rule } from "../../src/policy/model.js";
import { CoverageCollector } from "../../src/testing/coverage/collect.js";
import { damagedBy, damageSteps } from "../../src/testing/laws/damage.js";
import type { PolicyDocument, PolicyDocuments, RuleDocument } from "../reference/documents.js";
import { watchFunctions } from "../support/functions.js";
import { type Case, minimise } from "../support/minimise.js";
import { compiled } from "../support/policies.js";
import { SEED, say } from "../support/seed.js";
import { Tally } from "../support/tally.js";
import { withLayers } from "../support/with-layers.js";
import {
  FORMS,
  GLOBALS,
  OPTIONAL_FORMS,
  OTHER_VERSIONS,
  type PlainRequest,
  type Profile,
  policySet,
  request,
  toFiles,
} from "./arbitraries/index.js";

/** Sets of each profile. Each set gets {@link QUESTIONS}, each asked with {@link VARIATIONS} of the attributes. */
const SETS: readonly (readonly [profile: Profile, sets: number])[] = [
  ["any", 12],
  ["whole", 24],
  ["optionals", 24],
];
const QUESTIONS = 42;
const VARIATIONS = 20;

/** After this many runs, a plan has its generated function. */
const WARM = 21;

/** One set in this many has more than {@link MANY_RULES} rules for an action. */
const LONG_EACH = 20;
const MANY_RULES = 50;

/** One request in this many lacks attributes or has attributes of other types. */
const DAMAGED_EACH = 4;

/** For one request in this many, coverage reports the deciding rules. */
const COVERED_EACH = 5;

/** For one request in this many, the whole traces of the page and of the set are compared. */
const TRACED_EACH = 40;

/** The least share of sets that use each form of expression, in percent. */
const LEAST_FORM = 2;

/**
 * The least share of verdicts that generated functions must have answered, in percent, by the content of their plans.
 * (Two in five plans have no conditions, and so no generated function.)
 */
const ANSWERED = {
  any: 25,
  severalRoles: 8,
  derivedRoles: 10,
  scopes: 8,
  rolePolicies: 4,
  personal: 3,
  globs: 20,
  manyRules: 0.5,
} as const;

/** The least share of decisions whose outputs a generated function evaluated, in percent. */
const LEAST_VALUED = 0.5;

type Feature = keyof typeof ANSWERED;

class Answers {
  readonly counts = new Map<string, number>();
  asked = 0;
  /** Verdicts whose outputs a function evaluated. */
  valued = 0;
  /** Are answers counted? Not during the warm-up of functions. */
  counting = false;
  /** The positions of rules that list globs. */
  globs: ReadonlySet<SourcePosition> = new Set();
  private readonly known = new WeakMap<Plan, readonly Feature[]>();

  note(plan: Plan, found: boolean): void {
    if (!this.counting) return;
    if (!found) this.asked++;
    else for (const one of this.of(plan)) added(this.counts, one);
  }

  shares(decisions: number): ReadonlyMap<Feature, number> {
    const features = Object.keys(ANSWERED) as Feature[];
    return new Map(features.map((one) => [one, (100 * (this.counts.get(one) ?? 0)) / decisions]));
  }

  private of(plan: Plan): readonly Feature[] {
    const known = this.known.get(plan);
    if (known !== undefined) return known;
    const made = this.featuresOf(plan);
    this.known.set(plan, made);
    return made;
  }

  private featuresOf({ roles, personal, rules }: Plan): readonly Feature[] {
    const steps = [...personal, ...roles.flatMap((role) => role.steps)];
    const has: { readonly [feature in Feature]: boolean } = {
      any: true,
      severalRoles: roles.length > 1,
      derivedRoles: steps.some(({ rows }) => rows.some(({ guard }) => guard?.condition !== undefined)),
      scopes: steps.some(({ scope, rows }) => scope !== "" && rows.length > 0),
      rolePolicies: rules.some(({ kind }) => kind === "role"),
      personal: rules.some(({ kind }) => kind === "principal"),
      globs: rules.some(({ at }) => this.globs.has(at)),
      manyRules: rules.length > MANY_RULES,
    };
    return (Object.keys(has) as Feature[]).filter((one) => has[one]);
  }
}

const answers = new Answers();
let unwatch: () => void;

beforeAll(() => {
  unwatch = watchFunctions(({ plan }, isFound, hasValues) => {
    if (hasValues && answers.counting) answers.valued++;
    answers.note(plan, isFound);
  });
});

afterAll(() => {
  unwatch();
});

/** One decision from each reader. */
type Answered = { readonly [reader in "closures" | "generated" | "page" | "observed" | "explain"]: Decision };

/** The readers that disagree with the closures. */
function othersIn(answered: Answered): readonly string[] {
  const { closures, ...rest } = answered;
  return Object.entries(rest).flatMap(([reader, decision]) => (isDeepStrictEqual(decision, closures) ? [] : [reader]));
}

/** A coverage observer that does nothing. */
const OBSERVER: Observer = { evaluated() {}, considered() {} };

/** All readers of one set. */
class Readers {
  readonly generated: PolicySet;
  readonly closures: PolicySet;
  readonly page: PolicySet;
  readonly observed: PolicySet;
  readonly coverage: CoverageCollector;
  private readonly tracer: DecisionTracer;
  private readonly pageTracer: DecisionTracer;

  constructor(documents: PolicyDocuments) {
    this.closures = compiled(toFiles(documents), { globals: GLOBALS, otherVersions: OTHER_VERSIONS, codegen: false });
    const { permission, platform, model, configuration } = this.closures;
    if (platform === undefined) throw new Error("there is no platform layer");
    const generating = ({ version, defaultReason, globals }: Layer) =>
      new Layer(model, version, defaultReason, {
        equipment: FULL_EQUIPMENT,
        codegen: true,
        globals,
        enforceSchemas: false,
        typedReads: true,
      });
    this.generated = withLayers(this.closures, generating(permission), generating(platform));
    this.page = unpack(pack(this.closures), CLOSURES_ONLY);
    this.observed = withLayers(this.closures, permission.observedBy(OBSERVER), platform.observedBy(OBSERVER));
    this.tracer = decisionTracer(this.closures);
    this.pageTracer = decisionTracer(this.page);
    this.coverage = new CoverageCollector(model, configuration);
  }

  /** Makes the set generate functions for the plans of a request. */
  warm(one: DecisionRequest): void {
    for (let i = 0; i < WARM; i++) decide(this.generated, one);
  }

  answersTo(one: DecisionRequest): Answered {
    return {
      closures: decide(this.closures, one),
      generated: decide(this.generated, one),
      page: decide(this.page, one),
      observed: decide(this.observed, one),
      explain: decisionIn(traceDecision(this.tracer, one)),
    };
  }

  traces(one: DecisionRequest): readonly [set: DecisionTrace, page: DecisionTrace] {
    return [traceDecision(this.tracer, one), traceDecision(this.pageTracer, one)];
  }
}

function decisionIn({ permission, platform, ...rest }: DecisionTrace): Decision {
  return { ...rest, permission: permission.verdict, platform: platform.verdict };
}

/** The set with many more rules in one policy of each layer: copies of its rules, or their opposites. */
function lengthened(documents: PolicyDocuments): PolicyDocuments {
  const first = (version: string) =>
    documents.find(({ resourcePolicy, disabled }) => !disabled && resourcePolicy?.version === version);
  const long = [first("default"), first("platform")];
  return documents.map((document): PolicyDocument => {
    const { resourcePolicy } = document;
    if (resourcePolicy === undefined || !long.includes(document)) return document;
    const rules = resourcePolicy.rules ?? [];
    const conditional = rules.filter(({ condition }) => condition !== undefined).slice(0, 2);
    const copies = conditional.flatMap((rule) => Array.from({ length: MANY_RULES + 1 }, (_, i) => copyOf(rule, i)));
    return { ...document, resourcePolicy: { ...resourcePolicy, rules: [...rules, ...copies] } };
  });
}

function copyOf({ condition, ...rule }: RuleDocument, i: number): RuleDocument {
  const named = { ...rule, name: `${rule.name ?? "copy"}_${i}` };
  if (condition === undefined) return named;
  return { ...named, condition: i % 3 === 2 ? { match: { none: { of: [condition.match] } } } : condition };
}

/** The question of one request with the attributes of others. */
function varied(requests: readonly PlainRequest[], question: number, variation: number): PlainRequest {
  const at = (i: number): PlainRequest => {
    const one = requests[i % requests.length];
    if (one === undefined) throw new Error("no requests");
    return one;
  };
  const { key, resource, account, ...rest } = at(question);
  const other = question + variation;
  return {
    ...rest,
    key: { ...key, attr: at(other).key.attr },
    resource: { ...resource, attr: at(other + variation).resource.attr },
    account: { ...account, attr: at(other + 2 * variation).account.attr },
  };
}

function added(counts: Map<string, number>, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

/**
 * How often each rule decided, as coverage counts it. Of several rules with one name in a policy, verdicts name only
 * one.
 */
function decisiveIn({ coverage }: Readers): ReadonlyMap<string, number> {
  const rules = new Map<string, number>();
  const repeated = new Set<string>();
  for (const point of coverage.report().points) {
    if (point.kind !== "rule" || point.effect === "restrict") continue;
    const name = `${point.policy}#${point.name}`;
    if (rules.has(name)) repeated.add(name);
    rules.set(name, point.decisive);
  }
  for (const name of repeated) rules.delete(name);
  return rules;
}

/** The rules that decided, as a decision names them. Rules of role policies are not named. */
function rulesIn({ permission, platform }: Decision): readonly string[] {
  const reasons = [...permission.reasons, ...platform.reasons].filter(
    ({ kind, rule }) => kind === "rule" && rule !== "",
  );
  return reasons.map(({ policy, rule }) => `${policy}#${rule}`);
}

function globsIn({ model }: PolicySet): ReadonlySet<SourcePosition> {
  const { resourcePolicies, principalPolicies, rolePolicies } = model;
  const rules = [
    ...[...resourcePolicies, ...principalPolicies].flatMap((policy): readonly Rule[] => policy.rules),
    ...rolePolicies.flatMap(({ rules }) => rules.map(({ at, allowActions }) => ({ at, actions: allowActions }))),
  ];
  return new Set(rules.filter(({ actions }) => actions.some(isGlob)).map(({ at }) => at));
}

function explained(found: Case): Error {
  const answersOf = ({ documents, request: one }: Case) => {
    const readers = new Readers(documents);
    readers.warm(one);
    return readers.answersTo(one);
  };
  const small = minimise(found, (candidate) => othersIn(answersOf(candidate)).length > 0);
  const files = toFiles(small.documents).map(({ path, text }) => `# ${path}\n${text}`);
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  const answered = answersOf(small);
  return new Error(
    `${othersIn(answered)} differ\n${files.join("\n")}\nrequest: ${json(small.request)}\nanswers: ${json(answered)}`,
  );
}

test("on 50,000 generated requests", { timeout: 900_000 }, () => {
  const tally = new Tally();
  const forms = new Map<string, number>();
  let sets = 0;
  for (const [profile, count] of SETS) {
    const cases = policySet({ profile }).chain((documents) =>
      fc.tuple(
        fc.constant(documents),
        fc.array(request(documents), { minLength: 2 * QUESTIONS, maxLength: 2 * QUESTIONS }),
        fc.array(damageSteps("either"), { minLength: QUESTIONS, maxLength: QUESTIONS }),
      ),
    );
    for (const [made, requests, damage] of fc.sample(cases, { numRuns: count, seed: SEED })) {
      const documents = sets % LONG_EACH === 0 ? lengthened(made) : made;
      sets++;
      const readers = new Readers(documents);
      answers.globs = globsIn(readers.generated);
      const decisive = new Map<string, number>();
      for (let question = 0; question < QUESTIONS; question++) {
        answers.counting = false;
        readers.warm(varied(requests, question, 0));
        answers.counting = true;
        for (let variation = 0; variation < VARIATIONS; variation++) {
          const whole = varied(requests, question, variation);
          const number = question * VARIATIONS + variation;
          const steps = damage[number % damage.length] ?? [];
          const one = number % DAMAGED_EACH === 0 ? damagedBy(whole, steps).request : whole;
          const answered = readers.answersTo(one);
          if (othersIn(answered).length > 0) throw explained({ documents, request: one });
          const decision = answered.closures;
          tally.sample(decision);
          if (number % COVERED_EACH === 0) {
            readers.coverage.decision(one);
            for (const rule of rulesIn(decision)) added(decisive, rule);
          }
          if (number % TRACED_EACH !== 0) continue;
          const [ofSet, ofPage] = readers.traces(one);
          if (!isDeepStrictEqual(ofPage, ofSet)) expect(ofPage).toEqual(ofSet);
        }
      }
      const covered = decisiveIn(readers);
      expect(covered).toEqual(new Map([...covered.keys()].map((rule) => [rule, decisive.get(rule) ?? 0])));
      const text = JSON.stringify(documents).replaceAll('\\"', '"');
      for (const [form, pattern] of [...Object.entries(FORMS), ...Object.entries(OPTIONAL_FORMS)]) {
        added(forms, form, pattern.test(text) ? 1 : 0);
      }
    }
  }
  const shares = [...forms].map(([form, count]): [string, number] => [form, Math.round((1000 * count) / sets) / 10]);
  const answered = [...answers.shares(2 * tally.decisions)];
  say(`readers: ${tally}`);
  say(`forms, in percent of the sets: ${JSON.stringify(Object.fromEntries(shares))}`);
  say(
    `answers of generated functions, in percent: ${JSON.stringify(Object.fromEntries(answered))}; passed on ${answers.asked}`,
  );
  const valued = (100 * answers.valued) / tally.decisions;
  say(`outputs evaluated by generated functions, in percent of decisions: ${valued}`);
  expect(valued).toBeGreaterThan(LEAST_VALUED);
  tally.expectCoverage({ decisions: 50_000, errors: 0.05 });
  expect(shares.filter(([, share]) => share < LEAST_FORM)).toEqual([]);
  expect(answered.filter(([feature, share]) => share < ANSWERED[feature])).toEqual([]);
});

const CONVERTED: readonly (readonly [condition: string, message: string])[] = [
  ['bool(R.attr.limits["keys"])', "no such overload"],
  ['R.attr.limits["keys"] + 1 < 10', "no such overload"],
  ['timestamp(R.attr.limits["at"]) < now()', "no such overload"],
  ['duration(R.attr.limits["at"]) < duration("2h")', "no such overload"],
  ["cel.bind(t, int, true)", "reference to undefined type: t"],
  ["R.attr.limits.keys == 3.0 || cel.bind(t, int, t == int)", "reference to undefined type: t"],
];

test.each(CONVERTED)("%s is an error to each", (expr, message) => {
  const policy = (version: string, role: string, condition: RuleDocument["condition"]): PolicyDocument => ({
    apiVersion: "api.cerbos.dev/v1",
    resourcePolicy: {
      resource: "doc",
      version,
      rules: [
        { name: "it", actions: ["read"], roles: [role], effect: "EFFECT_ALLOW", ...(condition && { condition }) },
      ],
    },
  });
  const documents = [policy("default", "*", { match: { expr } }), policy("platform", "account", undefined)];
  const readers = new Readers(documents);
  const one = {
    key: { id: "k", roles: ["r"], attr: {} },
    operation: "read",
    resource: { kind: "doc", id: "d", attr: { limits: { keys: 3, at: 0 } } },
    account: { id: "a", attr: {} },
  };
  readers.warm(one);
  const answered = readers.answersTo(one);
  expect(othersIn(answered)).toEqual([]);
  const { outcome, permission } = answered.closures;
  expect({ outcome, reasons: permission.reasons.map(({ kind }) => kind) }).toEqual({
    outcome: "insufficient_permissions",
    reasons: ["error"],
  });
  expect(permission.errors).toEqual([
    {
      policy: "resource.doc.vdefault",
      rule: "it",
      expression: expr,
      message: expect.stringContaining(message),
      position: expect.any(String),
    },
  ]);
  const [ofSet, ofPage] = readers.traces(one);
  expect(ofPage).toEqual(ofSet);
});
