/** Random policy sets that grant by roles and by texts in a list of the key, written in many ways. */

import type { JsonValue } from "../../src/cel/json.js";
import type { PolicySet } from "../../src/index.js";
import type { Random } from "../differential/random.js";
import type { PlainRequest } from "../property/arbitraries/index.js";
import { policy, supportAll, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const LISTS = ["permissions", "grants", "oauthScopes"] as const;
const ACTIONS = ["read", "write", "share"] as const;
const ROLES = ["reader", "writer", "owner"] as const;
const IDS = ["d1", "d2", "*"] as const;

export interface GeneratedSet {
  readonly policies: PolicySet;
  /** The attribute with the key's permissions. */
  readonly list: string;
  readonly text: string;
  /** `many`: by a key with any of the permissions that sets are written with. */
  request(random: Random, many?: boolean): PlainRequest;
  /** The request about a resource with other attributes. */
  elsewhere(random: Random, request: PlainRequest): PlainRequest;
}

/** Ways to write that a list has one of the texts for an action. */
function search(random: Random, list: string, action: string): string {
  const own = random.pick([
    `"doc." + R.id + ".${action}"`,
    `"doc:" + R.id + ":${action}"`,
    `["doc", R.id, "${action}"].join(".")`,
    `"doc.%s.${action}".format([R.id])`,
    `R.kind + "/" + R.id + "/${action}"`,
    `"folder." + R.attr.folder + ".${action}"`,
    `"team." + P.attr.team + ".${action}"`,
  ]);
  const all = random.pick([`"doc.*.${action}"`, '"*"', `"${action}"`, `C.everything + ".${action}"`]);
  const texts = random.some([own, all, '"superuser"'], 1, 3);
  const listed = `[${texts.join(", ")}]`;
  return random.pick([
    `hasIntersection(P.attr.${list}, ${listed})`,
    `hasIntersection(${listed}, P.attr.${list})`,
    texts.map((text) => `${text} in P.attr.${list}`).join(" || "),
    `P.attr.${list}.exists(p, p in ${listed})`,
    `${listed}.exists(t, t in P.attr.${list})`,
    `P.attr.${list}.exists(p, ${texts.map((text) => `p == ${text}`).join(" || ")})`,
    `["*", R.id].exists(i, ("doc." + i + ".${action}") in P.attr.${list})`,
    `[${texts[0]}, "signed"].all(t, t in P.attr.${list})`,
    `isSubset(${listed}, V.held)`,
    `cel.bind(held, P.attr.${list}, ${texts[0]} in held) || V.trusted`,
  ]);
}

function test(random: Random): string {
  return random.pick([
    "R.attr.tenant == P.attr.tenant",
    "V.same_tenant",
    'R.attr.state == "open"',
    '"audit" in R.attr.tags',
  ]);
}

function condition(random: Random, list: string, action: string): string {
  const parts = [`(${search(random, list, action)})`];
  if (random.chance(0.7)) parts.push("V.same_tenant");
  if (random.chance(0.2)) parts.push(test(random));
  if (random.chance(0.15)) parts.push(`(${search(random, list, "sign")})`);
  if (random.chance(0.1)) parts.push("P.attr.level > 1");
  if (random.chance(0.1)) parts.push('("reader" in P.roles)');
  return random.some(parts, parts.length, parts.length).join(" && ");
}

function denial(random: Random, list: string): string {
  const what = random.pick([
    `!("signed" in P.attr.${list})`,
    `R.attr.state == "locked" && !(${search(random, list, "unlock")})`,
    'R.attr.state == "locked"',
    "P.attr.level < 1",
  ]);
  return `actions: [${random.pick(ACTIONS)}], roles: ["${random.pick(["*", "owner", "writer"])}"], effect: EFFECT_DENY, ${when(what)}`;
}

export function generatedSet(random: Random): GeneratedSet {
  const list = random.pick(LISTS);
  const rules: string[] = [];
  for (const action of ACTIONS) {
    if (random.chance(0.9)) {
      const roles = random.pick(['"*"', '"*"', '"*"', "reader", "writer"]);
      rules.push(
        `actions: [${action}], roles: [${roles}], effect: EFFECT_ALLOW, ${when(condition(random, list, action))}`,
      );
    }
    if (random.chance(0.6)) {
      const roles = random.some(ROLES, 1, 3).join(", ");
      const where = random.chance(0.7) ? "V.same_tenant" : test(random);
      rules.push(`actions: [${action}], roles: [${roles}], effect: EFFECT_ALLOW, ${when(where)}`);
    }
    if (random.chance(0.2)) rules.push(`actions: [${action}], derivedRoles: [helper], effect: EFFECT_ALLOW`);
  }
  if (random.chance(0.3)) rules.push(denial(random, list));
  if (rules.length === 0) rules.push("actions: [read], roles: [owner], effect: EFFECT_ALLOW");
  const body = `importDerivedRoles: [helpers]
constants:
  local:
    everything: doc.*
variables:
  local:
    same_tenant: R.attr.tenant == P.attr.tenant
    held: P.attr.${list}
    trusted: '"trusted" in V.held'`;
  const text = policy({ body, rules: rules.map((rule, i) => `name: rule_${i}, ${rule}`) });
  const helpers = `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: helpers
  definitions:
    - {name: helper, parentRoles: [reader], ${when(`"help" in P.attr.${list}`)}}
`;
  const files = [...supportAll("doc"), { path: "doc.yaml", text }];
  const policies = compiled(
    text.includes("derivedRoles: [helper]")
      ? [...files, { path: "helpers.yaml", text: helpers }]
      : files.map((file) => ({ ...file, text: file.text.replace("  importDerivedRoles: [helpers]\n", "") })),
  );
  return { policies, list, text, request: (by, many = false) => requestOf(by, list, many), elsewhere };
}

/** Every permission that a set can be written with, for the ids of the requests. */
const ALL = [
  ...["*", "superuser", "trusted", "signed", "help"],
  ...[...ACTIONS, "sign", "unlock"].flatMap((action) => [
    ...IDS.flatMap((id) => [`doc.${id}.${action}`, `doc:${id}:${action}`, `doc/${id}/${action}`]),
    ...[`folder.f1.${action}`, `folder.f2.${action}`, `team.blue.${action}`, `team.red.${action}`, action],
  ]),
];

function requestOf(random: Random, list: string, many: boolean): PlainRequest {
  const held = [
    "doc.*.read",
    "signed",
    "help",
    "doc.d1.write",
    "trusted",
    "folder.f1.read",
    "write",
    "superuser",
    "doc.*.sign",
    "doc.*.share",
  ];
  return {
    key: {
      id: "k",
      roles: random.some([...ROLES, "guest"], 1, 2),
      attr: {
        tenant: "t1",
        team: random.pick(["blue", "red"]),
        level: random.int(0, 2),
        [list]: many ? random.some(ALL, 1, 12) : random.some(held, 0, 2),
      },
    },
    operation: random.pick(ACTIONS),
    resource: { kind: "doc", id: random.pick(IDS), attr: attributes(random) },
    account: { id: "a", attr: {} },
  };
}

function attributes(random: Random): { [name: string]: JsonValue } {
  return {
    tenant: random.pick(["t1", "t1", "t1", "t2"]),
    state: random.pick(["open", "open", "locked", "draft"]),
    folder: random.pick(["f1", "f2"]),
    tags: random.some(["audit", "legal"], 0, 2),
  };
}

function elsewhere(random: Random, request: PlainRequest): PlainRequest {
  return { ...request, resource: { ...request.resource, attr: attributes(random) } };
}
