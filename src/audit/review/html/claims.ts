/** The claims and laws of a review, as a table. */

import { jsonText } from "../../../policy/escape.js";
import type { RequestJson } from "../../../space/draft.js";
import type { ReviewedClaim } from "../claim-types.js";
import { firstWords, inOrder, resultWords, shortWhy, standingWords } from "../claim-words.js";
import { type Html, html } from "./html.js";

/** `isChange`: there is an older set, and a column for it. */
export function claimsHtml(claims: readonly ReviewedClaim[], isChange: boolean): Html {
  const caption = `Claims about these policies, and the laws that every policy set should keep${isChange ? ": before the change and now" : ""}. A claim that holds is proved for every possible request.`;
  return tableHtml(claims, isChange, caption);
}

/** The laws alone. */
export function lawsHtml(laws: readonly ReviewedClaim[]): Html {
  const caption =
    "Laws that every policy set should keep. The text of these policies proves them for every possible request.";
  return tableHtml(laws, false, caption);
}

function tableHtml(claims: readonly ReviewedClaim[], isChange: boolean, caption: string): Html {
  return html`<div class="wide" tabindex="0" role="region" aria-label="Claims and laws"><table><caption>${caption}</caption>
<thead><tr><th scope="col">Claim<th scope="col">Status${isChange ? html`<th scope="col">Before` : undefined}<th scope="col">Now</thead><tbody>${inOrder(
    claims,
  ).map(
    (one) => html`
<tr><th scope="row">${one.claim}<div class="soft">${one.position === "" ? "a law" : one.position}</div><td><span class="${lookOf(one)}">${standingWords(one)}</span>${
      isChange ? html`<td>${one.before === undefined ? undefined : resultWords(one.before)}` : undefined
    }<td>${standingHtml(one)}`,
  )}</tbody></table></div>`;
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
