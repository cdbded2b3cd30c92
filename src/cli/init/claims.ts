/** The promises of a new set, for `keyward prove`. */

import { capital } from "../../audit/capital.js";
import { an, CHANGES, type DomainOperation, operationsOf, type PolicyDomain, READS } from "./domain.js";
import { roleRules } from "./permission-policy.js";
import { editorSchema, flow, scalar } from "./yaml.js";

const NO_PERMISSIONS = "size(key.attr.permissions) == 0";

export function claimsText(domain: PolicyDomain): string {
  const { kind, noun, nouns, plans, counter } = domain;
  const changes = operationsOf(domain, ...CHANGES);
  const about = { kind };
  const named = new Set(roleRules(domain).flatMap(({ roles }) => roles));
  const without = (role: string) => `!('${role}' in key.roles)`;
  const claims = [
    claimText({
      ...about,
      claim: "No key acts outside its account.",
      assume: ["key.attr.accountId != resource.attr.accountId"],
      never: "allow",
    }),
    claimText({
      ...about,
      claim: "A key without a known role and without permissions may do nothing.",
      assume: ["!key.roles.exists(r, r in ['viewer', 'editor', 'admin'])", NO_PERMISSIONS],
      never: "allow",
    }),
    claimText({
      ...about,
      claim: `A key with neither the role editor nor admin, and without permissions, changes no ${noun}.`,
      operations: changes,
      assume: [without("editor"), without("admin"), NO_PERMISSIONS],
      never: "allow",
    }),
    claimText({
      ...about,
      claim: `Only an admin, or a key with permissions, deletes ${nouns}.`,
      operations: operationsOf(domain, "delete"),
      assume: [without("admin"), NO_PERMISSIONS],
      never: "allow",
    }),
    ...plans.map(({ name, quota }) =>
      claimText({
        ...about,
        claim: `An account on the plan ${name} has at most ${quota} ${nouns}.`,
        operations: operationsOf(domain, "create"),
        assume: [`account.attr.plan == '${name}'`, `account.attr.usage.${counter} >= ${quota}`],
        always: "forbidden",
      }),
    ),
    claimText({
      ...about,
      claim: `A suspended ${noun} is not changed.`,
      operations: operationsOf(domain, "write", "delete"),
      assume: ["resource.attr.state == 'suspended'"],
      always: "forbidden",
    }),
    claimText({
      ...about,
      claim: "A suspended account changes nothing.",
      operations: changes,
      assume: ["account.attr.status == 'suspended'"],
      always: "forbidden",
    }),
    claimText({
      ...about,
      claim: "Nothing of an account is changed for another account.",
      operations: changes,
      assume: ["account.id != resource.attr.accountId"],
      always: "forbidden",
    }),
    claimText({
      ...about,
      claim: "Reading is never forbidden.",
      operations: operationsOf(domain, ...READS),
      // The policies have no scope: a request in a scope is forbidden, because no policy applies to it.
      assume: ["resource.scope == ''", "account.scope == ''"],
      never: "forbidden",
    }),
    ...(named.has("editor") ? [includesText("admin", "editor")] : []),
    ...(named.has("viewer") ? [includesText("editor", "viewer")] : []),
  ];
  return `${editorSchema("claims")}
#
# What must always hold, for those who sign it. \`keyward prove\` proves each claim for every possible request, or shows a
# request that breaks it.
claims:
${claims.join("")}`;
}

interface NewClaim {
  readonly claim: string;
  readonly kind: string;
  /** Default: all. */
  readonly operations?: readonly DomainOperation[];
  readonly assume: readonly string[];
  readonly never?: string;
  readonly always?: string;
}

/** Empty if there is no operation to claim something about. */
function claimText({ claim, kind, operations, assume, never, always }: NewClaim): string {
  if (operations?.length === 0) return "";
  return [
    `  - claim: ${claim}`,
    ...(operations === undefined ? [] : [`    operations: ${flow(operations.map(({ name }) => name))}`]),
    `    kinds: ${scalar(kind)}`,
    "    assume:",
    ...assume.map((one) => `      - ${JSON.stringify(one)}`),
    never === undefined ? `    always: ${always}` : `    never: ${never}`,
    "",
  ].join("\n");
}

function includesText(role: string, includes: string): string {
  const said = `${capital(an(role))} may do everything that ${an(includes)} may do.`;
  return `  - claim: ${said}\n    role: ${role}\n    includes: ${includes}\n`;
}
