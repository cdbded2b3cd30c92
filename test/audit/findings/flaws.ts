/** Flaws in rules, each with the finding that reports it. */

import type { FindingCode } from "../../../src/audit/findings/finding.js";
import { when } from "../../support/compose.js";

export interface Flaw {
  readonly what: string;
  /** Rules of the permission layer, each with a name. */
  readonly rules: readonly string[];
  /** Rules of the platform layer; without them the platform allows everything. */
  readonly platform?: readonly string[];
  readonly code: FindingCode;
  /** The rule named by the finding. */
  readonly rule: string;
}

const ALLOW = "effect: EFFECT_ALLOW, actions: [read]";
const DENY = "effect: EFFECT_DENY, actions: [read]";
const USER = "roles: [user]";
const ALL = 'roles: ["*"]';
const BASE = `name: base, ${ALLOW}, ${USER}`;

/** A rule with an unsatisfiable condition, beside a sound one. */
function never(expr: string): Flaw {
  return {
    what: `never: ${expr}`,
    rules: [BASE, `name: flaw, ${ALLOW}, roles: [guest], ${when(expr)}`],
    code: "contradictory_condition",
    rule: "flaw",
  };
}

function always(expr: string): Flaw {
  return {
    what: `always: ${expr}`,
    rules: [`name: flaw, ${ALLOW}, ${USER}, ${when(expr)}`],
    code: "tautological_condition",
    rule: "flaw",
  };
}

function shadowed(what: string, flaw: string, ...others: readonly string[]): Flaw {
  return {
    what: `shadowed: ${what}`,
    rules: [BASE, ...others, `name: flaw, ${flaw}`],
    code: "shadowed_rule",
    rule: "flaw",
  };
}

function redundant(what: string, flaw: string, ...others: readonly string[]): Flaw {
  return {
    what: `redundant: ${what}`,
    rules: [...others, `name: flaw, ${flaw}`],
    code: "redundant_rule",
    rule: "flaw",
  };
}

/** A grant, in the rule `flaw`, and the platform rules that deny it. */
function forbidden(what: string, grant: string, ...platform: readonly string[]): Flaw {
  const supported = 'name: supported, actions: ["*"], roles: [account], effect: EFFECT_ALLOW';
  return {
    what: `forbidden: ${what}`,
    rules: [`name: flaw, ${grant}`],
    platform: [supported, ...platform.map((rule) => `${rule}, roles: [account]`)],
    code: "unsupported_operation",
    rule: "flaw",
  };
}

