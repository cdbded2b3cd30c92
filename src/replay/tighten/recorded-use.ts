/**
 * The recorded uses of keys: an allowed action, an allowed decision, a query plan. Each tells whether another power keeps
 * it, for every request that the record can be of.
 */

import type { Choose } from "../../engine/evaluate/open-check.js";
import { allAnswers } from "../completions.js";
import type { KeyPower } from "./power.js";

/** One recorded use, asked about one power. */
export interface AskedUse {
  /** True if the record lacks an attribute that the rules may read. */
  readonly isLacking: boolean;
  /** True if the power has the use, where nothing is unknown. */
  whole(): boolean;
  /** The same for one combination of answers about the gaps. */
  completed(choose: Choose): boolean;
}

/** One recorded use. */
export interface UseQuestion {
  /** Undefined: the recorded power. The answer about an equal power may be the same object. */
  about(power: KeyPower | undefined): AskedUse;
}

export type UseState =
  /** The policies do not allow the recorded use: they, or the time, are others. */
  | "unreproduced"
  /** The present power of the key does not have it. */
  | "lost before"
  /** It depends on attributes that the log lacks. */
  | "undetermined"
  | "allowed";

export class RecordedUse {
  private readonly question: UseQuestion;
  private readonly today: KeyPower;
  /** The use by the recorded power, and by the present one. */
  private readonly asked: { readonly recorded: AskedUse; readonly today: AskedUse };
  /** Undefined: it depends on attributes that the log lacks. */
  private readonly known: boolean | undefined;
  /** True if neither the recorded power nor the present one reads an attribute that the record lacks. */
  private readonly isWhole: boolean;
  readonly state: UseState;

  constructor(question: UseQuestion, today: KeyPower) {
    this.question = question;
    this.today = today;
    const asked = { recorded: question.about(undefined), today: question.about(today) };
    this.asked = asked;
    const results = this.results(asked.today);
    const [first] = results ?? [];
    this.known = results?.every((one) => one === first) ? first : undefined;
    const isKnown = results !== undefined && (results.length === 0 || this.known !== undefined);
    if (!isKnown) this.state = "undetermined";
    else if (results.length === 0) this.state = "unreproduced";
    else this.state = this.known === true ? "allowed" : "lost before";
    this.isWhole = this.known === true && !asked.recorded.isLacking && !asked.today.isLacking;
  }

  /** True if each request of the record that the present power allows is allowed by `power`, too. */
  isKeptBy(power: KeyPower): boolean {
    if (this.state === "unreproduced" || this.known === false) return true;
    if (power === this.today) return true;
    const asked = this.question.about(power);
    if (this.isWhole && !asked.isLacking) return asked.whole();
    return this.results(asked, this.asked.today)?.every((one) => one) ?? false;
  }

  /**
   * True for each completion of the record in which `asked` has the use, or `unless` does not; without those in which the
   * recorded power does not have it. Undefined: there are too many completions.
   */
  private results(asked: AskedUse, unless?: AskedUse): readonly boolean[] | undefined {
    const { recorded } = this.asked;
    if (unless === undefined && !recorded.isLacking && !asked.isLacking) {
      if (!recorded.whole()) return [];
      return [asked === recorded || asked.whole()];
    }
    const { results } = allAnswers((choose) => {
      const allows = (one: AskedUse) => (one.isLacking ? one.completed(choose) : one.whole());
      if (!allows(recorded)) return undefined;
      return (unless !== undefined && !allows(unless)) || allows(asked);
    });
    return results?.filter((one) => one !== undefined);
  }
}
