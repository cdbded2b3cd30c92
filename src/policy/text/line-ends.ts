/** Allows only LF and CRLF: line breaks that every parser, editor and reviewer sees in the same places. */

import type { IssueLog } from "../issue-log.js";
import type { Source } from "./source.js";

const LONE_RETURN = /\r(?!\n)/;

/**
 * Reports the first carriage return without a line feed. The server and editors end a line there, but the `yaml` package
 * reads on: a comment would hide the rule after it.
 */
export function hasLoneReturn(source: Source, log: IssueLog): boolean {
  const at = source.text.search(LONE_RETURN);
  if (at < 0) return false;
  log.error("not_text", source.position(at), "a carriage return without a line feed", "end lines with LF or CRLF");
  return true;
}
