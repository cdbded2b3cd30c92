/** The sections of a review's page, in their order. */

import { plural } from "../plural.js";
import type { SourceLines } from "../snippet.js";
import type {
  Cell,
  Chance,
  DerivedRoleFacts,
  NameFacts,
  OperationFacts,
  Review,
  RuleFacts,
  ScopeFacts,
} from "../types.js";
import { type Html, html } from "./html.js";
import { placeText, separated, whenHtml, whoHtml, wordsHtml } from "./parts.js";

export class Sections {
  private readonly review: Review;
  private readonly sources: SourceLines;
  private readonly anchors: ReadonlyMap<string, string>;
  private readonly rules: ReadonlyMap<string, RuleFacts>;
  private readonly derivedRoles: ReadonlyMap<string, DerivedRoleFacts>;
  private readonly namesByKey: ReadonlyMap<string, NameFacts>;
  private readonly operationIds: ReadonlyMap<OperationFacts, string>;

  constructor(review: Review, sources: SourceLines) {
    this.review = review;
    this.sources = sources;
    const { rules, derivedRoles, names, operations } = review;
    this.anchors = new Map([
      ...rules.map(({ id }, i) => [id, `r${i + 1}`] as const),
      ...derivedRoles.map(({ id }, i) => [id, `d${i + 1}`] as const),
    ]);
    this.rules = new Map(rules.map((rule) => [rule.id, rule]));
    this.derivedRoles = new Map(derivedRoles.map((role) => [role.id, role]));
    this.namesByKey = new Map(names.map((one) => [nameKey(one.owner, one.name), one]));
    this.operationIds = new Map(operations.map((one, i) => [one, `o${i + 1}`]));
  }

  summary(): Html {
    const { policies, date, engine, findings, operations, rules } = this.review;
    const warnings = findings.filter(({ severity }) => severity === "warning").length;
    return html`<dl class="facts">
<dt>Policy set</dt><dd><code>${policies.hash}</code></dd>
<dt>Date</dt><dd><time datetime="${date}">${date}</time></dd>
<dt>Engine</dt><dd>${engine.name} ${engine.version}</dd>
<dt>Layers</dt><dd>permissions: version <code>${policies.permissionVersion}</code>; platform: version <code>${policies.platformVersion}</code></dd>
<dt>Contents</dt><dd>${plural(policies.files.length, "file")}, ${plural(operations.length, "operation")}, ${plural(rules.length, "rule")}</dd>
<dt>Findings</dt><dd>${plural(warnings, "warning")}, ${plural(findings.length - warnings, "note")}</dd>
</dl>
<p>A request is decided by two layers. The <strong>permission</strong> layer says what a key may do; where it denies, the answer is <code>insufficient_permissions</code>, and another key may help. The <strong>platform</strong> layer says what nobody may do, whatever the key; where it denies, the answer is <code>forbidden</code>. A condition that cannot be evaluated, because an attribute is absent or of the wrong type, denies.</p>`;
  }

  findings(): Html {
    const { findings } = this.review;
    if (findings.length === 0) return html`<p>Nothing was found.</p>`;
    return html`<div class="wide" tabindex="0" role="region" aria-label="Findings"><table><caption>What somebody should look at, warnings first.</caption>
<thead><tr><th scope="col">Severity<th scope="col">Finding<th scope="col">What it is<th scope="col">Where</thead><tbody>${findings.map(
      ({ severity, code, message, file, line, rule }) => html`
<tr><td><span class="${severity === "warning" ? "maybe" : "plain"}">${severity}</span><td><code>${code}</code><td>${message}<td>${
        rule === undefined ? placeText({ file, line }) : this.link(rule, placeText({ file, line }))
      }`,
    )}</tbody></table></div>`;
  }

  matrix(): Html {
    const { operations, roles } = this.review;
    const scopes = [...new Set(operations.flatMap((one) => one.scopes.map(({ scope }) => scope)))];
    return html`<p>What one role gives by itself. <span class="yes">allowed</span>: in every case. <span class="maybe">conditions</span>: under conditions that its rules for the role state. <span class="plain">any role</span>: under conditions that rules for every role state; the role adds nothing. <span class="no">never</span>: in no case. The last column is what the platform says, whatever the key.</p>${scopes.map(
      (scope) => html`
<div class="wide" tabindex="0" role="region" aria-label="Operations by role${scope === "" ? "" : `, scope ${scope}`}"><table><caption>Operations by role${scope === "" ? "" : html`, in the scope <code>${scope}</code>`}.</caption>
<thead><tr><th scope="col">Operation${roles.map((role) => html`<th scope="col">${role === "*" ? "any other role" : role}`)}<th scope="col">Platform</thead>${kindsOf(
        operations,
      ).map(
        ({ kind, of }) =>
          html`<tbody><tr><th class="group" scope="rowgroup" colspan="${roles.length + 2}">${kind}${of.map((one) => {
            const facts = one.scopes.find((each) => each.scope === scope);
            return facts === undefined
              ? undefined
              : html`
<tr><th scope="row"><a href="#${this.anchor(one)}">${one.operation}</a>${facts.cells.map((cell) => html`<td>${cellHtml(cell)}`)}<td>${supportHtml(facts.supported)}`;
          })}</tbody>`,
      )}</table></div>`,
    )}`;
  }

