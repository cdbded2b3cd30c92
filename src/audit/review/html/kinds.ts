/** The section of a resource kind: its operations, its rules in words, the names in them, and the rules as written. */

import { plural } from "../../plural.js";
import { ownerWords, policyWords } from "../../policies.js";
import { dedented, type SourceLines } from "../snippet.js";
import { testedWords } from "../tested-words.js";
import type { DerivedRoleFacts, NameFacts, Review, ReviewedOperation, RuleFacts } from "../types.js";
import { type Html, html } from "./html.js";
import type { PageIndex } from "./page-index.js";
import type { PageKind } from "./page-kinds.js";
import { derivedRoleHtml, placeText, separated, tableHtml, whenHtml, whoHtml, wordsHtml } from "./parts.js";

const TESTED_LOOKS = { untested: "maybe", passing: "soft", failing: "no" } as const;

const OTHERS = "Single principals and limits on roles";

export class KindSections {
  private readonly index: PageIndex;
  private readonly sources: SourceLines;
  private readonly hasPlatform: boolean;

  constructor({ policies }: Review, index: PageIndex, sources: SourceLines) {
    this.index = index;
    this.sources = sources;
    this.hasPlatform = policies.platformVersion !== undefined;
  }

  title({ kind }: PageKind): Html {
    return kind === undefined ? html`${OTHERS}` : html`On <code>${kind}</code>`;
  }

  /** `10 operations, 12 rules`. */
  counts({ operations, rules }: PageKind): string {
    return [
      ...(operations.length === 0 ? [] : [plural(operations.length, "operation")]),
      plural(rules.length, "rule"),
    ].join(", ");
  }

  /** The section without its heading. */
  body(of: PageKind): Html {
    const ofLayer = (layer: RuleFacts["layer"]) => of.rules.filter((rule) => rule.layer === layer);
    return html`${this.operations(of)}${this.rules(of, ofLayer("permission"))}${this.platform(of, ofLayer("platform"))}${this.names(of)}${this.written(of)}`;
  }

  private operations({ kind, operations }: PageKind): Html | undefined {
    if (operations.length === 0) return undefined;
    const scopes = [...new Set(operations.flatMap((one) => one.scopes.map(({ scope }) => scope)))];
    const isScoped = scopes.some((scope) => scope !== "");
    const head = ["Operation", "Allowed to", ...(this.hasPlatform ? ["Forbidden to every key by"] : [])];
    return tableHtml(
      `Operations on ${kind}`,
      html`Operations on ${kind}.`,
      head,
      scopes.map(
        (scope) =>
          html`<tbody>${isScoped ? html`<tr><th class="group" scope="rowgroup" colspan="${head.length}">${scope === "" ? "without a scope" : html`in the scope <code>${scope}</code>`}` : undefined}${operations.map((one) => this.operation(one, scope))}</tbody>`,
      ),
      "operations",
    );
  }

  private operation(one: ReviewedOperation, scope: string): Html | undefined {
    const facts = one.scopes.find((each) => each.scope === scope);
    if (facts === undefined) return undefined;
    const isFirst = facts === one.scopes[0];
    const tested = testedWords(one);
    const count = tested && html`<div><span class="${TESTED_LOOKS[tested.state]}">${tested.words}</span></div>`;
    const { allow, deny } = facts.permission;
    const { supported, everyRole } = facts;
    return html`
<tr><th scope="row"${isFirst ? html` id="${this.index.operationAnchor(one)}"` : undefined}><code>${one.operation}</code>${one.isPattern ? " (a pattern)" : undefined}${isFirst ? count : undefined}<td>${
      allow.length === 0 ? "nobody" : this.subjects(allow)
    }${everyRole.permissions.length === 0 ? undefined : html`<div class="soft">permissions ${codes(everyRole.permissions)}</div>`}${
      deny.length === 0 ? undefined : html`<div>denied by ${this.reasons(deny)}</div>`
    }${one.others.length === 0 ? undefined : html`<div>see also ${this.reasons(one.others)}</div>`}${
      this.hasPlatform ? html`<td>${this.forbidden(facts.platform, supported)}` : undefined
    }`;
  }

  /** Rules that allow an operation, with their subjects. */
  private subjects(ids: readonly string[]): Html {
    return html`<ul>${this.index
      .rulesOf(ids)
      .map(
        (rule) =>
          html`<li>${this.who(rule)} <span class="soft">(${this.index.link(rule.id, rule.name || "limit")})</span>`,
      )}</ul>`;
  }

  private who(rule: RuleFacts): Html {
    if (rule.permissions !== undefined) return html`keys with a permission`;
    return whoHtml(rule, (id) => this.index.link(id, nameOfDerived(id)));
  }

  private reasons(ids: readonly string[]): readonly (Html | string)[] {
    const rules = this.index.rulesOf(ids);
    return separated(
      rules.map((rule) => this.index.link(rule.id, rule.reason || rule.name || "limit")),
      ", ",
    );
  }

  private forbidden(
    { allow, deny }: { readonly allow: readonly string[]; readonly deny: readonly string[] },
    supported: ReviewedOperation["scopes"][number]["supported"],
  ): Html {
    if (allow.length === 0) return html`<span class="no">always</span> No platform rule supports it.`;
    const always = supported === "never" ? html`<span class="no">always</span> ` : undefined;
    if (deny.length > 0) return html`${always}${this.reasons(deny)}`;
    if (always !== undefined) return always;
    if (supported === "always") return html`<span class="soft">nothing</span>`;
    if (supported === "unless_missing") return html`requests in which data is missing or wrong`;
    return html`requests that ${this.reasons(allow)} does not support`;
  }

