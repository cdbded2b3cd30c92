/** Findings of commands, in the one form that every report is made from. */

export type FindingLevel = "error" | "warning" | "note";

/** A place in a file. Lines and columns count from 1, columns in UTF-16 code units. */
export interface FindingPlace {
  /**
   * The path as the user would open it: relative to the working directory, or absolute; `/` or the system's separator.
   */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The last line, if the finding covers several lines. */
  readonly endLine?: number;
  /** The column after the last character. */
  readonly endColumn?: number;
}

/** One finding. */
export interface CliFinding {
  /** The id of the rule that found it, one of the report's {@link FindingRule}s: `missing_import`. */
  readonly rule: string;
  readonly level: FindingLevel;
  /** Plain text. */
  readonly message: string;
  /** How to fix it. */
  readonly hint?: string;
  /** Absent if the finding concerns no file. */
  readonly place?: FindingPlace;
}

/** A kind of finding. */
export interface FindingRule {
  readonly id: string;
  /** The meaning of this rule's findings, in a sentence. */
  readonly description: string;
}

/** The findings of one run of a command. */
export interface CliReport {
  /** In display order. */
  readonly findings: readonly CliFinding[];
  readonly rules: readonly FindingRule[];
}

/** The message, followed by the hint in parentheses. */
export function messageOf({ message, hint }: CliFinding): string {
  return hint === undefined ? message : `${message} (${hint})`;
}
