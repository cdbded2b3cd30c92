/** The policies in force: loaded, checked, and swapped for others while requests are served. */

import { type PolicyIssue, type PolicySet, policySetHash } from "keyward";
import { loadPolicies } from "keyward/node";
import type { Logger } from "../observability/logger.js";

export interface InForce {
  readonly set: PolicySet;
  /** Names the set in decision records. */
  readonly hash: string;
}

/** Policies that cannot be loaded, with every problem of every file. */
export class PoliciesInvalid extends Error {
  override readonly name = "PoliciesInvalid";
  readonly issues: readonly PolicyIssue[];

  constructor(directory: string, issues: readonly PolicyIssue[]) {
    super(`the policies in ${directory} are not valid`);
    this.issues = issues;
  }
}

export class Policies {
  private readonly directory: string;
  private readonly logger: Logger;
  private inForce: InForce;
  private loading: Promise<void> = Promise.resolve();

  private constructor(directory: string, logger: Logger, inForce: InForce) {
    this.directory = directory;
    this.logger = logger;
    this.inForce = inForce;
  }

  /** Rejects with {@link PoliciesInvalid}. */
  static async load(directory: string, logger: Logger): Promise<Policies> {
    return new Policies(directory, logger, await loaded(directory));
  }

  /** For one decision: take it once, and use what was taken. */
  get current(): InForce {
    return this.inForce;
  }

  /**
   * Loads the directory again. A valid set takes the place of the one in force, at once and whole; of an invalid one the
   * problems are logged, and nothing changes. Never rejects. Reloads follow one another.
   */
  reload(): Promise<void> {
    this.loading = this.loading.then(() => this.reloadNow());
    return this.loading;
  }

  private async reloadNow(): Promise<void> {
    try {
      const next = await loaded(this.directory);
      if (next.hash === this.inForce.hash) return;
      const before = this.inForce.hash;
      this.inForce = next;
      this.logger.info({ policySetHash: next.hash, before }, "policies reloaded");
    } catch (error) {
      const problem = error instanceof PoliciesInvalid ? { issues: error.issues.map(lineOf) } : { err: error };
      const kept = { policySetHash: this.inForce.hash };
      this.logger.error({ ...problem, ...kept }, "policies not reloaded: the set in force stays");
    }
  }
}

async function loaded(directory: string): Promise<InForce> {
  const result = await loadPolicies(directory)();
  if (result._tag === "Left") throw new PoliciesInvalid(directory, result.left);
  return { set: result.right, hash: await policySetHash(result.right) };
}

/** As `keyward check` prints it. */
export function lineOf({ file, line, column, code, message }: PolicyIssue): string {
  return `${file}:${line}:${column} ${code} ${message}`;
}
