/** The residuals of single expressions equal those of the real server, as recorded by `npm run record`. */

import { isRight } from "fp-ts/lib/Either.js";
import { expect, test } from "vitest";
import { compileCheckEngine } from "../../src/cerbos/engine.js";
import { comparablePlan } from "../recorded/comparable.js";
import RECORDED from "../recorded/plans-of-expressions.json" with { type: "json" };
import { answer } from "./differential.js";
import { GLOBALS, POLICY, QUESTIONS } from "./expressions.js";

const compiled = compileCheckEngine([{ path: "policy.json", text: JSON.stringify(POLICY) }], { globals: GLOBALS });
if (!isRight(compiled)) throw new Error(JSON.stringify(compiled.left));
const engine = compiled.right;
const recorded = new Map<string, object>(Object.entries(RECORDED));

test.each([...QUESTIONS])("%s", (name, body) => {
  const ours = comparablePlan(answer(engine, { body, claims: {}, named: {} }), Date.now());
  expect(ours).toEqual(recorded.get(name));
});
