/** Reads the files of a decision point beside its policies: the mapping, the data, the tokens of callers and the key sets. */

import { readFile } from "node:fs/promises";
import { type AuthzenData, expectData } from "../authzen/data.js";
import { type AuthzenMapping, expectMapping } from "../authzen/mapping.js";
import { duplicateKey } from "../cel/duplicate-keys.js";
import type { ReadToken } from "../cerbos/json-api.js";
import { readKeySets } from "../cerbos/key-sets/read-file.js";
import { type CallerOf, readTokens } from "./caller-tokens.js";

/** The paths of the files; undefined for a file that there is not. */
export interface PointFiles {
  readonly mapping: string | undefined;
  readonly data: string | undefined;
  readonly tokens: string | undefined;
  readonly keySets: string | undefined;
}

export interface PointInputs {
  readonly mapping: AuthzenMapping;
  readonly data: AuthzenData;
  /** Undefined: everybody may ask. */
  readonly callerOf: CallerOf | undefined;
  /** Verifies tokens in `auxData`. Undefined: there are no key sets. */
  readonly readToken: ReadToken | undefined;
}

/** A file or an option that the decision point cannot work with. The message is for the operator. */
export class PointConfigurationError extends Error {}

/** Rejects with a {@link PointConfigurationError} that names the file. */
export async function readPointFiles({ mapping, data, tokens, keySets }: PointFiles): Promise<PointInputs> {
  return {
    mapping: mapping === undefined ? {} : await readFrom(mapping, (text) => expected(jsonOf(text), expectMapping)),
    data: data === undefined ? {} : await readFrom(data, (text) => expected(jsonOf(text), expectData)),
    callerOf: tokens === undefined ? undefined : await readFrom(tokens, readTokens),
    readToken: keySets === undefined ? undefined : await namingFile(keySets, () => readKeySets(keySets)),
  };
}

async function readFrom<T>(file: string, read: (text: string) => T): Promise<T> {
  return await namingFile(file, async () =>
    read(new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file))),
  );
}

async function namingFile<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new PointConfigurationError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function jsonOf(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const twice = duplicateKey(text);
  if (twice !== undefined) throw new Error(`the key ${JSON.stringify(twice.key)} is there twice, at ${twice.path}`);
  return value;
}

function expected<T>(value: unknown, expect: (value: unknown) => asserts value is T): T {
  expect(value);
  return value;
}
