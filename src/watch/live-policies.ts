/** The policies in force: read from a directory, and replaced while requests are decided. */

import { isLeft, right } from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { TaskEither } from "fp-ts/lib/TaskEither.js";
import type { DecisionChange, DiffGap } from "../audit/diff/types.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { PolicyTypes } from "../decisions/policy-types.js";
import { LOAD_OPTIONS, type LoadOptions } from "../node/load.js";
import type { ReadFiles } from "../node/lock.js";
import type { PolicyIssue } from "../policy/issue.js";
import {
  ANY,
  CALLBACK,
  checkArgument,
  checkOptions,
  DELAY,
  ignored,
  MILLISECONDS,
  type OptionTable,
  required,
  TEXT,
} from "../policy/options.js";
import { PolicyReader } from "../policy/parse.js";
import { compareInWorker } from "./compare-in-worker.js";
import { type LoadedDirectory, loadDirectory, type PoliciesInForce } from "./load-directory.js";
import { type Completeness, lookAt, Settling } from "./settling.js";
import { doubtsAbout, removedIn } from "./suspicious-changes.js";
import type { SentSet } from "./widenings.js";

export interface LiveOptions extends LoadOptions {
  /**
   * How to treat a change that would allow something not allowed now. `take` (default): take it over like any other
   * change. `hold`: keep the set in force until {@link LivePolicies.confirm}. The sets are compared in a worker thread; a
   * set that cannot be compared is held.
   */
  readonly onWidening?: "take" | "hold";
  /**
   * How to treat an edit that removes files of the set. `wait` (default): refuse the edit, and take it over if nothing
   * changes for the grace time after that. `refuse`: take it over only after a {@link LivePolicies.reload}. A directory
   * that was swapped as a whole is taken over at once, and so is a set that matches its lock.
   */
  readonly onRemoval?: "wait" | "refuse";
  /**
   * Further requirements of the program. A set with a problem is refused, at first load and at each reload. Must not
   * throw.
   */
  readonly requires?: (set: PolicySet) => readonly PolicyIssue[];
  /** Called when a change is taken over, held or refused. Must not throw. */
  readonly onEvent?: (event: LiveEvent) => void;
  /** A monotonic clock, in milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
}

export const LIVE_OPTIONS = {
  ...LOAD_OPTIONS,
  onWidening: ANY,
  onRemoval: ANY,
  requires: CALLBACK,
  onEvent: CALLBACK,
  now: CALLBACK,
} satisfies OptionTable<LiveOptions>;

/** A set that waits for confirmation. */
export interface HeldPolicies {
  readonly hash: string;
  /** Changes by which the set allows something that is not allowed now. */
  readonly widenings: readonly DecisionChange[];
  /** Places where the comparison is incomplete: there may be more widenings. */
  readonly gaps: readonly DiffGap[];
  /** Why the sets could not be compared; then `widenings` and `gaps` are empty, and anything may be newly allowed. */
  readonly failure?: string;
}

export type LiveEvent =
  | { readonly kind: "taken"; readonly hash: string; readonly before: string }
  | { readonly kind: "held"; readonly held: HeldPolicies; readonly inForce: string }
  /** The set in force stays. */
  | { readonly kind: "refused"; readonly issues: readonly PolicyIssue[]; readonly inForce: string };

export interface WatchOptions {
  /** How long the files must stay unchanged before an edit counts as complete, in milliseconds. Default: 2000. */
  readonly quietMs?: number | undefined;
  /** How much longer the files must stay unchanged if some are gone, in milliseconds. Default: 30,000. */
  readonly graceMs?: number | undefined;
  /** The pause between two looks, in milliseconds. Default: 500. At most about a twentieth of the time is spent looking. */
  readonly intervalMs?: number | undefined;
}

export const WATCH_OPTIONS = {
  quietMs: MILLISECONDS,
  graceMs: MILLISECONDS,
  intervalMs: DELAY,
} satisfies OptionTable<WatchOptions>;

/**
 * Why the directory is read: on request, after a complete change, or because files are gone and nothing has changed
 * since.
 */
type ReloadCause = "asked" | "left" | Completeness;

interface WaitingSet<T extends PolicyTypes> extends HeldPolicies {
  readonly loaded: LoadedDirectory<T>;
}

/**
 * `T` is the type that `keyward types` wrote for the policies. Policies that are taken over later may define more, or
 * less.
 */
export class LivePolicies<T extends PolicyTypes = PolicyTypes> {
  private readonly directory: string;
  private readonly options: LiveOptions;
  private readonly reader: PolicyReader;
  private loaded: LoadedDirectory<T>;
  private waiting: WaitingSet<T> | undefined;
  private loading: Promise<void> = Promise.resolve();
  private wasRefused = false;
  /** The hash of a set that was refused because files are gone. */
  private removal: string | undefined;

  private constructor(directory: string, options: LiveOptions, reader: PolicyReader, loaded: LoadedDirectory<T>) {
    this.directory = directory;
    this.options = options;
    this.reader = reader;
    this.loaded = loaded;
  }