/** Attributes are those that `test/audit/findings/proven.test.ts` declares: `state` is draft, active or closed. */
export const FLAWS: readonly Flaw[] = [
  // Conditions that no request satisfies.
  never("R.attr.size < R.attr.limit && R.attr.limit < R.attr.size"),
  never("R.attr.size < P.attr.rank && P.attr.rank <= R.attr.size"),
  never("R.attr.size > 3.0 && R.attr.size < 2.0"),
  never("R.attr.size > R.attr.limit && R.attr.limit > P.attr.rank && P.attr.rank > R.attr.size"),
  never("R.attr.size == R.attr.limit && R.attr.size != R.attr.limit"),
  never("R.attr.owner == P.id && R.attr.owner != P.id"),
  never('R.attr.owner == P.id && P.id == "a" && R.attr.owner == "b"'),
  never('R.attr.state == "draft" && R.attr.state == "active"'),
  never('!(R.attr.state in ["draft", "active", "closed"])'),
  never('R.attr.state != "draft" && R.attr.state != "active" && R.attr.state != "closed"'),
  never('R.attr.name.startsWith("a") && R.attr.name.startsWith("b")'),
  never('R.attr.name.startsWith("abc") && !R.attr.name.startsWith("ab")'),
  never('R.attr.name == "x" && R.attr.name.endsWith("y")'),
  never('R.attr.name.contains("abc") && !R.attr.name.contains("b")'),
  never("size(R.attr.tags) > 3 && size(R.attr.tags) < 2"),
  never('"a" in R.attr.tags && size(R.attr.tags) == 0'),
  never('"a" in R.attr.tags && !("a" in R.attr.tags)'),
  never('R.attr.tags.all(t, t == "a") && "b" in R.attr.tags'),
  never('"a" in R.attr.tags && !R.attr.tags.exists(t, t == "a")'),
  never('now() > timestamp("2030-01-01T00:00:00Z") && now() < timestamp("2029-01-01T00:00:00Z")'),
  never('"maker" in P.roles && !("maker" in P.roles)'),
  never("R.attr.flag && !R.attr.flag"),
  never("has(R.attr.note) && !has(R.attr.note)"),
  never("R.attr.count > 2.0 && R.attr.count < 3.0"),
  never("(R.attr.size > 1.0 ? R.attr.size : 2.0) <= 1.0"),
  // Conditions that are never false.
  always('R.attr.state in ["draft", "active", "closed"]'),
  always("R.attr.size >= R.attr.limit || R.attr.size < R.attr.limit"),
  always('R.attr.state != "draft" || R.attr.state != "closed"'),
  always("R.attr.flag || !R.attr.flag"),
  always("size(R.attr.tags) >= 0"),
  always('R.attr.name != "a" || R.attr.name.startsWith("a")'),
  // ALLOW rules that never allow.
  shadowed(
    "by a wider rule",
    `${ALLOW}, roles: [guest], ${when("R.attr.size > 5.0")}`,
    `name: wide, ${DENY}, ${ALL}, ${when("R.attr.size > 3.0")}`,
  ),
  shadowed(
    "by two rules together",
    `${ALLOW}, roles: [guest]`,
    `name: low, ${DENY}, roles: [guest], ${when("R.attr.size < 3.0")}`,
    `name: high, ${DENY}, roles: [guest], ${when("R.attr.size >= 3.0")}`,
  ),
  shadowed(
    "by one for each state",
    `${ALLOW}, roles: [guest]`,
    ...["draft", "active", "closed"].map(
      (state) => `name: ${state}, ${DENY}, roles: [guest], ${when(`R.attr.state == "${state}"`)}`,
    ),
  ),
  shadowed(
    "by a rule in other words",
    `${ALLOW}, roles: [guest], ${when('R.attr.state == "draft"')}`,
    `name: wide, ${DENY}, ${ALL}, ${when('!(R.attr.state in ["active", "closed"])')}`,
  ),
  shadowed(
    "by a rule that asks for the same in another order",
    `${ALLOW}, roles: [guest], ${when("R.attr.flag && R.attr.size > 1.0")}`,
    `name: same, ${DENY}, roles: [guest], ${when("R.attr.size > 1.0 && R.attr.flag")}`,
  ),
  shadowed(
    "by a rule for whoever has a role",
    `${ALLOW}, roles: [guest]`,
    `name: guests, ${DENY}, ${ALL}, ${when('"guest" in P.roles')}`,
  ),
  shadowed(
    "by a shorter prefix",
    `${ALLOW}, roles: [guest], ${when('R.attr.name.startsWith("secret.a")')}`,
    `name: secret, ${DENY}, ${ALL}, ${when('R.attr.name.startsWith("secret")')}`,
  ),
  shadowed(
    "by an earlier time",
    `${ALLOW}, roles: [guest], ${when('now() < timestamp("2026-01-01T00:00:00Z")')}`,
    `name: early, ${DENY}, roles: [guest], ${when('now() < timestamp("2027-01-01T00:00:00Z")')}`,
  ),
  shadowed(
    "by an element",
    `${ALLOW}, roles: [guest], ${when('"a" in R.attr.tags && "b" in R.attr.tags')}`,
    `name: tagged, ${DENY}, ${ALL}, ${when('R.attr.tags.exists(t, t == "b")')}`,
  ),
  // Rules that change nothing.
  redundant("the same again", `${ALLOW}, ${USER}`, BASE),
  redundant(
    "the same condition in other words",
    `${ALLOW}, ${USER}, ${when("3.0 < R.attr.size")}`,
    `name: first, ${ALLOW}, ${USER}, ${when("R.attr.size > 3.0")}`,
  ),
  redundant(
    "a narrower bound",
    `${ALLOW}, ${USER}, ${when("R.attr.size > 5.0")}`,
    `name: first, ${ALLOW}, ${USER}, ${when("R.attr.size > 3.0")}`,
  ),
  redundant(
    "one more condition",
    `${ALLOW}, ${USER}, ${when("R.attr.size > 3.0 && R.attr.flag == R.attr.flag")}`,
    `name: first, ${ALLOW}, ${USER}, ${when("R.attr.size > 3.0 && R.attr.flag == R.attr.flag || R.attr.size > 9.0 && R.attr.flag == R.attr.flag")}`,
  ),
  redundant(
    "a state among several",
    `${ALLOW}, ${USER}, ${when('R.attr.state == "draft"')}`,
    `name: first, ${ALLOW}, ${USER}, ${when('R.attr.state in ["draft", "active"]')}`,
  ),
  redundant(
    "covered by two together",
    `${ALLOW}, ${USER}, ${when("R.attr.size > -5.0")}`,
    `name: low, ${ALLOW}, ${USER}, ${when("R.attr.size < 3.0")}`,
    `name: high, ${ALLOW}, ${USER}, ${when("R.attr.size >= 3.0")}`,
  ),
  redundant(
    "a denial within a denial",
    `${DENY}, ${USER}, ${when("R.attr.size > 5.0")}`,
    BASE,
    `name: first, ${DENY}, ${ALL}, ${when("R.attr.size > 3.0")}`,
  ),
  redundant(
    "a denial that two cover",
    `${DENY}, ${ALL}, ${when("R.attr.size > 5.0")}`,
    BASE,
    `name: first, ${DENY}, ${ALL}, ${when("R.attr.size > 3.0 && R.attr.size < 8.0")}`,
    `name: second, ${DENY}, ${ALL}, ${when("R.attr.size > 7.0")}`,
  ),
  redundant(
    "a denial by De Morgan",
    `${DENY}, ${ALL}, ${when("!(R.attr.size <= 3.0 || R.attr.limit <= 3.0)")}`,
    BASE,
    `name: first, ${DENY}, ${ALL}, ${when("R.attr.size > 3.0 && R.attr.limit > 3.0")}`,
  ),
  redundant(
    "a longer prefix",
    `${ALLOW}, ${USER}, ${when('R.attr.name.startsWith("ab")')}`,
    `name: first, ${ALLOW}, ${USER}, ${when('R.attr.name.startsWith("a")')}`,
  ),
  redundant(
    "what is allowed, and what else is denied",
    `${ALLOW}, ${USER}, ${when("R.attr.size > 3.0")}`,
    `name: first, ${ALLOW}, ${USER}, ${when("R.attr.size > 5.0")}`,
    `name: between, ${DENY}, ${ALL}, ${when("R.attr.size <= 5.0")}`,
  ),
  // Permissions that the platform always denies.
  forbidden("whatever the request", `${ALLOW}, ${USER}`, `name: no, ${DENY}`),
  forbidden(
    "in two halves",
    `${ALLOW}, ${USER}`,
    `name: low, ${DENY}, ${when("R.attr.size < 3.0")}`,
    `name: high, ${DENY}, ${when("R.attr.size >= 3.0")}`,
  ),
  forbidden(
    "where it is permitted",
    `${ALLOW}, ${USER}, ${when('R.attr.state == "closed"')}`,
    `name: no, ${DENY}, ${when('R.attr.state != "active"')}`,
  ),
  forbidden(
    "in every state",
    `${ALLOW}, ${USER}`,
    ...["draft", "active", "closed"].map((state) => `name: ${state}, ${DENY}, ${when(`R.attr.state == "${state}"`)}`),
  ),
  {
    ...forbidden(
      "for one role",
      `${ALLOW}, roles: [guest], ${when('R.attr.state == "closed"')}`,
      `name: no, ${DENY}, ${when('R.attr.state == "closed"')}`,
    ),
    rules: [BASE, `name: flaw, ${ALLOW}, roles: [guest], ${when('R.attr.state == "closed"')}`],
  },
];
