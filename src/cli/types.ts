/** `keyward types DIR`: what the policies know by name, as TypeScript. */

import { readFile } from "node:fs/promises";
import * as E from "fp-ts/lib/Either.js";
import { typesModule } from "../audit/types/module.js";
import { loadPolicies } from "../node/load.js";
import { printable } from "../policy/escape.js";
import { readArguments } from "./arguments.js";
import { existingDirectory } from "./directory.js";
import { EXIT, type ExitCode, type Streams, UsageError } from "./exit.js";
import { issueLine } from "./issues.js";
import { writeOutput } from "./output-file.js";
import { loadOptionsOf, POLICY_OPTIONS, POLICY_USAGE } from "./policy-options.js";

export const TYPES_USAGE = `keyward types DIR ${POLICY_USAGE} [--output FILE [--check]]`;

const OPTIONS = { ...POLICY_OPTIONS, output: { type: "string" }, check: { type: "boolean" } } as const;

export async function types(args: readonly string[], { out, err }: Streams): Promise<ExitCode> {
  const given = readArguments(args, OPTIONS, 1);
  const { texts, switches, positionals } = given;
  const [directory] = positionals;
  const output = texts.get("output");
  const isCheck = switches.has("check");
  if (directory === undefined) throw new UsageError(`usage: ${TYPES_USAGE}`);
  if (isCheck && output === undefined) throw new UsageError("--check needs the --output FILE that is to be checked");
  const loaded = await loadPolicies(await existingDirectory(directory), loadOptionsOf(given))();
  if (E.isLeft(loaded)) {
    for (const issue of loaded.left) err(`${issueLine(issue)}\n`);
    return EXIT.policies;
  }
  const module = typesModule(loaded.right);
  if (output === undefined) {
    out(module);
    return EXIT.ok;
  }
  if (isCheck) {
    if ((await textOf(output)) === module) return EXIT.ok;
    err(
      `${printable(output)} is not what the policies in ${printable(directory)} give: write it again without --check\n`,
    );
    return EXIT.failures;
  }
  await writeOutput(output, module);
  return EXIT.ok;
}

/** The text of a file; undefined if there is none. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new UsageError(`cannot read ${path}: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
