/** The sections of a page about a change: decisions, findings, rules side by side, a line to sign. */

import { malformedWords } from "../../diff/text.js";
import type { ChangeSide, DecisionChange } from "../../diff/types.js";
import { findingText } from "../../findings/finding.js";
import { plural } from "../../plural.js";
import { ownerWords, policyWords } from "../../policies.js";
import type { ChangeReview, Pair, Sourced } from "../change/types.js";
import {
  decisionsWords,
  extentWords,
  outcomeWords,
  pairWord,
  questionWords,
  reasonsOf,
  WAYS,
  whenWords,
  whoWords,
} from "../change/words.js";
import type { DerivedRoleFacts, FileLines, NameFacts, Review, RuleFacts } from "../types.js";
import { requestHtml } from "./claims.js";
import { type Html, html } from "./html.js";
import type { PageIndex } from "./page-index.js";
import { derivedRoleHtml, phraseHtml, placeText, ruleHtml, separated, whenHtml, wordsHtml } from "./parts.js";

export class ChangeSections {
  private readonly change: ChangeReview;
  private readonly review: Review;
  private readonly index: PageIndex;
  private readonly evidence: string | undefined;

  /** `evidence`: the SHA-256 of the evidence that belongs to the page, if there is one. */
  constructor(change: ChangeReview, review: Review, index: PageIndex, evidence: string | undefined) {
    this.change = change;
    this.review = review;
    this.index = index;
    this.evidence = evidence;
  }

  decisions(): Html {
    const { changes, gaps, silent } = this.change.decisions;
    const ways = WAYS.map(({ name, title }) => ({ title, all: changes.filter((one) => one.class === name) }));
    return html`${changes.length === 0 ? html`<p>${decisionsWords(this.change.decisions)}</p>` : undefined}${ways
      .filter(({ all }) => all.length > 0)
      .map(
        ({ title, all }) => html`
<h3>${title}</h3>${all.map((one) => this.decision(one))}`,
      )}${
      gaps.length === 0
        ? undefined
        : html`
<h3>What the search did not cover</h3><p>A proof does not need the search. These gaps matter only for results that are not proved.</p><ul>${gaps.map(
            (gap) => html`<li>${phraseHtml(questionWords(gap))}, ${gap.layer} layer: ${gap.message}`,
          )}</ul>`
    }${
      silent.length === 0
        ? undefined
        : html`
<h3>Changes in one layer that change no decision</h3><p>The other layer refuses these requests anyway.</p><ul>${silent.map(
            (one) =>
              html`<li>${phraseHtml(questionWords(one))}, ${one.layer} layer: ${one.before.join(", ")} → ${one.after.join(", ")}`,
          )}</ul>`
    }`;
  }

  private decision(change: DecisionChange): Html {
    const when = whenWords(change);
    return html`
<article class="change"><h4>${phraseHtml(questionWords(change))}: ${change.from} → ${change.to}</h4><dl class="facts"><dt>Who<dd>${phraseHtml(
      whoWords(change),
    )}${when.map(
      (all, i) =>
        html`<dt>${i === 0 ? "When" : "Or when"}<dd>${
          all.length === 0
            ? "in any ordinary case"
            : html`${extentWords(change)}<ul>${all.map((each) => html`<li>${phraseHtml(each)}`)}</ul>`
        }`,
    )}${malformedWords(change).map((words) => html`<dt>Data<dd>${words}`)}<dt>Before<dd>${this.side(
      change,
      change.before,
      this.change.before,
      false,
    )}<dt>Now<dd>${this.side(change, change.after, this.review, true)}<dt>Example<dd>${requestHtml(change.request)}</dl></article>`;
  }

  private side(change: DecisionChange, side: ChangeSide, review: Review, isNew: boolean): Html {
    const reasons = reasonsOf(side, review).map(({ reason, rule }) => {
      if (rule === undefined) return html`<code>${reason}</code>`;
      const name = isNew ? this.index.link(rule.id, reason) : html`<code>${reason}</code>`;
      return html`${name}, ${whenHtml(rule)}`;
    });
    return html`${outcomeWords(side, change)}: ${separated(reasons, "; ")}`;
  }

