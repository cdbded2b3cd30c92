/** The sections of a review's page that are about the set as a whole. */

import { findingText } from "../../findings/finding.js";
import type { AllowChance, OperationRole } from "../../operations/types.js";
import { plural } from "../../plural.js";
import { CHANCE_WORDS, SUPPORT_WORDS } from "../chance-words.js";
import { CONTROL_WORDS } from "../control-words.js";
import type { ControlFacts, CoveredPart, Review, ReviewedOperation, SuiteFacts } from "../types.js";
import { term } from "./glossary.js";
import { type Html, html } from "./html.js";
import type { PageIndex } from "./page-index.js";
import { placeText, separated, tableHtml } from "./parts.js";

const LOOKS = { error: "no", warning: "maybe", note: "plain" } as const;

export class Sections {
  private readonly review: Review;
  private readonly index: PageIndex;

  constructor(review: Review, index: PageIndex) {
    this.review = review;
    this.index = index;
  }

  findings(): Html {
    const { findings, hasProvenFindings } = this.review;
    const scope = hasProvenFindings
      ? html`<p>The text of the policies and a ${term("solver")} were asked for ${term("finding", "findings")}.</p>`
      : html`<p>The text of the policies was asked for ${term("finding", "findings")}. Those that need a proof were ${term("not checked")}.</p>`;
    if (findings.length === 0) return html`${scope}<p>There are no findings.</p>`;
    return html`${scope}${tableHtml(
      "Findings",
      html`Points to check, the most serious first.`,
      ["Severity", "Finding", "Explanation", "Where"],
      html`<tbody>${findings.map(
        ({ severity, code, message, hint, file, line, rule }) => html`
<tr><td><span class="${LOOKS[severity]}">${severity}</span><td><code>${code}</code><td>${findingText({ message, hint })}<td>${
          rule === undefined ? placeText({ file, line }) : this.index.link(rule, placeText({ file, line }))
        }`,
      )}</tbody>`,
    )}`;
  }

  tests(): Html {
    const { tests } = this.review;
    if (tests === undefined) return html`<p>Tests were not run.</p>`;
    const { suites, coverage, goals, missing } = tests;
    if (suites.length === 0) return html`<p>There are no tests.</p>`;
    const parts = PARTS.filter(({ of }) => goals[of].total > 0);
    return html`${tableHtml(
      "Tests",
      html`Each file of ${term("test", "tests")} in the policies.`,
      ["File", "Result", "Passed", "Not passed"],
      html`<tbody>${suites.map(
        ({ file, result, tests: { passed, failed, errored, skipped } }) => html`
<tr><th scope="row">${file}<td><span class="${RESULT_LOOKS[result]}">${result}</span><td>${passed}<td>${separated(
          [
            ...(failed === 0 ? [] : [html`${failed} failed`]),
            ...(errored === 0 ? [] : [html`${errored} could not be run`]),
            ...(skipped === 0 ? [] : [html`${skipped} skipped`]),
          ],
          ", ",
        )}`,
      )}</tbody>`,
    )}<p>The ${term("coverage")} of the policies is ${coverage} %:</p><ul class="legend">${parts.map(
      ({ of, name }) => html`<li>${goals[of].covered} of ${goals[of].total} ${name}`,
    )}</ul>${
      missing.length === 0
        ? undefined
        : html`<p>No test reaches these:</p><ul class="gaps">${missing.slice(0, MAX_GAPS).map(({ at, what }) => html`<li>${what} <span class="soft">${at}</span>`)}${
            missing.length > MAX_GAPS
              ? html`<li>${missing.length - MAX_GAPS} more: <code>keyward test --coverage</code> lists them`
              : undefined
          }</ul>`
    }`;
  }

