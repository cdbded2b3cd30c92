/** Reports names that a file may use only once. */

import type { SourcePosition } from "../issue.js";
import type { IssueLog } from "../issue-log.js";

export class RepeatedNames {
  /** The noun for messages: `rule`. */
  private readonly noun: string;
  private readonly log: IssueLog;
  private readonly lines = new Map<string, number>();

  constructor(noun: string, log: IssueLog) {
    this.noun = noun;
    this.log = log;
  }

  /** Reports a name that was added before. */
  add(name: string, at: SourcePosition): void {
    const first = this.lines.get(name);
    if (first === undefined) this.lines.set(name, at.line);
    else this.log.error("duplicate", at, `the ${this.noun} "${name}" is defined twice: first in line ${first}`);
  }
}
