/**
 * To-do lists. Anyone may create a list and see the names of their own lists. The owner of a list may do everything
 * with it, its editors may read and change it, and its readers may read it. Editors and readers are one team each, and
 * teams can be in teams.
 */

import { type App, allow, type Draw, policyFile, type Question, unitOf } from "./app.js";
import { Graph, reference } from "./graph.js";

interface Request {
  readonly key: {
    readonly id: string;
    readonly roles: readonly string[];
    /** All direct and indirect teams of the user. */
    readonly attr: { readonly teams: readonly string[] };
  };
  readonly operation: string;
  readonly resource: {
    readonly kind: string;
    readonly id: string;
    /** The attributes of a list. */
    readonly attr?: { readonly owner: string; readonly readers: string; readonly editors: string };
  };
}

const ON_APPLICATION = ["CreateList", "GetLists"] as const;
const WRITING = ["UpdateList", "CreateTask", "UpdateTask", "DeleteTask"] as const;
const ON_LIST = ["GetList", "EditShares", "DeleteList", ...WRITING] as const;

const EDITOR = "R.attr.editors in P.attr.teams";

const POLICIES = [
  policyFile("Application", [allow(ON_APPLICATION)]),
  policyFile("List", [
    allow(["*"], "R.attr.owner == P.id"),
    allow(["GetList"], "R.attr.readers in P.attr.teams", EDITOR),
    allow(WRITING, EDITOR),
  ]),
];

const actions = (some: readonly string[]): string => `action in [${some.map((one) => `Action::"${one}"`).join()}]`;

const CEDAR = `
permit (principal is User, ${actions(ON_APPLICATION)}, resource is Application);
permit (principal is User, action, resource is List) when { resource.owner == principal };
permit (principal is User, ${actions(["GetList"])}, resource is List)
when { principal in resource.readers || principal in resource.editors };
permit (principal is User, ${actions(WRITING)}, resource is List) when { principal in resource.editors };
`;

function byHand({ key, operation, resource }: Request): boolean {
  if (!key.roles.includes("user")) return false;
  if (resource.kind === "Application") return operation === "CreateList" || operation === "GetLists";
  const { attr } = resource;
  if (resource.kind !== "List" || attr === undefined) return false;
  if (attr.owner === key.id) return true;
  const { teams } = key.attr;
  switch (operation) {
    case "GetList":
      return teams.includes(attr.readers) || teams.includes(attr.editors);
    case "UpdateList":
    case "CreateTask":
    case "UpdateTask":
    case "DeleteTask":
      return teams.includes(attr.editors);
    default:
      return false;
  }
}

function world(draw: Draw, size: number): () => Question<Request> {
  const graph = new Graph();
  const uid = (type: string) => (i: number) => ({ type, id: `${type.toLowerCase()}_${i}` });
  const [user, team, list, application] = [uid("User"), uid("Team"), uid("List"), uid("Application")];
  const lists = Array.from({ length: size }, (_, i) => {
    // Only in teams with lower numbers: no team contains itself.
    graph.add(team(i), [...draw.some(i, team), application(0)]);
    graph.add(user(i), [...draw.some(size, team), application(0)]);
    const [owner, readers, editors] = [user(draw.below(size)), team(draw.below(size)), team(draw.below(size))];
    const attrs = { owner: reference(owner), readers: reference(readers), editors: reference(editors) };
    graph.add(list(i), [application(0)], attrs);
    return { about: list(i), attr: { owner: owner.id, readers: readers.id, editors: editors.id } };
  });
  return () => {
    const principal = user(draw.below(size));
    const key = { id: principal.id, roles: ["user"], attr: { teams: graph.idsAbove(principal, "Team") } };
    const one = lists[draw.below(size)];
    if (one === undefined || draw.chance(0.1)) {
      const resource = application(0);
      const request = { key, operation: draw.one(ON_APPLICATION), resource: { kind: resource.type, id: resource.id } };
      return { request, graph, principal, resource };
    }
    const { about, attr } = one;
    const request = { key, operation: draw.one(ON_LIST), resource: { kind: about.type, id: about.id, attr } };
    return { request, graph, principal, resource: about };
  };
}

export const tinytodo: App<Request> = {
  name: "tinytodo",
  policies: POLICIES,
  cedar: CEDAR,
  byHand: unitOf(byHand),
  world,
};
