/** Generates requests for a policy set. */

import * as fc from "fast-check";
import type { PolicySet } from "../../decisions/policy-set.js";
import { type OperationQuestion, questionsIn } from "../../engine/plan/questions.js";
import { checkOptions, FLAG, type OptionTable, TEXTS } from "../../policy/options.js";
import { SchemaValidator } from "../../schema/validator.js";
import { type DecidingRule, decidingRulesOf, policiesOf, policiesOfLayers } from "../../space/deciding-rules.js";
import { PRINCIPALS, type SpaceLayer } from "../../space/dimension.js";
import { type IntendedVerdict, steerTowards } from "./aims.js";
import { SeededChoices } from "./choices.js";
import { damagedRequest } from "./damage.js";
import { CheckedDraft } from "./draft.js";
import type { PlainRequest } from "./plain-request.js";
import { QuestionValues } from "./question-values.js";
import { WORDS } from "./schema-values.js";

export interface RequestOptions {
  /**
   * Whether attributes always satisfy their schemas. Default: false; then about one request in ten has a few attributes
   * missing or of another type.
   */
  readonly wellTyped?: boolean;
  /** Only requests for these operations. Default: all that policies name, and sometimes an unknown one. */
  readonly operations?: readonly string[];
}

const REQUEST_OPTIONS = { wellTyped: FLAG, operations: TEXTS } satisfies OptionTable<RequestOptions>;

/**
 * Requests for a policy set, generated from its JSON Schemas and conditions: kinds, operations, roles, ids and scopes
 * that policies name (sometimes others), attributes that satisfy the schemas, and values on both sides of each
 * comparison. Most are steered towards an outcome, so that each outcome and each rule is frequent. They shrink to
 * simple requests.
 */
export function requests(policies: PolicySet, options: RequestOptions = {}): fc.Arbitrary<PlainRequest> {
  checkOptions(options, REQUEST_OPTIONS);
  const made = new RequestMaker(policies, options).arbitrary();
  if (options.wellTyped === true) return made;
  return fc.oneof(
    { weight: 9, arbitrary: made },
    { weight: 1, arbitrary: made.chain((one) => damagedRequest(one, "either").map(({ request }) => request)) },
  );
}

/** The aims that a request is steered towards, and the seed of the choices on the way. */
interface RequestAims {
  readonly permission: IntendedVerdict;
  readonly platform: IntendedVerdict;
  readonly seed: number;
}

const plans: fc.Arbitrary<RequestAims> = fc.record({
  permission: fc.constantFrom<IntendedVerdict>("allow", "allow", "allow", "nothing", "rule", "any"),
  platform: fc.constantFrom<IntendedVerdict>("allow", "allow", "allow", "rule", "rule", "any"),
  seed: fc.nat(),
});

/** The time of requests whose policies read the clock: one fixed example. */
const NOW = new Date("2024-09-01T18:00:00Z");

class RequestMaker {
  private readonly policies: PolicySet;
  private readonly options: RequestOptions;
  private readonly validator: SchemaValidator;

  constructor(policies: PolicySet, options: RequestOptions) {
    this.policies = policies;
    this.options = options;
    this.validator = new SchemaValidator(policies.model.schemas);
  }

  arbitrary(): fc.Arbitrary<PlainRequest> {
    const { operations } = this.options;
    const deciders = (layer: SpaceLayer, question: OperationQuestion) =>
      decidingRulesOf(policiesOf(this.policies, layer), question);
    const targets = questionsIn(policiesOfLayers([this.policies]))
      .questions.filter(({ operation }) => operations === undefined || operations.includes(operation))
      .map((question) => ({
        question,
        permission: deciders("permission", question),
        platform: deciders("platform", question),
      }))
      .filter(({ permission, platform }) => permission.length + platform.length > 0);
    const [first] = targets;
    if (first === undefined) throw new Error("keyward: no policy has a rule for one of these operations");
    // Questions with more rules are asked more often.
    return fc.oneof(
      ...targets.map((target) => ({
        weight: target.permission.length + target.platform.length,
        arbitrary: this.requestFor(target),
      })),
    );
  }

  private requestFor({ question, ...deciders }: RequestMakerTarget): fc.Arbitrary<PlainRequest> {
    const kind = new QuestionValues(this.policies, this.validator, question);
    const { roles } = kind.asked.permission;
    const ids = (layer: SpaceLayer) => fc.constantFrom(...new Set([...WORDS, ...kind.named(PRINCIPALS[layer], "id")]));
    const scopes = [...new Set([...kind.named("key", "scope"), ...kind.named("resource", "scope")])];
    const scope = scopes.length > 0 ? fc.constantFrom(...scopes) : fc.constant("");
    const stranger = this.options.operations === undefined ? 1 : 0;
    return fc
      .record({
        keyId: ids("permission"),
        roles: fc.shuffledSubarray([...roles], { minLength: 1, maxLength: Math.min(2, roles.length) }),
        key: kind.attributes("key"),
        operation: fc.oneof(
          { weight: 39, arbitrary: fc.constant(question.operation) },
          { weight: stranger, arbitrary: fc.constantFrom("unheard_of", `${question.operation}.more`) },
        ),
        kind: fc.oneof(
          { weight: 39, arbitrary: fc.constant(question.kind) },
          { weight: stranger, arbitrary: fc.constantFrom("unheard_of") },
        ),
        resourceId: fc.constantFrom(...WORDS),
        resource: kind.attributes("resource"),
        accountId: ids("platform"),
        account: kind.attributes("account"),
        scope,
        plan: plans,
      })
      .map(({ plan, ...roll }) => {
        const placed = roll.scope === "" ? {} : { scope: roll.scope };
        const request: PlainRequest = {
          key: { id: roll.keyId, roles: roll.roles, attr: roll.key, ...placed },
          operation: roll.operation,
          resource: { kind: roll.kind, id: roll.resourceId, attr: roll.resource, ...placed },
          account: { id: roll.accountId, attr: roll.account, ...placed },
          ...(kind.readsTime ? { now: NOW } : {}),
        };
        const draft = new CheckedDraft(request, kind.validators);
        const choices = new SeededChoices(plan.seed);
        // The platform layer first: the permission layer's changes are then mostly to the key, which the platform
        // ignores.
        for (const layer of ["platform", "permission"] as const) {
          const { candidates, evaluators } = kind;
          steerTowards(plan[layer], deciders[layer], {
            layer,
            draft,
            choices,
            evaluator: evaluators[layer],
            candidates,
          });
        }
        return draft.done();
      });
  }
}

interface RequestMakerTarget {
  readonly question: OperationQuestion;
  readonly permission: readonly DecidingRule[];
  readonly platform: readonly DecidingRule[];
}
