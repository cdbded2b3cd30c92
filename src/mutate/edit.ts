/** Edits of policy files. */

/** A change of a file's text: the text from `start` to `end` becomes `to`. Offsets are those of a `Source`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly to: string;
  /** The change in words: `conjunct left out: V.in_reach`. */
  readonly change: string;
}

/** The longest text of a policy that a change quotes. */
const MAX_QUOTED = 60;

/** A text of a policy on one line, shortened, for the words of a change. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line;
}
