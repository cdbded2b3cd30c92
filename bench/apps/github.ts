/**
 * Repositories. Each has five groups of users who may read, triage, write to, maintain or administer it; each group may
 * also do everything that the earlier groups may. A repository belongs to an organization, and the organization's
 * readers, writers and administrators have the same rights in all its repositories. Users and teams can be in these
 * groups, teams can be in teams, and the members of an organization can be in a group of another organization.
 */

import type { JsonValue } from "../../src/index.js";
import type { Uid } from "../peers/cedar.js";
import { type App, allow, type Draw, policyFile, type Question, unitOf } from "./app.js";
import { Graph, reference } from "./graph.js";

interface Request {
  readonly key: {
    readonly id: string;
    readonly roles: readonly string[];
    /** All teams, organizations and groups of the user. */
    readonly attr: { readonly memberOf: readonly string[] };
  };
  readonly operation: string;
  readonly resource: {
    readonly kind: string;
    readonly id: string;
    readonly attr: { readonly [name in Group]: string } & {
      readonly owner: { readonly [name in OwnerGroup]: string };
    };
  };
}

const ACTIONS = ["read", "triage", "write", "maintain", "admin"] as const;
const GROUPS = ["readers", "triagers", "writers", "maintainers", "admins"] as const;
const OWNER_GROUPS = ["readers", "writers", "admins"] as const;
type Group = (typeof GROUPS)[number];
type OwnerGroup = (typeof OWNER_GROUPS)[number];

const POLICIES = [
  policyFile(
    "Repository",
    GROUPS.map((group, i) => {
      const owner = OWNER_GROUPS.some((one) => one === group) ? [`R.attr.owner.${group} in P.attr.memberOf`] : [];
      return allow(ACTIONS.slice(0, i + 1), `R.attr.${group} in P.attr.memberOf`, ...owner);
    }),
  ),
];

const CEDAR = GROUPS.map((group, i) => {
  const actions = ACTIONS.slice(0, i + 1).map((action) => `Action::"${action}"`);
  const on = `permit (principal, action in [${actions.join()}], resource is Repository)`;
  const owner = OWNER_GROUPS.some((one) => one === group) ? `${on} when { principal in resource.owner.${group} };` : "";
  return `${on} when { principal in resource.${group} };\n${owner}`;
}).join("\n");

type MemberOf = Request["key"]["attr"]["memberOf"];
type Groups = Request["resource"]["attr"];

function mayAdmin(memberOf: MemberOf, { admins, owner }: Groups): boolean {
  return memberOf.includes(admins) || memberOf.includes(owner.admins);
}

function mayMaintain(memberOf: MemberOf, groups: Groups): boolean {
  return memberOf.includes(groups.maintainers) || mayAdmin(memberOf, groups);
}

function mayWrite(memberOf: MemberOf, groups: Groups): boolean {
  const { writers, owner } = groups;
  return memberOf.includes(writers) || memberOf.includes(owner.writers) || mayMaintain(memberOf, groups);
}

function mayTriage(memberOf: MemberOf, groups: Groups): boolean {
  return memberOf.includes(groups.triagers) || mayWrite(memberOf, groups);
}

function mayRead(memberOf: MemberOf, groups: Groups): boolean {
  const { readers, owner } = groups;
  return memberOf.includes(readers) || memberOf.includes(owner.readers) || mayTriage(memberOf, groups);
}

function byHand({ key, operation, resource }: Request): boolean {
  if (resource.kind !== "Repository" || !key.roles.includes("user")) return false;
  const { memberOf } = key.attr;
  switch (operation) {
    case "read":
      return mayRead(memberOf, resource.attr);
    case "triage":
      return mayTriage(memberOf, resource.attr);
    case "write":
      return mayWrite(memberOf, resource.attr);
    case "maintain":
      return mayMaintain(memberOf, resource.attr);
    case "admin":
      return mayAdmin(memberOf, resource.attr);
    default:
      return false;
  }
}

function world(draw: Draw, size: number): () => Question<Request> {
  const graph = new Graph();
  const uid = (type: string) => (i: number) => ({ type, id: `${type.toLowerCase()}_${i}` });
  const [user, team, organization, repository] = [uid("User"), uid("Team"), uid("Organization"), uid("Repository")];
  const groupOf = ({ id }: Uid, group: Group): Uid => ({ type: "Group", id: `${id}.${group}` });
  const ofRepositories = (): Uid[] => draw.some(size, (i) => groupOf(repository(i), draw.one(GROUPS)));
  const ofOrganizations = (): Uid[] => draw.some(size, (i) => groupOf(organization(i), draw.one(OWNER_GROUPS)));
  const owners = new Map<string, Uid>();
  for (let i = 0; i < size; i++) {
    const of = (group: OwnerGroup): JsonValue => reference(groupOf(organization(i), group));
    graph.add(organization(i), ofOrganizations(), {
      readers: of("readers"),
      writers: of("writers"),
      admins: of("admins"),
    });
    // Only in teams with lower numbers: no team contains itself.
    graph.add(team(i), [...draw.some(i, team), ...ofRepositories()]);
  }
  for (let i = 0; i < size; i++) {
    const owner = organization(draw.below(size));
    owners.set(repository(i).id, owner);
    const groups = GROUPS.map((group) => [group, reference(groupOf(repository(i), group))]);
    graph.add(repository(i), [], { ...Object.fromEntries(groups), owner: reference(owner) });
    graph.add(user(i), [
      ...draw.some(size, team),
      ...draw.some(size, organization),
      ...ofRepositories(),
      ...ofOrganizations(),
    ]);
  }
  return () => {
    const [principal, about] = [user(draw.below(size)), repository(draw.below(size))];
    const owner = owners.get(about.id) ?? organization(0);
    const memberOf = graph.above(principal).map(({ id }) => id);
    const key = { id: principal.id, roles: ["user"], attr: { memberOf } };
    const of = (group: Group): string => groupOf(about, group).id;
    const ofOwner = (group: OwnerGroup): string => groupOf(owner, group).id;
    const attr = {
      readers: of("readers"),
      triagers: of("triagers"),
      writers: of("writers"),
      maintainers: of("maintainers"),
      admins: of("admins"),
      owner: { readers: ofOwner("readers"), writers: ofOwner("writers"), admins: ofOwner("admins") },
    };
    const resource = { kind: about.type, id: about.id, attr };
    const request = { key, operation: draw.one(ACTIONS), resource };
    return { request, graph, principal, resource: about, read: [owner] };
  };
}

export const github: App<Request> = {
  name: "github",
  policies: POLICIES,
  cedar: CEDAR,
  byHand: unitOf(byHand),
  world,
};
