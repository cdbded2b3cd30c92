/** The review of a change, as Markdown. */

import { malformedWords } from "../diff/text.js";
import type { ChangeSide, DecisionChange } from "../diff/types.js";
import { type Finding, findingText } from "../findings/finding.js";
import { ownerWords, policyWords } from "../policies.js";
import type { ChangedLine } from "./change/lines.js";
import type { ChangeReview, NamePair, Pair, Sourced } from "./change/types.js";
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
} from "./change/words.js";
import { claimLines } from "./markdown-conclusion.js";
import { code, diffBlock, jsonBlock, phraseText, table, text, whenText, whoText, worded } from "./markdown-text.js";
import type { DerivedRoleFacts, Review, RuleFacts } from "./types.js";

/** The sections about a change. */
export function changeLines(change: ChangeReview, review: Review): readonly string[] {
  return [
    ...decisions(change, review),
    ...claimLines(change.claims),
    "## Findings, new and gone",
    "",
    ...findingLines("New", change.findings.new),
    ...findingLines("Gone", change.findings.gone),
    ...written(change),
  ];
}

/** The signature section. `evidence`: the SHA-256 of the evidence, if there is one. */
export function signatureLines(
  change: ChangeReview,
  { policies }: Review,
  evidence: string | undefined,
): readonly string[] {
  return [
    "## Signature",
    "",
    "I have read this review of the change between these two sets of policies.",
    "",
    `- Older set: ${code(change.before.policies.hash)}`,
    `- Newer set: ${code(policies.hash)}`,
    ...(evidence === undefined ? [] : [`- Evidence: ${code(`sha256:${evidence}`)}`]),
    "",
    ...table(["Name", "Date", "Signature"], [["", "", ""]]),
  ];
}

function decisions(change: ChangeReview, review: Review): readonly string[] {
  const { changes, gaps, silent } = change.decisions;
  const lines = ["## Decisions that change", ""];
  if (changes.length === 0) lines.push(text(decisionsWords(change.decisions)), "");
  for (const { name, title } of WAYS) {
    const all = changes.filter((one) => one.class === name);
    if (all.length > 0) lines.push(`### ${title}`, "", ...all.flatMap((one) => decision(one, change.before, review)));
  }
  if (gaps.length > 0) {
    lines.push("### What the search did not cover", "");
    lines.push(
      ...gaps.map((gap) => `- ${phraseText(questionWords(gap))}, ${gap.layer} layer: ${text(gap.message)}`),
      "",
    );
  }
  if (silent.length > 0) {
    lines.push("### Changes in one layer that change no decision", "");
    lines.push(
      ...silent.map(
        (one) =>
          `- ${phraseText(questionWords(one))}, ${one.layer} layer: ${text(one.before.join(", "))} → ${text(one.after.join(", "))}`,
      ),
      "",
    );
  }
  return lines;
}

function decision(change: DecisionChange, older: Review, newer: Review): readonly string[] {
  const when = whenWords(change).map((all, i) => {
    const words =
      all.length === 0 ? "in any ordinary case" : `${extentWords(change)}: ${all.map(phraseText).join("; ")}`;
    return `- ${i === 0 ? "When" : "Or when"}: ${words}`;
  });
  return [
    `#### ${phraseText(questionWords(change))}: ${code(change.from)} → ${code(change.to)}`,
    "",
    `- Who: ${phraseText(whoWords(change))}`,
    ...when,
    ...malformedWords(change).map((words) => `- Data: ${words}`),
    `- Before: ${side(change, change.before, older)}`,
    `- Now: ${side(change, change.after, newer)}`,
    "",
    "Example",
    "",
    ...jsonBlock(change.request),
  ];
}

function side(change: DecisionChange, one: ChangeSide, review: Review): string {
  const reasons = reasonsOf(one, review).map(({ reason, rule }) =>
    rule === undefined ? code(reason) : `${code(reason)}, ${whenText(rule)}`,
  );
  return `${text(outcomeWords(one, change))}: ${reasons.join("; ")}`;
}

