/** What is left of single expressions is what the real server left of them, as `npm run record` has put it down. */

import { isRight } from "fp-ts/lib/Either.js";
import { expect, test } from "vitest";
import { compileCheckEngine } from "../../src/cerbos/engine.js";
import { comparablePlan } from "../recorded/comparable.js";
import RECORDED from "../recorded/plans-of-expressions.json" with { type: "json" };
import { answer } from "./differential.js";
import { GLOBALS, POLICY, QUESTIONS } from "./expressions.js";

/**
 * What the server fails to plan, each time with the same message. There is an answer here to what has words in a plan
 * all the same; and to what would be an error of some element, there is none.
 */
const ANSWERED = [
  "R.attr.l.exists(t, R.attr.m[t] == 1) (some is known)",
  '["a"].exists(x, R.attr[x] == 1)',
  "[1,2].all(x, R.attr.m[string(x)] == P.attr.team)",
];

const compiled = compileCheckEngine([{ path: "policy.json", text: JSON.stringify(POLICY) }], { globals: GLOBALS });
if (!isRight(compiled)) throw new Error(JSON.stringify(compiled.left));
const engine = compiled.right;
const recorded = new Map<string, object>(Object.entries(RECORDED));

test.each([...QUESTIONS])("%s", (name, body) => {
  const ours = comparablePlan(answer(engine, { body, claims: {}, named: {} }), Date.now());
  if (ANSWERED.includes(name)) {
    expect(recorded.get(name)).toEqual({ failed: true });
    expect(ours).not.toEqual({ failed: true });
  } else expect(ours).toEqual(recorded.get(name));
});
