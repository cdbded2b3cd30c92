/** All combinations of answers to the questions that a function asks. */

import type { Choose } from "../engine/evaluate/open-check.js";

/** Runs for one line of a log. More would take longer than anybody waits for a million lines. */
const MAX_RUNS = 256;

interface GivenAnswer {
  readonly question: string;
  readonly answer: boolean;
}

/**
 * The results of `run` for each combination of answers, and the questions of all runs. A question that is asked again
 * in a run has the same answer. Undefined: there are more combinations than {@link MAX_RUNS}.
 */
export function allAnswers<T>(run: (choose: Choose) => T): {
  readonly results: readonly T[] | undefined;
  readonly questions: readonly string[];
} {
  const results: T[] = [];
  const questions = new Set<string>();
  let given: readonly GivenAnswer[] | undefined = [];
  while (given !== undefined) {
    if (results.length === MAX_RUNS) return { results: undefined, questions: [...questions] };
    const answers = new Map<string, boolean>(given.map(({ question, answer }) => [question, answer]));
    results.push(
      run((question) => {
        questions.add(question);
        const known = answers.get(question);
        if (known !== undefined) return known;
        answers.set(question, false);
        return false;
      }),
    );
    given = nextOf([...answers].map(([question, answer]) => ({ question, answer })));
  }
  return { results, questions: [...questions] };
}

/** The next combination: the last `false` becomes `true`, and later questions are asked anew. */
function nextOf(answers: readonly GivenAnswer[]): readonly GivenAnswer[] | undefined {
  const last = answers.findLastIndex(({ answer }) => !answer);
  const turned = answers[last];
  return turned === undefined ? undefined : [...answers.slice(0, last), { ...turned, answer: true }];
}
