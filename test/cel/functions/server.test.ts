/** Every recorded answer of the PDP 0.55.0, except refusals to compile, against the function library. */

import { describe, expect, test } from "vitest";
import { typeOf } from "../../../src/cel/equality.js";
import { FUNCTION_DEVIATIONS } from "../deviations.js";
import answers from "../server-answers.json" with { type: "json" };
import { INCONVERTIBLE, toJson } from "../support.js";
import { evaluate, newEvaluation } from "./support.js";

const resource = { attr: answers.attr };

const groups = new Map<string, (typeof answers.cases)[number][]>();
for (const item of answers.cases) groups.set(item.group, [...(groups.get(item.group) ?? []), item]);

describe.each([...groups])("%s", (_name, cases) => {
  const answered = cases.filter(({ answer }) => "value" in answer || "error" in answer);
  test.each(answered.filter(({ expr }) => !FUNCTION_DEVIATIONS.has(expr)))("$expr", ({ expr, answer, type }) => {
    const ev = newEvaluation();
    const result = evaluate(ev, expr, resource);
    if ("error" in answer) {
      expect(result === undefined || toJson(result) === INCONVERTIBLE, "an error").toBe(true);
      return;
    }
    expect(result, ev.fault).toBeDefined();
    if (result === undefined) return;
    expect(toJson(result)).toEqual(answer.value);
    if (type !== undefined) expect(typeOf(result)).toBe(type);
  });
});

test("every deviation is one", () => {
  const stale = [...FUNCTION_DEVIATIONS.keys()].filter((expr) => {
    const item = answers.cases.find((known) => known.expr === expr);
    if (item === undefined) return true;
    const result = evaluate(newEvaluation(), expr, resource);
    const ours = result === undefined ? "error" : JSON.stringify(toJson(result));
    return ours === ("error" in item.answer ? "error" : JSON.stringify(item.answer.value));
  });
  expect(stale).toEqual([]);
});
