/** Mutated stores, the same for the same seed. */

import { Random } from "../differential/random.js";
import { EXPRESSION_MUTATIONS } from "./expressions.js";
import type { MutableStore } from "./stores.js";
import { TEXT_MUTATIONS, type TextMutation } from "./texts.js";
import { VALUE_MUTATIONS } from "./values.js";

export interface Mutant {
  /** `store resource_policies/policy_01.yaml: line deleted, type changed`. */
  readonly what: string;
  readonly mutations: readonly string[];
  /** The path of the file that is mutated. */
  readonly target: string;
  /** Texts by path; bytes where they need not be text. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
}

const CLASSES: readonly (readonly [string, TextMutation])[][] = [
  Object.entries(EXPRESSION_MUTATIONS),
  Object.entries(VALUE_MUTATIONS),
  Object.entries(TEXT_MUTATIONS),
];

export const MUTATIONS: readonly string[] = [...CLASSES.flat().map(([name]) => name), "bytes"];

/** What a file may grow to: mutations of mutations would otherwise be of any size. */
const MAX_LENGTH = 6_000_000;

/** A mutant of one of the stores, which mostly is one that loads: what is refused anyway shows little. */
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
