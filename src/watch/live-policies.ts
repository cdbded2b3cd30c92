/** The policies in force: read from a directory, and swapped for others while requests are decided. */

import { type Either, isLeft, left, right } from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { TaskEither } from "fp-ts/lib/TaskEither.js";
import type { Change, Gap } from "../audit/diff/types.js";
import { compilePolicies, type PolicySet } from "../decisions/policy-set.js";
import { policySetHash } from "../decisions/policy-set-hash.js";
import type { PolicyTypes } from "../decisions/policy-types.js";
import { readLockedDirectory } from "../node/directory.js";
import type { LoadOptions } from "../node/load.js";
import type { ReadFiles } from "../node/lock.js";
import type { PolicyIssue } from "../policy/issue.js";
import { doubtsAbout, removedIn } from "./doubts.js";
import { type Completeness, isSameLook, type Look, lookAt, Settling } from "./settling.js";

export interface LiveOptions extends LoadOptions {
  /**
   * What becomes of a change by which something would be allowed that is not. `take`, the default: it is taken over as
   * any other. `hold`: it waits for {@link LivePolicies.confirm}, and the set in force stays.
   */
  readonly onWidening?: "take" | "hold";
  /**
   * What becomes of an edit by which files of the set are gone. `wait`, the default: it is taken over if nothing has
   * changed for the grace time after it was refused. `refuse`: only if somebody asks for it ({@link LivePolicies.reload}).
   * A directory that was swapped as a whole is taken over as it is, and so is a set that its lock vouches for.
   */
  readonly onRemoval?: "wait" | "refuse";
  /**
   * Requirements of the program beyond those of a valid set. A set with a problem is refused, at first and at each reload.
   * It must not throw.
   */
  readonly requires?: (set: PolicySet) => readonly PolicyIssue[];
  /** Is told of everything that becomes of a change. It must not throw. */
  readonly onEvent?: (event: LiveEvent) => void;
  /** Milliseconds of a clock that does not go back. Default: `performance.now`. */
  readonly now?: () => number;
}

export interface InForce<T extends PolicyTypes = PolicyTypes> {
  readonly set: PolicySet<T>;
  /** See `policySetHash`. */
  readonly hash: string;
}

/** A set that waits for its confirmation. */
export interface Held {
  readonly hash: string;
  /** What would be allowed by it that is not. */
  readonly widenings: readonly Change[];
  /** Where not everything could be compared: there may be more. */
  readonly gaps: readonly Gap[];
}

export type LiveEvent =
  | { readonly kind: "taken"; readonly hash: string; readonly before: string }
  | { readonly kind: "held"; readonly held: Held; readonly inForce: string }
  /** The set in force stays. */
  | { readonly kind: "refused"; readonly issues: readonly PolicyIssue[]; readonly inForce: string };

export interface WatchOptions {
  /** How long the files must have been left alone before an edit counts as complete, in milliseconds. Default: 2000. */
  readonly quietMs?: number;
  /** How much longer they must have been left alone if files are gone, in milliseconds. Default: 30,000. */
  readonly graceMs?: number;
  /** How often to look, in milliseconds. Default: 500, and at most a twentieth of the time is spent looking. */
  readonly intervalMs?: number;
}

/** Why the directory is read: somebody asked for it, a change is complete, or files are gone and have been left so. */
type Asked = "asked" | "left" | Completeness;

interface Loaded<T extends PolicyTypes> {
  readonly inForce: InForce<T>;
  readonly read: ReadFiles;
  /** What the directory looked like. */
  readonly look: Look | undefined;
}

interface Waiting<T extends PolicyTypes> extends Held {
  readonly loaded: Loaded<T>;
}

/** `T`: what `keyward types` has written of the policies. A set that follows may know more, or less. */
export class LivePolicies<T extends PolicyTypes = PolicyTypes> {
  private readonly directory: string;
  private readonly options: LiveOptions;
  private loaded: Loaded<T>;
  private waiting: Waiting<T> | undefined;
  private loading: Promise<void> = Promise.resolve();
  private wasRefused = false;
  /** The hash of a set that was refused because files are gone. */
  private removal: string | undefined;

