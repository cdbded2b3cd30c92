/** The policies in force: loaded, checked, and swapped for others while requests are served. */

import { compilePolicies, type PolicyFile, type PolicyIssue, type PolicySet, policySetHash } from "keyward";
import { readPolicyDirectory } from "keyward/node";
import type { Logger } from "../observability/logger.js";
import { doubtsAbout } from "./doubts.js";
import type { Completeness } from "./watch.js";

export interface InForce {
  readonly set: PolicySet;
  /** Names the set in decision records. */
  readonly hash: string;
}

interface Loaded extends InForce {
  readonly files: readonly PolicyFile[];
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
  private inForce: Loaded;
  private loading: Promise<void> = Promise.resolve();
  private wasRefused = false;

  private constructor(directory: string, logger: Logger, inForce: Loaded) {
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

  /** Whether the files are others than those in force, and were not taken over. */
  get refused(): boolean {
    return this.wasRefused;
  }

  /**
   * Loads the directory again. A valid set takes the place of the one in force, at once and whole; of an invalid one, or
   * of one that was not meant (`doubtsAbout`), the problems are logged, and nothing changes. `how` is that somebody
   * asked for it, or what was noticed. Never rejects. Reloads follow one another.
   */
  reload(how: "asked" | Completeness = "asked"): Promise<void> {
    this.loading = this.loading.then(() => this.reloadNow(how));
    return this.loading;
  }

  private async reloadNow(how: "asked" | Completeness): Promise<void> {
    try {
      const next = await loaded(this.directory);
      const doubts = doubtsAbout(this.inForce.files, next.files, { wholeByIntent: how !== "edited" });
      if (doubts.length > 0) return this.refuse({ issues: doubts });
      this.wasRefused = false;
      if (next.hash === this.inForce.hash) return;
      const before = this.inForce.hash;
      this.inForce = next;
      this.logger.info({ policySetHash: next.hash, before }, "policies reloaded");
    } catch (error) {
      this.refuse(error instanceof PoliciesInvalid ? { issues: error.issues.map(lineOf) } : { err: error });
    }
  }

  private refuse(problem: object): void {
    this.wasRefused = true;
    const kept = { policySetHash: this.inForce.hash };
    this.logger.error({ ...problem, ...kept }, "policies not reloaded: the set in force stays");
  }
}

async function loaded(directory: string): Promise<Loaded> {
  const files = await readPolicyDirectory(directory)();
  if (files._tag === "Left") throw new PoliciesInvalid(directory, files.left);
  const result = compilePolicies(files.right);
  if (result._tag === "Left") throw new PoliciesInvalid(directory, result.left);
  return { set: result.right, hash: await policySetHash(result.right), files: files.right };
}

/** As `keyward check` prints it. */
export function lineOf({ file, line, column, code, message }: PolicyIssue): string {
  return `${file}:${line}:${column} ${code} ${message}`;
}
