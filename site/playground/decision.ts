/** A decision in words. */

import { meaningOf } from "../../src/audit/explain/meaning.js";
import { policyWords } from "../../src/audit/policies.js";
import { element } from "../../src/audit/review/panel/dom.js";
import type { Decision } from "../../src/index.js";
import type { Decided } from "./evaluation.js";

/** The lines of the decision box: the outcome, its meaning and its reasons. */
export function decisionLines({ asked, problems }: Decided): readonly HTMLElement[] {
  if (asked === undefined) {
    const errors = problems.filter(({ severity }) => severity === "error").length;
    const count = errors === 1 ? "1 error" : `${errors} errors`;
    return [big("none", "error"), element("p", {}, `The policies have ${count}: a service would not load them.`)];
  }
  if ("fault" in asked) return [big("none", "error"), element("p", {}, `The request is not JSON: ${asked.fault}`)];
  const { decision } = asked;
  const { outcome, platform, permission, fault } = decision;
  const deciding = outcome === "forbidden" ? platform : permission;
  const verdicts = outcome === "allow" ? [permission, platform] : [deciding];
  const reasons = verdicts.flatMap((verdict) => verdict.reasons.map((reason) => reasonOf(verdict, reason)));
  return [
    big(outcome, outcome),
    element("p", {}, meaningOf({ outcome, platform })),
    ...(reasons.length === 0 ? [] : [element("p", {}, `Because of ${[...new Set(reasons)].join(", ")}.`)]),
    ...(fault === undefined ? [] : [element("p", { class: "error" }, `The question is at fault: ${fault.message}`)]),
  ];
}

function big(word: string, look: string): HTMLElement {
  return element("p", { class: "big" }, "Outcome: ", element("span", { class: look }, word));
}

function reasonOf({ policy }: Decision["permission"], { reason }: Decision["permission"]["reasons"][number]): string {
  return `${reason} (${policyWords(policy)})`;
}
