/**
 * Documents in nested folders. The owner of a document, or of a folder above it, may read, write and share it. Those
 * with whom it was shared may read it: directly, through a folder above, or as a member of a group. Anyone may read
 * public documents.
 */

import type { Uid } from "../peers/cedar.js";
import { type App, allow, type Draw, policyFile, type Question, unitOf } from "./app.js";
import { Graph, reference } from "./graph.js";

interface Request {
  readonly key: {
    readonly id: string;
    readonly roles: readonly string[];
    readonly attr: {
      readonly groups: readonly string[];
      readonly documents: readonly string[];
      readonly folders: readonly string[];
    };
  };
  readonly operation: string;
  readonly resource: {
    readonly kind: string;
    readonly id: string;
    readonly attr: {
      readonly isPublic: boolean;
      /** All folders above the document. */
      readonly folders: readonly string[];
      /** Users and groups with whom the document, or a folder above it, was shared. */
      readonly viewers: readonly string[];
    };
  };
}

const OWNED = "R.id in P.attr.documents";
const IN_OWNED = "hasIntersection(R.attr.folders, P.attr.folders)";
const SHARED = "P.id in R.attr.viewers";
const SHARED_WITH_GROUP = "hasIntersection(P.attr.groups, R.attr.viewers)";

const POLICIES = [
  policyFile("Document", [
    allow(["read"], "R.attr.isPublic", SHARED, SHARED_WITH_GROUP),
    allow(["read", "write", "share"], OWNED, IN_OWNED),
    allow(["changeOwner"], OWNED),
  ]),
  policyFile("Folder", [allow(["createDocument"], "R.id in P.attr.folders")]),
];

const CEDAR = `
permit (principal is User, action == Action::"read", resource is Document) when { resource.isPublic };
permit (principal is User, action == Action::"read", resource is Document) when { resource in principal.sees };
permit (principal is User, action in [Action::"read", Action::"write", Action::"share"], resource is Document)
when { resource in principal.documents || resource in principal.folders };
permit (principal is User, action == Action::"changeOwner", resource is Document)
when { principal.documents.contains(resource) };
permit (principal is User, action == Action::"createDocument", resource is Folder)
when { principal.folders.contains(resource) };
`;

function byHand({ key, operation, resource }: Request): boolean {
  if (!key.roles.includes("user")) return false;
  const { groups, documents, folders } = key.attr;
  if (resource.kind === "Folder") return operation === "createDocument" && folders.includes(resource.id);
  const { attr, id } = resource;
  const isOwner = documents.includes(id);
  switch (operation) {
    case "read":
      if (attr.isPublic || isOwner || attr.viewers.includes(key.id)) return true;
      return groups.some((one) => attr.viewers.includes(one)) || attr.folders.some((one) => folders.includes(one));
    case "write":
    case "share":
      return isOwner || attr.folders.some((one) => folders.includes(one));
    case "changeOwner":
      return isOwner;
    default:
      return false;
  }
}

/**
 * In Cedar, a view is an entity. Documents and folders that are shared with a user or a group are in its view. The view
 * of a group is in the views of its members.
 */
function world(draw: Draw, size: number): () => Question<Request> {
  const graph = new Graph();
  const uid = (type: string) => (id: number | string) => ({ type, id: `${type.toLowerCase()}_${id}` });
  const [user, group, folder, document] = [uid("User"), uid("Group"), uid("Folder"), uid("Document")];
  const view = (id: string): Uid => ({ type: "View", id });
  const ids = (uids: readonly Uid[]): readonly string[] => uids.map(({ id }) => id);
  const members = new Map<string, string[]>();
  const attrOf = new Map<string, Request["key"]["attr"]>();
  const isPublic = new Set<string>();
  for (let i = 0; i < size; i++) {
    const groups = draw.some(size, group);
    for (const { id } of groups) members.set(id, [...(members.get(id) ?? []), user(i).id]);
    const [documents, folders] = [draw.some(size, document), draw.some(size, folder)];
    graph.add(user(i), groups, {
      sees: reference(view(user(i).id)),
      documents: documents.map(reference),
      folders: folders.map(reference),
    });
    attrOf.set(user(i).id, { groups: ids(groups), documents: ids(documents), folders: ids(folders) });
  }
  for (let i = 0; i < size; i++) {
    graph.add(
      view(group(i).id),
      (members.get(group(i).id) ?? []).map((id) => view(id)),
    );
  }
  const sharedWith = (): Uid[] => [...draw.some(size, user), ...draw.some(size, group)].map(({ id }) => view(id));
  const grants = new Map<string, readonly string[]>();
  for (let i = 0; i < size; i++) {
    const shared = sharedWith();
    grants.set(folder(i).id, ids(shared));
    // Only in folders with lower numbers: no folder contains itself.
    graph.add(folder(i), [...draw.some(i, folder), ...shared]);
  }
  for (let i = 0; i < size; i++) {
    const shared = sharedWith();
    grants.set(document(i).id, ids(shared));
    const open = draw.chance(0.5);
    if (open) isPublic.add(document(i).id);
    graph.add(document(i), [...draw.some(size, folder), ...shared], { isPublic: open });
  }
  return () => {
    const principal = user(draw.below(size));
    const operation = draw.one(["read", "read", "write", "share", "changeOwner", "createDocument"]);
    const about = (operation === "createDocument" ? folder : document)(draw.below(size));
    const folders = graph.idsAbove(about, "Folder");
    const viewers = [...new Set([about.id, ...folders].flatMap((id) => grants.get(id) ?? []))];
    const key = { id: principal.id, roles: ["user"], attr: attrOf.get(principal.id) ?? NOTHING };
    const attr = { isPublic: isPublic.has(about.id), folders, viewers };
    const resource = { kind: about.type, id: about.id, attr };
    return { request: { key, operation, resource }, graph, principal, resource: about };
  };
}

const NOTHING = { groups: [], documents: [], folders: [] };

export const gdrive: App<Request> = {
  name: "gdrive",
  policies: POLICIES,
  cedar: CEDAR,
  byHand: unitOf(byHand),
  world,
};
