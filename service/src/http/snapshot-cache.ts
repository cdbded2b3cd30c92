/**
 * Keeps snapshots of keys in memory for a short time. A kept snapshot is used only while the store tells this process of
 * changes, and only if its account has not changed since it was read.
 */

import type { Targets } from "../operations/operation.js";
import type { SnapshotRow } from "../store/rows.js";
import type { ChangeListener } from "../store/store.js";

/** Accounts share a place in the table of changes. A change of another account only costs a look-up. */
const PLACES = 4_096;

/** The order of look-ups and changes. */
class Changes implements ChangeListener {
  private moment = 0;
  private readonly changed = new Float64Array(PLACES);
  private allChanged = 0;
  private listening = false;

  get isListening(): boolean {
    return this.listening;
  }

  /** The moment at which a look-up begins. */
  begin(): number {
    return ++this.moment;
  }

  onListening(isListening: boolean): void {
    this.listening = isListening;
    this.allChanged = ++this.moment;
  }

  onChange(accountId: string): void {
    this.changed[placeOf(accountId)] = ++this.moment;
  }

  /** True if a row of the account that was read since that moment is still as it was. */
  isUnchanged(accountId: string, since: number): boolean {
    return this.listening && since > this.allChanged && since > (this.changed[placeOf(accountId)] ?? 0);
  }
}

function placeOf(accountId: string): number {
  let place = 0;
  for (let i = 0; i < accountId.length; i++) place = (Math.imul(place, 31) + accountId.charCodeAt(i)) >>> 0;
  return place % PLACES;
}

interface Kept<Target> {
  readonly row: SnapshotRow<Target>;
  readonly since: number;
  /** The end of its time, by `performance.now()`. */
  readonly until: number;
}

interface CacheOptions {
  /** The longest time for which a snapshot is kept, in milliseconds. 0: nothing is kept. */
  readonly ageMs: number;
  /** The most snapshots of a kind. */
  readonly most?: number;
  readonly now?: () => number;
}

class SnapshotCache<Target> {
  private readonly changes: Changes;
  private readonly options: Required<CacheOptions>;
  /** In the order in which they were read. */
  private readonly kept = new Map<string, Kept<Target>>();

  constructor(changes: Changes, options: Required<CacheOptions>) {
    this.changes = changes;
    this.options = options;
  }

  get size(): number {
    return this.kept.size;
  }

  /** The snapshot with this name, which is kept or found by `load`. */
  async read(
    name: string,
    load: () => Promise<SnapshotRow<Target> | undefined>,
  ): Promise<SnapshotRow<Target> | undefined> {
    const { ageMs, most, now } = this.options;
    const kept = this.kept.get(name);
    if (kept !== undefined) {
      const { row, since, until } = kept;
      if (now() < until && this.changes.isUnchanged(row.account.id, since)) return row;
      this.kept.delete(name);
    }
    const since = this.changes.begin();
    const until = now() + ageMs;
    const row = await load();
    // A change that was told of meanwhile may be later than what was read.
    if (ageMs > 0 && row !== undefined && this.changes.isUnchanged(row.account.id, since)) {
      this.kept.delete(name);
      this.kept.set(name, { row, since, until });
      const oldest = this.kept.keys().next();
      if (this.kept.size > most && oldest.done !== true) this.kept.delete(oldest.value);
    }
    return row;
  }
}

/** The caches of all kinds of snapshots; they learn of changes together. */
export class SnapshotCaches {
  private readonly changes = new Changes();
  private readonly ageMs: number;
  readonly of: { readonly [Kind in keyof Targets]: SnapshotCache<Targets[Kind]> };

  constructor({ ageMs, most = 10_000, now = () => performance.now() }: CacheOptions) {
    const options = { ageMs, most, now };
    this.ageMs = ageMs;
    this.of = {
      nothing: new SnapshotCache(this.changes, options),
      workspace: new SnapshotCache(this.changes, options),
      api: new SnapshotCache(this.changes, options),
      key: new SnapshotCache(this.changes, options),
      secret: new SnapshotCache(this.changes, options),
    };
  }

  get isOn(): boolean {
    return this.ageMs > 0;
  }

  /** To be told of changes by the store. */
  get listener(): ChangeListener {
    return this.changes;
  }

  /** Forgets an account's snapshots: this process has changed it. */
  changed(accountId: string): void {
    this.changes.onChange(accountId);
  }

  /** For metrics. */
  load(): { readonly kept: number; readonly listening: number } {
    const kept = Object.values(this.of).reduce((sum, { size }) => sum + size, 0);
    return { kept, listening: Number(this.changes.isListening) };
  }
}