  /** The controls of `keyward.yaml`, with the rules that serve each. */
  controls(): Html {
    return tableHtml(
      "Controls",
      html`Each ${term("control")} of the configuration, and the rules that keep its ${term("clause", "clauses")}.`,
      ["Control", "Coverage", "Clause", "Rules"],
      this.review.controls.map(
        ({ control, clauses, coverage }) =>
          html`<tbody>${clauses.map(({ clause, rules, tested }, i) => {
            const untested = tested === undefined ? [] : rules.filter((id) => !tested.includes(id));
            return html`
<tr>${i > 0 ? undefined : html`<th scope="rowgroup" rowspan="${clauses.length}">${control}<td rowspan="${clauses.length}"><span class="${CONTROL_LOOKS[coverage]}">${CONTROL_WORDS[coverage]}</span>`}<td>${clause}<td>${
              rules.length === 0 ? html`<span class="no">none</span>` : this.ruleLinks(rules)
            }${untested.length === 0 ? undefined : html`<div class="soft">not decided by a test: ${this.ruleLinks(untested)}</div>`}`;
          })}</tbody>`,
      ),
    );
  }

  /** Rules by their reasons; several with one reason, one for each kind. */
  private ruleLinks(ids: readonly string[]): readonly (Html | string)[] {
    return separated(
      this.index
        .rulesOf(ids)
        .map((rule) => html`${this.index.link(rule.id, rule.reason || rule.name || "limit")} on ${rule.kind}`),
      ", ",
    );
  }

  matrix(): Html {
    const { operations, policies } = this.review;
    const scopes = [...new Set(operations.flatMap((one) => one.scopes.map(({ scope }) => scope)))];
    const has = (of: "byPermission" | "byAny") =>
      operations.some((one) => one.scopes.some(({ everyRole }) => everyRole[of] !== "never"));
    const columns: Columns = {
      roles: this.review.roles.filter((role) => role !== "*"),
      hasPermissions: has("byPermission"),
      hasAny: has("byAny"),
      hasPlatform: policies.platformVersion !== undefined,
    };
    const { hasPermissions, hasAny, hasPlatform } = columns;
    return html`<ul class="legend"><li><span class="yes">always</span> in every case<li><span class="yes">always, unless data is missing</span> or wrong, so that a condition has no value<li><span class="maybe">when …</span> the conditions of its rules hold<li><span class="plain">no</span> this column adds nothing<li><span class="no">never</span> in no case</ul>
<p>A column ${term("by role")} is about keys with this role alone.${hasPermissions ? html` The column ${term("by permission")} is about keys with a permission of their own.` : undefined}${hasAny ? html` The column ${term("any key")} needs neither.` : undefined}${hasPlatform ? html` The ${term("platform")} is the same for every key.` : undefined}</p>${scopes.map(
      (scope) => html`
<div class="wide" tabindex="0" role="region" aria-label="Operations by role${scope === "" ? "" : `, scope ${scope}`}"><table class="matrix"><caption>What each key may do${scope === "" ? "" : html`, in the scope <code>${scope}</code>`}.</caption>
${matrixHead(columns)}${this.index.kinds
  .filter((kind) => kind.operations.length > 0)
  .map(
    ({ anchor, kind, operations: of }) =>
      html`<tbody><tr><th class="group" scope="rowgroup" colspan="${widthOf(columns)}"><a href="#${anchor}">${kind}</a>${of.map((one) => this.matrixRow(one, scope, columns))}</tbody>`,
  )}</table></div>`,
    )}`;
  }

  private matrixRow(one: ReviewedOperation, scope: string, columns: Columns): Html | undefined {
    const facts = one.scopes.find((each) => each.scope === scope);
    if (facts === undefined) return undefined;
    const { cells, everyRole, supported } = facts;
    return html`
<tr><th scope="row"><a href="#${this.index.operationAnchor(one)}">${one.operation}</a>${cells.filter(({ role }) => role !== "*").map((cell) => html`<td>${cellHtml(cell)}`)}${
      columns.hasPermissions ? html`<td>${chanceHtml(everyRole.byPermission)}` : undefined
    }${columns.hasAny ? html`<td>${chanceHtml(everyRole.byAny)}` : undefined}${columns.hasPlatform ? html`<td>${supportHtml(supported)}` : undefined}`;
  }

