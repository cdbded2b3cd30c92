/** Command-line arguments, parsed by Node's own parser. Arguments that the command does not accept are usage errors. */

import { parseArgs } from "node:util";
import { didYouMean } from "../policy/distance.js";
import { UsageError } from "./exit.js";
import { type CliOptions, type Usage, written } from "./usage.js";

export interface Arguments {
  readonly usage: Usage;
  /** The values of options that take one text, by name. */
  readonly texts: ReadonlyMap<string, string>;
  /** The values of options that take several texts, by name. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** The names of the switches that are on. */
  readonly switches: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

/**
 * Throws a {@link UsageError} for invalid options, for more than `most` positional arguments, and if the policies are
 * given both as the last of these and by `--policies`.
 */
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
  const policies = texts.get("policies");
  if (policies !== undefined && positionals.length === most) {
    throw misused(usage, `the policies are given twice: ${positionals.at(-1)} and --policies ${policies}`);
  }
  return { usage, texts, lists, switches, positionals };
}

function tokensOf(args: readonly string[], options: CliOptions) {
  const types = Object.entries(options).map(([name, { value }]) => {
    const type: "boolean" | "string" = value === undefined ? "boolean" : "string";
    return [name, { type }] as const;
  });
  return parseArgs({ args: [...args], options: Object.fromEntries(types), strict: false, tokens: true }).tokens;
}

function unknownOption(arg: string, options: CliOptions): string {
  const [option = arg] = arg.split("=", 1);
  const hint = didYouMean(
    option,
    Object.keys(options).map((name) => `--${name}`),
  );
  return `unknown option ${option}${hint === undefined ? "" : ` (${hint})`}`;
}

/** A usage error that refers to the help of the command. */
export function misused({ name }: Usage, message: string): UsageError {
  return new UsageError(`${message}; see keyward ${name} --help`);
}

/** The text of a required option. */
export function requiredOption({ usage, texts }: Arguments, name: string): string {
  const text = texts.get(name);
  const option = usage.options[name];
  if (text === undefined) throw misused(usage, `${option === undefined ? name : written(name, option)} is missing`);
  return text;
}

/** The policies: the positional argument `at`, which is the last, or `--policies`. */
export function policiesOf(given: Arguments, at = 0): string {
  const { usage, texts } = given;
  return texts.get("policies") ?? argumentOf(given, at, usage.options.policies?.value ?? "DIR");
}

/** A required positional argument: `at` is its index, `name` its name in the usage. */
export function argumentOf({ usage, positionals }: Arguments, at: number, name: string): string {
  const argument = positionals[at];
  if (argument === undefined) throw misused(usage, `${name} is missing`);
  return argument;
}

/** Options that would have no effect are usage errors. `why` follows the name of the option: `goes with a bundle`. */
export function expectAbsent(
  { texts, lists, switches }: Omit<Arguments, "positionals">,
  names: readonly string[],
  why: string,
): void {
  const given = names.find((name) => texts.has(name) || lists.has(name) || switches.has(name));
  if (given !== undefined) throw new UsageError(`--${given} ${why}`);
}

/** Validates a value against a fixed list. */
export function choice<T extends string>(name: string, value: string, values: readonly T[]): T {
  const found = values.find((candidate) => candidate === value);
  if (found === undefined) throw new UsageError(`--${name} must be one of ${values.join(", ")}`);
  return found;
}

/** The whole number of an option; undefined if the option is absent. */
export function countOf(name: string, text: string | undefined, least = 0): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) < least) {
    throw new UsageError(`--${name} must be a number of ${least} or more`);
  }
  return Number(text);
}
