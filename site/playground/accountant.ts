/** Asks the worker for one account at a time, of the state that is the latest when it is free. */

import type { Account, State } from "./evaluation.js";

export class Accountant {
  private readonly worker = new Worker("worker.js", { type: "module" });
  private next: State | undefined;
  private isBusy = false;

  /** `told` is called with the accounts of states that nothing has replaced meanwhile. */
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
