/** Keeps the state of the playground in the address of the page. */

import type { Example } from "./example.js";
import { fragmentOf, LONGEST, openFragment, type Shared } from "./link.js";

/** The pause between changes in milliseconds: browsers limit how often the address may change. */
const PAUSE = 300;

export class Address {
  private readonly examples: readonly Example[];
  private readonly show: (shared: Shared | undefined) => void;
  private readonly say: (message: string) => void;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Incremented with each state and address. Packing is asynchronous, so only the result of the last turn is used. */
  private turn = 0;

  /** `show` gets the state in the address, or nothing if the examples are to be shown. */
  constructor(
    examples: readonly Example[],
    show: (shared: Shared | undefined) => void,
    say: (message: string) => void,
  ) {
    this.examples = examples;
    this.show = show;
    this.say = say;
    addEventListener("hashchange", () => void this.open());
  }

  /** Shows the state in the address. */
  async open(): Promise<void> {
    clearTimeout(this.timer);
    const turn = ++this.turn;
    const { shared, message } = await openFragment(location.hash, this.examples);
    if (turn !== this.turn) return;
    this.show(shared);
    this.say(message ?? "");
  }

  /** Writes a state into the address after a pause without further states. */
  keep(shared: Shared): void {
    clearTimeout(this.timer);
    const turn = ++this.turn;
    this.timer = setTimeout(() => void this.write(shared, turn), PAUSE);
  }

  private async write(shared: Shared, turn: number): Promise<void> {
    const fragment = await fragmentOf(shared);
    if (turn !== this.turn) return;
    const fits = fragment.length <= LONGEST;
    history.replaceState(null, "", location.pathname + location.search + (fits ? fragment : ""));
    const letters = fragment.length.toLocaleString("en");
    this.say(fits ? "" : `Too long for a link: ${letters} characters, of at most ${LONGEST.toLocaleString("en")}.`);
  }
}
