/** Decisions where the argument passed as policies is not a policy set. */

import { faultyVerdict } from "../engine/evaluate/verdicts.js";
import type { PolicySet } from "./policy-set.js";
import type { Decision } from "./types.js";

/** Whether an argument is a policy set, as far as it has layers that can be asked. */
export function isPolicySet(given: unknown): given is PolicySet {
  try {
    return typeof given === "object" && given !== null && "permission" in given && isLayer(given.permission);
  } catch {
    return false;
  }
}

function isLayer(given: unknown): boolean {
  return typeof given === "object" && given !== null && "verdict" in given && typeof given.verdict === "function";
}

/** Denied by both layers. The fault names the argument and the correction. Never throws. */
export function denyWithoutPolicies(given: unknown): Decision {
  const fault = {
    kind: "invalid_policies",
    path: "",
    message: `there are no policies to ask: ${mistake(given)}`,
  } as const;
  const verdict = faultyVerdict(fault);
  return { outcome: "forbidden", permission: verdict, platform: verdict, fault };
}

function mistake(given: unknown): string {
  try {
    if (given === undefined || given === null) return `they are ${given}. Load them first: ${LOAD}`;
    if (typeof given === "function") {
      return `loadPolicies returns a task: run it, and check its result. Simpler is ${LOAD}`;
    }
    if (typeof given !== "object") return `they are a ${typeof given}. Load them first: ${LOAD}`;
    if ("then" in given && typeof given.then === "function") return `they are a promise: await it. Simplest is ${LOAD}`;
    if ("_tag" in given && given._tag === "Left") {
      return `the policies did not load, and the argument is the list of their issues. To throw them instead: ${LOAD}`;
    }
    if ("_tag" in given && "right" in given) {
      return `they are the Either that they were loaded as, with the policies in its \`right\`. Simpler is ${LOAD}`;
    }
    if (isPolicySet(given) && "tables" in given) {
      return "another copy of keyward loaded them. Take loader and functions from one entry: keyward, or keyward/runtime";
    }
    return `the argument does not come from loadPolicies or compilePolicies. ${LOAD}`;
  } catch {
    return "the argument cannot be read";
  }
}

const LOAD = "`const policies = await loadPoliciesOrThrow(directory)`, of keyward/node";
