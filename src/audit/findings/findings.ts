/** All findings about policies before the first request. `keyward check` prints them, `keyward review` shows them. */

import type { PolicySet } from "../../decisions/policy-set.js";
import { isAdded } from "../../decisions/unlisted-kinds.js";
import { compareText } from "../../policy/issue-log.js";
import { policiesOf } from "../../space/deciding-rules.js";
import { ANY_OTHER, operationFacts } from "../operations/facts.js";
import type { OperationFacts } from "../operations/types.js";
import { layeredPolicies } from "../policies.js";
import { attributeFindings } from "./attributes.js";
import { clauseFindings } from "./clauses.js";
import { conditionFindings } from "./conditions.js";
import { coverageFindings } from "./coverage.js";
import { besideParents, derivedAmong, derivedAsRole } from "./derived-roles.js";
import { expressionFindings } from "./expressions.js";
import type { Finding, FindingSeverity } from "./finding.js";
import { hiddenCharacterFindings } from "./hidden-characters.js";
import { actionsIn, Mentions, rolesIn, rolesSought } from "./mentions.js";
import { writtenTexts } from "./names.js";
import {
  kindsOf,
  misspeltOperations,
  operationFindings,
  strangeToOthers,
  supportedKinds,
  unlistedKinds,
} from "./operations.js";
import { roleFindings } from "./roles.js";
import { scopeTokenFindings } from "./scope-tokens.js";
import { SchemasOfSubjects } from "./subjects.js";
import { unusedFindings } from "./unused.js";
import { spaceFindings } from "./whitespace.js";

export interface FindingOptions {
  /** The existing roles. Default: `roles` of `keyward.yaml`. Without either, fewer findings about roles are made. */
  readonly roles?: readonly string[];
  /** The facts of all operations, if they are already computed. */
  readonly operations?: readonly OperationFacts[];
}

/** The findings about the policies of the layers, the gravest first, then by file, line and column. */
export function findingsOf(policies: PolicySet, options: FindingOptions = {}): readonly Finding[] {
  const { model } = policies;
  const subjects = new SchemasOfSubjects(model);
  const ofLayers = layeredPolicies(policies);
  const asked = ofLayers.filter(({ policy }) => policy.kind !== "resource" || !isAdded(policy));
  const permission = asked.flatMap(({ layer, policy }) => (layer === "permission" ? [policy] : []));
  const roles = rolesIn(permission);
  const existing = options.roles ?? model.configuration?.roles;
  const known = existing && new Set(existing);
  const derivedListed = derivedAmong(roles, model, known);
  const operations = options.operations ?? operationsOf(policies, rolesNamed(policies, options.roles));
  const actions = new Mentions(actionsIn(asked));
  const texts = writtenTexts(asked);
  const kinds = [...new Set(model.resourcePolicies.map(({ resource }) => resource))];
  const layered = ofLayers.flatMap(({ layer, policy }) =>
    policy.kind === "resource" ? [{ layer, kind: policy.resource, at: policy.at }] : [],
  );
  const listed = policies.platform === undefined ? undefined : kindsOf(layered, "platform");
  const ofOperations = operationFindings(operations, actions, listed);
  const places = new Set(ofOperations.map(findingLocationKey));
  return sorted([
    ...asked.flatMap(({ layer, policy }) => [
      ...conditionFindings(policy),
      ...(policy.kind === "resource" ? [...coverageFindings(policy), ...besideParents(policy)] : []),
      ...attributeFindings(policy, layer, subjects),
      ...expressionFindings(policy, layer, subjects, model),
    ]),
    ...derivedListed.map(derivedAsRole),
    ...roleFindings([...roles.filter((one) => !derivedListed.includes(one)), ...rolesSought(permission)], known).filter(
      // Who lists a role in `keyward.yaml` knows that no rule may mention it.
      ({ code }) => code !== "unused_role" || options.roles !== undefined,
    ),
    ...ofOperations,
    ...(listed === undefined ? [] : unlistedKinds(operations, layered)),
    ...supportedKinds(model),
    ...firstOfEach(
      [
        ...misspeltOperations(actions, kinds),
        ...(policies.platform === undefined ? [] : strangeToOthers(actions, layered)),
      ].filter((one) => !places.has(findingLocationKey(one))),
    ),
    ...spaceFindings(texts),
    ...hiddenCharacterFindings(texts),
    ...unusedFindings(model),
    ...scopeTokenFindings(policies, permission),
    ...clauseFindings(policies),
  ]);
}

/** The roles that the permission layer mentions, and those that were given, by name; `*` last: any other. */
export function rolesNamed(policies: PolicySet, given: readonly string[] = []): readonly string[] {
  const named = new Set([...rolesIn(policiesOf(policies, "permission").all).map(({ role }) => role), ...given]);
  named.delete(ANY_OTHER);
  return [...[...named].sort(compareText), ANY_OTHER];
}

/** The possible verdicts of each operation for each of these roles. */
export function operationsOf({ model, permission, platform }: PolicySet, roles: readonly string[]) {
  const versions = { permissionVersion: permission.version, platformVersion: platform?.version };
  return operationFacts(model, permission.index, { ...versions, roles });
}

function findingLocationKey({ file, line, column }: Finding): string {
  return `${line}:${column} ${file}`;
}

/** The first finding of each code at each position. */
function firstOfEach(findings: readonly Finding[]): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const one of findings) {
    const key = `${one.code} ${findingLocationKey(one)}`;
    if (!found.has(key)) found.set(key, one);
  }
  return [...found.values()];
}

const SEVERITIES: readonly FindingSeverity[] = ["error", "warning", "note"];

/** Each finding once. */
export function sorted(findings: readonly Finding[]): readonly Finding[] {
  const keys = new Map(
    findings.map((one) => [JSON.stringify([one.code, one.file, one.line, one.column, one.message]), one]),
  );
  return [...keys.values()].sort(
    (a, b) =>
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
      compareText(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      compareText(a.code, b.code) ||
      compareText(a.message, b.message),
  );
}
