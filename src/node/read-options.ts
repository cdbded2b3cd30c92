/** How policies are read from a directory. */

export interface LinkOptions {
  /** Whether links may lead out of the directory. Default: `false`, one that does is an error (`io`). */
  readonly followLinks?: boolean;
}

export interface LockOptions {
  /**
   * What becomes of the set's lock (`keyward.lock`). By default a set that has one is read only if it has exactly the
   * files that the lock has; `required`: so is a set that has none. `ignored`: for tools that change a set.
   */
  readonly lock?: "required" | "ignored";
}

export type ReadOptions = LockOptions & LinkOptions;
