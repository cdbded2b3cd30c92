/** Lookups for the sections of a page: rules and operations, and their anchors on the page. */

import type { OperationFacts } from "../../operations/types.js";
import type { Review, RuleFacts } from "../types.js";
import { type Html, html } from "./html.js";
import { kindsOfPage, type PageKind } from "./page-kinds.js";

export class PageIndex {
  readonly kinds: readonly PageKind[];
  private readonly anchors: ReadonlyMap<string, string>;
  private readonly rules: ReadonlyMap<string, RuleFacts>;
  private readonly operationIds: ReadonlyMap<OperationFacts, string>;

  constructor(review: Review) {
    this.kinds = kindsOfPage(review);
    this.anchors = new Map(
      this.kinds.flatMap(({ anchor, rules, derivedRoles }) => [
        ...rules.map(({ id }, i) => [id, `${anchor}-r${i + 1}`] as const),
        ...derivedRoles.map(({ id }, i) => [id, `${anchor}-d${i + 1}`] as const),
      ]),
    );
    this.rules = new Map(review.rules.map((rule) => [rule.id, rule]));
    this.operationIds = new Map(
      this.kinds.flatMap(({ anchor, operations }) => operations.map((one, i) => [one, `${anchor}-o${i + 1}`] as const)),
    );
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
}