  findings(): Html {
    const { findings } = this.change;
    const list = (all: typeof findings.new, isNew: boolean) =>
      all.length === 0
        ? html`<p>None.</p>`
        : html`<ul>${all.map(({ severity, code, message, hint, file, line, rule }) => {
            const where = placeText({ file, line });
            return html`<li>${severity} <code>${code}</code>: ${findingText({ message, hint })} ${
              isNew && rule !== undefined ? this.index.link(rule, where) : where
            }`;
          })}</ul>`;
    return html`<h3>New</h3>${list(findings.new, true)}<h3>Gone</h3>${list(findings.gone, false)}`;
  }

  written(): Html {
    const { rules, derivedRoles, names, unchangedRules, files } = this.change.written;
    const all = [
      ...rules.map((pair) => sidesHtml(pair, ({ facts }) => facts.name || "limit", ruleSide)),
      ...derivedRoles.map((pair) => sidesHtml(pair, ({ facts }) => `derived role ${facts.name}`, derivedRoleSide)),
      ...names.map(
        (pair) =>
          html`${sidesHtml(pair, ({ kind, name }) => `${kind} ${name}`, nameSide)}<p class="soft">Used in ${pair.owners.map(ownerWords).join(", ")}.</p>`,
      ),
    ];
    const changed = [
      ...files.added.map((path) => html`<li>added: ${path}`),
      ...files.removed.map((path) => html`<li>removed: ${path}`),
      ...files.changed.map(
        ({ path, runs }) =>
          html`<li>changed: ${path}${runs.map((run) => html`<pre class="src">${run.map(({ sign, text }) => `${sign} ${text}\n`)}</pre>`)}`,
      ),
    ];
    return html`<p>${plural(unchangedRules, "rule")} ${unchangedRules === 1 ? "is" : "are"} unchanged.</p>${
      changed.length === 0 ? html`<p>No file changed.</p>` : html`<h3>Files</h3><ul>${changed}</ul>`
    }${all.length === 0 ? undefined : html`<h3>Old and new</h3>${all}`}`;
  }

  signature(): Html {
    const { change, review, evidence } = this;
    return html`<p>I have read this review of the change between these two sets of policies.</p>
<dl class="facts"><dt>Older set<dd><code>${change.before.policies.hash}</code><dt>Newer set<dd><code>${review.policies.hash}</code>${
      evidence === undefined ? undefined : html`<dt>Evidence<dd><code>sha256:${evidence}</code>`
    }</dl>
<dl class="sign"><dt>Name<dd><dt>Date<dd><dt>Signature<dd></dl>`;
  }
}

/** Both sides of a change, before and after. */
function sidesHtml<T>(pair: Pair<T>, titleOf: (side: T) => string, sideOf: (side: T) => Html): Html {
  const { before, after } = pair;
  const titled = after ?? before;
  return html`
<article class="sides"><h4>${titled === undefined ? "" : titleOf(titled)} <span class="soft">${pairWord(pair)}</span></h4><div><h5>Before</h5>${
    before === undefined ? html`<p class="soft">not there</p>` : sideOf(before)
  }</div><div><h5>Now</h5>${after === undefined ? html`<p class="soft">not there</p>` : sideOf(after)}</div></article>`;
}

function ruleSide({ facts, source }: Sourced<RuleFacts>): Html {
  const clause = facts.clause === undefined ? undefined : html`<p class="soft">Clause ${facts.clause}</p>`;
  return html`<p class="soft">${policyWords(facts.policy)}</p>${ruleHtml(facts, (id) => html`<code>${id}</code>`)}${clause}${sourceHtml(facts.place, source)}`;
}

function derivedRoleSide({ facts, source }: Sourced<DerivedRoleFacts>): Html {
  return html`<p class="soft">${policyWords(facts.policy)}</p>${derivedRoleHtml(facts)}${sourceHtml(facts.place, source)}`;
}

function nameSide({ words, source, place }: NameFacts): Html {
  return html`<p>${wordsHtml(words)}</p>${sourceHtml(place, source)}`;
}

function sourceHtml(place: FileLines | undefined, source: string): Html {
  return html`<pre class="src"><b>${place === undefined ? "" : placeText(place)}</b>
${source}</pre>`;
}
