/** Finds the files of a policy directory that look like policies and take no part in decisions. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CONFIGURATION_FILES, fileRole } from "../policy/file-rules.js";
import type { PolicyIssue } from "../policy/issue.js";
import { filesBelow } from "./files-below.js";

/** A warning for each hidden or renamed policy file, and for each policy file without a policy. Never rejects. */
export async function overlookedFiles(directory: string): Promise<readonly PolicyIssue[]> {
  const found: PolicyIssue[] = [];
  for (const path of await filesBelow(directory)) {
    const message = await overlooked(directory, path);
    if (message !== undefined) {
      found.push({ file: path.join("/"), line: 1, column: 1, severity: "warning", code: "overlooked", message });
    }
  }
  return found;
}

async function overlooked(directory: string, path: readonly string[]): Promise<string | undefined> {
  const name = path.at(-1) ?? "";
  if (fileRole(path) === "policy") {
    const text = await readFile(join(directory, ...path), "utf8").catch(() => undefined);
    return text !== undefined && isEmpty(text) ? "there is no policy in this file" : undefined;
  }
  if (CONFIGURATION_FILES.includes(name)) return undefined;
  if (/^\..+\.(ya?ml|json)$/i.test(name)) return "this file is not read, because its name begins with a dot";
  return RENAMED.test(name)
    ? "this file is not read, because its name does not end with .yaml, .yml or .json"
    : undefined;
}

/** Names that editors and people give to older versions of a file. */
const RENAMED = /\.(ya?ml|json)(~|[._-](bak|backup|old|orig|save|tmp|swp|disabled|off|copy|\d+))$/i;

/** True if a file of YAML has only comments and the marks of documents. */
function isEmpty(text: string): boolean {
  return text.split(/\r\n?|\n/).every((line) => /^\s*(#.*|---\s*(#.*)?|\.\.\.\s*(#.*)?)?$/.test(line));
}
