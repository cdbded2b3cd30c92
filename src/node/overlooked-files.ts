/** Finds the files of a policy directory that decide less than they seem to: unread, empty or cut ones. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CONFIGURATION_FILES, fileRole } from "../policy/file-rules.js";
import type { PolicyIssue } from "../policy/issue.js";
import { LOCK_FILE } from "../policy/lock.js";
import { filesBelow } from "./files-below.js";

/**
 * A warning for each hidden or renamed policy file, and for each policy file without a policy. If the set has no lock, also
 * for each policy file with a last line that does not end. Never rejects.
 */
export async function overlookedFiles(directory: string): Promise<readonly PolicyIssue[]> {
  const found: PolicyIssue[] = [];
  const paths = await filesBelow(directory);
  const isLocked = paths.some((path) => path.join("/") === LOCK_FILE);
  for (const path of paths) {
    const warning = fileRole(path) === "policy" ? await inPolicy(directory, path, isLocked) : unread(path.at(-1) ?? "");
    if (warning !== undefined) {
      found.push({ file: path.join("/"), line: 1, column: 1, severity: "warning", ...warning });
    }
  }
  return found;
}

type Warning = Pick<PolicyIssue, "code" | "message">;

async function inPolicy(directory: string, path: readonly string[], isLocked: boolean): Promise<Warning | undefined> {
  const text = await readFile(join(directory, ...path), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  if (isEmpty(text)) return { code: "overlooked", message: "there is no policy in this file" };
  // A part of a JSON text is not JSON, so it does not load.
  const canBeCut = !isLocked && !path.at(-1)?.endsWith(".json");
  return canBeCut && !/[\r\n]$/.test(text)
    ? { code: "cut", message: "the last line does not end: rules may be missing (`keyward lock` would tell)" }
    : undefined;
}

function unread(name: string): Warning | undefined {
  if (CONFIGURATION_FILES.includes(name)) return undefined;
  if (/^\..+\.(ya?ml|json)$/i.test(name)) {
    return { code: "overlooked", message: "this file is not read, because its name begins with a dot" };
  }
  const message = "this file is not read, because its name does not end with .yaml, .yml or .json";
  return RENAMED.test(name) ? { code: "overlooked", message } : undefined;
}

/** Names that editors and people give to older versions of a file. */
const RENAMED = /\.(ya?ml|json)(~|[._-](bak|backup|old|orig|save|tmp|swp|disabled|off|copy|\d+))$/i;

/** True if a file of YAML has only comments and the marks of documents. */
function isEmpty(text: string): boolean {
  return text.split(/\r\n?|\n/).every((line) => /^\s*(#.*|---\s*(#.*)?|\.\.\.\s*(#.*)?)?$/.test(line));
}
