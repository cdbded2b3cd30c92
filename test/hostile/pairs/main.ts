/**
 * Decides hostile pairs and prints one JSON report: `main.ts COUNT SEED`. It runs in a process of its own, so that the
 * measured memory is that of the pairs alone.
 */

import { isLeft } from "fp-ts/lib/Either.js";
import { readJsonValues } from "../../../src/cli/json-values.js";
import { compilePolicies, type Decision, type DecisionRequest, decide, type PolicySet } from "../../../src/index.js";
import { issueLine } from "../../../src/policy/issue-line.js";
import { Random } from "../../differential/random.js";
import { CallCounter } from "../../support/calls.js";
import { FORMS, type Pair } from "./forms.js";
import type { Found, Report } from "./report.js";

const [count = 0, seed = 0] = process.argv.slice(2).map(Number);
const random = new Random(seed);
const counter = new CallCounter((url) => url.startsWith("file:"));
const names = Object.keys(FORMS) as (keyof typeof FORMS)[];
const found: Report["found"] = {};

/** Decisions before the measured one, enough for functions to be generated for the plan. */
const WARM_UPS = 20;

const EMPTY: DecisionRequest = {
  key: { id: "k", roles: ["user"], attr: {} },
  operation: "read",
  resource: { kind: "doc", id: "d", attr: {} },
  account: { id: "a", attr: {} },
};

function saidOf({ permission, platform, fault }: Decision): string {
  const errors = [...permission.errors, ...platform.errors].map(({ message }) => message);
  const reasons = permission.reasons.map(({ reason }) => reason);
  return [...errors, ...reasons, fault?.message ?? ""].join("\n");
}

function nothing(): Found {
  const outcomes = { allow: 0, insufficient_permissions: 0, forbidden: 0 };
  return { pairs: 0, met: 0, threw: 0, notLoaded: 0, printed: 0, calls: 0, callsACharacter: 0, outcomes };
}

/** Decides a pair, and returns the texts of its errors, fault and issues. */
async function ask(pair: Pair, into: Found): Promise<string> {
  counter.take();
  const loaded = compilePolicies(pair.files, pair.options);
  const size = pair.files.reduce((sum, { text }) => sum + text.length, 0);
  into.callsACharacter = Math.max(into.callsACharacter, counter.take() / (size + 1_000));
  if (isLeft(loaded)) {
    into.notLoaded += 1;
    const lines = loaded.left.map((issue) => issueLine(issue));
    if (lines.some((line) => /[\p{Cc}\p{Cf}]|^\s*::|##\[|##vso/u.test(line))) into.printed += 1;
    return lines.join("\n");
  }
  const request = pair.text === undefined ? pair.request : await read(pair.text);
  if (pair.isWarm === true) for (let i = 0; i < WARM_UPS; i++) decide(loaded.right, EMPTY);
  return saidOf(asked(loaded.right, request, into));
}

async function read(text: string): Promise<unknown> {
  async function* chunks() {
    for (let at = 0; at < text.length; at += 65_536) yield text.slice(at, at + 65_536);
  }
  for await (const json of readJsonValues(chunks())) return json.ok ? json.value : undefined;
  return undefined;
}

function asked(policies: PolicySet, request: unknown, into: Found): Decision {
  counter.take();
  const decision: Decision = Reflect.apply(decide, undefined, [policies, request]);
  into.calls = Math.max(into.calls, counter.take());
  into.outcomes[decision.outcome] += 1;
  return decision;
}

for (let i = 0; i < count; i++) {
  const name = names[i % names.length];
  if (name === undefined) throw new Error("there are no forms");
  const into = found[name] ?? nothing();
  found[name] = into;
  into.pairs += 1;
  const pair = FORMS[name](random);
  try {
    if (pair.meets.test(await ask(pair, into))) into.met += 1;
  } catch {
    into.threw += 1;
  }
}

const report: Report = { found, peak: process.resourceUsage().maxRSS * 1024 };
process.stdout.write(JSON.stringify(report));
