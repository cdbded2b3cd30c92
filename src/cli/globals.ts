/** The file of `--globals`, in YAML or JSON. */

import { readFileSync } from "node:fs";
import { decodeText } from "../node/text.js";
import { type Globals, readGlobals } from "../policy/configuration/globals.js";
import { IssueLog } from "../policy/issue-log.js";
import { Source } from "../policy/text/source.js";
import { messageOf, UsageError } from "./exit.js";
import { issueLine } from "./issues.js";

/** Throws a {@link UsageError} for an unreadable file, and for values that the server would read differently. */
export function globalsFile(path: string): Globals {
  const log = new IssueLog();
  const text = decodeText(bytesOf(path), path, log) ?? "";
  const globals = log.size > 0 ? undefined : readGlobals(new Source(path, text), log);
  const [issue] = log.issues;
  if (globals === undefined) throw new UsageError(issue === undefined ? path : issueLine(issue));
  return globals;
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${messageOf(error)}`);
  }
}
