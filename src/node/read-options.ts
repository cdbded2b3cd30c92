/** Options for reading policies from a directory. */

import { among, FLAG, type OptionTable } from "../policy/options.js";

export interface LinkOptions {
  /** Whether links may lead out of the directory. Default: `false`, such a link is an error (`io`). */
  readonly followLinks?: boolean;
}

export interface LockOptions {
  /**
   * How to treat the set's lock (`keyward.lock`). By default a set with a lock is read only if it has exactly the files
   * of the lock. `required`: a set without a lock is refused, too. `ignored`: the lock is not checked, for tools that
   * change a set.
   */
  readonly lock?: "required" | "ignored";
}

export type ReadOptions = LockOptions & LinkOptions;

export const LINK_OPTIONS = { followLinks: FLAG } satisfies OptionTable<LinkOptions>;

export const READ_OPTIONS = {
  ...LINK_OPTIONS,
  lock: among(["required", "ignored"]),
} satisfies OptionTable<ReadOptions>;
