/** The platform layer: the operations that the platform prohibits for every key. */

import { capital } from "../../audit/capital.js";
import { an, CHANGES, type DomainOperation, operationsOf, type PolicyDomain } from "./domain.js";
import { block, editorSchema, scalar } from "./yaml.js";

/** A rule that refuses operations unless a requirement holds. */
interface Prohibition {
  readonly name: string;
  /** The reason of the refusal. Default: the name. */
  readonly reason?: string;
  readonly why: string;
  readonly operations: readonly DomainOperation[];
  readonly requires: string;
}

export function platformPolicy(domain: PolicyDomain): string {
  const { kind, noun, operations } = domain;
  return `${editorSchema("policy")}
#
# PLATFORM LAYER: the operations that the platform prohibits on ${an(noun)}, for every key.
#
# A refusal by this layer is the error \`forbidden\`: no other key helps. This layer knows the account (P) and the
# ${noun} (R), never the key. An operation that the rule \`supported\` does not list is refused as \`not_available\`.
# Reading is never prohibited.
#
# How to read the DENY rules: "none of: [X]" means "refuse unless X". X is the requirement: data that nobody expected does
# not meet it. The name of the rule, up to a dot, is the reason of the refusal. The rule also outputs the reason, because a
# remote policy server reports outputs but not names.
apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: ${scalar(kind)}
  version: platform
  schemas:
    principalSchema:
      ref: cerbos:///account.json
    resourceSchema:
      ref: cerbos:///${kind}.json
  rules:
    - name: supported
      actions:
${block(
  operations.map(({ name }) => name),
  8,
)}      roles:
        - account
      effect: EFFECT_ALLOW
${prohibitions(domain).map(ruleText).join("")}`;
}

function prohibitions(domain: PolicyDomain): readonly Prohibition[] {
  const { noun } = domain;
  const all: readonly Prohibition[] = [
    {
      name: "state_forbids_modification",
      why: `${capital(an(noun))} that is suspended cannot be changed.`,
      operations: operationsOf(domain, "write", "delete"),
      requires: 'R.attr.state == "active"',
    },
    ...quotas(domain),
    {
      name: "platform_policy_violation",
      why: `A safeguard against a service that passes the wrong account: the ${noun} must belong to it.`,
      operations: operationsOf(domain, ...CHANGES),
      requires: "R.attr.accountId == P.id",
    },
    {
      name: "not_available",
      why: "A suspended account changes nothing.",
      operations: operationsOf(domain, ...CHANGES),
      requires: 'P.attr.status == "active"',
    },
  ];
  return all.filter(({ operations }) => operations.length > 0);
}

/** A rule for each plan. That of the largest plan bounds all of them, so it does not ask for the plan. */
function quotas(domain: PolicyDomain): readonly Prohibition[] {
  const { plans, counter, nouns } = domain;
  const about = { reason: "quota_exceeded", operations: operationsOf(domain, "create") };
  return plans.map(({ name, quota }, i) => {
    const requires = `P.attr.usage.${counter} < ${quota}`;
    if (i === plans.length - 1) {
      return { ...about, name: about.reason, why: `No plan has room for more than ${quota} ${nouns}.`, requires };
    }
    const why = `The plan ${name} has room for ${quota} ${nouns}.`;
    return { ...about, name: `${about.reason}.${name}`, why, requires: `P.attr.plan != "${name}" || ${requires}` };
  });
}

function ruleText({ name, reason = name, why, operations, requires }: Prohibition): string {
  return `
    # ${why}
    - name: ${name}
      actions:
${block(
  operations.map((operation) => operation.name),
  8,
)}      roles:
        - account
      effect: EFFECT_DENY
      condition:
        match:
          none:
            of:
              - expr: ${requires}
      output:
        when:
          ruleActivated: '"${reason}"'
`;
}
