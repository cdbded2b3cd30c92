/** A review as Markdown, for pull requests and wikis. */

import { findingCounts, findingText } from "../findings/finding.js";
import type { AllowChance, OperationFacts, OperationRole, ScopeFacts } from "../operations/types.js";
import { ownerWords } from "../policies.js";
import { CHANCE_WORDS, SUPPORT_WORDS } from "./chance-words.js";
import type { ChangeReview } from "./change/types.js";
import { partsOf } from "./conclusion.js";
import { CONTROL_WORDS } from "./control-words.js";
import { changeLines, signatureLines } from "./markdown-change.js";
import { claimLines, conclusionLines } from "./markdown-conclusion.js";
import { code, table, text, whenText, whoText, worded } from "./markdown-text.js";
import { testedWords } from "./tested-words.js";
import type { Review, RuleFacts } from "./types.js";

export function reviewMarkdown(review: Review): string {
  return new MarkdownWriter(review).write(undefined);
}

/** The review of a change: the changes, and below them the review. */
export function changeMarkdown(review: Review, change: ChangeReview, evidence: string | undefined): string {
  return new MarkdownWriter(review).write({ review: change, evidence });
}

class MarkdownWriter {
  private readonly review: Review;
  private readonly rules: ReadonlyMap<string, RuleFacts>;
  private readonly hasPlatform: boolean;
  private readonly lines: string[] = [];

  constructor(review: Review) {
    this.review = review;
    this.rules = new Map(review.rules.map((rule) => [rule.id, rule]));
    this.hasPlatform = review.policies.platformVersion !== undefined;
  }

  write(change: { readonly review: ChangeReview; readonly evidence: string | undefined } | undefined): string {
    this.head(change?.review);
    const { claims = [], laws = [], unchecked = [], controls } = this.review;
    const stated = [...claims, ...laws];
    if (change !== undefined) this.add(...changeLines(change.review, this.review));
    else if (stated.length + unchecked.length > 0) this.add(...claimLines(stated, unchecked));
    this.tests();
    this.findings();
    if (controls.length > 0) this.controls(controls);
    this.matrix();
    this.operations();
    if (this.hasPlatform) this.platform();
    this.names();
    if (change !== undefined) this.add(...signatureLines(change.review, this.review, change.evidence));
    return `${this.lines.join("\n")}\n`;
  }

  private add(...lines: readonly string[]): void {
    this.lines.push(...lines);
  }

