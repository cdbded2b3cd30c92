/**
 * Recorded query plans of generated stores: whole policies with scopes, roles and denials.
 *
 * @module-tag long
 */

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Random } from "../differential/random.js";
import { targetsOf } from "../differential/requests.js";
import { generateStore } from "../differential/store.js";
import { comparablePlan } from "../recorded/comparable.js";
import { Recording } from "../support/recording.js";
import { answer, engineOf, questionOf } from "./differential.js";

const recording = new Recording("test/query/stores.json");

// Plans contain results of comparisons with the present time, so the time is fixed.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-26T00:00:00Z") });
});
afterAll(() => {
  vi.useRealTimers();
  recording.close();
});

const STORES = 120;
const QUESTIONS = 12;

test.each(Array.from({ length: STORES }, (_, i) => i))("store %d", (seed) => {
  const random = new Random(seed);
  const store = generateStore(random);
  const engine = engineOf(store);
  const targets = targetsOf(store);
  const plans = Array.from({ length: engine === undefined ? 0 : QUESTIONS }, () => questionOf(random, targets)).map(
    (question) => engine && JSON.stringify(comparablePlan(answer(engine, question), Date.now())),
  );
  const [now, known] = recording.ofTexts(`store ${seed}`, [plans.join("\n")]);
  expect(now).toBe(known);
});
