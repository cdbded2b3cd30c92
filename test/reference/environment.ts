/** The names that expressions of a policy can read (docs/cerbos-semantics.md §2.10, §3.1). */

import type { JsonValue } from "../../src/cel/json.js";
import type { Definitions, Named } from "./documents.js";
import type { Question } from "./question.js";
import { error, fromJson, list, string, type Val } from "./values.js";
import { type Environment, evaluate } from "./walk.js";

/** Computes the active derived roles when they are first read, or fails. */
export type Runtime = () => readonly string[] | "error";

export const NO_ROLES: Runtime = () => [];

/**
 * §2.10: imported, local and deprecated top-level definitions form one namespace. A variable is evaluated at each read.
 * So an unused variable cannot fail, and a failing one is an error at each use. Constants are protobuf values, so their
 * numbers are doubles.
 */
export function environment(
  question: Question,
  definitions: Definitions,
  topLevel: Named<string> | undefined,
  runtime: Runtime,
): Environment {
  const names = new Map(question.names);
  const env: Environment = { names, now: question.now };
  const expressions = expressionsOf(question, definitions, topLevel);
  const values = valuesOf(question, definitions);
  const variable = lookup((name) => {
    const source = expressions[name];
    return source === undefined ? error(`undefined variable ${name}`) : evaluate(source, env);
  });
  const constant = lookup((name) => (name in values ? fromJson(values[name]) : error(`undefined constant ${name}`)));
  for (const name of ["V", "variables"]) names.set(name, variable);
  for (const name of ["C", "constants"]) names.set(name, constant);
  for (const name of ["G", "globals"]) names.set(name, globalNames(question));
  names.set(
    "runtime",
    lookup((name) => readRuntime(runtime, name)),
  );
  return env;
}

function lookup(read: (name: string) => Val | undefined): Val {
  return { t: "lookup", read };
}

/** §2.10: reading an absent global is an error; `has()` tests for it. */
function globalNames({ globals }: Question): Val {
  const has = (name: string) => Object.hasOwn(globals, name);
  return { t: "lookup", has, read: (name) => (has(name) ? fromJson(globals[name]) : error(`undefined field ${name}`)) };
}

/**
 * §2.9: the sorted list of the scope's active roles. In strict evaluation it errs if the condition of one errs
 * (docs/verdicts.md).
 */
function readRuntime(runtime: Runtime, name: string): Val | undefined {
  if (name !== "effectiveDerivedRoles" && name !== "effective_derived_roles") return undefined;
  const active = runtime();
  if (active === "error") return error("failed to compute effective derived roles");
  return list([...active].sort().map(string));
}

function expressionsOf(
  { documents }: Question,
  { variables }: Definitions,
  topLevel: Named<string> | undefined,
): Named<string> {
  const exported = documents.map((document) => document.exportVariables);
  return Object.assign(Object.create(null), ...imported(variables?.import, exported), variables?.local, topLevel);
}

function valuesOf({ documents }: Question, { constants }: Definitions): Named<JsonValue> {
  const exported = documents.map((document) => document.exportConstants);
  return Object.assign(Object.create(null), ...imported(constants?.import, exported), constants?.local);
}

function imported<T>(
  names: readonly string[] = [],
  exported: readonly ({ readonly name: string; readonly definitions: Named<T> } | undefined)[],
): readonly Named<T>[] {
  return names.map((name) => required(exported.find((one) => one?.name === name)?.definitions, name));
}

export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`no policy file defines ${name}`);
  return value;
}
