/** Every operation, and the possible verdicts of both layers. */

import type { PolicyIndex } from "../../engine/plan/policy-index.js";
import { actionsOn } from "../../engine/plan/questions.js";
import { scopeAndParents } from "../../engine/plan/scopes.js";
import { isAboutKind, targetOf, targetsOf } from "../../engine/plan/targets.js";
import { compileGlob, isGlob } from "../../policy/glob.js";
import { exampleOf } from "../../policy/glob-classes.js";
import { grouped } from "../../policy/groups.js";
import { compareText } from "../../policy/issue-log.js";
import type {
  AnyPolicy,
  PolicyModel,
  PrincipalPolicy,
  ResourcePolicy,
  ResourceRule,
  RolePolicy,
} from "../../policy/model.js";
import { type LayerName, ruleId } from "../policies.js";
import { possible } from "./reachability.js";
import { RulesByAction } from "./rules-by-action.js";
import type { AllowChance, OperationFacts, OperationRole, ScopeFacts } from "./types.js";

/** In a list of roles: any role that no policy mentions. */
export const ANY_OTHER = "*";

/** No role of a file has this name. */
const NOBODYS = "\0";

export interface OperationOptions {
  readonly permissionVersion: string;
  /** Undefined: the set is permission-only. */
  readonly platformVersion: string | undefined;
  readonly roles: readonly string[];
}

export function operationFacts(
  model: PolicyModel,
  index: PolicyIndex,
  options: OperationOptions,
): readonly OperationFacts[] {
  return new Operations(model, index, options).all();
}

class Operations {
  private readonly index: PolicyIndex;
  private readonly options: OperationOptions;
  private readonly byKind: ReadonlyMap<string, readonly ResourcePolicy[]>;
  /** The principal and role policies. */
  private readonly others: readonly (PrincipalPolicy | RolePolicy)[];
  private readonly rules = new Map<ResourcePolicy, RulesByAction<ResourceRule>>();

  constructor(model: PolicyModel, index: PolicyIndex, options: OperationOptions) {
    this.index = index;
    this.options = options;
    const isAsked = (policy: AnyPolicy) => this.layerOf(policy) !== undefined;
    this.byKind = grouped(model.resourcePolicies.filter(isAsked), ({ resource }) => resource);
    this.others = [...model.principalPolicies, ...model.rolePolicies].filter(isAsked);
  }

  all(): readonly OperationFacts[] {
    const found: OperationFacts[] = [];
    for (const [kind, policies] of [...this.byKind].sort(([a], [b]) => compareText(a, b))) {
      const written = policies[0]?.name ?? kind;
      const { names, patterns } = actionsOn(targetsOf([...policies, ...this.others]), kind);
      const unmatched = patterns.filter((pattern) => !names.some(compileGlob(pattern) ?? (() => false)));
      const scopes = this.scopesOf(policies);
      const others = this.othersOn(kind);
      for (const operation of [...names, ...unmatched]) {
        found.push({
          kind: written,
          operation,
          isPattern: patterns.includes(operation),
          scopes: scopes.map((scope) => this.inScope(policies, kind, scope, operation)),
          others: others.about(operation).map(({ rule }) => rule.id),
        });
      }
    }
    return found;
  }

  /** The root, and the scopes with rules of their own. */
  private scopesOf(policies: readonly ResourcePolicy[]): readonly string[] {
    const roles = this.others.filter(({ kind, rules }) => kind === "role" && rules.length > 0);
    const scopes = new Set([...policies, ...roles].map(({ scope }) => scope));
    if (this.index.resourceScopes.has("")) scopes.add("");
    return [...scopes].sort(compareText);
  }

  private inScope(policies: readonly ResourcePolicy[], kind: string, scope: string, operation: string): ScopeFacts {
    const { permissionVersion, platformVersion, roles } = this.options;
    const rulesOf = (version: string | undefined) => {
      const chain = scopeAndParents(scope).flatMap((at) =>
        policies.filter((policy) => policy.version === version && policy.scope === at),
      );
      const about = chain.flatMap((policy) =>
        this.rulesOf(policy)
          .about(operation)
          .map(({ rule: { effect }, i }) => ({ id: ruleId(policy, i), effect })),
      );
      const ids = (effect: string) => about.filter((rule) => rule.effect === effect).map(({ id }) => id);
      return { allow: ids("allow"), deny: ids("deny") };
    };
    const action = isGlob(operation) ? (exampleOf(operation) ?? operation) : operation;
    const cells = roles.map((role): OperationRole => {
      const where = { version: permissionVersion, scope, kind };
      const { chance, namesRole } = possible(this.index, where, role === ANY_OTHER ? NOBODYS : role, action);
      return { role, chance, through: chance === "never" ? "nothing" : namesRole ? "role" : "every_role" };
    });
    const supported: AllowChance =
      platformVersion === undefined
        ? "always"
        : possible(this.index, { version: platformVersion, scope, kind }, "account", action).chance;
    return { scope, permission: rulesOf(permissionVersion), platform: rulesOf(platformVersion), cells, supported };
  }

  /** The rules of principal and role policies for a kind. */
  private othersOn(kind: string) {
    const rules = this.others.flatMap((policy) =>
      policy.rules.map((rule, i) => ({ id: ruleId(policy, i), ...targetOf(policy, rule) })),
    );
    return new RulesByAction(rules.filter((rule) => isAboutKind(rule, kind)));
  }

  private rulesOf(policy: ResourcePolicy): RulesByAction<ResourceRule> {
    const known = this.rules.get(policy);
    if (known !== undefined) return known;
    const rules = new RulesByAction(policy.rules);
    this.rules.set(policy, rules);
    return rules;
  }

  private layerOf({ version }: AnyPolicy): LayerName | undefined {
    if (version === this.options.permissionVersion) return "permission";
    return version === this.options.platformVersion ? "platform" : undefined;
  }
}
