/** Reads the claims in a directory and below it (`*.claims.yaml`, `.yml` or `.json`), or in one file. */

import { basename, dirname } from "node:path";
import { FileReader } from "../node/file-reader.js";
import type { LinkOptions } from "../node/read-options.js";
import { isClaimsFile } from "../policy/file-rules.js";
import type { PolicyIssue } from "../policy/issue.js";
import { compareText, IssueLog } from "../policy/issue-log.js";
import type { PolicyFile } from "../policy/parse.js";
import { readClaims } from "../proof/claims/read.js";
import type { Claim } from "../proof/claims/types.js";

/** Selects {@link claimsOf} in place of {@link claimsIn}. */
export const CLAIMS_OPTION = { value: "FILE", does: "read the claims from this file instead of DIR" };

export interface ReadClaims {
  readonly files: readonly PolicyFile[];
  readonly claims: readonly Claim[];
  /** The faults of the files. */
  readonly issues: readonly PolicyIssue[];
}

/** Hidden directories are skipped. */
export async function claimsIn(directory: string, options: LinkOptions): Promise<ReadClaims> {
  const log = new IssueLog();
  const reader = new FileReader(directory, log, options);
  const paths: string[] = [];
  const list = async (parts: readonly string[]): Promise<void> => {
    for (const entry of await reader.entries(parts)) {
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory()) await list([...parts, entry.name]);
      else if (isClaimsFile(entry.name)) paths.push([...parts, entry.name].join("/"));
    }
  };
  await list([]);
  return await readAll(reader, paths.sort(compareText), log);
}

/** The claims of one file in any directory. */
export async function claimsOf(file: string, options: LinkOptions): Promise<ReadClaims> {
  const log = new IssueLog();
  return await readAll(new FileReader(dirname(file), log, options), [basename(file)], log);
}

async function readAll(reader: FileReader, paths: readonly string[], log: IssueLog): Promise<ReadClaims> {
  const files: PolicyFile[] = [];
  for (const path of paths) {
    const text = await reader.read(path);
    if (text !== undefined) files.push({ path, text });
  }
  const { claims, issues } = readClaimFiles(files);
  return { files, claims, issues: [...log.issues, ...issues] };
}

/** The claims of files, in their order. */
export function readClaimFiles(files: readonly PolicyFile[]): ReadClaims {
  const read = files.map(({ path, text }) => readClaims(path, text));
  return { files, claims: read.flatMap(({ claims }) => claims), issues: read.flatMap(({ issues }) => issues) };
}
