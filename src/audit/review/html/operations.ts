/** Each operation, with the roles that may do it and the rules that forbid it. */

import type { OperationFacts, ScopeFacts } from "../../operations/types.js";
import { testedWords } from "../tested-words.js";
import type { Review, RuleFacts } from "../types.js";
import { type Html, html } from "./html.js";
import type { PageIndex } from "./page-index.js";
import { kindsOf, whenHtml, whoHtml, wordsHtml } from "./parts.js";

const TESTED_LOOKS = { untested: "maybe", passing: "plain", failing: "no" } as const;

export class OperationSections {
  private readonly all: readonly OperationFacts[];
  private readonly index: PageIndex;
  private readonly hasPlatform: boolean;

  constructor({ operations, policies }: Review, index: PageIndex) {
    this.all = operations;
    this.index = index;
    this.hasPlatform = policies.platformVersion !== undefined;
  }

  html(): Html {
    return html`${kindsOf(this.all).map(
      ({ kind, of }) => html`
<h3>On <code>${kind}</code></h3>${of.map((one) => this.operation(one))}`,
    )}`;
  }

  private operation(one: OperationFacts): Html {
    const { operation, isPattern, others } = one;
    const tested = testedWords(one);
    const count = tested && html` <span class="${TESTED_LOOKS[tested.state]}">${tested.words}</span>`;
    return html`
<section aria-labelledby="${this.index.operationAnchor(one)}"><h4 id="${this.index.operationAnchor(one)}"><code>${operation}</code>${isPattern ? " (a pattern)" : ""}${count}</h4>${one.scopes.map(
      (scope) =>
        html`${scope.scope === "" ? undefined : html`<p>In the scope <code>${scope.scope}</code>:</p>`}${this.inScope(scope)}`,
    )}${others.length === 0 ? undefined : html`<p>Rules for single principals, and limits on roles:</p>${this.list(others)}`}</section>`;
  }

  private inScope({ permission, platform, supported }: ScopeFacts): Html {
    return html`<dl class="facts"><dt>Who may<dd>${permission.allow.length === 0 ? "nobody" : this.list(permission.allow)}${
      permission.deny.length === 0 ? undefined : html`<dt>Denied to<dd>${this.list(permission.deny)}`
    }${this.hasPlatform ? this.platform(platform, supported) : undefined}${this.where([
      ...permission.allow,
      ...permission.deny,
      ...platform.allow,
      ...platform.deny,
    ])}</dl>`;
  }

  private platform(platform: ScopeFacts["platform"], supported: ScopeFacts["supported"]): Html {
    return html`${this.supported(platform.allow)}<dt>Forbidden<dd>${this.forbidden(platform, supported)}`;
  }

  /** Only where there is something to say: mostly an operation is supported or not. */
  private supported(ids: readonly string[]): Html | undefined {
    const isPlain = this.index.rulesOf(ids).every(({ condition }) => condition === undefined);
    return isPlain ? undefined : html`<dt>Supported<dd>${this.list(ids)}`;
  }

  private forbidden({ allow, deny }: ScopeFacts["platform"], supported: ScopeFacts["supported"]): Html {
    if (allow.length === 0) return html`always: no platform policy supports it`;
    const always = supported === "never" ? "for every request" : undefined;
    if (deny.length === 0) return html`${always ?? (supported === "always" ? "never" : "where it is not supported")}`;
    return html`${always}${this.list(deny)}`;
  }

  private where(ids: readonly string[]): Html | undefined {
    const names = this.index.variablesOf(ids);
    if (names.length === 0) return undefined;
    return html`<dt>Where<dd><ul>${names.map(({ name, words }) => html`<li><em>${name}</em>: ${wordsHtml(words)}`)}</ul>`;
  }

  private list(ids: readonly string[]): Html {
    const rules = this.index.rulesOf(ids);
    return html`<ul>${rules.map((rule) => {
      const who =
        rule.layer === "platform" && rule.policyKind === "resource"
          ? this.index.link(rule.id, rule.reason)
          : whoHtml(rule, (id) => this.index.link(id, id));
      const name =
        rule.layer === "platform" && rule.policyKind === "resource"
          ? clauseHtml(rule)
          : html` (${this.index.link(rule.id, rule.name || "limit")})`;
      return html`<li>${who}${name}, ${whenHtml(rule)}`;
    })}</ul>`;
  }
}

function clauseHtml({ clause }: RuleFacts): Html | undefined {
  return clause === undefined ? undefined : html` <span class="soft">(${clause})</span>`;
}
