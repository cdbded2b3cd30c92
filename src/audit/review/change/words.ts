/** A change of policies in words, for signers. Every format of a review uses the same words. */

import type { Outcome } from "../../../decisions/types.js";
import { UNNAMED } from "../../../policy/glob-classes.js";
import { NO_SOLVER } from "../../../proof/question-prover.js";
import { UNNAMED_ROLE } from "../../../space/questions.js";
import { OPEN_QUESTIONS } from "../../diff/text.js";
import type { ChangeClass, ChangeSide, DecisionChange } from "../../diff/types.js";
import { plural } from "../../plural.js";
import { code, enumerate, type Phrase, phrase, text } from "../../words/phrase.js";
import { circumstanceWords } from "../../words/request.js";
import type { Review, RuleFacts } from "../types.js";
import { conclusionOf } from "./change.js";
import type { ChangeReview, ClaimStanding, Pair, ReviewedClaim } from "./types.js";

/** The classes of change, the gravest first. */
export const WAYS: readonly {
  readonly name: ChangeClass;
  readonly title: string;
  readonly many: (count: number) => string;
}[] = [
  {
    name: "widening",
    title: "Widened: refused before, allowed now",
    many: (count) => `more is allowed (${plural(count, "way")})`,
  },
  {
    name: "narrowing",
    title: "Narrowed: allowed before, refused now",
    many: (count) => `less is allowed (${plural(count, "way")})`,
  },
  { name: "refusal", title: "Refused before and now, with a different error code", many: changedRefusals },
  {
    name: "fault",
    title: "Refused before and now, but only one of the two decisions has a fault (500 in place of 403)",
    many: (count) => `a refusal becomes a fault, or a fault a refusal (${plural(count, "way")})`,
  },
];

function changedRefusals(count: number): string {
  return `${plural(count, "refusal")} ${count === 1 ? "changes its" : "change their"} error code`;
}

/** The question: an operation on a resource kind. */
export function questionWords({ operation, kind }: Pick<DecisionChange, "operation" | "kind">): Phrase {
  const what = operation === UNNAMED ? text("operations that no rule names") : code(operation);
  return phrase(what, " on ", kind === UNNAMED ? text("kinds that no policy names") : code(kind));
}

/** The keys that a change shows with. */
export function whoWords({ roles, extent }: Pick<DecisionChange, "roles" | "extent">): Phrase {
  const all = roles.map((together): Phrase => {
    const names = together.map((role) => (role === UNNAMED_ROLE ? text("that no rule names") : code(role)));
    return phrase(names.length > 1 ? "the roles " : "the role ", enumerate(names, "and"));
  });
  if (extent === "exact") return text("every key that meets the conditions");
  return phrase("for example a key with ", enumerate(all, "or"));
}

/**
 * The ways to a change, each by its conditions: all of them, or one as an example. A way without conditions: any
 * ordinary request shows the change.
 */
export function whenWords({
  extent,
  ways,
  circumstances,
}: Pick<DecisionChange, "extent" | "ways" | "circumstances">): readonly (readonly Phrase[])[] {
  if (extent === "exact") return ways.map(({ when }) => when.map((one) => text(one.text)));
  return [circumstances.map(({ path, value }) => circumstanceWords(path, value))];
}

/** What stands before the ways of {@link whenWords}. */
export function extentWords({ extent }: Pick<DecisionChange, "extent">): string {
  return extent === "exact" ? "exactly when all of" : "for example when all of";
}

const OUTCOMES: { readonly [outcome in Outcome]: string } = {
  allow: "allowed",
  insufficient_permissions: "refused, though another key could do it",
  forbidden: "forbidden for every key",
};

/** An outcome, and the layer of the reasons that follow: the layer whose verdict changed. */
export function outcomeWords({ outcome, fault }: ChangeSide, { layer }: Pick<DecisionChange, "layer">): string {
  return `${fault === undefined ? OUTCOMES[outcome] : `refused, with a fault (${fault})`}. Reason in the ${layer} layer`;
}

/** The reasons for the decision of a side: each reason once, with the rule that gives it. */
export function reasonsOf(
  { reasons }: ChangeSide,
  { rules }: Review,
): readonly { readonly reason: string; readonly rule?: RuleFacts }[] {
  const found = new Map<string, { readonly reason: string; readonly rule?: RuleFacts }>();
  for (const { reason, policy, rule: name } of reasons) {
    const rule = rules.find((one) => one.policy === policy && one.name === name && name !== "");
    found.set(JSON.stringify([reason, rule?.id]), { reason, ...(rule === undefined ? {} : { rule }) });
  }
  return [...found.values()];
}

/** The standings of a claim or law, the gravest first. */
const STANDINGS = ["broken", "unproven", "meaningless", "proved"] as const;