function findingLines(title: string, findings: readonly Finding[]): readonly string[] {
  const lines = findings.map(({ severity, code: what, message, hint, file, line }) => {
    const where = file === "" ? "" : ` (${text(`${file}:${line}`)})`;
    return `- ${severity} ${code(what)}: ${text(findingText({ message, hint }))}${where}`;
  });
  return [`### ${title}`, "", ...(lines.length === 0 ? ["None."] : lines), ""];
}

function written({ written: { rules, derivedRoles, names, unchangedRules, files } }: ChangeReview): readonly string[] {
  const changed = [
    ...files.added.map((path) => `- added: ${text(path)}`),
    ...files.removed.map((path) => `- removed: ${text(path)}`),
    ...files.changed.map(({ path }) => `- changed: ${text(path)}`),
  ];
  return [
    "## Changes in the policy files",
    "",
    `Unchanged rules: ${unchangedRules}.`,
    "",
    ...(changed.length === 0 ? ["No file changed."] : changed),
    "",
    ...files.changed.flatMap(({ path, runs }) => [`### ${text(path)}`, "", ...runs.flatMap(diffBlock)]),
    ...rules.flatMap((pair) => sides(pair, ({ name }) => name || "limit", ruleText)),
    ...derivedRoles.flatMap((pair) => sides(pair, ({ name }) => `derived role ${name}`, derivedRoleText)),
    ...names.flatMap(namePair),
  ];
}

function sides<T>(
  pair: Pair<Sourced<T>>,
  titleOf: (facts: T) => string,
  wordsOf: (facts: T) => string,
): readonly string[] {
  const { before, after } = pair;
  const titled = after ?? before;
  return [
    `### ${titled === undefined ? "" : text(titleOf(titled.facts))}: ${pairWord(pair)}`,
    "",
    `- Before: ${before === undefined ? "not there" : wordsOf(before.facts)}`,
    `- Now: ${after === undefined ? "not there" : wordsOf(after.facts)}`,
    "",
    ...diffBlock(sourceLines(before?.source, after?.source)),
  ];
}

function ruleText(rule: RuleFacts): string {
  const verb = {
    allow: rule.layer === "platform" ? "supports" : "allows",
    deny: rule.layer === "platform" ? "forbids" : "denies",
    restrict: "limits the role to",
  }[rule.effect];
  const who = rule.layer === "platform" ? "" : ` to ${whoText(rule)}`;
  return `${text(policyWords(rule.policy))}: ${verb} ${rule.actions.map(code).join(", ")}${who}, ${whenText(rule)}`;
}

function derivedRoleText(role: DerivedRoleFacts): string {
  const parents = role.parentRoles.includes("*") ? "any role" : role.parentRoles.map(code).join(" or ");
  return `${text(policyWords(role.policy))}: given to a principal with ${parents}, ${whenText(role)}`;
}

function namePair(pair: NamePair): readonly string[] {
  const { before, after, owners } = pair;
  const titled = after ?? before;
  return [
    `### ${titled === undefined ? "" : `${titled.kind} ${code(titled.name)}`}: ${pairWord(pair)}`,
    "",
    `- Before: ${before === undefined ? "not there" : worded(before.text)}`,
    `- Now: ${after === undefined ? "not there" : worded(after.text)}`,
    `- Used in ${text(owners.map(ownerWords).join(", "))}`,
    "",
    ...diffBlock(sourceLines(before?.source, after?.source)),
  ];
}

function sourceLines(before: string | undefined, after: string | undefined): readonly ChangedLine[] {
  const lines = (sign: ChangedLine["sign"], source: string | undefined) =>
    source === undefined ? [] : source.split("\n").map((each) => ({ sign, text: each }));
  return [...lines("-", before), ...lines("+", after)];
}
