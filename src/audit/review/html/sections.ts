const LOOKS = { error: "no", warning: "maybe", note: "plain" } as const;

/** The sections of a review's page that are tables. */

import { findingCounts, findingText } from "../../findings/finding.js";
import type { AllowChance, OperationRole } from "../../operations/types.js";
import { plural } from "../../plural.js";
import { ownerWords } from "../../policies.js";
import type { Review } from "../types.js";
import { type Html, html } from "./html.js";
import type { PageIndex } from "./page-index.js";
import { kindsOf, placeText, whenHtml, wordsHtml } from "./parts.js";

export class Sections {
  private readonly review: Review;
  private readonly index: PageIndex;

  constructor(review: Review, index: PageIndex) {
    this.review = review;
    this.index = index;
  }

  /** `older`: the hash of the set that a change is from. */
  summary(older?: string): Html {
    const { policies, date, engine, findings, operations, rules } = this.review;
    return html`<dl class="facts">
<dt>Policy set</dt><dd><code>${policies.hash}</code></dd>
${older === undefined ? undefined : html`<dt>Older set</dt><dd><code>${older}</code></dd>`}
<dt>Date</dt><dd><time datetime="${date}">${date}</time></dd>
<dt>Engine</dt><dd>${engine.name} ${engine.version}</dd>
<dt>Layers</dt><dd>permissions: version <code>${policies.permissionVersion}</code>; ${
      policies.platformVersion === undefined
        ? "no platform layer (permission-only)"
        : html`platform: version <code>${policies.platformVersion}</code>`
    }</dd>
<dt>Contents</dt><dd>${plural(policies.files.length, "file")}, ${plural(operations.length, "operation")}, ${plural(rules.length, "rule")}</dd>
<dt>Findings</dt><dd>${findingCounts(findings)}</dd>
</dl>
${policies.platformVersion === undefined ? PERMISSION_ONLY : TWO_LAYERS}`;
  }

  findings(): Html {
    const { findings } = this.review;
    if (findings.length === 0) return html`<p>There are no findings.</p>`;
    return html`<div class="wide" tabindex="0" role="region" aria-label="Findings"><table><caption>Points to check, the most serious first.</caption>
<thead><tr><th scope="col">Severity<th scope="col">Finding<th scope="col">Explanation<th scope="col">Where</thead><tbody>${findings.map(
      ({ severity, code, message, hint, file, line, rule }) => html`
<tr><td><span class="${LOOKS[severity]}">${severity}</span><td><code>${code}</code><td>${findingText({ message, hint })}<td>${
        rule === undefined ? placeText({ file, line }) : this.index.link(rule, placeText({ file, line }))
      }`,
    )}</tbody></table></div>`;
  }

  matrix(): Html {
    const { operations, roles, policies } = this.review;
    const hasPlatform = policies.platformVersion !== undefined;
    const scopes = [...new Set(operations.flatMap((one) => one.scopes.map(({ scope }) => scope)))];
    return html`<p>What a key may do with only this role. <span class="yes">allowed</span>: in every case. <span class="maybe">conditional</span>: allowed only when the conditions in this role's rules hold. <span class="plain">any role</span>: allowed only when the conditions in rules for every role hold; this role adds nothing. <span class="no">never</span>: in no case.${hasPlatform ? " The last column shows the platform layer, which is the same for every key." : undefined}</p>${scopes.map(
      (scope) => html`
<div class="wide" tabindex="0" role="region" aria-label="Operations by role${scope === "" ? "" : `, scope ${scope}`}"><table><caption>Operations by role${scope === "" ? "" : html`, in the scope <code>${scope}</code>`}.</caption>
<thead><tr><th scope="col">Operation${roles.map((role) => html`<th scope="col">${role === "*" ? "any other role" : role}`)}${hasPlatform ? html`<th scope="col">Platform` : undefined}</thead>${kindsOf(
        operations,
      ).map(
        ({ kind, of }) =>
          html`<tbody><tr><th class="group" scope="rowgroup" colspan="${roles.length + (hasPlatform ? 2 : 1)}">${kind}${of.map(
            (one) => {
              const facts = one.scopes.find((each) => each.scope === scope);
              return facts === undefined
                ? undefined
                : html`
<tr><th scope="row"><a href="#${this.index.operationAnchor(one)}">${one.operation}</a>${facts.cells.map((cell) => html`<td>${cellHtml(cell)}`)}${hasPlatform ? html`<td>${supportHtml(facts.supported)}` : undefined}`;
            },
          )}</tbody>`,
      )}</table></div>`,
    )}`;
  }

