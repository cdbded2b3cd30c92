/** Each rule in words, beside its source. */

import { capital } from "../../capital.js";
import { policyWords } from "../../policies.js";
import { dedented, type SourceLines } from "../snippet.js";
import type { Review, RuleFacts } from "../types.js";
import { type Html, html } from "./html.js";
import type { PageIndex } from "./page-index.js";
import { derivedRoleHtml, placeText, ruleHtml } from "./parts.js";

export class RuleSections {
  private readonly review: Review;
  private readonly index: PageIndex;
  private readonly sources: SourceLines;

  constructor(review: Review, index: PageIndex, sources: SourceLines) {
    this.review = review;
    this.index = index;
    this.sources = sources;
  }

  html(): Html {
    const policies = [...new Set(this.review.rules.map(({ policy }) => policy))];
    return html`${policies.map(
      (policy) => html`
<h3>${capital(policyWords(policy))} <code>${policy}</code></h3>${this.review.derivedRoles
        .filter((role) => role.policy === policy)
        .map(
          (role) =>
            html`<article class="rule" id="${this.index.anchorOf(role.id)}"><div><h4>derived role ${role.name}</h4>${derivedRoleHtml(role)}</div>${this.source(role)}</article>`,
        )}${this.review.rules.filter((rule) => rule.policy === policy).map((rule) => this.rule(rule))}`,
    )}`;
  }

  private rule(rule: RuleFacts): Html {
    const words = ruleHtml(rule, (id) => this.index.link(id, id));
    return html`
<article class="rule" id="${this.index.anchorOf(rule.id)}"><div><h4>${rule.name || "limit"}</h4>${words}${
      rule.clause === undefined ? undefined : html`<p class="soft">Clause ${rule.clause}`
    }</div>${this.source(rule)}</article>`;
  }

  private source({ place }: Pick<RuleFacts, "place">): Html {
    const from = this.sources.commentsAbove(place.file, place.line);
    const lines = this.sources.of(place.file).slice(from - 1, place.to);
    const width = String(place.to).length;
    const numbered = dedented(lines).map((line, i) => `${String(from + i).padStart(width)}  ${line}`);
    return html`<pre class="src"><b>${placeText(place)}</b>
${numbered.join("\n")}</pre>`;
  }
}
