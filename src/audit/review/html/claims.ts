/** The claims and laws of a review, as a table. */

import { jsonText } from "../../../policy/escape.js";
import type { RequestJson } from "../../../space/draft.js";
import type { ReviewedClaim } from "../claim-types.js";
import { firstWords, inOrder, resultWords, shortWhy, standingWords } from "../claim-words.js";
import type { UncheckedClaim } from "../types.js";
import { term } from "./glossary.js";
import { type Html, html } from "./html.js";
import { tableHtml } from "./parts.js";

/**
 * `isChange`: there is an older set, and a column for it. `unchecked`: claims and laws for which no proof was asked.
 */
export function claimsHtml(
  claims: readonly ReviewedClaim[],
  isChange: boolean,
  unchecked: readonly UncheckedClaim[] = [],
): Html {
  const caption = html`${term("claim", "Claims")} about these policies, and the ${term("law", "laws")} that every policy set should keep${isChange ? ": before the change and now" : undefined}.`;
  const head = ["Claim", "Status", ...(isChange ? ["Before", "Now"] : ["Why"])];
  const note = html`<p>A claim that holds is ${term("proved")}: for every possible request.</p>`;
  const rows = [
    ...inOrder(claims).map((one) => {
      const before = isChange ? html`<td>${one.before === undefined ? undefined : resultWords(one.before)}` : undefined;
      return html`
<tr>${claimHead(one)}<td><span class="${lookOf(one)}">${standingWords(one)}</span>${before}<td>${standingHtml(one)}`;
    }),
    ...unchecked.map(
      (one) => html`
<tr>${claimHead(one)}<td><span class="maybe">not checked</span>${isChange ? html`<td>` : undefined}<td>no proof was asked`,
    ),
  ];
  return html`${note}${tableHtml("Claims and laws", caption, head, html`<tbody>${rows}</tbody>`, "claims")}`;
}

function claimHead({ claim, position }: UncheckedClaim): Html {
  return html`<th scope="row">${claim}<div class="soft">${position === "" ? "a law" : position}</div>`;
}

function lookOf({ listed, after }: ReviewedClaim): string {
  if (after.result === "broken") return "no";
  return after.result === "proved" ? (listed === "withdrawn" ? "maybe" : "yes") : "maybe";
}

function standingHtml({ position, after }: ReviewedClaim): Html {
  const { why, request, changed, outcome } = after;
  if (request === undefined) return html`${shortWhy(why)}`;
  if (changed === undefined) return html`${why}: this request gets <code>${outcome}</code> ${requestHtml(request)}`;
  return html`${why}: this request is ${firstWords(position)} ${requestHtml(request)} and this second request gets <code>${outcome}</code> ${requestHtml(changed)}`;
}

/** A request as `keyward decide` takes it. */
export function requestHtml(request: RequestJson): Html {
  return html`<pre class="request">${jsonText(request)}</pre>`;
}
