/** The head of a page: what the review comes to. */

import { positionText } from "../../../policy/issue.js";
import {
  type ConcludedReview,
  reviewConclusion,
  type Statement,
  shownFailures,
  solverWords,
  unprovenWords,
  verdictOf,
} from "../conclusion.js";
import { type Html, html } from "./html.js";
import { phraseHtml } from "./parts.js";

export function conclusionHtml(of: ConcludedReview): Html {
  const { failing } = reviewConclusion(of);
  const [verdict, ...statements] = verdictOf(of);
  // The verdict stands beside its reason: everything that fails, or else the change.
  const isReason = ({ state }: Statement, i: number) =>
    state === "bad" || (verdict.state === "open" && i === 0 && of.change !== undefined);
  const first = [verdict, ...statements.filter(isReason)].map(({ text }) => text).join(" ");
  const others = statements.filter((one, i) => !isReason(one, i));
  const [open, solver, unread] = [unprovenWords(of), solverWords(of), of.change?.unread ?? []];
  return html`<div class="conclusion ${verdict.state}"><p class="verdict">${first}</p><ul class="statements">${others.map(({ text, state }) => html`<li class="${state}">${text}`)}</ul>${
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
