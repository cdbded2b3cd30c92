/** A complete request to start from, so that any other request differs from it in a few values. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { OperationQuestion } from "../engine/plan/questions.js";
import type { SpaceLayer } from "./dimension.js";
import { invented, isChosen } from "./dimension-choices.js";
import { CLOCK, Draft } from "./draft.js";
import { type QuestionSpace, questionSpaceOf } from "./question-space.js";

export interface StartingRequest {
  readonly draft: Draft;
  readonly asked: { readonly [layer in SpaceLayer]: QuestionSpace };
}

/** The values that the rules of `sets` on a question read, and a request that has all of them. */
export function startOf(sets: readonly PolicySet[], question: OperationQuestion): StartingRequest {
  const asked = {
    permission: questionSpaceOf(sets, "permission", question),
    platform: questionSpaceOf(sets, "platform", question),
  };
  const draft = new Draft(question.kind, question.operation);
  draft.hasAccount = sets.some((set) => set.platform !== undefined);
  const { permission, platform } = asked;
  Object.assign(draft.resource.attr, permission.schemas.resource?.sample(), platform.schemas.resource?.sample());
  Object.assign(draft.key.attr, permission.schemas.principal?.sample());
  Object.assign(draft.account.attr, platform.schemas.principal?.sample());
  for (const { space } of [permission, platform]) {
    if (space.needsTime) draft.now = CLOCK;
    for (const dimension of space.dimensions.values()) {
      const text = dimension.sorts.size === 0 || dimension.sorts.has("string");
      if (dimension.path[0] === "attr" && isChosen(dimension) && typeof draft.get(dimension) === "symbol" && text) {
        draft.set(dimension, invented(dimension, 1));
      }
    }
  }
  draft.key.roles = [...permission.roles.slice(0, 1)];
  return { draft, asked };
}
