/** A complete request to start from, so that any other request differs from it in a few values. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { Question } from "./deciders.js";
import type { Layer } from "./dimension.js";
import { CLOCK, Draft } from "./draft.js";
import { type Asked, ask } from "./question.js";
import { invented, isChosen } from "./values.js";

export interface Start {
  readonly draft: Draft;
  readonly asked: { readonly [layer in Layer]: Asked };
}

/** The values that the rules of `sets` on a question read, and a request that has all of them. */
export function startOf(sets: readonly PolicySet[], question: Question): Start {
  const asked = { permission: ask(sets, "permission", question), platform: ask(sets, "platform", question) };
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
