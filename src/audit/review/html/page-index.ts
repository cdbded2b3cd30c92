/** Lookups for the sections of a page: rules and names, and their anchors on the page. */

import type { OperationFacts } from "../../operations/types.js";
import type { DerivedRoleFacts, NameFacts, Review, RuleFacts } from "../types.js";
import { type Html, html } from "./html.js";

export class PageIndex {
  private readonly anchors: ReadonlyMap<string, string>;
  private readonly rules: ReadonlyMap<string, RuleFacts>;
  private readonly derivedRoles: ReadonlyMap<string, DerivedRoleFacts>;
  private readonly namesByKey: ReadonlyMap<string, NameFacts>;
  private readonly operationIds: ReadonlyMap<OperationFacts, string>;

  constructor({ rules, derivedRoles, names, operations }: Review) {
    this.anchors = new Map([
      ...rules.map(({ id }, i) => [id, `r${i + 1}`] as const),
      ...derivedRoles.map(({ id }, i) => [id, `d${i + 1}`] as const),
    ]);
    this.rules = new Map(rules.map((rule) => [rule.id, rule]));
    this.derivedRoles = new Map(derivedRoles.map((role) => [role.id, role]));
    this.namesByKey = new Map(names.map((one) => [nameKey(one.owner, one.name), one]));
    this.operationIds = new Map(operations.map((one, i) => [one, `o${i + 1}`]));
  }

  rulesOf(ids: readonly string[]): readonly RuleFacts[] {
    return ids.flatMap((id) => this.rules.get(id) ?? []);
  }

  /** The id on the page of a rule or derived role. */
  anchorOf(id: string): string {
    return this.anchors.get(id) ?? "";
  }

  operationAnchor(operation: OperationFacts): string {
    return this.operationIds.get(operation) ?? "";
  }

  /** A link to a rule or derived role. */
  link(id: string, text: string): Html {
    const anchor = this.anchors.get(id);
    return anchor === undefined ? html`${text}` : html`<a href="#${anchor}">${text}</a>`;
  }

  /** The variables that the conditions of rules read, directly or through other variables. */
  variablesOf(ids: readonly string[]): readonly NameFacts[] {
    const found = new Map<string, NameFacts>();
    const read = (owner: string, names: readonly string[]): void => {
      for (const name of names) {
        const facts = this.namesByKey.get(nameKey(owner, name));
        // A variable with the same name and meaning in both layers is shown once.
        const meaning = facts === undefined ? "" : nameKey(name, facts.text);
        if (facts === undefined || found.has(meaning)) continue;
        found.set(meaning, facts);
        read(owner, facts.names);
      }
    };
    for (const rule of this.rulesOf(ids)) {
      read(rule.policy, rule.condition?.names ?? []);
      for (const id of rule.derivedRoles) read(id, this.derivedRoles.get(id)?.condition?.names ?? []);
    }
    return [...found.values()].filter(({ kind }) => kind === "variable");
  }
}

function nameKey(owner: string, name: string): string {
  return JSON.stringify([owner, name]);
}
