/** The names from which a policy set is made, and their validation. */

import { UsageError } from "../exit.js";
import { type OperationSort, sortOf, wordsOf } from "./operation-sorts.js";

/** A kind of resource with its operations, and the plans of the accounts that own such resources. */
export interface PolicyDomain {
  readonly kind: string;
  /** The kind in a sentence, without an article: `iot device`. */
  readonly noun: string;
  /** The noun for several: `iot devices`. */
  readonly nouns: string;
  /** The attribute of an account's usage that counts the resources: `iot_devices`. */
  readonly counter: string;
  readonly operations: readonly DomainOperation[];
  readonly plans: readonly DomainPlan[];
}

export interface DomainOperation {
  readonly name: string;
  readonly sort: OperationSort;
  /** The last part of the permissions for it: `create` in `device.*.create`. */
  readonly action: string;
}

export interface DomainPlan {
  readonly name: string;
  /** The number of resources that an account on this plan may have. */
  readonly quota: number;
}

export const DEFAULT_KIND = "document";
export const DEFAULT_PLANS: readonly string[] = ["free", "pro"];

/** An operation of each sort, on the default or a given kind. */
export function defaultOperations(kind: string): readonly string[] {
  const prefix = plural(wordsOf(kind).join("_"));
  return ["create", "list", "read", "update", "delete"].map((verb) => `${prefix}.${verb}`);
}

const MOST_OPERATIONS = 100;
const MOST_PLANS = 8;
const LONGEST_NAME = 60;

/** Names of schema files for parts of a request, and names that JavaScript objects have. */
const RESERVED_KINDS: ReadonlySet<string> = new Set(["account", "key", "constructor", "prototype"]);

const NAME = /^[a-z](?:[\w-]*[a-z0-9])?$/i;

/** Throws a {@link UsageError} if a name is not usable, or is given twice. */
export function domainOf(kind: string, operations: readonly string[], plans: readonly string[]): PolicyDomain {
  checkNames("--kind", [kind], 1, NAME, "letters, digits, `_` and `-`, first a letter");
  if (RESERVED_KINDS.has(kind.toLowerCase())) {
    throw new UsageError(`--kind: ${JSON.stringify(kind)} is reserved: give the resources another name`);
  }
  const dotted = new RegExp(`^(?:${NAME.source.slice(1, -1)})(?:\\.(?:${NAME.source.slice(1, -1)}))*$`, "i");
  const shape = "words of letters, digits, `_` and `-`, joined by dots: devices.create";
  checkNames("--operations", operations, MOST_OPERATIONS, dotted, shape);
  checkNames("--plans", plans, MOST_PLANS, NAME, "letters, digits, `_` and `-`, first a letter");
  const noun = wordsOf(kind).join(" ");
  return {
    kind,
    noun,
    nouns: plural(noun),
    counter: plural(wordsOf(kind).join("_")),
    operations: withActions(operations),
    plans: plans.map((name, i) => ({ name, quota: i === 0 ? 3 : 10 ** (i + 1) })),
  };
}

function checkNames(option: string, names: readonly string[], most: number, pattern: RegExp, shape: string): void {
  if (names.length > most) throw new UsageError(`${option}: ${names.length} names, and at most ${most} are accepted`);
  const seen = new Set<string>();
  for (const name of names) {
    if (name === "") throw new UsageError(`${option}: a name is empty`);
    const shown = JSON.stringify(name);
    if (name.length > LONGEST_NAME)
      throw new UsageError(`${option}: ${shown} is longer than ${LONGEST_NAME} characters`);
    if (!pattern.test(name)) throw new UsageError(`${option}: ${shown} is not a usable name (${shape})`);
    if (seen.has(name)) throw new UsageError(`${option}: ${shown} is given twice`);
    seen.add(name);
  }
}

/** The action of an operation is the last part of its name, or the whole name if several end alike. */
function withActions(names: readonly string[]): readonly DomainOperation[] {
  const last = names.map((name) => wordsOf(name.split(".").at(-1) ?? name).join("_"));
  const whole = names.map((name) => wordsOf(name).join("_"));
  const actions = new Set(last).size === names.length ? last : whole;
  return names.map((name, i) => {
    const action = actions[i] ?? name;
    const first = actions.indexOf(action);
    if (first !== i) {
      const both = [names[first], name].map((one) => JSON.stringify(one)).join(" and ");
      throw new UsageError(`--operations: ${both} would need the same permission, ${action}: rename one of them`);
    }
    return { name, sort: sortOf(name), action };
  });
}

/** The plural of an English noun, by its ending alone. */
function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** A noun with its indefinite article. */
export function an(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

/** The operations of some sorts, in their order. */
export function operationsOf(
  { operations }: PolicyDomain,
  ...sorts: readonly OperationSort[]
): readonly DomainOperation[] {
  return operations.filter(({ sort }) => sorts.includes(sort));
}

/** True if accounts have an attribute `usage`: quotas read it, and only creation has quotas. */
export function hasUsage(domain: PolicyDomain): boolean {
  return operationsOf(domain, "create").length > 0;
}

export const READS = ["list", "read"] as const;
export const CHANGES = ["create", "write", "delete"] as const;

/** A role, and the sorts of operations that it allows. */
export interface DomainRole {
  readonly name: string;
  readonly sorts: readonly OperationSort[];
}

export const ROLES: readonly DomainRole[] = [
  { name: "viewer", sorts: READS },
  { name: "editor", sorts: [...READS, "create", "write"] },
  { name: "admin", sorts: [...READS, ...CHANGES] },
];

/** The role that allows nothing: keys that have only their permissions. */
export const CUSTOM_ROLE = "custom";