  private rules({ kind, derivedRoles }: PageKind, rules: readonly RuleFacts[]): Html | undefined {
    if (rules.length + derivedRoles.length === 0) return undefined;
    const hasClauses = rules.some(({ clause }) => clause !== undefined);
    const head = ["Rule", ...(hasClauses ? ["Clause"] : []), "Operations", "Effect"];
    const name = kind === undefined ? OTHERS : `Rules for keys on ${kind}`;
    return tableHtml(
      name,
      html`${name}.`,
      head,
      html`<tbody>${derivedRoles.map(
        (role) => html`
<tr id="${this.index.anchorOf(role.id)}"><th scope="row">derived role ${role.name}${hasClauses ? html`<td>` : undefined}<td><td>${derivedRoleHtml(role)}`,
      )}${rules.map(
        (rule) => html`
<tr id="${this.index.anchorOf(rule.id)}"><th scope="row">${rule.name || "limit"}${hasClauses ? html`<td>${rule.clause}` : undefined}<td>${codes(rule.actions)}<td>${VERBS[rule.effect]} ${rule.effect === "restrict" ? html`<code>${rule.subject}</code> to these on <code>${rule.kind}</code>` : whoHtml(rule, (id) => this.index.link(id, nameOfDerived(id)))}, ${whenHtml(rule)}`,
      )}</tbody>`,
      "rules",
    );
  }

  private platform({ kind }: PageKind, rules: readonly RuleFacts[]): Html | undefined {
    if (rules.length === 0) return undefined;
    const name = kind === undefined ? "Platform rules of other policies" : `Platform rules on ${kind}`;
    return tableHtml(
      name,
      html`${name}: the same for every key.`,
      ["Reason", "Clause", "Operations", "Effect"],
      html`<tbody>${rules.map(
        (rule) => html`
<tr id="${this.index.anchorOf(rule.id)}"><th scope="row">${rule.effect === "deny" ? rule.reason : rule.name}<td>${rule.clause ?? html`<span class="soft">none</span>`}<td>${codes(rule.actions)}<td>${PLATFORM_VERBS[rule.effect]}, ${whenHtml(rule)}`,
      )}</tbody>`,
      "rules",
    );
  }

  private names({ kind, names }: PageKind): Html | undefined {
    if (names.length === 0) return undefined;
    const name = kind === undefined ? "Names of other policies" : `Names in the rules on ${kind}`;
    return tableHtml(
      name,
      html`${name}, each with one meaning.`,
      ["Name", "Meaning"],
      html`<tbody>${distinct(names).map(
        ({ one, owners }) => html`
<tr><th scope="row"><em>${one.name}</em><td>${wordsHtml(one.words)}${owners === undefined ? undefined : html`<div class="soft">in the ${owners.map(ownerWords).join("; ")}</div>`}`,
      )}</tbody>`,
      "names",
    );
  }

  /** The rules and names as they stand in the files. Paper leaves this out: the files are there. */
  private written({ rules, derivedRoles, names }: PageKind): Html {
    const titled = [
      ...derivedRoles.map((role) => ({ title: `derived role ${role.name}`, policy: role.policy, place: role.place })),
      ...rules.map((rule) => ({ title: rule.name || "limit", policy: rule.policy, place: rule.place })),
    ];
    return html`<details class="written"><summary>As written in the files</summary>${titled.map(
      ({ title, policy, place }) => html`
<figure><figcaption>${title} <span class="soft">${policyWords(policy)}</span></figcaption>${this.source(place)}</figure>`,
    )}${distinct(names).map(
      ({ one: { name, source, place } }) => html`
<figure><figcaption><em>${name}</em></figcaption><pre class="src"><b>${place === undefined ? "" : placeText(place)}</b>
${source}</pre></figure>`,
    )}</details>`;
  }

  private source(place: RuleFacts["place"]): Html {
    const from = this.sources.commentsAbove(place.file, place.line);
    const lines = this.sources.of(place.file).slice(from - 1, place.to);
    const width = String(place.to).length;
    const numbered = dedented(lines).map((line, i) => `${String(from + i).padStart(width)}  ${line}`);
    return html`<pre class="src"><b>${placeText(place)}</b>
${numbered.join("\n")}</pre>`;
  }
}

const VERBS: { readonly [effect in RuleFacts["effect"]]: string } = {
  allow: "allows",
  deny: "denies",
  restrict: "limits the role",
};

const PLATFORM_VERBS: { readonly [effect in RuleFacts["effect"]]: string } = {
  allow: "supports",
  deny: "forbids",
  restrict: "limits",
};

function codes(names: readonly string[]): readonly (Html | string)[] {
  return separated(
    names.map((name) => html`<code>${name}</code>`),
    ", ",
  );
}

/** The name of a derived role: `owner` of `resource.api.vdefault@owner`. */
function nameOfDerived(id: DerivedRoleFacts["id"]): string {
  return id.slice(id.lastIndexOf("@") + 1);
}

/** Names with the same meaning and text in several policies stand once; `owners` if a name has several meanings. */
function distinct(names: readonly NameFacts[]) {
  const found = new Map<string, { readonly one: NameFacts; readonly owners: string[] }>();
  for (const one of names) {
    const meaning = JSON.stringify([one.name, one.text, one.source]);
    const known = found.get(meaning) ?? { one, owners: [] };
    known.owners.push(one.owner);
    found.set(meaning, known);
  }
  const all = [...found.values()];
  const counts = new Map<string, number>();
  for (const { one } of all) counts.set(one.name, (counts.get(one.name) ?? 0) + 1);
  return all.map(({ one, owners }) => (counts.get(one.name) === 1 ? { one, owners: undefined } : { one, owners }));
}
