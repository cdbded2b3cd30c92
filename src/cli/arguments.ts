/** Command-line arguments, by Node's own parser, with its complaints as usage errors. */

import { type ParseArgsConfig, parseArgs } from "node:util";
import { UsageError } from "./exit.js";

type Options = NonNullable<ParseArgsConfig["options"]>;

export function readArguments<O extends Options>(args: readonly string[], options: O, positionals: number) {
  const parsed = parse(args, options);
  if (parsed.positionals.length > positionals) {
    throw new UsageError(`unexpected argument: ${parsed.positionals[positionals]}`);
  }
  return parsed;
}

function parse<O extends Options>(args: readonly string[], options: O) {
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
