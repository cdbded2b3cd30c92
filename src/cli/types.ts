/** `keyward types DIR`: writes the names in the policies as a TypeScript module. */

import { readFile } from "node:fs/promises";
import * as E from "fp-ts/lib/Either.js";
import { typesModule } from "../audit/types/module.js";
import { loadPolicies } from "../node/load.js";
import { policiesOf, readArguments } from "./arguments.js";
import { existingDirectory } from "./directory.js";
import { EXIT, type ExitCode, endedBy, messageOf, type Streams, UsageError } from "./exit.js";
import { issueLine } from "./issues.js";
import { OUTPUT_OPTION, outputOf, writeOutput } from "./output-file.js";
import { DIR_OPTIONS, loadOptionsOf } from "./policy-options.js";
import { expectSeparateFiles } from "./separate-files.js";
import type { Usage } from "./usage.js";

export const TYPES: Usage = {
  name: "types",
  takes: ["DIR"],
  does: "Writes the names of the policies (operations, kinds, attributes, roles, reasons) as a TypeScript module.",
  options: {
    output: OUTPUT_OPTION,
    check: { does: "write nothing; exit with 4 if FILE is out of date" },
    ...DIR_OPTIONS,
  },
};

export async function types(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const { out, err } = streams;
  const given = readArguments(args, TYPES, 1);
  expectSeparateFiles(given, streams);
  const { switches } = given;
  const directory = policiesOf(given);
  const output = outputOf(given);
  const isCheck = switches.has("check");
  if (isCheck && output === undefined) throw new UsageError("--check needs the --output FILE that is to be checked");
  const loaded = await loadPolicies(await existingDirectory(directory), loadOptionsOf(given))();
  if (E.isLeft(loaded)) {
    for (const issue of loaded.left) err(`${issueLine(issue, directory)}\n`);
    return EXIT.policies;
  }
  const module = typesModule(loaded.right);
  if (output === undefined) {
    out(module);
    return EXIT.ok;
  }
  if (isCheck) {
    if ((await textOf(output)) === module) return EXIT.ok;
    const reason = `${output} is out of date: the policies in ${directory} give another module; write it again without --check`;
    return endedBy("types", EXIT.failures, reason, { err });
  }
  await writeOutput(output, module);
  return EXIT.ok;
}

/** The text of a file; undefined if it does not exist. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new UsageError(`cannot read ${path}: ${messageOf(error)}`);
  }
}
