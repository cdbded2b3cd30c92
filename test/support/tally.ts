/** Counts the decisions of a test file by outcome, so that a run that proved little fails. */

import { expect } from "vitest";
import type { Decision, Outcome } from "../../src/index.js";

export class Tally {
  decisions = 0;
  private readonly outcomes: { [outcome in Outcome]: number } = { allow: 0, insufficient_permissions: 0, forbidden: 0 };
  private withErrors = 0;
  private samples = 0;

  /** Counts a decision that is a variant of another one, and so not representative. */
  made(decisions = 1): void {
    this.decisions += decisions;
  }

  /** Counts a decision with its outcome. */
  sample(decision: Decision): void {
    this.decisions += 1;
    this.samples += 1;
    this.outcomes[decision.outcome] += 1;
    if (decision.permission.errors.length + decision.platform.errors.length > 0) this.withErrors += 1;
  }

  /** Expects each outcome in at least a tenth of the samples. `errors`: the least share of samples with errors. */
  expectCoverage({ decisions, errors }: { readonly decisions: number; readonly errors: number }): void {
    expect(this.decisions).toBeGreaterThanOrEqual(decisions);
    for (const [outcome, count] of Object.entries(this.outcomes)) {
      expect(count / this.samples, outcome).toBeGreaterThanOrEqual(0.1);
    }
    expect(this.withErrors / this.samples, "errors").toBeGreaterThanOrEqual(errors);
  }

  toString(): string {
    const share = (count: number) => `${((100 * count) / Math.max(1, this.samples)).toFixed(1)} %`;
    const shares = Object.entries(this.outcomes).map(([outcome, count]) => `${outcome} ${share(count)}`);
    return `${this.decisions} decisions: ${shares.join(", ")}, errors ${share(this.withErrors)}`;
  }
}
