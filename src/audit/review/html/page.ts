/**
 * A review as one HTML file: nothing is loaded from anywhere, and the page's own policy forbids it. Scripts and styles
 * run by their hashes; code from strings is forbidden too, and the engine in the page does without.
 */

import { pack } from "../../../bundle/pack.js";
import type { PolicySet } from "../../../decisions/policy-set.js";
import type { PermissionRequest } from "../../../decisions/types.js";
import { requestOf } from "../../../space/draft.js";
import { capital } from "../../capital.js";
import type { ChangeReview } from "../change/types.js";
import { compressed } from "../compressed.js";
import { partsOf } from "../conclusion.js";
import { formsOf } from "../forms.js";
import { SourceLines } from "../snippet.js";
import type { Review } from "../types.js";
import { ChangeSections } from "./change.js";
import { claimsHtml } from "./claims.js";
import { conclusionHtml } from "./conclusion.js";
import { contentPolicy } from "./content-policy.js";
import { glossaryHtml, term } from "./glossary.js";
import { type Html, html, trusted } from "./html.js";
import { KindSections } from "./kinds.js";
import { PageIndex } from "./page-index.js";
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
  const { policies: of } = review;
  const named = of.title === undefined ? "" : `${of.title}: `;
  const title = change === undefined ? `${named}policy review` : `${named}review of a policy change`;
  const sections = new Sections(review, index);
  const script = panel === undefined ? undefined : safeScript(panel);
  const kinds = await kindPages(index, new KindSections(review, index, new SourceLines(policies.files)), script);
  const csp = await contentPolicy(STYLE, script);
  const { claims = [], laws = [], unchecked = [] } = review;
  const stated = [...claims, ...laws];
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
    ["matrix", "Who may do what", sections.matrix()],
    ...(changed !== undefined || stated.length + unchecked.length === 0
      ? []
      : ([["claims", "Claims and laws", claimsHtml(stated, false, unchecked)]] as const)),
    ["tests", "Tests", sections.tests()],
    ["findings", "Findings", sections.findings()],
    ...(review.controls.length === 0 ? [] : [["controls", "Controls", sections.controls()] as const]),
    ...(script === undefined ? [] : [["what-if", "What if", PANEL] as const]),
    ["operations", "Operations and rules", kinds.body],
    ["glossary", "Words of this page", glossaryHtml(of.platformVersion !== undefined)],
    ["files", "The policy set", sections.files()],
    ...(change === undefined ? [["signature", "Signature", sections.signature()] as const] : []),
  ];
  const page = html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${csp}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">
<title>${capital(title)} ${review.date.slice(0, 10)}</title><style>${trusted(STYLE)}</style></head><body>
<a class="skip" href="#main">Skip to the review</a>
<header><p class="kicker">${change === undefined ? "Policy review" : "Review of a policy change"} <time datetime="${review.date}">${review.date.slice(0, 10)}</time>${of.owner === undefined ? undefined : html` <span>Owner: ${of.owner}</span>`}</p>
<h1>${of.title ?? (change === undefined ? "Policy review" : "Review of a policy change")}</h1>
${conclusionHtml(partsOf(review, change?.review))}
${of.purpose === undefined ? undefined : html`<p class="purpose">${of.purpose}</p>`}
${of.platformVersion === undefined ? PERMISSION_ONLY : TWO_LAYERS}
<nav aria-label="Sections"><ul>${all.map(([id, title]) => html`<li><a href="#${id}">${title}</a>`)}</ul></nav></header>
<main id="main">${all.map(
    ([id, title, body]) => html`
<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${body}</section>`,
  )}</main>
<footer><p>Made by ${review.engine.name} ${review.engine.version} from the policy set <code>${of.hash}</code>. The page is complete in itself: it works offline and sends nothing.</p></footer>
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
}${
  kinds.compressed === undefined
    ? undefined
    : html`<script type="application/gzip" id="page-kinds">${trusted(kinds.compressed)}</script>
`
}<script>${trusted(script)}</script>`
}
</body></html>
`;
  return page.text;
}

interface KindPages {
  readonly body: Html;
  /** The sections that the page opens on demand: a JSON list of HTML, compressed. */
  readonly compressed?: string;
}

/** Sections of kinds up to this size, in characters, stand in the page. Larger ones are opened on demand. */
const MAX_INLINE = 300_000;

async function kindPages(index: PageIndex, sections: KindSections, script: string | undefined): Promise<KindPages> {
  const bodies = index.kinds.map((kind) => sections.body(kind));
  const size = bodies.reduce((sum, { text }) => sum + text.length, 0);
  const isOnDemand = script !== undefined && size > MAX_INLINE;
  const body = index.kinds.map((kind, i) => {
    const { anchor } = kind;
    if (!isOnDemand) {
      return html`
<section class="kind" id="${anchor}" aria-labelledby="${anchor}-title"><h3 id="${anchor}-title">${sections.title(kind)}</h3>${bodies[i]}</section>`;
    }
    return html`
<details class="kind" id="${anchor}"><summary>${sections.title(kind)} <span class="soft">${sections.counts(kind)}</span></summary></details>`;
  });
  if (!isOnDemand) return { body: html`${body}` };
  const note = html`<p>Open a kind to read its operations and rules. Printing opens all of them.</p><noscript><p>This part needs JavaScript.</p></noscript>`;
  return {
    body: html`${note}${body}`,
    compressed: await compressed(JSON.stringify(bodies.map(({ text }) => text))),
  };
}

const TWO_LAYERS = html`<p>Two layers decide each request. The <strong>permission</strong> layer says what a ${term("key")} may do. Where it denies, the answer is ${term("insufficient_permissions")}, and another key may help. The <strong>platform</strong> layer says what no key may do. Where it denies, the answer is ${term("forbidden")}. Where data is missing or wrong, a layer denies.</p>`;

const PERMISSION_ONLY = html`<p>The policies say what a ${term("key")} may do. Where they deny, the answer is ${term("insufficient_permissions")}, and another key may help. There is no platform layer, so no request is forbidden for every key. Where data is missing or wrong, the policies deny.</p>`;

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
