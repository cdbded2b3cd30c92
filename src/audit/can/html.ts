/** Writes the operations that a caller may perform as one HTML file that loads nothing. */

import { plural } from "../plural.js";
import { contentPolicy } from "../review/html/content-policy.js";
import { type Html, html, trusted } from "../review/html/html.js";
import { STYLE } from "../review/html/style.js";
import type { SpokenCondition } from "../who/types.js";
import { CAN_WORDS, kindName, operationName, verdictOf } from "./text.js";
import type { OperationPower, WhatCan } from "./types.js";

/** The page of {@link whatCan}. `caller` names the caller and the assumption. Rejects where there is no WebCrypto. */
export async function canHtml(found: Extract<WhatCan, { kind: "answered" }>, caller: string): Promise<string> {
  const { operations } = found;
  const title = `${caller}: ${plural(operations.length, "operation")}`;
  return html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${await contentPolicy(STYLE)}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">
<title>${title}</title><style>${trusted(STYLE)}</style></head><body>
<header><h1>${caller}</h1><div class="conclusion"><p>${verdictOf(found)}</p></div></header>
<main><div class="wide" role="region" aria-label="Operations" tabindex="0"><table><caption>What this caller can do</caption>
<thead><tr><th scope="col">Operation<th scope="col">Kind<th scope="col">Can<th scope="col">By<th scope="col">When</tr></thead>
<tbody>${operations.map(
    (one) => html`<tr><th scope="row"><code>${operationName(one)}</code>${version(one)}
<td><code>${kindName(one)}</code><td><span class="${MARKS[one.can]}">${CAN_WORDS[one.can]}</span><td>${BY[one.by ?? "none"]}
<td>${conditions(one)}</tr>`,
  )}</tbody></table></div>
<h2>How to read this</h2><dl class="facts">
<dt>always<dd>Every request of this caller is allowed.
<dt>under conditions<dd>Requests are allowed if they meet all points of one list, and no others are.
<dt>never<dd>No request of this caller is allowed.
<dt>not known<dd>Neither was proved. The last column says why.
<dt>permissions<dd>Only the key’s own list of permissions gives this.
<dt>roles<dd>The key can do this without any permission of its own.
</dl></main></body></html>
`.text;
}

const MARKS: { readonly [can in OperationPower["can"]]: string } = {
  always: "yes",
  conditionally: "maybe",
  never: "no",
  unknown: "maybe",
};

const BY = { permissions: "permissions", roles: "roles", none: "" } as const;

function version({ version: of }: OperationPower): Html | undefined {
  return of === undefined ? undefined : html` <span class="soft">version ${of}</span>`;
}

function conditions({ can, ways, unshown, why }: OperationPower): readonly Html[] {
  const lists = [...ways, ...unshown].map(
    (way, i) =>
      html`${i === 0 ? undefined : html`<p>or</p>`}<ul>${[...way.when, ...way.told].map(
        ({ text }) => html`<li>${phraseOf({ text })}`,
      )}</ul>${"why" in way ? html`<p class="soft">${way.why}</p>` : undefined}`,
  );
  return [
    ...(can === "always" ? [] : lists),
    ...(why === undefined ? [] : [html`<p class="bad">Not proved: ${why}</p>`]),
  ];
}

/** Words in which names and code stand between backticks. */
function phraseOf({ text }: Pick<SpokenCondition, "text">): readonly Html[] {
  return text.split("`").map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