  /**
   * Left: every problem of every file. Throws a `TypeError` for an unknown option or an invalid value. `onWidening` and
   * `onRemoval` must not be `undefined`.
   */
  static load<T extends PolicyTypes = PolicyTypes>(
    directory: string,
    options: LiveOptions = {},
  ): TaskEither<NonEmptyArray<PolicyIssue>, LivePolicies<T>> {
    checkArgument("directory", directory, TEXT);
    checkOptions(options, { ...ignored(WATCH_OPTIONS), ...LIVE_OPTIONS });
    expectChoices(options);
    return async () => {
      const reader = new PolicyReader();
      const loaded = await loadDirectory<T>(directory, options, reader);
      return isLeft(loaded) ? loaded : right(new LivePolicies(directory, options, reader, loaded.right));
    };
  }

  /** The set in force. Read this once per decision, and use the same set throughout. */
  get current(): PoliciesInForce<T> {
    return this.loaded.inForce;
  }

  /** Whether the files in the directory differ from those in force because they were refused. */
  get refused(): boolean {
    return this.wasRefused;
  }

  /** The set that waits for confirmation, if any. */
  get held(): HeldPolicies | undefined {
    return this.waiting;
  }

  /**
   * Reads the directory again. A valid set replaces the set in force at once and as a whole, unless it is held. An
   * invalid or doubtful set is reported and changes nothing. `how` is "asked" if a person asked for the reload; other
   * values are for changes that `watch` noticed. Reloads run one after another.
   */
  reload(how: ReloadCause = "asked"): Promise<void> {
    const next = () => this.reloadNow(how);
    this.loading = this.loading.then(next, next);
    return this.loading;
  }

  /** Takes over the held set as it was read. Returns false, and changes nothing, if the held set has another hash. */
  confirm(hash: string): boolean {
    const { waiting } = this;
    if (waiting?.hash !== hash) return false;
    this.take(waiting.loaded);
    return true;
  }

  /**
   * Looks at the directory at intervals, and reloads when a change is complete. It polls because the system's file
   * watchers miss a link in the path that now leads elsewhere, and do not exist on every file system. The returned
   * function ends the watch. Throws a `TypeError` for an unknown option or an invalid value.
   */
  watch(options: WatchOptions = {}): () => Promise<void> {
    checkOptions(options, { ...ignored(LIVE_OPTIONS), ...WATCH_OPTIONS });
    const { quietMs = 2_000, intervalMs = 500, graceMs } = options;
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

  /** Returns a function that looks once, and reloads if that look shows a complete change. */
  looks(quietMs: number, graceMs = 30_000): () => Promise<void> {
    checkOptions({ quietMs, graceMs }, { ...WATCH_OPTIONS, quietMs: required(MILLISECONDS) });
    const { now = () => performance.now(), onRemoval = "wait" } = this.options;
    let settling = this.loaded.look && new Settling(this.loaded.look, quietMs);
    let since = 0;
    let gone: { readonly since: number; told: boolean } | undefined;
    return async () => {
      const seen = await lookAt(this.directory).catch(() => undefined);
      if (seen === undefined) {
        // The directory may be between two states: look again. If it stays unreadable for the grace time, report it once.
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

  private async reloadNow(how: ReloadCause): Promise<void> {
    const { removal } = this;
    this.removal = undefined;
    const read = await loadDirectory<T>(this.directory, this.options, this.reader);
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

  /**
   * Holds the set if it may allow more than the set in force; returns whether it is held. Gaps in the comparison count,
   * too, and so does a comparison that failed.
   */
  private async hold(loaded: LoadedDirectory<T>): Promise<boolean> {
    const { set, hash } = loaded.inForce;
    if (this.waiting?.hash === hash && this.waiting.failure === undefined) return true;
    // A person may confirm another set meanwhile: the comparison must be with the set that is in force at its end.
    let compared: PoliciesInForce<T>;
    let found: HeldPolicies;
    do {
      compared = this.current;
      found = { hash, ...(await this.compare(compared.set, set)) };
    } while (compared !== this.current);
    if (found.widenings.length === 0 && found.gaps.length === 0 && found.failure === undefined) return false;
    this.waiting = { ...found, loaded };
    this.tell({ kind: "held", held: found, inForce: this.current.hash });
    return true;
  }

  private async compare(before: PolicySet, after: PolicySet): Promise<Omit<HeldPolicies, "hash">> {
    const { onWidening, onRemoval, requires, onEvent, now, lock, followLinks, ...options } = this.options;
    const result = await compareInWorker({ before: sentSet(before), after: sentSet(after), options });
    return result.kind === "compared" ? result.found : { widenings: [], gaps: [], failure: result.why };
  }

  private take(loaded: LoadedDirectory<T>): void {
    const before = this.current.hash;
    this.loaded = loaded;
    this.waiting = undefined;
    this.tell({ kind: "taken", hash: loaded.inForce.hash, before });
  }

  /** The new files equal those in force, but a lock may have been added or removed. */
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

function sentSet({ files, configuration }: PolicySet): SentSet {
  return { files, configuration };
}

/** A value from the environment can be undefined or misspelt, and would then let through changes meant to be stopped. */
function expectChoices(options: LiveOptions): void {
  const { onWidening, onRemoval } = options;
  if ("onWidening" in options && onWidening !== "take" && onWidening !== "hold") {
    throw new TypeError('onWidening must be "take" or "hold", or be left out');
  }
  if ("onRemoval" in options && onRemoval !== "wait" && onRemoval !== "refuse") {
    throw new TypeError('onRemoval must be "wait" or "refuse", or be left out');
  }
}