  private constructor(directory: string, options: LiveOptions, loaded: Loaded<T>) {
    this.directory = directory;
    this.options = options;
    this.loaded = loaded;
  }

  /** Left: every problem of every file. Throws a `TypeError` for a value that `onWidening` or `onRemoval` does not have. */
  static load<T extends PolicyTypes = PolicyTypes>(
    directory: string,
    options: LiveOptions = {},
  ): TaskEither<NonEmptyArray<PolicyIssue>, LivePolicies<T>> {
    expectChoices(options);
    return async () => {
      const loaded = await load<T>(directory, options);
      return isLeft(loaded) ? loaded : right(new LivePolicies(directory, options, loaded.right));
    };
  }

  /** For one decision: take it once, and use what was taken. */
  get current(): InForce<T> {
    return this.loaded.inForce;
  }

  /** Whether the files are others than those in force, and were not taken over. */
  get refused(): boolean {
    return this.wasRefused;
  }

  /** The set that waits for its confirmation, if any. */
  get held(): Held | undefined {
    return this.waiting;
  }

  /**
   * Reads the directory again. A valid set takes the place of the one in force, at once and whole, unless it is held; of
   * an invalid one, or of one that was hardly meant, the problems are told, and nothing changes. `how` is that somebody
   * asked for it, or what was noticed. Reloads follow one another.
   */
  reload(how: Asked = "asked"): Promise<void> {
    const next = () => this.reloadNow(how);
    this.loading = this.loading.then(next, next);
    return this.loading;
  }

  /** Takes over the set that is held, as it was read, if it is the one with this hash; says whether it is. */
  confirm(hash: string): boolean {
    const { waiting } = this;
    if (waiting?.hash !== hash) return false;
    this.take(waiting.loaded);
    return true;
  }

  /**
   * Looks at the directory from time to time, and reads it again when a change is complete. Files are looked at, and not
   * watched by the system's means: those do not see that a link in the path leads elsewhere, and are not there on every
   * file system. The function that is returned ends it.
   */
  watch({ quietMs = 2_000, intervalMs = 500, graceMs }: WatchOptions = {}): () => Promise<void> {
    const look = this.looks(quietMs, graceMs);
    let timer: NodeJS.Timeout | undefined;
    let ended = false;
    const next = async (): Promise<void> => {
      const started = performance.now();
      await look();
      if (ended) return;
      const pause = Math.max(intervalMs, 20 * (performance.now() - started));
      timer = setTimeout(go, pause);
      timer.unref();
    };
    let looking = Promise.resolve();
    const go = () => {
      looking = next();
    };
    go();
    return async () => {
      ended = true;
      clearTimeout(timer);
      await looking;
    };
  }

  /** A function that looks once, and reloads if a change is complete by what it sees. */
  looks(quietMs: number, graceMs = 30_000): () => Promise<void> {
    const { now = () => performance.now(), onRemoval = "wait" } = this.options;
    let settling = this.loaded.look && new Settling(this.loaded.look, quietMs);
    let since = 0;
    let gone: { readonly since: number; told: boolean } | undefined;
    return async () => {
      const seen = await lookAt(this.directory).catch(() => undefined);
      if (seen === undefined) {
        // It is between two states, and is looked at again; one that stays away is told of.
        gone ??= { since: now(), told: false };
        if (gone.told || now() - gone.since < graceMs) return;
        gone.told = true;
        return await this.reload("edited");
      }
      const isBack = gone?.told === true;
      gone = undefined;
      settling ??= new Settling(seen, quietMs);
      const how = settling.notice(seen, now()) ?? (isBack ? "edited" : undefined);
      if (how !== undefined) {
        since = now();
        await this.reload(how);
      } else if (this.removal !== undefined && onRemoval === "wait" && settling.isSettled && now() - since >= graceMs) {
        await this.reload("left");
      }
    };
  }

