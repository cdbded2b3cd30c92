/** Command-line arguments, as Node's own parser takes them apart. What a command does not take is a usage error. */

import { parseArgs } from "node:util";
import { didYouMean } from "../policy/distance.js";
import { UsageError } from "./exit.js";
import { type Options, type Usage, written } from "./usage.js";

export interface Arguments {
  readonly usage: Usage;
  /** The values of options that take a text, by name. */
  readonly texts: ReadonlyMap<string, string>;
  /** The values of options that take several texts, by name. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** The switches that are on. */
  readonly switches: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

/** Throws a {@link UsageError} for what the command does not take, and for more than `most` arguments beside options. */
export function readArguments(args: readonly string[], usage: Usage, most: number): Arguments {
  const texts = new Map<string, string>();
  const lists = new Map<string, readonly string[]>();
  const switches = new Set<string>();
  const positionals: string[] = [];
  for (const token of tokensOf(args, usage.options)) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const { name, value } = token;
    const option = Object.hasOwn(usage.options, name) ? usage.options[name] : undefined;
    if (option === undefined) throw misused(usage, unknownOption(args[token.index] ?? name, usage.options));
    if (option.value === undefined) {
      if (value !== undefined) throw misused(usage, `--${name} takes no value`);
      switches.add(name);
    } else if (value === undefined || (!token.inlineValue && /^-./.test(value))) {
      throw misused(usage, `--${name} needs a value: ${written(name, option)}`);
    } else if (option.multiple === true) lists.set(name, [...(lists.get(name) ?? []), value]);
    else if (texts.has(name)) throw misused(usage, `--${name} is given twice`);
    else texts.set(name, value);
  }
  if (positionals.length > most) throw misused(usage, `unexpected argument: ${positionals[most]}`);
  return { usage, texts, lists, switches, positionals };
}

function tokensOf(args: readonly string[], options: Options) {
  const types = Object.entries(options).map(([name, { value }]) => {
    const type: "boolean" | "string" = value === undefined ? "boolean" : "string";
    return [name, { type }] as const;
  });
  return parseArgs({ args: [...args], options: Object.fromEntries(types), strict: false, tokens: true }).tokens;
}

function unknownOption(arg: string, options: Options): string {
  const [option = arg] = arg.split("=", 1);
  const hint = didYouMean(
    option,
    Object.keys(options).map((name) => `--${name}`),
  );
  return `unknown option ${option}${hint === undefined ? "" : ` (${hint})`}`;
}

/** An error of somebody who should look at how the command is used. */
export function misused({ name }: Usage, message: string): UsageError {
  return new UsageError(`${message}; see keyward ${name} --help`);
}

/** The text of an option that the command cannot go without. */
export function textOf({ usage, texts }: Arguments, name: string): string {
  const text = texts.get(name);
  const option = usage.options[name];
  if (text === undefined) throw misused(usage, `${option === undefined ? name : written(name, option)} is missing`);
  return text;
}

/** An argument that it cannot go without, by its number, and by its name in the usage. */
export function argumentOf({ usage, positionals }: Arguments, at: number, name: string): string {
  const argument = positionals[at];
  if (argument === undefined) throw misused(usage, `${name} is missing`);
  return argument;
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
