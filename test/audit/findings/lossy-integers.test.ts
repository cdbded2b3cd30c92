/** Findings about integers that become other numbers: numbers of requests and constants are doubles. */

import { expect, test } from "vitest";
import { findingsOf } from "../../../src/audit/findings/findings.js";
import { compilePoliciesOrThrow } from "../../../src/index.js";
import { policy, when } from "../../support/compose.js";

function found(expr: string): readonly string[] {
  const text = policy({ rules: [`actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`] });
  const set = compilePoliciesOrThrow([{ path: "a.yaml", text }], { platform: "none" });
  return findingsOf(set)
    .filter(({ code }) => code === "lossy_integer")
    .map(({ severity, message, hint }) => `${severity}: ${message} (${hint})`);
}

const [EXACT, LOSSY, TAKEN] = ["9007199254740992", "9007199254740993", "9007199254740992"];

test.each([
  `R.attr.n == ${LOSSY}`,
  `${LOSSY} != R.attr.n`,
  `R.attr.n < ${LOSSY}`,
  `R.attr.n in [1, ${LOSSY}]`,
  `P.attr.n >= ${LOSSY}u`,
  `R.attr.list.exists(x, x == ${LOSSY})`,
])("%s", (expr) => {
  const [one, ...others] = found(expr);
  expect(one).toContain(`is compared as ${TAKEN}: numbers of a request are doubles`);
  expect([others, one?.startsWith("warning")]).toEqual([[], true]);
  expect(found(expr.replace(LOSSY, EXACT))).toEqual([]);
});

test.each([`int(R.attr.n) == ${LOSSY}`, `size(R.attr.a) < ${LOSSY}`, `R.attr.n == "${LOSSY}"`])(
  "not beside an integer, and not as a text: %s",
  (expr) => expect(found(expr)).toEqual([]),
);

test.each([
  ["a.yaml", `{big: ${LOSSY}, list: [{a: -${LOSSY}}], fine: [${EXACT}, 0x10, 1.5, "${LOSSY}"]}`],
  ["a.json", `{"big": ${LOSSY}, "list": [{"a": -${LOSSY}}], "fine": [${EXACT}, 16, 1.5, "${LOSSY}"]}`],
])("constants of %s", (path, local) => {
  const rule = '{"actions": ["a"], "roles": ["*"], "effect": "EFFECT_ALLOW"}';
  const head = '"resource": "doc", "version": "default"';
  const policy = `{"apiVersion": "api.cerbos.dev/v1", "resourcePolicy": {${head}, "constants": {"local": ${local}}, "rules": [${rule}]}}`;
  const { warnings } = compilePoliciesOrThrow([{ path, text: policy }], { platform: "none" });
  const lossy = warnings.filter(({ code }) => code === "lossy_integer");
  expect(lossy.map(({ message }) => message)).toEqual(
    ["", "-"].map(
      (sign) => `the constant ${sign}${LOSSY} becomes ${sign}${TAKEN}: numbers are doubles; write it as a text`,
    ),
  );
  expect(lossy.map(({ column }) => policy.slice(column - 1).startsWith(LOSSY) || policy[column - 1] === "-")).toEqual([
    true,
    true,
  ]);
});
