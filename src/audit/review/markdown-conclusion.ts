/** What a review comes to, and its claims, as Markdown. */

import { positionText } from "../../policy/issue.js";
import type { ReviewedClaim } from "./claim-types.js";
import { firstWords, inOrder, resultWords, shortWhy, standingWords } from "./claim-words.js";
import { type ConcludedReview, reviewConclusion, shownFailures, solverWords, unprovenWords } from "./conclusion.js";
import { code, jsonBlock, phraseText, table, text } from "./markdown-text.js";
import type { UncheckedClaim } from "./types.js";

/** The head of the document. */
export function conclusionLines(of: ConcludedReview): readonly string[] {
  const { headline, failing } = reviewConclusion(of);
  const [open, solver, unread] = [unprovenWords(of), solverWords(of), of.change?.unread ?? []];
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [title, "", ...items.map((each) => `- ${each}`), ""];
  return [
    `**${text(headline)}**`,
    "",
    ...list("Failing:", shownFailures(failing).map(text)),
    ...list(`Not proved${solver === undefined ? ":" : `. ${text(solver)}`}`, open.map(phraseText)),
    ...list(
      "These parts of the older set could not be read. They count as missing:",
      unread.map(({ message, ...at }) => text(`${positionText(at)} ${message}`)),
    ),
  ];
}

/** The claims and laws, in a table, with the requests that break them. */
export function claimLines(
  all: readonly ReviewedClaim[],
  unchecked: readonly UncheckedClaim[] = [],
): readonly string[] {
  const ordered = inOrder(all);
  const head = ({ claim, position }: UncheckedClaim) => [text(claim), text(position === "" ? "a law" : position)];
  const rows = [
    ...ordered.map((one) => [
      ...head(one),
      text(standingWords(one)),
      one.before === undefined ? "" : resultWords(one.before),
      text(shortWhy(one.after.why)),
    ]),
    ...unchecked.map((one) => [...head(one), "not checked", "", "no proof was asked"]),
  ];
  const broken = ordered.flatMap(({ claim, position, after: { request, changed, outcome } }) => {
    if (request === undefined) return [];
    if (changed === undefined)
      return [`${text(claim)} This request gets ${code(outcome ?? "")}:`, "", ...jsonBlock(request)];
    return [
      `${text(claim)} This request is ${firstWords(position)}:`,
      "",
      ...jsonBlock(request),
      `This second request gets ${code(outcome ?? "")}:`,
      "",
      ...jsonBlock(changed),
    ];
  });
  return ["## Claims and laws", "", ...table(["Claim", "Where", "Status", "Before", "Now"], rows), ...broken];
}