  operations(): Html {
    return html`${kindsOf(this.review.operations).map(
      ({ kind, of }) => html`
<h3>On <code>${kind}</code></h3>${of.map((one) => this.operation(one))}`,
    )}`;
  }

  private operation(one: OperationFacts): Html {
    const { operation, isPattern, tests, others } = one;
    const count =
      tests === undefined
        ? undefined
        : html` <span class="${tests === 0 ? "maybe" : "plain"}">${tests === 0 ? "no test" : plural(tests, "test case")}</span>`;
    return html`
<section aria-labelledby="${this.anchor(one)}"><h4 id="${this.anchor(one)}"><code>${operation}</code>${isPattern ? " (a pattern)" : ""}${count}</h4>${one.scopes.map(
      (scope) =>
        html`${scope.scope === "" ? undefined : html`<p>In the scope <code>${scope.scope}</code>:</p>`}${this.inScope(scope)}`,
    )}${others.length === 0 ? undefined : html`<p>Policies of single principals, and limits of roles:</p>${this.list(others)}`}</section>`;
  }

  private inScope({ permission, platform, supported }: ScopeFacts): Html {
    return html`<dl class="facts"><dt>Who may<dd>${permission.allow.length === 0 ? "nobody" : this.list(permission.allow)}${
      permission.deny.length === 0 ? undefined : html`<dt>Denied to<dd>${this.list(permission.deny)}`
    }<dt>Forbidden<dd>${
      supported === "never" && platform.deny.length === 0
        ? "always: no platform policy supports it"
        : platform.deny.length === 0
          ? "never"
          : this.list(platform.deny)
    }${this.where([...permission.allow, ...permission.deny, ...platform.deny])}</dl>`;
  }

  /** The names that the conditions of these rules read, and those that these read. */
  private where(ids: readonly string[]): Html | undefined {
    const found = new Map<string, NameFacts>();
    const read = (owner: string, names: readonly string[]): void => {
      for (const name of names) {
        const key = nameKey(owner, name);
        const facts = this.namesByKey.get(key);
        // What is called the same and means the same, in both layers, is said once.
        const meaning = facts === undefined ? "" : nameKey(name, facts.text);
        if (facts === undefined || found.has(meaning)) continue;
        found.set(meaning, facts);
        read(owner, facts.names);
      }
    };
    for (const rule of ids.flatMap((id) => this.rules.get(id) ?? [])) {
      read(rule.policy, rule.condition?.names ?? []);
      for (const id of rule.derivedRoles) read(id, this.derivedRoles.get(id)?.condition?.names ?? []);
    }
    const meant = [...found.values()].filter(({ kind }) => kind === "variable");
    if (meant.length === 0) return undefined;
    return html`<dt>Where<dd><ul>${meant.map(({ name, words }) => html`<li><em>${name}</em>: ${wordsHtml(words)}`)}</ul>`;
  }

  private list(ids: readonly string[]): Html {
    const rules = ids.flatMap((id) => this.rules.get(id) ?? []);
    return html`<ul>${rules.map((rule) => {
      const who =
        rule.layer === "platform" && rule.policyKind === "resource"
          ? this.link(rule.id, rule.reason)
          : whoHtml(rule, (id) => this.link(id, id));
      const name =
        rule.layer === "platform" && rule.policyKind === "resource"
          ? clauseHtml(rule)
          : html` (${this.link(rule.id, rule.name || "limit")})`;
      return html`<li>${who}${name}, ${whenHtml(rule)}`;
    })}</ul>`;
  }

  platform(): Html {
    const rules = this.review.rules.filter(({ layer }) => layer === "platform");
    return html`<div class="wide" tabindex="0" role="region" aria-label="Platform rules"><table><caption>Each rule of the platform layer, with the reason that it gives and the clause of the contract that it keeps.</caption>
<thead><tr><th scope="col">Reason<th scope="col">Clause<th scope="col">Operations<th scope="col">Effect<th scope="col">Source</thead><tbody>${rules.map(
      (rule) => html`
<tr><th scope="row">${rule.effect === "deny" ? rule.reason : rule.name}<td>${rule.clause ?? html`<span class="soft">none</span>`}<td>${rule.actions.map((action) => html`<div>${action}</div>`)}<td>${
        rule.effect === "deny" ? "forbids" : rule.effect === "allow" ? "supports" : "limits"
      }: ${whenHtml(rule)}<td>${this.link(rule.id, placeText(rule.place))}`,
    )}</tbody></table></div>`;
  }

