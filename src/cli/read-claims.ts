/** The claims in a directory and below it (`*.claims.yaml`, `.yml` or `.json`), or in one file. */

import { basename, dirname } from "node:path";
import { FileReader } from "../node/file-reader.js";
import type { LinkOptions } from "../node/read-options.js";
import type { PolicyIssue } from "../policy/issue.js";
import { compareText, IssueLog } from "../policy/issue-log.js";
import { readClaims } from "../proof/claims/read.js";
import type { Claim } from "../proof/claims/types.js";

export interface ReadClaims {
  readonly claims: readonly Claim[];
  /** What is wrong with the files. */
  readonly issues: readonly PolicyIssue[];
}

/** Files in hidden directories are left out. */
export async function claimsIn(directory: string, options: LinkOptions): Promise<ReadClaims> {
  const log = new IssueLog();
  const reader = new FileReader(directory, log, options);
  const paths: string[] = [];
  const list = async (parts: readonly string[]): Promise<void> => {
    for (const entry of await reader.entries(parts)) {
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory()) await list([...parts, entry.name]);
      else if (/\.claims\.(ya?ml|json)$/i.test(entry.name)) paths.push([...parts, entry.name].join("/"));
    }
  };
  await list([]);
  return await readAll(reader, paths.sort(compareText), log);
}

/** The claims of one file, wherever it is. */
export async function claimsOf(file: string, options: LinkOptions): Promise<ReadClaims> {
  const log = new IssueLog();
  return await readAll(new FileReader(dirname(file), log, options), [basename(file)], log);
}

async function readAll(reader: FileReader, paths: readonly string[], log: IssueLog): Promise<ReadClaims> {
  const claims: Claim[] = [];
  const issues: PolicyIssue[] = [];
  for (const path of paths) {
    const text = await reader.read(path);
    const read = text === undefined ? undefined : readClaims(path, text);
    claims.push(...(read?.claims ?? []));
    issues.push(...(read?.issues ?? []));
  }
  return { claims, issues: [...log.issues, ...issues] };
}