  platform(): Html {
    const rules = this.review.rules.filter(({ layer }) => layer === "platform");
    return html`<div class="wide" tabindex="0" role="region" aria-label="Platform rules"><table><caption>Each rule of the platform layer, with its reason and the contract clause that it implements.</caption>
<thead><tr><th scope="col">Reason<th scope="col">Clause<th scope="col">Operations<th scope="col">Effect<th scope="col">Source</thead><tbody>${rules.map(
      (rule) => html`
<tr><th scope="row">${rule.effect === "deny" ? rule.reason : rule.name}<td>${rule.clause ?? html`<span class="soft">none</span>`}<td>${rule.actions.map((action) => html`<div>${action}</div>`)}<td>${
        rule.effect === "deny" ? "forbids" : rule.effect === "allow" ? "supports" : "limits"
      }: ${whenHtml(rule)}<td>${this.index.link(rule.id, placeText(rule.place))}`,
    )}</tbody></table></div>`;
  }

  names(): Html {
    const { names } = this.review;
    if (names.length === 0) return html`<p>The policies define no names.</p>`;
    const owners = [...new Set(names.map(({ owner }) => owner))];
    return html`<p>Conditions use the names below. A name has the same meaning everywhere in its policy.</p>
<div class="wide" tabindex="0" role="region" aria-label="Names"><table><caption>Variables and constants of each policy.</caption>
<thead><tr><th scope="col">Name<th scope="col">Meaning<th scope="col">As written<th scope="col">Where</thead>${owners.map(
      (owner) =>
        html`<tbody><tr><th class="group" scope="rowgroup" colspan="4">${ownerWords(owner)}${names
          .filter((one) => one.owner === owner)
          .map(
            ({ name, words, source, place }) => html`
<tr><th scope="row"><em>${name}</em><td>${wordsHtml(words)}<td><code>${source}</code><td>${place === undefined ? undefined : placeText(place)}`,
          )}</tbody>`,
    )}</table></div>`;
  }

  files(): Html {
    return html`<div class="wide" tabindex="0" role="region" aria-label="Files"><table><caption>The files of the policy set, including schemas.</caption><thead><tr><th scope="col">File<th scope="col">Lines</thead><tbody>${this.review.policies.files.map(
      ({ path, lines }) => html`
<tr><th scope="row">${path}<td>${lines}`,
    )}</tbody></table></div>`;
  }
}

const TWO_LAYERS = html`<p>A request is decided by two layers. The <strong>permission</strong> layer says what a key may do; where it denies, the answer is <code>insufficient_permissions</code>, and another key may help. The <strong>platform</strong> layer says what no key may do; where it denies, the answer is <code>forbidden</code>. If a condition cannot be evaluated, because an attribute is absent or of the wrong type, the layer denies.</p>`;

const PERMISSION_ONLY = html`<p>The policies say what a key may do; where they deny, the answer is <code>insufficient_permissions</code>, and another key may help. There is no platform layer, so nothing is <code>forbidden</code>. If a condition cannot be evaluated, because an attribute is absent or of the wrong type, the layer denies.</p>`;

function cellHtml({ chance, through }: OperationRole): Html {
  if (chance === "never") return html`<span class="no">never</span>`;
  if (chance === "always") return html`<span class="yes">allowed</span>`;
  return through === "role" ? html`<span class="maybe">conditional</span>` : html`<span class="plain">any role</span>`;
}

function supportHtml(chance: AllowChance): Html {
  if (chance === "never") return html`<span class="no">forbidden</span>`;
  return chance === "always" ? html`<span class="yes">supported</span>` : html`<span class="maybe">conditional</span>`;
}