  sourced(): Html {
    const policies = [...new Set(this.review.rules.map(({ policy }) => policy))];
    return html`${policies.map(
      (policy) => html`
<h3>${policy}</h3>${this.review.derivedRoles
        .filter((role) => role.policy === policy)
        .map(
          (role) =>
            html`<article class="rule" id="${this.anchors.get(role.id)}"><div><h4>derived role ${role.name}</h4><p>Whoever has ${
              role.parentRoles.includes("*")
                ? "any role"
                : separated(
                    role.parentRoles.map((one) => html`<code>${one}</code>`),
                    " or ",
                  )
            }, ${whenHtml(role)}.</div>${this.source(role)}</article>`,
        )}${this.review.rules.filter((rule) => rule.policy === policy).map((rule) => this.rule(rule))}`,
    )}`;
  }

  private rule(rule: RuleFacts): Html {
    const verb = {
      allow: rule.layer === "platform" ? "Supports" : "Allows",
      deny: rule.layer === "platform" ? "Forbids" : "Denies",
      restrict: "Limits the role to",
    }[rule.effect];
    const who = rule.layer === "platform" ? undefined : html` to ${whoHtml(rule, (id) => this.link(id, id))}`;
    return html`
<article class="rule" id="${this.anchors.get(rule.id)}"><div><h4>${rule.name || "limit"}</h4><p>${verb} ${separated(
      rule.actions.map((action) => html`<code>${action}</code>`),
      ", ",
    )}${rule.effect === "restrict" ? undefined : who}${rule.condition === undefined ? "." : ","}${
      rule.condition === undefined ? undefined : html`<div class="words">${whenHtml(rule)}</div>`
    }${rule.clause === undefined ? undefined : html`<p class="soft">Clause ${rule.clause}`}</div>${this.source(rule)}</article>`;
  }

  private source({ place }: Pick<RuleFacts, "place">): Html {
    const from = this.sources.commentsAbove(place.file, place.line);
    const lines = this.sources.of(place.file).slice(from - 1, place.to);
    const width = String(place.to).length;
    const numbered = dedented(lines).map((line, i) => `${String(from + i).padStart(width)}  ${line}`);
    return html`<pre class="src"><b>${placeText(place)}</b>
${numbered.join("\n")}</pre>`;
  }

  names(): Html {
    const { names } = this.review;
    if (names.length === 0) return html`<p>The policies define no names.</p>`;
    const owners = [...new Set(names.map(({ owner }) => owner))];
    return html`<p>Conditions are written with names for what several of them share. Each means, wherever it is read:</p>
<div class="wide" tabindex="0" role="region" aria-label="Names"><table><caption>Variables and constants of each policy.</caption>
<thead><tr><th scope="col">Name<th scope="col">Meaning<th scope="col">As written<th scope="col">Where</thead>${owners.map(
      (owner) =>
        html`<tbody><tr><th class="group" scope="rowgroup" colspan="4">${owner}${names
          .filter((one) => one.owner === owner)
          .map(
            ({ name, words, source, place }) => html`
<tr><th scope="row"><em>${name}</em><td>${wordsHtml(words)}<td><code>${source}</code><td>${place === undefined ? undefined : placeText(place)}`,
          )}</tbody>`,
    )}</table></div>`;
  }

  files(): Html {
    return html`<div class="wide" tabindex="0" role="region" aria-label="Files"><table><caption>The files of the policy set, schemas among them.</caption><thead><tr><th scope="col">File<th scope="col">Lines</thead><tbody>${this.review.policies.files.map(
      ({ path, lines }) => html`
<tr><th scope="row">${path}<td>${lines}`,
    )}</tbody></table></div>`;
  }

  private link(id: string, text: string): Html {
    const anchor = this.anchors.get(id);
    return anchor === undefined ? html`${text}` : html`<a href="#${anchor}">${text}</a>`;
  }

  private anchor(operation: OperationFacts): string {
    return this.operationIds.get(operation) ?? "";
  }
}

function clauseHtml({ clause }: RuleFacts): Html | undefined {
  return clause === undefined ? undefined : html` <span class="soft">(${clause})</span>`;
}

function kindsOf(operations: readonly OperationFacts[]) {
  const kinds = [...new Set(operations.map(({ kind }) => kind))];
  return kinds.map((kind) => ({ kind, of: operations.filter((one) => one.kind === kind) }));
}

function cellHtml({ chance, through }: Cell): Html {
  if (chance === "never") return html`<span class="no">never</span>`;
  if (chance === "always") return html`<span class="yes">allowed</span>`;
  return through === "role" ? html`<span class="maybe">conditions</span>` : html`<span class="plain">any role</span>`;
}

function supportHtml(chance: Chance): Html {
  if (chance === "never") return html`<span class="no">forbidden</span>`;
  return chance === "always" ? html`<span class="yes">supported</span>` : html`<span class="maybe">conditions</span>`;
}

/** Without the indentation that all lines share. */
function dedented(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const least = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map((line) => line.slice(least));
}

function nameKey(owner: string, name: string): string {
  return JSON.stringify([owner, name]);
}
