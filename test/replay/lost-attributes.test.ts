/**
 * Attributes that are lost from a log at random: no line is called the same or changed where the full log says
 * otherwise.
 */

import { isLeft, isRight } from "fp-ts/lib/Either.js";
import { expect, test } from "vitest";
import { compileCheckEngine } from "../../src/cerbos/engine.js";
import type { CheckEngine } from "../../src/engine/evaluate/check-engine.js";
import type { PolicyFile } from "../../src/index.js";
import { Replay } from "../../src/replay/replay.js";
import { oneLineChanged } from "../audit/one-line.js";
import { isObject, type JsonObject, objectAt } from "../differential/json.js";
import { Random } from "../differential/random.js";
import { generateRequest, targetsOf } from "../differential/requests.js";
import { generateStore, type Store } from "../differential/store.js";
import { SEED, say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { type EntryInput, entryOf } from "./recorded.js";

const LINES = sized(100_000, 2_000);
const LINES_PER_STORE = 100;

function filesOf({ files }: Store) {
  return Object.entries(files).map(([path, body]) => ({
    path: path.replace(/^policies\//, ""),
    text: JSON.stringify(body, null, 2),
  }));
}

/** Changes of single lines, together: one alone changes few answers. */
const CHANGES = 12;

function changed(files: readonly PolicyFile[], { options }: Store, random: Random): readonly PolicyFile[] {
  let all = files;
  for (let i = 0; i < CHANGES; i++) {
    const { files: next } = oneLineChanged(all, random);
    if (isRight(compileCheckEngine(next, options))) all = next;
  }
  return all;
}

/** The inputs of a generated request, one for each resource. */
function inputsOf(request: JsonObject): readonly EntryInput[] {
  const resources = Array.isArray(request.resources) ? request.resources.filter(isObject) : [];
  return resources.map((one) => ({
    principal: objectAt(request, "principal"),
    resource: objectAt(one, "resource"),
    actions: Array.isArray(one.actions) ? one.actions.map(String) : [],
  }));
}

/** A part without some of its attributes. */
function lossy(part: JsonObject, random: Random): JsonObject {
  const kept = Object.entries(objectAt(part, "attr")).filter(() => random.chance(0.6));
  return { ...part, attr: Object.fromEntries(kept) };
}

interface Counts {
  lines: number;
  determined: number;
  undetermined: number;
  changed: number;
}

/** Replays lossy entries of one store, on the store and on a changed one. Returns what is wrong. */
function replayed(random: Random, counts: Counts): readonly object[] {
  const store = generateStore(random);
  const files = filesOf(store);
  const old = compileCheckEngine(files, store.options);
  const now = compileCheckEngine(changed(files, store, random), store.options);
  if (isLeft(old) || isLeft(now)) return [];
  const targets = targetsOf(store);
  const inputs = Array.from({ length: LINES_PER_STORE }, () => inputsOf(generateRequest(random, targets).body)).flat();
  return inputs
    .filter(
      ({ actions, principal }) => actions.length > 0 && Array.isArray(principal.roles) && principal.roles.length > 0,
    )
    .flatMap((input) => wrongOf(old.right, now.right, input, random, counts));
}

function wrongOf(old: CheckEngine, now: CheckEngine, input: EntryInput, random: Random, counts: Counts): object[] {
  const entry = entryOf(old, input);
  const { principal, resource, actions } = input;
  const kept = { principal: lossy(principal, random), resource: lossy(resource, random), actions: [...actions] };
  const lost = JSON.stringify({ ...entry, checkResources: { ...objectAt(entry, "checkResources"), inputs: [kept] } });
  const truth = new Replay(now, { isComplete: true }).line(JSON.stringify(entry)).result.kind;
  counts.lines += 1;
  if (truth === "changed") counts.changed += 1;
  return [new Replay(now), new Replay(now, { old })].flatMap((replay) => {
    const { kind } = replay.line(lost).result;
    if (kind === "undetermined") counts.undetermined += 1;
    else counts.determined += 1;
    return kind === truth || kind === "undetermined" ? [] : [{ kind, truth, entry, kept }];
  });
}

test("lost attributes", { timeout: 3_600_000 }, () => {
  const random = new Random(SEED);
  const counts: Counts = { lines: 0, determined: 0, undetermined: 0, changed: 0 };
  const wrong: object[] = [];
  while (counts.lines < LINES && wrong.length === 0) wrong.push(...replayed(new Random(random.seed()), counts));
  say(JSON.stringify(counts));
  expect(wrong).toEqual([]);
  expect(counts.determined).toBeGreaterThan(counts.lines / 4);
  expect(counts.undetermined).toBeGreaterThan(counts.lines / 20);
  expect(counts.changed).toBeGreaterThan(counts.lines / 200);
});
