/** A change of decisions in words, for signers. Every format of a review uses the same words. */

import { assumedWords, provedWords } from "../../../decisions/configuration-notes.js";
import type { Outcome } from "../../../decisions/types.js";
import { UNNAMED } from "../../../policy/glob-classes.js";
import { UNNAMED_ROLE } from "../../../space/question-space.js";
import type { ChangeClass, ChangeSide, DecisionChange, PolicyDiff } from "../../diff/types.js";
import { plural } from "../../plural.js";
import { code, enumerate, type Phrase, phrase, text } from "../../words/phrase.js";
import { circumstanceWords } from "../../words/request.js";
import type { Review, RuleFacts } from "../types.js";
import type { Pair } from "./types.js";

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

/** The question: an operation on a resource kind, with the version of the policies if no layer asks it. */
export function questionWords({
  operation,
  kind,
  version,
}: Pick<DecisionChange, "operation" | "kind" | "version">): Phrase {
  const what = operation === UNNAMED ? text("operations that no rule names") : code(operation);
  const of = kind === UNNAMED ? text("kinds that no policy names") : code(kind);
  return phrase(what, " on ", of, version === undefined ? "" : phrase(", policies of version ", code(version)));
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

/** Whether decisions change, in a sentence. A proof names the settings that it assumes. */
export function decisionsWords({ changes, result, configuration }: PolicyDiff): string {
  if (result === "equal") return `No decision changes. ${provedWords(configuration)}`;
  if (result === "unproven") return "No change was found, but this is not proved.";
  const ways = WAYS.flatMap(({ name, many }) => {
    const count = changes.filter((change) => change.class === name).length;
    return count === 0 ? [] : [many(count)];
  });
  return `Decisions change: ${ways.join("; ")}${assumedWords(configuration)}.`;
}

export function pairWord({ before, after }: Pair<unknown>): "added" | "removed" | "changed" {
  return before === undefined ? "added" : after === undefined ? "removed" : "changed";
}