  private table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    this.add(...table(head, rows));
  }

  private head(change: ChangeReview | undefined): void {
    const { policies, date, engine, findings } = this.review;
    const { title, owner, purpose } = policies;
    const kind = change === undefined ? "Policy review" : "Review of a policy change";
    this.add(title === undefined ? `# ${kind}` : `# ${text(title)}: ${kind.toLowerCase()}`, "");
    this.add(...conclusionLines(partsOf(this.review, change)));
    if (purpose !== undefined) this.add(`- Purpose: ${text(purpose)}`);
    if (owner !== undefined) this.add(`- Owner: ${text(owner)}`);
    this.add(`- Policy set: ${code(policies.hash)}`);
    if (change !== undefined) this.add(`- Older set: ${code(change.before.policies.hash)}`);
    this.add(`- Date: ${date}`, `- Engine: ${engine.name} ${engine.version}`);
    const { permissionVersion, platformVersion } = policies;
    const platform =
      platformVersion === undefined ? "no platform layer" : `the platform is version ${code(platformVersion)}`;
    this.add(
      `- Layers: permissions are version ${code(permissionVersion)}, ${platform}`,
      `- Findings: ${findingCounts(findings)}`,
      "",
    );
  }

  private tests(): void {
    const { tests } = this.review;
    if (tests === undefined || tests.suites.length === 0) return;
    this.add("## Tests", "");
    this.table(
      ["File", "Result", "Passed", "Failed", "Could not be run", "Skipped"],
      tests.suites.map(({ file, result, tests: { passed, failed, errored, skipped } }) => [
        text(file),
        result,
        ...[passed, failed, errored, skipped].map(String),
      ]),
    );
    if (tests.missing.length === 0) return;
    this.add("No test reaches these:", "", ...tests.missing.map(({ at, what }) => `- ${text(`${at} ${what}`)}`), "");
  }

  private controls(controls: Review["controls"]): void {
    this.add("## Controls", "");
    const reasons = (ids: readonly string[]) => {
      const rules = ids.flatMap((id) => this.rules.get(id) ?? []);
      return rules.map(({ reason, name, kind }) => text(`${reason || name} on ${kind}`)).join(", ");
    };
    this.table(
      ["Control", "Coverage", "Clause", "Rules", "Not decided by a test"],
      controls.flatMap(({ control, clauses, coverage }) =>
        clauses.map(({ clause, rules, tested = rules }) => [
          text(control),
          CONTROL_WORDS[coverage],
          text(clause),
          reasons(rules),
          reasons(rules.filter((id) => !tested.includes(id))),
        ]),
      ),
    );
  }

  private findings(): void {
    const { findings, hasProvenFindings } = this.review;
    this.add("## Findings", "");
    if (!hasProvenFindings) this.add("Findings that need a proof were not checked.", "");
    if (findings.length === 0) {
      this.add("There are no findings.", "");
      return;
    }
    this.table(
      ["Severity", "Finding", "Explanation", "Where"],
      findings.map(({ severity, code: what, message, hint, file, line }) => {
        return [severity, code(what), text(findingText({ message, hint })), file === "" ? "" : text(`${file}:${line}`)];
      }),
    );
  }

  private matrix(): void {
    const { operations, roles } = this.review;
    this.add("## Operations by role", "");
    const legend =
      "always: in every case; always, unless data is missing: or wrong, so that a condition has no value; when …: when the conditions of its rules hold; no: the column adds nothing; never: in no case. By permission: keys with a permission of their own. Any key: neither role nor permission is needed.";
    this.add(this.hasPlatform ? `${legend} The platform column is the same for every key.` : legend, "");
    const scopes = [...new Set(operations.flatMap((one) => one.scopes.map(({ scope }) => scope)))];
    for (const scope of scopes) {
      if (scope !== "") this.add(`In the scope ${code(scope)}:`, "");
      this.table(
        [
          "Resource",
          "Operation",
          ...roles.filter((role) => role !== "*").map(text),
          "By permission",
          "Any key",
          ...(this.hasPlatform ? ["Platform"] : []),
        ],
        operations.flatMap(({ kind, operation, scopes: all }) => {
          const facts = all.find((each) => each.scope === scope);
          if (facts === undefined) return [];
          const { byPermission, byAny } = facts.everyRole;
          const support = this.hasPlatform ? [SUPPORT_WORDS[facts.supported]] : [];
          const byRole = facts.cells.filter(({ role }) => role !== "*").map(cellText);
          return [
            [text(kind), code(operation), ...byRole, CHANCE_WORDS[byPermission], CHANCE_WORDS[byAny], ...support],
          ];
        }),
      );
    }
  }

  private operations(): void {
    this.add("## Operations", "");
    for (const operation of this.review.operations) this.operation(operation);
  }

  private operation(one: OperationFacts): void {
    const { kind, operation, isPattern, scopes, others } = one;
    const tested = testedWords(one);
    const count = tested === undefined ? "" : ` (${tested.words})`;
    this.add(`### ${code(operation)} on ${code(kind)}${isPattern ? ", a pattern" : ""}${count}`, "");
    for (const scope of scopes) this.inScope(scope);
    if (others.length > 0) this.add("Rules for single principals, and limits on roles:", "", ...this.list(others), "");
  }

  private inScope({ scope, permission, platform, supported }: ScopeFacts): void {
    if (scope !== "") this.add(`In the scope ${code(scope)}:`, "");
    this.add("Who may:", "", ...(permission.allow.length === 0 ? ["- nobody"] : this.list(permission.allow)), "");
    if (permission.deny.length > 0) this.add("Denied to:", "", ...this.list(permission.deny), "");
    if (!this.hasPlatform) return;
    const isPlain = platform.allow.every((id) => this.rules.get(id)?.condition === undefined);
    if (!isPlain) this.add("Supported:", "", ...this.list(platform.allow), "");
    this.add("Forbidden:", "", ...this.forbidden(platform, supported), "");
  }

  private forbidden({ allow, deny }: ScopeFacts["platform"], supported: AllowChance): readonly string[] {
    if (allow.length === 0) return ["- always: no platform policy supports it"];
    const always = supported === "never" ? ["- for every request"] : [];
    if (deny.length > 0) return [...always, ...this.list(deny)];
    if (always.length > 0) return always;
    if (supported === "always") return ["- never"];
    return [supported === "conditional" ? "- where it is not supported" : "- where data is missing or wrong"];
  }

  private list(ids: readonly string[]): readonly string[] {
    return ids.flatMap((id) => {
      const rule = this.rules.get(id);
      if (rule === undefined) return [];
      const isReason = rule.layer === "platform" && rule.policyKind === "resource";
      const clause = rule.clause === undefined ? "" : ` (${text(rule.clause)})`;
      const who = isReason ? `${text(rule.reason)}${clause}` : whoText(rule);
      return [`- ${who}, ${whenText(rule)} — ${text(`${rule.place.file}:${rule.place.line}`)}`];
    });
  }

  private platform(): void {
    this.add("## Platform rules", "");
    this.table(
      ["Reason", "Clause", "Operations", "Effect", "Source"],
      this.review.rules
        .filter(({ layer }) => layer === "platform")
        .map((rule) => [
          text(rule.effect === "deny" ? rule.reason : rule.name),
          text(rule.clause ?? ""),
          rule.actions.map(code).join(", "),
          `${rule.effect === "deny" ? "forbids" : rule.effect === "allow" ? "supports" : "limits"} ${whenText(rule)}`,
          text(`${rule.place.file}:${rule.place.line}`),
        ]),
    );
  }

  private names(): void {
    if (this.review.names.length === 0) return;
    this.add("## Names", "");
    this.table(
      ["Policy", "Name", "Meaning", "As written"],
      this.review.names.map(({ owner, name, text: words, source }) => [
        text(ownerWords(owner)),
        code(name),
        worded(words),
        code(source),
      ]),
    );
  }
}

function cellText({ chance, through }: OperationRole): string {
  if (chance === "never") return "never";
  return through === "role" ? CHANCE_WORDS[chance] : "no";
}
