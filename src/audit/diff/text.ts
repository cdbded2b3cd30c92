/** A comparison as text, for a terminal. */

import { assumedWords, overriddenWords, provedWords } from "../../decisions/configuration-notes.js";
import { jsonText, printable } from "../../policy/escape.js";
import { UNNAMED } from "../../policy/glob-classes.js";
import { UNNAMED_ROLE } from "../../space/question-space.js";
import { type PaintText, PLAIN_TEXT } from "../style.js";
import { sharedBy } from "../who/text.js";
import { CLASSES } from "./question-diff.js";
import type {
  ChangeClass,
  ChangeWay,
  DecisionChange,
  DiffGap,
  PolicyDiff,
  SilentChange,
  UnprovenChange,
} from "./types.js";

const TITLES: { readonly [name in ChangeClass]: string } = {
  widening: "WIDENED: refused before, allowed now",
  narrowing: "Narrowed: allowed before, refused now",
  refusal: "Refused before and now, with a different error code",
  fault: "Refused before and now, but only one of the two decisions has a fault (500 in place of 403)",
};
const LOOKS = { widening: "bad", narrowing: "warn", refusal: "strong", fault: "warn" } as const;

/** The comparison in lines, the last one ended. */
export function diffText(diff: PolicyDiff, paint: PaintText = PLAIN_TEXT): string {
  const lines: string[] = [];
  for (const name of CLASSES) {
    const changes = diff.changes.filter((change) => change.class === name);
    if (changes.length === 0) continue;
    lines.push(paint(LOOKS[name], `${TITLES[name]} (${changes.length})`));
    for (const change of changes) lines.push(...changeLines(change, paint));
    lines.push("");
  }
  if (diff.result === "equal") lines.push(`No decision changes. ${provedWords(diff.configuration)}`, "");
  if (diff.result === "unproven") lines.push("No change was found, but this is not proved.", "");
  lines.push(...silentLines(diff.silent));
  for (const gap of diff.gaps) {
    const where = `${questionName(gap)}, ${gap.layer} layer`;
    lines.push(paint("warn", `not fully searched: ${where}: ${printable(gap.message)}`));
  }
  lines.push(...unprovenLines(diff.unproven, paint));
  const { questions, unchanged, combinations } = diff.examined;
  const assumed = diff.result === "equal" ? "" : assumedWords(diff.configuration);
  const summary = `${questions} operations compared: ${unchanged} proved unchanged${assumed}; ${combinations} combinations of values tried`;
  lines.push(paint("dim", summary));
  const overridden = overriddenWords(diff.configuration);
  if (overridden !== undefined) lines.push(paint("warn", printable(overridden)));
  return `${lines.join("\n")}\n`;
}

function changeLines(change: DecisionChange, paint: PaintText): readonly string[] {
  const { roles, from, to, circumstances, before, after, request } = change;
  const when = circumstances.map(({ path, value }) =>
    value === undefined ? `${path} is absent` : `${path} = ${JSON.stringify(value)}`,
  );
  const words = ({ reasons }: DecisionChange["before"]) =>
    [...new Set(reasons.map(({ reason }) => printable(reason)))].join(", ");
  return [
    `  ${paint("strong", questionName(change))}: ${from} -> ${to}`,
    ...(change.extent === "exact"
      ? waysLines(change)
      : [
          `      role     ${roles.map(roleName).join("; ")} (an example)`,
          ...(when.length === 0 ? [] : [`      when     for example ${when.map(printable).join(" and ")}`]),
        ]),
    ...malformedWords(change).map((words) => `      data     ${words}`),
    ...[before, after].flatMap(({ fault }, i) =>
      fault === undefined ? [] : [`      fault    ${i === 0 ? "before" : "now"}: ${printable(fault)}`],
    ),
    `      because  ${change.layer}: ${words(before)} -> ${words(after)}`,
    `      example  ${jsonText(request)}`,
  ];
}

/** The ways to a change, which are proved to be all: a line for each condition, first those that all ways share. */
function waysLines({ ways }: DecisionChange): readonly string[] {
  const shared = ways.length < 2 ? [] : sharedBy(ways.map(({ when }) => when));
  const isShared = (text: string) => shared.some((one) => one.text === text);
  const items = (when: ChangeWay["when"]) => when.map(({ text }) => `               - ${printable(text)}`);
  const [first, next] = shared.length === 0 ? ["when    ", "or when "] : ["and     ", "or      "];
  return [
    ...(shared.length === 0 ? [] : ["      when     all of", ...items(shared)]),
    ...ways.flatMap(({ when }, i) => {
      const own = when.filter(({ text }) => !isShared(text));
      return [
        `      ${i === 0 ? first : next} all of`,
        ...(own.length === 0 ? ["               - nothing: always"] : []),
        ...items(own),
      ];
    }),
  ];
}

/** Whether a change shows only with malformed data; empty if its example is well-formed. */
export function malformedWords({ malformed, wellFormed }: DecisionChange): readonly string[] {
  if (malformed) return ["only with malformed data; this is proved"];
  return wellFormed ? [] : ["the example is malformed; well-formed data may show the change, too"];
}

/** One line for each operation and cause: the changes that are not ruled out, and why. */
function unprovenLines(unproven: readonly UnprovenChange[], paint: PaintText): readonly string[] {
  const lines = new Map<string, { readonly name: string; readonly why: string; readonly ways: string[] }>();
  for (const one of unproven) {
    const { class: way, message } = one;
    const name = questionName(one);
    const key = JSON.stringify([name, message]);
    const line = lines.get(key) ?? { name, why: printable(message), ways: [] };
    line.ways.push(OPEN_QUESTIONS[way]);
    lines.set(key, line);
  }
  return [...lines.values()].map(({ name, why, ways }) =>
    paint("warn", `not proved: ${name}: ${ways.join(", ")} (${why})`),
  );
}

/** Each class of change as an open question. */
export const OPEN_QUESTIONS: { readonly [name in ChangeClass]: string } = {
  widening: "whether more is allowed",
  narrowing: "whether less is allowed",
  refusal: "whether a refusal changes its error code",
  fault: "whether a refusal becomes a fault, or a fault a refusal",
};

function silentLines(silent: readonly SilentChange[]): readonly string[] {
  const title = {
    reasons: "Same decisions, different reasons",
    masked: "One layer changes its verdict; no decision changes, because the other layer refuses anyway",
  };
  return (["masked", "reasons"] as const).flatMap((name) => {
    const changes = silent.filter((change) => change.class === name);
    if (changes.length === 0) return [];
    const lines = changes.map(
      (change) =>
        `  ${questionName(change)}, ${change.layer} layer: ${change.before.map(printable).join(", ")} -> ${change.after.map(printable).join(", ")}`,
    );
    return [`${title[name]} (${changes.length})`, ...lines, ""];
  });
}

function operationName(operation: string): string {
  return operation === UNNAMED ? "operations that no rule names" : printable(operation);
}

/** The operation and kind of a part of a comparison, with its version if no layer asks it. */
function questionName({ operation, kind, version }: DiffGap | SilentChange | DecisionChange | UnprovenChange): string {
  const name = `${operationName(operation)} on ${kindName(kind)}`;
  return version === undefined ? name : `${name}, policies of version ${printable(version)}`;
}

function kindName(kind: string): string {
  return kind === UNNAMED ? "kinds that no policy names" : printable(kind);
}

function roleName(roles: readonly string[]): string {
  return roles.map((role) => (role === UNNAMED_ROLE ? "any other role" : printable(role))).join(" and ");
}
