/**
 * Cerbos's own engine cases, read in place. Each input compares the effect, policy and scope of every action, and the
 * derived roles, outputs and validation errors.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isLeft, right } from "fp-ts/lib/Either.js";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parseTimestamp } from "../../src/cel/time.js";
import type { JsonMap } from "../../src/cel/values.js";
import { type CheckEngine, type CheckEngineOptions, compileCheckEngine } from "../../src/cerbos/engine.js";
import { check } from "../../src/engine/evaluate/check.js";
import type { CheckResult } from "../../src/engine/evaluate/check-types.js";
import { readPolicyDirectory } from "../../src/node/directory.js";
import { ABSENT, CORPUS } from "./corpus.js";

interface Subject {
  readonly id: string;
  readonly kind: string;
  readonly roles: readonly string[];
  readonly attr?: JsonMap;
  readonly policyVersion?: string;
  readonly scope?: string;
}

interface Input {
  readonly principal: Subject;
  readonly resource: Subject;
  readonly actions: readonly string[];
  readonly auxData?: { readonly jwt?: JsonMap; readonly jwts?: JsonMap };
}

interface Want {
  readonly actions: { readonly [action: string]: { effect: string; policy?: string; scope?: string } };
  readonly effectiveDerivedRoles?: readonly string[];
  readonly effective_derived_roles?: readonly string[];
  readonly outputs?: readonly { src: string; action?: string; val?: unknown; error?: string }[];
  readonly validationErrors?: readonly { path?: string; message: string; source: string }[];
}

interface EngineCase {
  readonly description: string;
  readonly inputs: readonly Input[];
  readonly wantOutputs: readonly Want[];
}

const GLOBALS = { environment: "test" };

/** Every engine case must hold with both scope search modes. */
const SUITES: readonly (readonly [string, CheckEngineOptions])[] = [
  ["engine", {}],
  ["engine", { lenientScopeSearch: true }],
  ["engine_strict_scope_search", {}],
  ["engine_lenient_scope_search", { lenientScopeSearch: true }],
  ["engine_schema_enforcement/warn", { schemaEnforcement: "warn" }],
  ["engine_schema_enforcement/reject", { schemaEnforcement: "reject" }],
];

const files = ABSENT === undefined ? await readPolicyDirectory(join(CORPUS, "store"))() : right([]);
if (isLeft(files)) throw new Error(JSON.stringify(files.left));

const passed = new Map<string, { inputs: number; actions: number }>();

if (ABSENT !== undefined) process.stdout.write(`engine cases ${ABSENT}\n`);

describe.skipIf(ABSENT !== undefined)("Cerbos's engine cases", () => {
  for (const [directory, options] of SUITES) {
    const suite = `${directory} ${JSON.stringify(options)}`;
    describe(suite, () => {
      const engine = engineOf(options);
      for (const [name, { description, inputs, wantOutputs }] of cases(directory)) {
        inputs.forEach((input, i) => {
          test(`${name}, input ${i}: ${description}`, () => {
            const want = wantOutputs[i];
            if (want === undefined) throw new Error("an input without a wanted output");
            expect(asWanted(answer(engine, input))).toEqual(wanted(want));
            const sums = passed.get(suite) ?? { inputs: 0, actions: 0 };
            sums.inputs++;
            sums.actions += input.actions.length;
            passed.set(suite, sums);
          });
        });
      }
    });
  }
});

afterAll(() => {
  for (const [suite, { inputs, actions }] of passed) {
    process.stdout.write(`${suite.padEnd(64)} ${inputs} inputs, ${actions} actions passed\n`);
  }
});

/** Skips decision logs, which are written in a form that only Cerbos's own YAML parser accepts. */
function cases(directory: string): readonly (readonly [string, EngineCase])[] {
  const folder = join(CORPUS, directory);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  return names.map((name) => {
    const text = readFileSync(join(folder, name), "utf8").replace(/\nwantDecisionLogs:[\s\S]*$/, "\n");
    return [name, parse(text, { strict: false, logLevel: "silent" })];
  });
}

/** Undefined if the corpus is not installed. */
function engineOf(options: CheckEngineOptions): CheckEngine | undefined {
  if (ABSENT !== undefined || isLeft(files)) return undefined;
  const engine = compileCheckEngine(files.right, { globals: GLOBALS, ...options });
  if (isLeft(engine)) throw new Error(JSON.stringify(engine.left));
  return engine.right;
}

function answer(engine: CheckEngine | undefined, { principal, resource, actions, auxData }: Input): CheckResult {
  if (engine === undefined) throw new Error("no engine");
  const input = {
    principal: subject(principal),
    resource: subject(resource),
    actions,
    jwt: auxData?.jwt ?? {},
    jwts: auxData?.jwts ?? {},
    now: parseTimestamp("2024-01-01T00:00:00Z"),
  };
  return check(engine.policies, input, engine.options);
}

function subject({ id, kind, roles, attr = {}, policyVersion = "", scope = "" }: Subject) {
  return { id, kind, roles, attr, policyVersion, scope };
}

function asWanted({ actions, effectiveDerivedRoles, outputs, validationErrors }: CheckResult) {
  return {
    actions: Object.fromEntries(
      [...actions].map(([action, { effect, policy, scope }]) => [
        action,
        { effect: `EFFECT_${effect.toUpperCase()}`, policy, scope },
      ]),
    ),
    derivedRoles: [...effectiveDerivedRoles].sort(),
    outputs: texts(outputs.map(({ src, action, val, error }) => ({ src, action, val, error }))),
    invalid: texts(
      validationErrors.map(({ path, message, source }) => ({
        path,
        message,
        source: `SOURCE_${source.toUpperCase()}`,
      })),
    ),
  };
}

function wanted({ actions, effectiveDerivedRoles, effective_derived_roles, outputs, validationErrors }: Want) {
  return {
    actions: Object.fromEntries(
      Object.entries(actions).map(([action, { effect, policy = "", scope = "" }]) => [
        action,
        { effect, policy, scope },
      ]),
    ),
    derivedRoles: [...(effectiveDerivedRoles ?? effective_derived_roles ?? [])].sort(),
    outputs: texts((outputs ?? []).map(({ src, action, val, error }) => ({ src, action, val, error }))),
    invalid: texts((validationErrors ?? []).map(({ path = "", message, source }) => ({ path, message, source }))),
  };
}

/** A multiset of texts, sorted because the order has no meaning. */
function texts(items: readonly unknown[]): readonly string[] {
  return items.map((item) => JSON.stringify(item)).sort();
}
