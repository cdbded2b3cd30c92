/** Requests with values that conditions distinguish: a sample of those that a full search would try. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { OperationQuestion } from "../engine/plan/questions.js";
import { LAYERS } from "../space/dimension.js";
import { choicesFor } from "../space/dimension-choices.js";
import type { RequestJson } from "../space/draft.js";
import { roleSets } from "../space/question-space.js";
import { startOf } from "../space/starting-request.js";
import { shrunk } from "./shrink.js";

/** The number of requests tried for one question. */
const MAX_TRIED = 1_000;

/** The first request of the sample for a question that satisfies `shows`, shrunk, if there is one. */
export function triedRequest(
  set: PolicySet,
  question: OperationQuestion,
  shows: (request: RequestJson) => boolean,
): RequestJson | undefined {
  let left = MAX_TRIED;
  for (const request of requestsOn(set, question)) {
    if (shows(request)) return shrunk(request, shows);
    if (--left === 0) return undefined;
  }
  return undefined;
}

/** The first values of all dimensions, then the second ones, and so on; then one other value at a time. */
function* requestsOn(set: PolicySet, question: OperationQuestion): Generator<RequestJson> {
  const { draft, asked } = startOf([set], question);
  const choices = LAYERS.flatMap((layer) => choicesFor(asked[layer], draft));
  const most = Math.max(1, ...choices.map(({ values }) => values.length));
  const sets = roleSets(asked.permission.roles);
  for (let n = 0; n < most; n++) {
    for (const { dimension, values } of choices) draft.set(dimension, values[Math.min(n, values.length - 1)]);
    for (const roles of sets) {
      draft.key.roles = [...roles];
      yield draft.toJson();
    }
  }
  for (const { dimension, values } of choices) draft.set(dimension, values[0]);
  for (const { dimension, values } of choices) {
    for (const value of values) {
      draft.set(dimension, value);
      for (const roles of sets) {
        draft.key.roles = [...roles];
        yield draft.toJson();
      }
    }
    draft.set(dimension, values[0]);
  }
}
