/** All policies of a set by name, each once. */

import { didYouMean } from "../distance.js";
import type { IssueLog } from "../issue-log.js";
import { resourcePolicyKey } from "../names.js";
import type {
  RawDerivedRoles,
  RawExportConstants,
  RawExportVariables,
  RawPolicy,
  RawResourcePolicy,
  Reference,
} from "../read/raw.js";

interface Importable {
  readonly derivedRoles: RawDerivedRoles;
  readonly exportVariables: RawExportVariables;
  readonly exportConstants: RawExportConstants;
}

type ImportKind = keyof Importable;

/** Names of sets in files that were refused: importing one is no further fault. */
export type RefusedNames = ReadonlySet<string>;

/** How a refused set is named in {@link RefusedNames}. */
export function refusedName(kind: string, name: string): string {
  return `${kind} ${name}`;
}

const NOUNS: { readonly [K in ImportKind]: string } = {
  derivedRoles: "derived roles",
  exportVariables: "exported variables",
  exportConstants: "exported constants",
};

export class Catalogue {
  /** By policy key, in the order of the files. */
  readonly resourcePolicies = new Map<string, RawResourcePolicy>();
  readonly derivedRoles = new Map<string, RawDerivedRoles>();
  readonly exportVariables = new Map<string, RawExportVariables>();
  readonly exportConstants = new Map<string, RawExportConstants>();
  private readonly refused: RefusedNames;
  private readonly log: IssueLog;
  private readonly imported = new Set<RawPolicy>();

  constructor(policies: readonly RawPolicy[], refused: RefusedNames, log: IssueLog) {
    this.refused = refused;
    this.log = log;
    for (const policy of policies) this.add(policy);
  }

  /** The set that `reference` imports. `missing`: no file defines it (reported); `refused`: its file was refused. */
  import<K extends ImportKind>(kind: K, reference: Reference, log: IssueLog): Importable[K] | "missing" | "refused" {
    const found = this[kind].get(reference.name);
    if (found !== undefined) return this.use<Importable[K]>(found);
    if (this.refused.has(refusedName(kind, reference.name))) return "refused";
    const message = `no file defines ${NOUNS[kind]} "${reference.name}"`;
    log.error("missing_import", reference.at, message, didYouMean(reference.name, this[kind].keys()));
    return "missing";
  }

  private use<T extends RawPolicy>(set: T): T {
    this.imported.add(set);
    return set;
  }

  isImported(policy: RawPolicy): boolean {
    return this.imported.has(policy);
  }

  private add(policy: RawPolicy): void {
    switch (policy.kind) {
      case "resourcePolicy":
        this.register(this.resourcePolicies, resourcePolicyKey(policy.name, policy.version, ""), policy);
        break;
      case "derivedRoles":
        this.register(this.derivedRoles, policy.name, policy, "derived roles ");
        break;
      case "exportVariables":
        this.register(this.exportVariables, policy.name, policy, "exported variables ");
        break;
      case "exportConstants":
        this.register(this.exportConstants, policy.name, policy, "exported constants ");
        break;
    }
  }

  private register<T extends RawPolicy>(sets: Map<string, T>, name: string, policy: T, noun = ""): void {
    const first = sets.get(name);
    if (first === undefined) {
      sets.set(name, policy);
      return;
    }
    const message = `${noun}"${name}" is defined twice: first at ${first.at.file}:${first.at.line}`;
    this.log.error("duplicate", policy.at, message);
  }
}
