/** Batches of the two shapes in Cerbos's load test, about the policies of `policies.ts`, and their answers by hand. */

import { random } from "../requests.js";
import { named, OLD, SCOPES } from "./policies.js";

interface Principal {
  readonly id: string;
  readonly roles: string[];
  readonly attr: { region: string; manages: string; address: string; team: string };
  readonly policyVersion?: string;
  readonly scope?: string;
}

type Caller = Pick<Principal, "id" | "roles" | "attr">;

interface Resource {
  readonly kind: string;
  readonly id: string;
  readonly attr: { id: string; owner: string; region: string; team: string; state: string };
  readonly policyVersion?: string;
  readonly scope?: string;
}

/** A batch as the clients of `@cerbos/core` take it. */
export interface Batch {
  readonly principal: Principal;
  readonly resources: { readonly resource: Resource; readonly actions: string[] }[];
}

type Effect = "EFFECT_ALLOW" | "EFFECT_DENY";

/** The effects of each resource's actions, in the order of the resources. */
export type Answers = readonly { readonly [action: string]: Effect }[];

/** The answers as handwritten code in a service. */
export function answersByHand({ principal, resources }: Batch): Answers {
  return resources.map(({ resource, actions }) => {
    const answers: { [action: string]: Effect } = {};
    for (const action of actions)
      answers[action] = mayByHand(principal, action, resource) ? "EFFECT_ALLOW" : "EFFECT_DENY";
    return answers;
  });
}

export function mayByHand(principal: Caller, action: string, resource: Resource): boolean {
  if (!resource.kind.startsWith("absence_")) {
    return resource.kind.startsWith("record_") && isCurrent(resource) && principal.roles.includes("admin");
  }
  if (principal.roles.includes("admin")) return true;
  if (resource.policyVersion === OLD) {
    return ofCompany(principal, action, resource) || ofPart(principal, action, resource);
  }
  switch (resource.scope) {
    case SCOPES[2]:
      return (
        ofPlace(principal, action, resource) ||
        ofPart(principal, action, resource) ||
        ofCompany(principal, action, resource)
      );
    case SCOPES[1]:
      return ofPart(principal, action, resource) || ofCompany(principal, action, resource);
    case SCOPES[0]:
      return ofCompany(principal, action, resource);
    default:
      return false;
  }
}

function isCurrent({ policyVersion = "default" }: Resource): boolean {
  return policyVersion === "default";
}

function isOwner({ id, roles }: Caller, { attr }: Resource): boolean {
  return attr.owner === id && roles.includes("employee");
}

function isManager({ roles, attr }: Caller, { attr: { region } }: Resource): boolean {
  return region === attr.region && region === attr.manages && roles.includes("manager");
}

/** Addresses in 10.1.0.0/16. Addresses in these requests are always well-formed. */
function isAtHome({ attr: { address } }: Caller, { attr: { region } }: Resource): boolean {
  return region === (address.startsWith("10.1.") ? "north" : "");
}

function ofCompany(principal: Caller, action: string, resource: Resource): boolean {
  if (action === "view:public") return principal.roles.includes("employee");
  return action === "create" && isOwner(principal, resource);
}

function ofPart(principal: Caller, action: string, resource: Resource): boolean {
  if (action.startsWith("view:")) return isOwner(principal, resource) || isManager(principal, resource);
  if (action === "approve") return resource.attr.state === "AWAITED" && isManager(principal, resource);
  return action === "delete" && isAtHome(principal, resource) && isManager(principal, resource);
}

function ofPlace(principal: Caller, action: string, resource: Resource): boolean {
  const isTheirs = (): boolean => isOwner(principal, resource) || isManager(principal, resource);
  return action === "delete" && isAtHome(principal, resource) && isTheirs();
}

const OLD_ACTIONS = ["view:public", "approve"];
const SCOPED: readonly (readonly [scope: string, actions: readonly string[]])[] = [
  [SCOPES[2], ["view:public", "delete", "create"]],
  [SCOPES[1], ["view:public", "delete", "create"]],
  [SCOPES[2], ["view:public", "approve"]],
];

/** `count` batches about `units` units, half of each shape, parsed from JSON as in a service. */
export function batches(count: number, units: number, seed = 1): readonly Batch[] {
  const next = random(seed);
  const below = (n: number): number => Math.floor(next() * n);
  const pick = (items: readonly string[]): string => items[below(items.length)] ?? "";
  const PEOPLE = ["ann", "ben", "cem", "dora", "emil"];
  const REGIONS = ["north", "north", "south"];
  const principalOf = (more: object): object => ({
    id: pick(PEOPLE),
    roles: [pick(["employee", "employee", "manager", "manager", "admin", "tester"])],
    attr: {
      region: pick(REGIONS),
      manages: pick(REGIONS),
      address: `10.${pick(["1", "1", "2"])}.${below(256)}.${below(256)}`,
      team: pick(["design", "press"]),
    },
    ...more,
  });
  const entry = (kind: string, actions: readonly string[], more: object): object => {
    const id = `no_${below(1_000)}`;
    const attr = {
      id,
      owner: pick(PEOPLE),
      region: pick(REGIONS),
      team: pick(["design", "press", "audit"]),
      state: pick(["AWAITED", "AWAITED", "DRAFT"]),
    };
    return { resource: { kind, id, attr, ...more }, actions };
  };
  const all = Array.from({ length: count }, (_, i) => {
    const unit = below(units);
    const absence = named("absence", unit);
    if (i % 2 === 0) {
      const resources = Array.from({ length: 5 }, () => entry(absence, OLD_ACTIONS, { policyVersion: OLD }));
      return { principal: principalOf({ policyVersion: OLD }), resources };
    }
    const scoped = SCOPED.map(([scope, actions]) => entry(absence, actions, { scope }));
    // No policy covers salaries.
    const salary = entry(named("salary", unit), ["view:public", "delete", "edit"], { policyVersion: OLD });
    return { principal: principalOf({ scope: SCOPES[1] }), resources: [...scoped, salary] };
  });
  return JSON.parse(JSON.stringify(all));
}

/** A question about one action, for `decide`. */
export interface Question {
  readonly key: Caller;
  readonly operation: string;
  readonly resource: Resource;
}

/** The batches' questions about policies with scopes, one for each action. No layer of `decide` has the other version. */
export function questionsOf(all: readonly Batch[]): readonly Question[] {
  return all.flatMap(({ principal: { id, roles, attr }, resources }) =>
    resources.flatMap(({ resource, actions }) =>
      resource.scope === undefined
        ? []
        : actions.map((operation) => ({ key: { id, roles, attr }, operation, resource })),
    ),
  );
}
