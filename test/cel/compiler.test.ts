/**
 * Every recorded answer of the PDP 0.55.0, refusals to load included, against the whole expression pipeline.
 * `server-answers.json` covers functions, `language-answers.json` the language.
 */

import { describe, expect, test } from "vitest";
import { typeOf } from "../../src/cel/equality.js";
import { DEVIATIONS } from "./deviations.js";
import language from "./language-answers.json" with { type: "json" };
import functions from "./server-answers.json" with { type: "json" };
import { evaluationOf, INCONVERTIBLE, load, toJson } from "./support.js";

interface Answer {
  readonly value?: unknown;
  readonly error?: boolean;
  readonly rejected?: boolean;
  readonly type?: string;
}

interface Case {
  readonly group: string;
  readonly expr: string;
  readonly answer: Omit<Answer, "type">;
  readonly type?: string;
}

const { attr } = functions;
const cases: readonly Case[] = [...functions.cases, ...language.cases].filter(
  ({ answer }) => !("unrepresentable" in answer),
);

/** Our answer, in the form of the recorded answers. */
function ours({ expr, type }: Case): Answer {
  const code = load(expr);
  if (typeof code !== "function") return { rejected: true };
  const result = code(evaluationOf(attr));
  const value = result === undefined ? INCONVERTIBLE : toJson(result);
  if (value === INCONVERTIBLE) return { error: true };
  return { value, ...(type === undefined ? {} : { type: typeOf(result ?? null) }) };
}

function theirs({ answer, type }: Case): Answer {
  if (answer.rejected) return { rejected: true };
  if (answer.error) return { error: true };
  return { value: answer.value, ...(type === undefined ? {} : { type }) };
}

const groups = new Map<string, Case[]>();
for (const item of cases) groups.set(item.group, [...(groups.get(item.group) ?? []), item]);

describe.each([...groups])("%s", (_name, cases) => {
  test.each(cases.filter(({ expr }) => !DEVIATIONS.has(expr)))("$expr", (item) => {
    expect(ours(item)).toEqual(theirs(item));
  });
});

test("every deviation is one", () => {
  const stale = [...DEVIATIONS.keys()].filter((expr) => {
    const item = cases.find((known) => known.expr === expr);
    return item === undefined || JSON.stringify(ours(item)) === JSON.stringify(theirs(item));
  });
  expect(stale).toEqual([]);
});
