/** What a command found, in the one form that every report is made from. */

export type FindingLevel = "error" | "warning" | "note";

/** A place in a file. Lines and columns count from 1, columns in UTF-16 code units. */
export interface FindingPlace {
  /** The path as the user would open it: relative to the working directory, or absolute; `/` or the system's separator. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The last line, if the finding is about more than one place in the text. */
  readonly endLine?: number;
  /** The column after the last character. */
  readonly endColumn?: number;
}

/** One thing that was found. */
export interface Finding {
  /** The rule that found it, one of the report's {@link FindingRule}s: `missing_import`. */
  readonly rule: string;
  readonly level: FindingLevel;
  /** Plain text. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Absent where it is about no file. */
  readonly place?: FindingPlace;
}

/** A kind of finding. */
export interface FindingRule {
  readonly id: string;
  /** What findings of this rule mean, in a sentence. */
  readonly description: string;
}

/** What a run of a command found. */
export interface Report {
  /** In the order in which they are to be shown. */
  readonly findings: readonly Finding[];
  readonly rules: readonly FindingRule[];
}

/** The message, with the hint in brackets. */
export function messageOf({ message, hint }: Finding): string {
  return hint === undefined ? message : `${message} (${hint})`;
}
