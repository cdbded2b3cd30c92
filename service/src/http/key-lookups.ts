/**
 * Looks up the keys of callers that were not seen lately. All that arrive during one look-up are found by the next one, so
 * a valid key waits for two statements at most, however many invalid keys come with it.
 */

import type { KeyProof } from "../store/rows.js";
import { KEY_PROOFS } from "../store/snapshots.js";
import type { RequestStore } from "../store/store.js";
import { Turns } from "./turns.js";

interface Batch {
  readonly prefixes: Set<string>;
  readonly found: Promise<ReadonlyMap<string, KeyProof>>;
}

export class KeyLookups {
  private readonly store: Pick<RequestStore, "run">;
  private readonly turns: Turns;
  /** The look-up that waits for its turn. */
  private waiting: Batch | undefined;

  /** `patienceMs`: how long a look-up waits for the one before it, in milliseconds. */
  constructor(store: Pick<RequestStore, "run">, patienceMs: number) {
    this.store = store;
    this.turns = new Turns(1, patienceMs);
  }

  /** The key with this prefix, or undefined. Rejects with `NoTurn`, or as the store does. */
  async find(prefix: string): Promise<KeyProof | undefined> {
    this.waiting ??= this.next();
    const { prefixes, found } = this.waiting;
    prefixes.add(prefix);
    return (await found).get(prefix);
  }

  private next(): Batch {
    const prefixes = new Set<string>();
    const close = () => {
      if (this.waiting?.prefixes === prefixes) this.waiting = undefined;
    };
    const look = async () => {
      close();
      const rows = await this.store.run<KeyProof>(KEY_PROOFS, [[...prefixes]]);
      return new Map(rows.map((row) => [row.prefix, row]));
    };
    // Deferred until the batch is registered, as the turn may come at once.
    const found = Promise.resolve()
      .then(() => this.turns.run("", look))
      .finally(close);
    return { prefixes, found };
  }
}
