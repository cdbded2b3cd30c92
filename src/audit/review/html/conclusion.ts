/** The head of a page: what the review comes to. */

import { positionText } from "../../../policy/issue.js";
import { type ConcludedReview, reviewConclusion, shownFailures, solverWords, unprovenWords } from "../conclusion.js";
import { type Html, html } from "./html.js";
import { phraseHtml } from "./parts.js";

export function conclusionHtml(of: ConcludedReview): Html {
  const { headline, failing } = reviewConclusion(of);
  const [open, solver, unread] = [unprovenWords(of), solverWords(of), of.change?.unread ?? []];
  return html`<div class="conclusion"><p><strong>${headline}</strong></p>${
    failing.length === 0
      ? undefined
      : html`<p><strong>Failing</strong></p><ul>${shownFailures(failing).map((each) => html`<li>${each}`)}</ul>`
  }${
    open.length === 0
      ? undefined
      : html`<p><strong>Not proved</strong>${solver === undefined ? ":" : html`. ${solver}`}</p><ul>${open.map((each) => html`<li>${phraseHtml(each)}`)}</ul>`
  }${
    unread.length === 0
      ? undefined
      : html`<p>These parts of the older set could not be read. They count as missing:</p><ul>${unread.map(
          ({ message, ...at }) => html`<li>${positionText(at)} ${message}`,
        )}</ul>`
  }</div>`;
}
