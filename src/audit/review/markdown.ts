/** A review as Markdown, for pull requests and wikis. */

import { findingCounts, findingText } from "../findings/finding.js";
import type { AllowChance, OperationFacts, OperationRole, ScopeFacts } from "../operations/types.js";
import { ownerWords } from "../policies.js";
import type { ChangeReview } from "./change/types.js";
import { partsOf } from "./conclusion.js";
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
    if (change !== undefined) this.add(...changeLines(change.review, this.review));
    else if (this.review.claims !== undefined) this.add(...claimLines(this.review.claims));
    else if (this.review.laws !== undefined) this.add(...claimLines(this.review.laws, "Laws"));
    this.findings();
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
    this.add(change === undefined ? "# Policy review" : "# Review of a policy change", "");
    this.add(...conclusionLines(partsOf(this.review, change)));
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

  private findings(): void {
    const { findings } = this.review;
    this.add("## Findings", "");
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
      "yes: in every case; conditional: allowed only when the conditions in this role's rules hold; any role: allowed only when the conditions in rules for every role hold; never: in no case.";
    this.add(this.hasPlatform ? `${legend} The platform column is the same for every key.` : legend, "");
    const scopes = [...new Set(operations.flatMap((one) => one.scopes.map(({ scope }) => scope)))];
    for (const scope of scopes) {
      if (scope !== "") this.add(`In the scope ${code(scope)}:`, "");
      this.table(
        [
          "Resource",
          "Operation",
          ...roles.map((role) => (role === "*" ? "any other role" : text(role))),
          ...(this.hasPlatform ? ["Platform"] : []),
        ],
        operations.flatMap(({ kind, operation, scopes: all }) => {
          const facts = all.find((each) => each.scope === scope);
          if (facts === undefined) return [];
          const support = this.hasPlatform ? [SUPPORT[facts.supported]] : [];
          return [[text(kind), code(operation), ...facts.cells.map(cellText), ...support]];
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
    if (supported === "conditional") return ["- where it is not supported"];
    return always.length > 0 ? always : ["- never"];
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

const SUPPORT: { readonly [C in AllowChance]: string } = {
  always: "supported",
  conditional: "conditional",
  never: "forbidden",
};

function cellText({ chance, through }: OperationRole): string {
  if (chance !== "conditional") return chance === "always" ? "yes" : "never";
  return through === "role" ? "conditional" : "any role";
}
