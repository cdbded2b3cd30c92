/**
 * A review as one HTML file: nothing is loaded from anywhere, and the page's own policy forbids it. Scripts and styles
 * run by their hashes; code from strings is forbidden too, and the engine in the page does without.
 */

import { pack } from "../../../bundle/pack.js";
import type { PolicySet } from "../../../decisions/policy-set.js";
import type { PermissionRequest } from "../../../decisions/types.js";
import { requestOf } from "../../../space/draft.js";
import type { ChangeReview } from "../change/types.js";
import { compressed } from "../compressed.js";
import { partsOf } from "../conclusion.js";
import { formsOf } from "../forms.js";
import { SourceLines } from "../snippet.js";
import type { Review } from "../types.js";
import { ChangeSections } from "./change.js";
import { claimsHtml, lawsHtml } from "./claims.js";
import { conclusionHtml } from "./conclusion.js";
import { contentPolicy } from "./content-policy.js";
import { type Html, html, trusted } from "./html.js";
import { OperationSections } from "./operations.js";
import { PageIndex } from "./page-index.js";
import { RuleSections } from "./rules.js";
import { Sections } from "./sections.js";
import { STYLE } from "./style.js";

/** A request to start from in the what-if panel. */
export interface ReviewExample {
  readonly name: string;
  readonly request: PermissionRequest;
}

export interface PageOptions {
  /** The program of the what-if panel: `reviewPanel()` of `keyward/node`. Without it the page has no panel. */
  readonly panel?: string;
  readonly examples?: readonly ReviewExample[];
}

/** The additional data for the page of a change. */
export interface ChangePage {
  readonly review: ChangeReview;
  /** The older policies: the panel shows their decisions as well. */
  readonly before: PolicySet;
  /** The SHA-256 of the evidence that belongs to the page, in hexadecimal digits. */
  readonly evidence?: string;
}

/** The page of a review of `policies`. Rejects where there is no WebCrypto. */
export async function reviewHtml(policies: PolicySet, review: Review, options: PageOptions = {}): Promise<string> {
  return await pageOf(policies, review, options, undefined);
}

/** The page of a change to `policies`: the changes, and below them the review. */
export async function changeHtml(
  policies: PolicySet,
  review: Review,
  change: ChangePage,
  { examples = [], ...options }: PageOptions = {},
): Promise<string> {
  const shown = change.review.decisions.changes.map((one, i) => ({
    name: `change ${i + 1}, ${one.class}: ${one.operation} on ${one.kind}`,
    request: requestOf(one.request),
  }));
  return await pageOf(policies, review, { ...options, examples: [...shown, ...examples] }, change);
}

async function pageOf(
  policies: PolicySet,
  review: Review,
  { panel, examples = [] }: PageOptions,
  change: ChangePage | undefined,
): Promise<string> {
  const index = new PageIndex(review);
  const changed = change && new ChangeSections(change.review, review, index, change.evidence);
  const title = change === undefined ? "Policy review" : "Review of a policy change";
  const sections = new Sections(review, index);
  const rules = new RuleSections(review, index, new SourceLines(policies.files));
  const script = panel === undefined ? undefined : safeScript(panel);
  const csp = await contentPolicy(STYLE, script);
  const all: readonly (readonly [id: string, title: string, body: Html])[] = [
    ...(change === undefined || changed === undefined
      ? []
      : ([
          ["decisions", "Decisions that change", changed.decisions()],
          ["claims", "Claims and laws", claimsHtml(change.review.claims, true)],
          ["finding-changes", "Findings, new and gone", changed.findings()],
          ["written", "Changes in the policy files", changed.written()],
          ["signature", "Signature", changed.signature()],
        ] as const)),
    ...(changed !== undefined || review.claims === undefined
      ? []
      : ([["claims", "Claims and laws", claimsHtml(review.claims, false)]] as const)),
    ...(review.laws === undefined || review.laws.length === 0
      ? []
      : ([["claims", "Laws", lawsHtml(review.laws)]] as const)),
    ["findings", "Findings", sections.findings()],
    ["matrix", "Operations by role", sections.matrix()],
    ...(script === undefined ? [] : [["what-if", "What if", PANEL] as const]),
    ["operations", "Operations", new OperationSections(review, index).html()],
    ...(review.policies.platformVersion === undefined
      ? []
      : [["platform", "Platform rules", sections.platform()] as const]),
    ["names", "Names", sections.names()],
    ["rules", "Rules beside their source", rules.html()],
    ["files", "Files", sections.files()],
  ];
  const page = html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${csp}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">
<title>${title} ${review.date.slice(0, 10)}</title><style>${trusted(STYLE)}</style></head><body>
<a class="skip" href="#main">Skip to the findings</a>
<header><h1>${title}</h1>
${conclusionHtml(partsOf(review, change?.review))}
${sections.summary(change?.review.before.policies.hash)}
<nav aria-label="Sections"><ul>${all.map(([id, title]) => html`<li><a href="#${id}">${title}</a>`)}</ul></nav></header>
<main id="main">${all.map(
    ([id, title, body]) => html`
<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${body}</section>`,
  )}</main>
<footer><p>Made by ${review.engine.name} ${review.engine.version} from the policy set ${review.policies.hash}. The page is complete in itself: it works offline and sends nothing.</p></footer>
${
  script === undefined
    ? undefined
    : html`<script type="application/gzip" id="page-data">${trusted(await compressed(JSON.stringify(dataOf(policies, review, examples))))}</script>
<script type="application/gzip" id="page-model">${trusted(await compressed(JSON.stringify(pack(policies))))}</script>
${
  change === undefined
    ? undefined
    : html`<script type="application/gzip" id="page-before">${trusted(await compressed(JSON.stringify(pack(change.before))))}</script>
`
}<script>${trusted(script)}</script>`
}
</body></html>
`;
  return page.text;
}

const PANEL = html`<noscript><p>This part needs JavaScript.</p></noscript><div id="panel"></div>`;

/** The data of the panel, apart from the policies. */
function dataOf({ model, permission, platform }: PolicySet, review: Review, examples: readonly ReviewExample[]) {
  const { operations, roles } = review;
  return {
    permissionOnly: platform === undefined,
    forms: formsOf(model, permission.version, platform?.version),
    roles: roles.filter((role) => role !== "*"),
    operations: operations.filter(({ isPattern }) => !isPattern).map(({ kind, operation }) => ({ kind, operation })),
    examples: examples.map(({ name, request }) => ({ name, request })),
  };
}

/** The program must not end its script element or open a comment. */
function safeScript(program: string): string {
  if (/<\/script|<!--/i.test(program)) throw new Error("the panel's program must not contain `</script` or `<!--`");
  return program;
}