  private async reloadNow(how: Asked): Promise<void> {
    const { removal } = this;
    this.removal = undefined;
    const read = await load<T>(this.directory, this.options);
    if (isLeft(read)) return this.refuse(read.left);
    const next = read.right;
    const wholeByIntent = how === "asked" || how === "swapped";
    const doubts = doubtsAbout(this.loaded.read, next.read, { wholeByIntent });
    if (doubts.length > 0) return this.refuse(doubts);
    const { hash } = next.inForce;
    const removed = wholeByIntent || (how === "left" && hash === removal) ? [] : removedIn(this.loaded.read, next.read);
    if (removed.length > 0) {
      this.removal = hash;
      return this.refuse(removed);
    }
    this.wasRefused = false;
    if (hash === this.current.hash) this.keep(next.read);
    else if (this.options.onWidening !== "hold" || !(await this.hold(next))) this.take(next);
  }

  /** Whether the set has to wait. What could not be compared may let more through. Who holds nothing loads no comparison. */
  private async hold(loaded: Loaded<T>): Promise<boolean> {
    const { set, hash } = loaded.inForce;
    if (this.waiting?.hash === hash) return true;
    const { diffPolicies } = await import("../audit/diff/diff.js");
    const { changes, gaps } = diffPolicies(this.current.set, set);
    const widenings = changes.filter((change) => change.class === "widening");
    if (widenings.length === 0 && gaps.length === 0) return false;
    this.waiting = { hash, widenings, gaps, loaded };
    this.tell({ kind: "held", held: { hash, widenings, gaps }, inForce: this.current.hash });
    return true;
  }

  private take(loaded: Loaded<T>): void {
    const before = this.current.hash;
    this.loaded = loaded;
    this.waiting = undefined;
    this.tell({ kind: "taken", hash: loaded.inForce.hash, before });
  }

  /** The files are those in force. They may have got a lock, or lost it. */
  private keep(read: ReadFiles): void {
    this.loaded = { ...this.loaded, read };
    this.waiting = undefined;
  }

  private refuse(issues: readonly PolicyIssue[]): void {
    this.wasRefused = true;
    this.waiting = undefined;
    this.tell({ kind: "refused", issues, inForce: this.current.hash });
  }

  private tell(event: LiveEvent): void {
    this.options.onEvent?.(event);
  }
}

/** A value from the environment can be undefined or misspelt, and would let through what was to be stopped. */
function expectChoices(options: LiveOptions): void {
  const { onWidening, onRemoval } = options;
  if ("onWidening" in options && onWidening !== "take" && onWidening !== "hold") {
    throw new TypeError('onWidening must be "take" or "hold", or be left out');
  }
  if ("onRemoval" in options && onRemoval !== "wait" && onRemoval !== "refuse") {
    throw new TypeError('onRemoval must be "wait" or "refuse", or be left out');
  }
}

/** Files that change while they are read are no set: some would be old, and some new. */
async function load<T extends PolicyTypes>(
  directory: string,
  options: LiveOptions,
): Promise<Either<NonEmptyArray<PolicyIssue>, Loaded<T>>> {
  const look = () => lookAt(directory).catch(() => undefined);
  const before = await look();
  const read = await readLockedDirectory(directory, options)();
  if (isLeft(read)) return read;
  const after = await look();
  if (before !== undefined && after !== undefined && !isSameLook(before, after)) {
    return left([
      { file: directory, line: 1, column: 1, severity: "error", code: "io", message: "changed while it was read" },
    ]);
  }
  const compiled = compilePolicies<T>(read.right.files, options);
  if (isLeft(compiled)) return compiled;
  const set = compiled.right;
  const [problem, ...more] = options.requires?.(set) ?? [];
  if (problem !== undefined) return left([problem, ...more]);
  return right({ inForce: { set, hash: await policySetHash(set) }, read: read.right, look: after });
}
