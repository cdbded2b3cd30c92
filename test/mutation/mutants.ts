/** Mutated stores, deterministic for a seed. */

import { Random } from "../differential/random.js";
import { EXPRESSION_MUTATIONS } from "./expressions.js";
import type { MutableStore } from "./stores.js";
import { TEXT_MUTATIONS, type TextMutation } from "./texts.js";
import { VALUE_MUTATIONS } from "./values.js";

export interface Mutant {
  /** A description, such as `store resource_policies/policy_01.yaml: line deleted, type changed`. */
  readonly what: string;
  readonly mutations: readonly string[];
  /** The path of the mutated file. */
  readonly target: string;
  /** Contents by path; bytes where the content may be invalid text. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
}

const CLASSES: readonly (readonly [string, TextMutation])[][] = [
  Object.entries(EXPRESSION_MUTATIONS),
  Object.entries(VALUE_MUTATIONS),
  Object.entries(TEXT_MUTATIONS),
];

export const MUTATIONS: readonly string[] = [...CLASSES.flat().map(([name]) => name), "bytes"];

/** The size limit of a mutated file in characters: repeated mutations could grow it without bound. */
const MAX_LENGTH = 6_000_000;

/** A mutant of a random store, mostly of one that loads: mutants of refused files show little. */
export function mutantOf(seed: number, stores: readonly MutableStore[]): Mutant {
  const random = new Random(seed);
  const { name, files, target } = random.pick(random.chance(0.85) ? stores.filter(({ loads }) => loads) : stores);
  const original = files.get(target) ?? "";
  const mutations: string[] = [];
  let text = original;
  for (let left = random.pick([1, 1, 1, 2, 3]), tries = 0; left > 0 && tries < 20; tries++) {
    const [mutation, mutate] = random.pick(random.pick(CLASSES));
    const changed = mutate(random, text);
    if (changed === text || changed.length > MAX_LENGTH) continue;
    text = changed;
    mutations.push(mutation);
    left--;
  }
  let content: string | Uint8Array = text;
  if (mutations.length === 0 || random.chance(0.02)) {
    content = noisy(random, text);
    mutations.push("bytes");
  }
  return { what: `${name}: ${mutations.join(", ")}`, mutations, target, files: new Map([...files, [target, content]]) };
}

function noisy(random: Random, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  for (let n = random.int(1, 5); n > 0 && bytes.length > 0; n--)
    bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
  return bytes;
}