/** Claims by urgency: withdrawn claims come after those that do not hold. */
export function inOrder(claims: readonly ReviewedClaim[]): readonly ReviewedClaim[] {
  const rank = ({ listed, after }: ReviewedClaim) =>
    2 * STANDINGS.indexOf(after.result) + (after.result === "proved" && listed !== "withdrawn" ? 1 : 0);
  return claims.toSorted((a, b) => rank(a) - rank(b));
}

/** The standing of a claim, in words. */
export function standingWords({ listed, before, after }: ReviewedClaim): string {
  if (listed === "withdrawn") return `withdrawn: ${WITHDRAWN[after.result]}`;
  if (listed === "added") return `new: ${ADDED[after.result]}`;
  if (after.result === "proved") {
    if (before === undefined || before.result === "meaningless") return "holds";
    return before.result === "proved" ? "kept" : before.result === "broken" ? "fixed" : "proved now";
  }
  if (after.result !== "broken") return ADDED[after.result];
  return before?.result === "proved"
    ? "broken by this change"
    : before?.result === "broken"
      ? "broken as before"
      : "broken";
}

const ADDED = {
  proved: "holds",
  broken: "broken",
  unproven: "not proved",
  meaningless: "does not apply to these policies",
} as const;

const WITHDRAWN = { ...ADDED, proved: "still holds" } as const;

/** The result of a standing, in one word. */
export function resultWords({ result }: ClaimStanding): string {
  return result === "proved"
    ? "held"
    : result === "unproven"
      ? "not proved"
      : result === "broken"
        ? "broken"
        : "did not apply";
}

/** The conclusions of a change, in sentences. */
export function conclusionWords({ decisions, claims, findings, written }: ChangeReview): readonly string[] {
  const { changes, result } = decisions;
  const ways = WAYS.flatMap(({ name, many }) => {
    const count = changes.filter((change) => change.class === name).length;
    return count === 0 ? [] : [many(count)];
  });
  const said = {
    equal: "No decision changes. This is proved.",
    unproven: "No change was found, but this is not proved.",
    changes: `Decisions change: ${ways.join("; ")}.`,
  }[result];
  const { rules, unchangedRules } = written;
  return [
    said,
    `Claims and laws: ${counted(claims.map(standingWords))}.`,
    `Rules: ${counted([...rules.map(pairWord), ...Array.from({ length: unchangedRules }, () => "unchanged")])}.`,
    `Findings: ${findings.new.length} new, ${findings.gone.length} gone.`,
  ];
}

/** `2 kept, 1 broken`, in the order of their first. */
function counted(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts.size === 0 ? "none" : [...counts].map(([word, count]) => `${count} ${word}`).join(", ");
}

export function pairWord({ before, after }: Pair<unknown>): "added" | "removed" | "changed" {
  return before === undefined ? "added" : after === undefined ? "removed" : "changed";
}

/** Everything unproven: possible changes of decisions, by operation, and claims. */
export function unprovenWords({ decisions, claims }: ChangeReview): readonly Phrase[] {
  const ways = new Map<string, { readonly of: Phrase; readonly why: string; readonly names: ChangeClass[] }>();
  for (const { kind, operation, class: name, message } of decisions.unproven) {
    const key = JSON.stringify([kind, operation, message]);
    const known = ways.get(key) ?? { of: questionWords({ kind, operation }), why: message, names: [] };
    known.names.push(name);
    ways.set(key, known);
  }
  return [
    ...[...ways.values()].map(({ of, why, names }) =>
      phrase(of, `: ${names.map((name) => OPEN_QUESTIONS[name]).join(", ")} (${shortWhy(why)})`),
    ),
    ...claims.flatMap(({ claim, after }) =>
      after.result === "unproven" ? [phrase("the claim “", text(claim), `” (${shortWhy(after.why)})`)] : [],
    ),
  ];
}

/** Why no solver was asked, if that left something unproven; and what to do if none was found. */
export function solverWords({ decisions, claims }: ChangeReview): string | undefined {
  const whys = [...decisions.unproven.map(({ message }) => message), ...claims.map(({ after }) => after.why)];
  const [found] = whys.flatMap((why) => (why.includes(NO_SOLVER) ? [why.slice(why.indexOf(NO_SOLVER))] : []));
  return found && `${found.charAt(0).toUpperCase()}${found.slice(1)}.`;
}

/** A reason, without the part that {@link solverWords} states once for all. */
export function shortWhy(why: string): string {
  const at = why.indexOf(NO_SOLVER);
  return at < 0 ? why : why.slice(0, at + NO_SOLVER.length);
}

/** The line that a page and its machine-readable evidence begin with. */
export function conclusionTitle(change: ChangeReview): string {
  return {
    changes: "A person must judge this change.",
    unproven: "No problem was found, but not everything is proved.",
    equal: "This change changes no decision, and all claims hold.",
  }[conclusionOf(change.claims, change)];
}
