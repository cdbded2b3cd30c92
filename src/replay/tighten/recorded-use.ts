/**
 * The recorded uses of keys: an allowed action, an allowed decision, a query plan. Each tells whether another power keeps
 * it, for every request that the record can be of.
 */

import type { Choose } from "../../engine/evaluate/open-check.js";
import { allAnswers } from "../completions.js";
import type { KeyPower } from "./power.js";

/** One recorded use, asked about powers. A power of undefined is the recorded one. */
export interface UseQuestion {
  /** True if the record lacks an attribute that the rules may read. */
  isLacking(power: KeyPower | undefined): boolean;
  /** True if the power has the use, where nothing is unknown. */
  whole(power: KeyPower | undefined): boolean;
  /** The same for one combination of answers about the gaps. */
  completed(power: KeyPower | undefined, choose: Choose): boolean;
}

/** Tells whether a power has the use. */
type Allows = (power: KeyPower | undefined) => boolean;

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
  /** Undefined: it depends on attributes that the log lacks. */
  private readonly known: boolean | undefined;
  /** True if neither the recorded power nor the present one reads an attribute that the record lacks. */
  private readonly isWhole: boolean;
  readonly state: UseState;

  constructor(question: UseQuestion, today: KeyPower) {
    this.question = question;
    this.today = today;
    const results = this.results((allows) => allows(today));
    const [first] = results ?? [];
    this.known = results?.every((one) => one === first) ? first : undefined;
    const isKnown = results !== undefined && (results.length === 0 || this.known !== undefined);
    if (!isKnown) this.state = "undetermined";
    else if (results.length === 0) this.state = "unreproduced";
    else this.state = this.known === true ? "allowed" : "lost before";
    this.isWhole = this.known === true && !question.isLacking(undefined) && !question.isLacking(today);
  }

  /** True if each request of the record that the present power allows is allowed by `power`, too. */
  isKeptBy(power: KeyPower): boolean {
    if (this.state === "unreproduced" || this.known === false) return true;
    const { today, question } = this;
    if (power === today) return true;
    if (this.isWhole && !question.isLacking(power)) return question.whole(power);
    return this.results((allows) => !allows(today) || allows(power))?.every((one) => one) ?? false;
  }

  /** The results for each completion of the record in which it is as recorded; undefined: there are too many. */
  private results(test: (allows: Allows) => boolean): readonly boolean[] | undefined {
    const { results } = allAnswers((choose) => {
      const allows: Allows = (power) => {
        const { question } = this;
        return question.isLacking(power) ? question.completed(power, choose) : question.whole(power);
      };
      return allows(undefined) ? test(allows) : undefined;
    });
    return results?.filter((one) => one !== undefined);
  }
}
