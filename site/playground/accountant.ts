/** Requests accounts from the worker, one at a time. When the worker is free, it gets the latest state. */

import type { Account, State } from "./evaluation.js";

export class Accountant {
  private readonly worker = new Worker("worker.js", { type: "module" });
  private next: State | undefined;
  private isBusy = false;

  /** `told` gets each account, except those of states that were replaced in the meantime. */
  constructor(told: (account: Account) => void, failed: (reason: string) => void) {
    this.worker.addEventListener("message", ({ data }: MessageEvent<Account>) => {
      this.isBusy = false;
      if (this.next === undefined) told(data);
      else this.send();
    });
    this.worker.addEventListener("error", ({ message }) => failed(message));
  }

  ask(state: State): void {
    this.next = state;
    if (!this.isBusy) this.send();
  }

  private send(): void {
    this.worker.postMessage(this.next);
    this.next = undefined;
    this.isBusy = true;
  }
}
