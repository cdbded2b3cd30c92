/** `keyward lock [DIR]`: writes the lock of a policy set. From then on the set is loaded completely or not at all. */

import { join } from "node:path";
import * as E from "fp-ts/lib/Either.js";
import { policySetHash } from "../decisions/policy-set-hash.js";
import { loadPolicies } from "../node/load.js";
import { writeLock } from "../node/lock.js";
import { printable } from "../policy/escape.js";
import { LOCK_FILE } from "../policy/lock.js";
import { expectAbsent, readArguments } from "./arguments.js";
import { existingDirectory } from "./directory.js";
import { EXIT, type ExitCode, messageOf, type Streams } from "./exit.js";
import { issueLine } from "./issues.js";
import { writeError } from "./output-file.js";
import { DIR_OPTIONS, loadOptionsOf } from "./policy-options.js";
import type { Usage } from "./usage.js";

export const LOCK: Usage = {
  name: "lock",
  takes: ["[DIR]"],
  does: "Writes keyward.lock, with the hash of each file. From then on the set loads only if its files are exactly these.",
  options: DIR_OPTIONS,
};

/** Invalid policies get no lock, since the lock certifies that the set is complete. */
export async function lock(args: readonly string[], { err }: Streams): Promise<ExitCode> {
  const given = readArguments(args, LOCK, 1);
  expectAbsent(given, ["locked"], "does not go with lock, which writes the lock");
  const directory = given.texts.get("policies") ?? given.positionals[0] ?? ".";
  const loaded = await loadPolicies(await existingDirectory(directory), { ...loadOptionsOf(given), lock: "ignored" })();
  if (E.isLeft(loaded)) {
    for (const issue of loaded.left) err(`${issueLine(issue, directory)}\n`);
    return EXIT.policies;
  }
  const { files } = loaded.right;
  const path = join(directory, LOCK_FILE);
  try {
    await writeLock(directory, files);
  } catch (error) {
    throw writeError(`cannot write ${path}: ${messageOf(error)}`, error);
  }
  err(`${printable(path)}: ${files.length} files, ${await policySetHash(loaded.right)}\n`);
  return EXIT.ok;
}
