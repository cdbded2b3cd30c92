/** Cached plan forms are looked up by the answers that they follow from, up to the size of the cache. */

import { expect, test } from "vitest";
import { KnownValues } from "../../../src/engine/residual/known-values.js";
import { PlanFormCache } from "../../../src/engine/residual/plan-form-cache.js";
import type { AnsweredQuestion, QuestionAnswer } from "../../../src/engine/residual/question-log.js";

/** Caches forms, and finds them by the answers to one question after another. */
class Answered {
  private readonly forms = new PlanFormCache<string>();
  private answers: readonly QuestionAnswer[] = [];
  private readonly given = new KnownValues([]);

  add(form: string, ...answers: readonly QuestionAnswer[]): void {
    this.forms.add(
      answers.map((answer, i): AnsweredQuestion => ({ question: () => this.answers[i] ?? "none", answer })),
      form,
    );
  }

  find(...answers: readonly QuestionAnswer[]): string | undefined {
    this.answers = answers;
    return this.forms.find(this.given);
  }
}

test("by each answer, the first as well as those after it", () => {
  const forms = new Answered();
  expect(forms.find()).toBeUndefined();
  forms.add("a", true, "string");
  forms.add("b", true, "number");
  forms.add("c", true, "texts", 1);
  forms.add("d", false);
  const found = [
    ...[forms.find(true, "string"), forms.find(true, "number"), forms.find(true, "texts", 1), forms.find(false)],
    ...[forms.find(true, "texts", 2), forms.find(true, "other"), forms.find("true")],
  ];
  expect(found).toEqual(["a", "b", "c", "d", undefined, undefined, undefined]);
  forms.add("e", true, "number");
  expect([forms.find(true, "number"), forms.find(true, "string")]).toEqual(["e", "a"]);
});

test("32 of them, after which they are begun anew", () => {
  const forms = new Answered();
  const all = Array.from({ length: 65 }, (_, i) => i);
  const found = () => all.filter((i) => forms.find(i) === `form ${i}`);
  const kept = all.map((i) => {
    forms.add(`form ${i}`, i);
    return found();
  });
  const begun = (i: number) => i - (i % 32);
  expect(kept).toEqual(all.map((last) => all.filter((i) => i >= begun(last) && i <= last)));
});
