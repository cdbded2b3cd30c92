/**
 * Random expressions and random JSON Schemas: the server and this library load the same ones, compute the same values
 * and find the same faults. `KEYWARD_FUZZ=20 KEYWARD_SEED=random npx vitest run test/fuzz` runs twenty times as many.
 *
 * @module-tag long
 */

import { describe, expect, test } from "vitest";
import answers from "../cel/server-answers.json" with { type: "json" };
import { Random } from "../differential/random.js";
import { SEED, say } from "../support/seed.js";
import { NO_SERVER } from "../support/server.js";
import { randomExpression } from "./expressions.js";
import { randomAttributes, randomSchema } from "./schemas.js";
import { type Answers, answersOf, loadBoth, type Sample, withServer } from "./server.js";

const TIMES = Number(process.env.KEYWARD_FUZZ ?? 1);
const SAMPLES = { expressions: 1_200, schemas: 250 };
const VALUES = 8;
const TIMEOUT = { timeout: 180_000 * TIMES };

/** Samples that make the server panic (docs/differences-from-cerbos.md). They are not differences, but must be rare. */
const panics: string[] = [];

function panicking({ text }: Sample): void {
  panics.push(text);
  say(`the server panics: ${text}`);
}

/** The expression's value on both sides; our errors are shown as the server's output shows them. */
function values({ server, here }: Answers): readonly [server: string, here: string] {
  const [theirs] = list(server.outputs);
  const [ours] = here.outputs;
  return [canonical(theirs?.val), canonical(ours?.val)];
}

/** The attributes' faults on both sides. */
function faults({ server, here }: Answers): readonly [server: string, here: string] {
  const shown = (errors: readonly { readonly path?: unknown; readonly message?: unknown }[]) =>
    JSON.stringify(errors.map(({ path = "", message }) => `${path} ${inOrder(String(message))}`).sort());
  return [shown(list(server.validationErrors)), shown(here.validationErrors)];
}

/** The server lists member names in any order. */
function inOrder(message: string): string {
  return message.replace(/^additionalProperties (.*) not allowed$/, (_, names: string) =>
    names.split(", ").sort().join(", "),
  );
}

function list(value: unknown): readonly { readonly [field: string]: unknown }[] {
  return Array.isArray(value) ? value : [];
}

/** JSON with sorted keys, because the server's order varies. 0 and -0 count as the same number. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, inner: unknown) => {
    if (typeof inner === "number") return inner + 0;
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function outputOf(text: string): Sample {
  const output = { when: { ruleActivated: text } };
  return { text, policy: { rules: [{ actions: ["view"], roles: ["r"], effect: "EFFECT_ALLOW", output }] } };
}

/**
 * The differences that remain when the server does not fold constants. Asking for the time prevents the folding. When
 * it folds, a constant non-boolean condition counts as false: docs/differences-from-cerbos.md.
 */
async function unlikeUnfolded(texts: readonly string[]): Promise<readonly string[]> {
  if (texts.length === 0) return [];
  const { loaded, differences } = await loadBoth(texts.map((text) => outputOf(`[dyn(${text}), now()][0]`)));
  const still = await withServer(loaded, async (server) => {
    const found = await answersOf(
      server,
      loaded.map((one) => ({ loaded: one, attr: answers.attr })),
      panicking,
    );
    return found.flatMap((answer, i) => {
      const [theirs, ours] = answer === undefined ? [] : values(answer);
      return theirs === ours ? [] : [`${loaded[i]?.sample.text}\n  server ${theirs}\n  here ${ours}`];
    });
  });
  return [...differences, ...still];
}

/** Whether the value may depend on the order of a map's keys, which is random on the server. */
function hasKeyOrder(expression: string): boolean {
  return (
    /R\.attr\.(?:map|em)|\{|\.transform/.test(expression) && /\.(?:map|filter|sortBy|transformList)\(/.test(expression)
  );
}

describe.skipIf(NO_SERVER !== undefined)(`random samples ${NO_SERVER ?? ""}`, () => {
  test("expressions: loaded by both or neither, with the same values", TIMEOUT, async () => {
    const random = new Random(SEED);
    const differences: string[] = [];
    const unlike: string[] = [];
    let [total, evaluated, erred] = [0, 0, 0];
    for (let i = 0; i < TIMES; i++) {
      const samples = Array.from({ length: SAMPLES.expressions }, () => outputOf(randomExpression(random)));
      const { loaded, differences: load } = await loadBoth(samples);
      differences.push(...load);
      // Reported at once, because a long run may be stopped before its end.
      for (const one of load) say(one);
      if (i % 5 === 4) say(`${total + samples.length} expressions`);
      total += samples.length;
      await withServer(loaded, async (server) => {
        const asked = loaded.map((one) => ({ loaded: one, attr: answers.attr }));
        for (const [j, answer] of (await answersOf(server, asked, panicking)).entries()) {
          if (answer === undefined) continue;
          evaluated++;
          erred += answer.here.outputs.filter(({ error }) => error !== undefined).length;
          const text = loaded[j]?.sample.text ?? "";
          const [theirs, ours] = values(answer);
          if (theirs !== ours && !hasKeyOrder(text)) unlike.push(text);
        }
      });
    }
    const still = await unlikeUnfolded(unlike);
    differences.push(...still);
    const folded = unlike.length - still.length;
    say(`${total} expressions, ${evaluated} evaluated, ${erred} of them with an error, ${folded} folded otherwise`);
    expect(panics.length).toBeLessThanOrEqual(TIMES);
    expect(folded).toBeLessThan(total / 200);
    expect(differences.join("\n")).toBe("");
    expect(evaluated).toBeGreaterThan(total * 0.6);
    expect(erred).toBeGreaterThan(total * 0.15);
    expect(erred).toBeLessThan(total * 0.5);
  });

  test("JSON Schemas: loaded by both or neither, with the same faults", TIMEOUT, async () => {
    const random = new Random(SEED);
    const differences: string[] = [];
    let [total, compared, faulty] = [0, 0, 0];
    for (let i = 0; i < TIMES; i++) {
      const samples = Array.from({ length: SAMPLES.schemas }, (_, j) => {
        const schema = randomSchema(random);
        const rules = [{ actions: ["view"], roles: ["r"], effect: "EFFECT_ALLOW" }];
        const schemas = { resourceSchema: { ref: `cerbos:///s${j}.json` } };
        return { text: JSON.stringify(schema), policy: { rules, schemas }, schemas: { [`s${j}.json`]: schema } };
      });
      const { loaded, differences: load } = await loadBoth(samples);
      differences.push(...load);
      total += samples.length;
      await withServer(loaded, async (server) => {
        const asked = loaded.flatMap((one) =>
          Array.from({ length: VALUES }, () => ({ loaded: one, attr: randomAttributes(random) })),
        );
        for (const [j, answer] of (await answersOf(server, asked, panicking)).entries()) {
          const one = asked[j];
          if (answer === undefined || one === undefined) continue;
          compared++;
          const [theirs, ours] = faults(answer);
          if (theirs !== "[]") faulty++;
          if (theirs === ours) continue;
          const value = JSON.stringify(one.attr);
          differences.push(`${one.loaded.sample.text}\n  value ${value}\n  server ${theirs}\n  here ${ours}`);
        }
      });
    }
    say(`${total} schemas, ${compared} values, ${faulty} of them with faults`);
    expect(differences.join("\n")).toBe("");
    expect(compared).toBeGreaterThan(total * VALUES * 0.9);
    expect(faulty).toBeGreaterThan(compared * 0.25);
    expect(faulty).toBeLessThan(compared * 0.75);
  });
});
