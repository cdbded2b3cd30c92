/**
 * Random action patterns and texts: a pattern matches the same texts here and on the server.
 * `KEYWARD_FUZZ=20 KEYWARD_SEED=random npx vitest run test/fuzz/globs.test.ts` runs twenty times as many.
 */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compileGlob, departsBeyondAscii, globFault } from "../../src/policy/glob.js";
import { Random } from "../differential/random.js";
import { SEED, say } from "../support/seed.js";
import { NO_SERVER, startServer } from "../support/server.js";

const TIMES = Number(process.env.KEYWARD_FUZZ ?? 1);
const PATTERNS = 100;
const TEXTS = 50;

const LETTERS = ["a", "b", "ab", ":", "é", "z"];
const WILDCARDS = ["*", "**", "?", "[ab]", "[!a]", "[a-c]", "[!:]", "{a,b}", "{ab,b}", "{a:,é}"];
/** Rarely picked, because most are refused. */
const ODD = ["***", "{a*,b}", "{a}", "{,a}", "{a", "[", "\\", "}", ",", "\\*", "[a", "{a,[b]}"];

/** One group in braces, in which alternatives have wildcards. */
function randomGroup(random: Random): string {
  const alternatives = random.times(1, 3, () =>
    random.times(1, 3, () => random.pick(["a", "b", "ab", ":", "z", "*", "**", "?"])).join(""),
  );
  return `{${alternatives.join(",")}}`;
}

function randomPattern(random: Random): string {
  if (random.chance(0.3)) {
    const group = randomGroup(random);
    if (group.includes("*")) return group;
  }
  const parts = random.times(1, 6, () => {
    if (random.chance(0.05)) return random.pick(ODD);
    return random.pick(random.chance(0.5) ? LETTERS : WILDCARDS);
  });
  // A text without an asterisk is not treated as a pattern.
  return parts.some((part) => part.includes("*")) ? parts.join("") : `${parts.join("")}*`;
}

/** A text that resembles a match of the pattern, or a random one. */
function randomText(random: Random, pattern: string): string {
  const whole = /^\{(.*)\}$/.exec(pattern)?.[1]?.split(",") ?? [pattern];
  const near = random
    .pick(whole)
    .replace(/\*+|\?|\[.*?\]|\{.*?\}/g, () => random.times(0, 2, () => random.pick(LETTERS)).join(""));
  const text = random.chance(0.6) ? near : random.times(1, 6, () => random.pick(LETTERS)).join("");
  const cut = random.chance(0.3)
    ? Array.from(text)
        .slice(random.chance(0.5) ? 1 : 0, -1)
        .join("")
    : text;
  return cut === "" ? "a" : cut;
}

/**
 * The texts that each pattern matches on the server. Each pattern is the only action of a rule for a kind of its own.
 */
async function matchedByServer(cases: readonly (readonly [pattern: string, texts: readonly string[]])[]) {
  const directory = await mkdtemp(join(tmpdir(), "keyward-globs-"));
  try {
    for (const [i, [pattern]] of cases.entries()) {
      const rules = [{ actions: [pattern], roles: ["r"], effect: "EFFECT_ALLOW" }];
      const resourcePolicy = { resource: `kind${i}`, version: "default", rules };
      await writeFile(
        join(directory, `${i}.json`),
        JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy }),
      );
    }
    const server = await startServer(directory);
    try {
      const found: ReadonlySet<string>[] = [];
      for (const [i, [, texts]] of cases.entries()) {
        const resource = { kind: `kind${i}`, id: "1" };
        const { text } = await server.check({
          principal: { id: "p", roles: ["r"] },
          resources: [{ resource, actions: texts }],
        });
        const effects: { readonly [action: string]: string } = JSON.parse(text).results[0].actions;
        found.push(new Set(texts.filter((one) => effects[one] === "EFFECT_ALLOW")));
      }
      return found;
    } finally {
      await server.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

describe.skipIf(NO_SERVER !== undefined)(`patterns ${NO_SERVER ?? ""}`, () => {
  test("one byte for a character: only texts beyond ASCII differ, and the pattern is known for it", {
    tags: "long",
    timeout: 60_000,
  }, async () => {
    const texts = ["vé:x", "va:x", "v:x"];
    const patterns = ["v?:*", "v[!b]:*"];
    expect(await matchedByServer(patterns.map((pattern) => [pattern, texts]))).toEqual([
      new Set(["va:x"]),
      new Set(["va:x"]),
    ]);
    for (const pattern of patterns) {
      expect(departsBeyondAscii(pattern)).toBe(true);
      expect(texts.filter((text) => compileGlob(pattern)?.(text))).toEqual(["vé:x", "va:x"]);
    }
  });

  test("match the same texts", { tags: "long", timeout: 120_000 * TIMES }, async () => {
    const random = new Random(SEED);
    const differences: string[] = [];
    const counts = { patterns: 0, refused: 0, texts: 0, matched: 0 };
    for (let i = 0; i < TIMES; i++) {
      const cases: (readonly [string, readonly string[]])[] = [];
      while (cases.length < PATTERNS) {
        const pattern = randomPattern(random);
        counts.patterns++;
        if (globFault(pattern) !== undefined) counts.refused++;
        else cases.push([pattern, [...new Set(random.times(TEXTS, TEXTS, () => randomText(random, pattern)))]]);
      }
      const answers = await matchedByServer(cases);
      for (const [j, [pattern, texts]] of cases.entries()) {
        const matches = compileGlob(pattern);
        for (const text of texts) {
          if (departsBeyondAscii(pattern) && /[^\0-\x7f]/.test(text)) continue;
          counts.texts++;
          const [ours, theirs] = [matches?.(text) === true, answers[j]?.has(text) === true];
          if (theirs) counts.matched++;
          if (ours !== theirs) differences.push(`${pattern} on ${text}: server ${theirs}, here ${ours}`);
        }
      }
    }
    say(JSON.stringify(counts));
    expect(differences.slice(0, 40).join("\n")).toBe("");
    expect(counts.matched / counts.texts).toBeGreaterThan(0.15);
    expect(counts.matched / counts.texts).toBeLessThan(0.85);
    expect(counts.refused / counts.patterns).toBeLessThan(0.7);
  });
});
