/** Requests near the conditions of a question: those that a comparison examines, and neighbours of its examples. */

import type { PolicySets } from "../../src/audit/diff/question-diff.js";
import type { OperationQuestion } from "../../src/engine/plan/questions.js";
import type { Decision, PolicySet } from "../../src/index.js";
import { LAYERS } from "../../src/space/dimension.js";
import { choicesFor, type DimensionChoices } from "../../src/space/dimension-choices.js";
import { Draft, type RequestJson, requestOf } from "../../src/space/draft.js";
import { roleSets } from "../../src/space/question-space.js";
import { startOf } from "../../src/space/starting-request.js";
import type { Random } from "../differential/random.js";
import type { PlainRequest } from "../property/arbitraries/index.js";

/** The examples, and `count` requests that differ from them, or from an ordinary request, in some values. */
export function nearQuestion(
  { before, after }: PolicySets,
  question: OperationQuestion,
  examples: readonly RequestJson[],
  count: number,
  random: Random,
): readonly RequestJson[] {
  const { draft, asked } = startOf([before, after], question);
  const choices = LAYERS.flatMap((layer) => choicesFor(asked[layer], draft));
  const roles = roleSets(asked.permission.roles);
  const starts = [draft, ...examples.flatMap((one) => [one, one]).map((one) => Draft.from(requestOf(one)))];
  const made = Array.from({ length: count }, () => {
    const one = random.pick(starts).copy();
    for (let n = random.chance(0.2) ? choices.length : random.int(0, 3); n > 0; n--) vary(one, choices, random);
    if (random.chance(0.4)) one.key.roles = [...random.pick(roles)];
    if (one.now !== undefined && random.chance(0.3)) {
      one.now = new Date(Date.parse(one.now) + random.pick([-86_400_000, -1_000, 1_000, 86_400_000])).toISOString();
    }
    return one.toJson();
  });
  return [...examples, ...made];
}

function vary(draft: Draft, choices: readonly DimensionChoices[], random: Random): void {
  if (choices.length === 0) return;
  const { dimension, values, broken } = random.pick(choices);
  draft.set(dimension, random.pick(broken.length > 0 && random.chance(0.15) ? broken : values));
}

/** A request as a set takes it: a permission-only set has no accounts, and either principal may ask it. */
export function fitting({ platform }: PolicySet, one: PlainRequest, random: Random): RequestJson {
  const draft = Draft.from(one);
  if (platform !== undefined) return draft.toJson();
  draft.hasAccount = false;
  if (random.chance(0.5)) {
    const { id, attr, scope } = draft.account;
    Object.assign(draft.key, { id, attr, scope, roles: ["account"] });
  }
  return draft.toJson();
}

/** Was a request refused before the policies were asked? */
export function isNone({ fault }: Decision): boolean {
  return fault?.kind === "invalid_request";
}
