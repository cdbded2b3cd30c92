/** Collects issues while policies are read. */

import { MAX_ERRORS_PER_FILE } from "../limits.js";
import type { IssueCode, PolicyIssue, SourcePosition } from "./issue.js";

/** The contents of a log. Created with the first issue: most files have none, and many logs are made. */
interface IssueLogContents {
  readonly issues: PolicyIssue[];
  readonly seen: Set<string>;
  /** Number of errors by file. */
  readonly errors: Map<string, number>;
}

export class IssueLog {
  private found: IssueLogContents | undefined = undefined;

  error(code: IssueCode, at: SourcePosition, message: string, hint?: string): void {
    this.add({ ...at, severity: "error", code, message, ...(hint === undefined ? {} : { hint }) });
  }

  warning(code: IssueCode, at: SourcePosition, message: string): void {
    this.add({ ...at, severity: "warning", code, message });
  }

  /** Adds an issue unless the log has it already: an exported variable that two policies import is reported once. */
  add(issue: PolicyIssue): void {
    this.found ??= { issues: [], seen: new Set(), errors: new Map() };
    const { issues, seen, errors } = this.found;
    const key = `${issue.file}\n${issue.line}:${issue.column} ${issue.severity} ${issue.code} ${issue.message}`;
    if (seen.has(key)) return;
    seen.add(key);
    if (issue.severity === "error") {
      const count = (errors.get(issue.file) ?? 0) + 1;
      errors.set(issue.file, count);
      if (count > MAX_ERRORS_PER_FILE + 1) return;
      if (count > MAX_ERRORS_PER_FILE) {
        const message = `more than ${MAX_ERRORS_PER_FILE} errors in this file`;
        const { file, line, column } = issue;
        issues.push({ file, line, column, severity: "error", code: "too_large", message });
        return;
      }
    }
    issues.push(issue);
  }

  addAll(issues: readonly PolicyIssue[]): void {
    for (const issue of issues) this.add(issue);
  }

  /** The issues in the order they were found. Adding them to another log in this order repeats its result. */
  get inOrder(): readonly PolicyIssue[] {
    return this.found?.issues ?? [];
  }

  /** By file, line and column. */
  get issues(): readonly PolicyIssue[] {
    return [...this.inOrder].sort(byPlace);
  }

  get size(): number {
    return this.inOrder.length;
  }
}

/** Orders text by UTF-16 code units, the same in every locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Orders positions by file, line and column. */
export function byPlace(a: SourcePosition, b: SourcePosition): number {
  return compareText(a.file, b.file) || a.line - b.line || a.column - b.column;
}