  files(): Html {
    const { policies, date, engine, operations, rules } = this.review;
    return html`<dl class="facts">
<dt>Policy set<dd><code>${policies.hash}</code>
<dt>Date<dd><time datetime="${date}">${date}</time>
<dt>Engine<dd>${engine.name} ${engine.version}
<dt>Layers<dd>permissions: version <code>${policies.permissionVersion}</code>; ${
      policies.platformVersion === undefined
        ? "no platform layer (permission-only)"
        : html`platform: version <code>${policies.platformVersion}</code>`
    }
<dt>Contents<dd>${plural(policies.files.length, "file")}, ${plural(operations.length, "operation")}, ${plural(rules.length, "rule")}</dl>
<ul class="files">${policies.files.map(({ path, lines }) => html`<li>${path} <span class="soft">${plural(lines, "line")}</span>`)}</ul>`;
  }

  signature(): Html {
    return html`<p>I have read this review of the policy set with this hash.</p>
<dl class="facts"><dt>Policy set<dd><code>${this.review.policies.hash}</code></dl>
<dl class="sign"><dt>Name<dd><dt>Date<dd><dt>Signature<dd></dl>`;
  }
}

/** The gaps of the coverage that the page lists. */
const MAX_GAPS = 50;

const PARTS: readonly { readonly of: CoveredPart; readonly name: string }[] = [
  { of: "rules", name: "rules that decide" },
  { of: "conditions", name: "conditions, true and false" },
  { of: "operands", name: "parts of conditions that decide alone" },
  { of: "derivedRoles", name: "derived roles" },
  { of: "variables", name: "names, true and false" },
  { of: "outputs", name: "reasons" },
];

const RESULT_LOOKS: { readonly [result in SuiteFacts["result"]]: string } = {
  passed: "yes",
  failed: "no",
  errored: "no",
  skipped: "maybe",
};

const CONTROL_LOOKS: { readonly [coverage in ControlFacts["coverage"]]: string } = {
  tested: "yes",
  carried: "maybe",
  untested: "maybe",
  missing: "no",
};

interface Columns {
  readonly roles: readonly string[];
  readonly hasPermissions: boolean;
  readonly hasAny: boolean;
  readonly hasPlatform: boolean;
}

function widthOf({ roles, hasPermissions, hasAny, hasPlatform }: Columns): number {
  return 1 + roles.length + [hasPermissions, hasAny, hasPlatform].filter((has) => has).length;
}

function matrixHead({ roles, hasPermissions, hasAny, hasPlatform }: Columns): Html {
  const rows = roles.length === 0 ? undefined : html` rowspan="2"`;
  const tall = (title: string) => html`<th scope="col"${rows}>${title}`;
  return html`<thead><tr>${tall("Operation")}${
    roles.length === 0 ? undefined : html`<th scope="colgroup" colspan="${roles.length}">By role`
  }${hasPermissions ? tall("By permission") : undefined}${hasAny ? tall("Any key") : undefined}${hasPlatform ? tall("Platform") : undefined}${
    roles.length === 0 ? undefined : html`<tr>${roles.map((role) => html`<th scope="col">${role}`)}`
  }</thead>`;
}

function cellHtml({ chance, through }: OperationRole): Html {
  if (chance === "never") return html`<span class="no">never</span>`;
  return through === "role" ? chanceHtml(chance) : html`<span class="plain">no</span>`;
}

function chanceHtml(chance: AllowChance): Html {
  if (chance === "never") return html`<span class="plain">no</span>`;
  return chanceCell(chance, CHANCE_WORDS);
}

function supportHtml(chance: AllowChance): Html {
  return chanceCell(chance, SUPPORT_WORDS);
}

function chanceCell(chance: AllowChance, words: { readonly [C in AllowChance]: string }): Html {
  const look = chance === "never" ? "no" : chance === "conditional" ? "maybe" : "yes";
  return html`<span class="${look}">${words[chance]}</span>`;
}
