/** Command-line arguments, by Node's own parser, with its complaints as usage errors. */

import { parseArgs } from "node:util";
import { UsageError } from "./exit.js";

/** An option takes a text or is a switch. Of one that is repeated the last counts, unless it is `multiple`. */
export interface Option {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
}

export interface Arguments {
  /** The values of options that take a text, by name. */
  readonly texts: ReadonlyMap<string, string>;
  /** The values of options that take several texts, by name. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** The switches that are on. */
  readonly switches: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

/** Throws a {@link UsageError} for what is not among `options`, and for more than `positionals` other arguments. */
export function readArguments(
  args: readonly string[],
  options: { readonly [name: string]: Option },
  positionals: number,
): Arguments {
  const parsed = parse(args, options);
  if (parsed.positionals.length > positionals) {
    throw new UsageError(`unexpected argument: ${parsed.positionals[positionals]}`);
  }
  const values = Object.entries(parsed.values);
  return {
    texts: new Map(values.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))),
    lists: new Map(
      values.flatMap(([name, value]) =>
        Array.isArray(value) ? [[name, value.filter((each) => typeof each === "string")]] : [],
      ),
    ),
    switches: new Set(values.flatMap(([name, value]) => (value === true ? [name] : []))),
    positionals: parsed.positionals,
  };
}

function parse(args: readonly string[], options: { readonly [name: string]: Option }) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** One of a fixed list of values. */
export function choice<T extends string>(name: string, value: string, values: readonly T[]): T {
  const found = values.find((candidate) => candidate === value);
  if (found === undefined) throw new UsageError(`--${name} must be one of ${values.join(", ")}`);
  return found;
}

/** A whole number that an option gives, if it is given. */
export function countOf(name: string, text: string | undefined, least = 0): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) < least) {
    throw new UsageError(`--${name} must be a number of ${least} or more`);
  }
  return Number(text);
}
