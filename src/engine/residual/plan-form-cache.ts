/** A cache of forms of plans, by the answers that the forms follow from: the invariant "asked, not seen". */

import type { KnownValues } from "./known-values.js";
import type { AnsweredQuestion, QuestionAnswer } from "./question-log.js";

/** A node of the question tree: the next question, with a node for each answer. A leaf has a form. */
class PlanFormNode<T> {
  question: AnsweredQuestion["question"] | undefined = undefined;
  form: T | undefined = undefined;
  /** The answer that came first. It is compared before the others, because it is usually the right one. */
  private answer: QuestionAnswer | undefined = undefined;
  private next: PlanFormNode<T> | undefined = undefined;
  private readonly others = new Map<QuestionAnswer, PlanFormNode<T>>();

  get(answer: QuestionAnswer): PlanFormNode<T> | undefined {
    return answer === this.answer ? this.next : this.others.get(answer);
  }

  /** The node for an answer, created if necessary. */
  of(answer: QuestionAnswer): PlanFormNode<T> {
    const known = this.get(answer);
    if (known !== undefined) return known;
    const made = new PlanFormNode<T>();
    if (this.next !== undefined) this.others.set(answer, made);
    else {
      this.answer = answer;
      this.next = made;
    }
    return made;
  }
}

/** When this many forms are cached, the cache is cleared: requests choose the answers, so their number has no bound. */
const MAX_FORMS = 32;

export class PlanFormCache<T> {
  private root = new PlanFormNode<T>();
  private size = 0;

  find(given: KnownValues): T | undefined {
    let node: PlanFormNode<T> | undefined = this.root;
    while (node?.question !== undefined) node = node.get(node.question(given));
    return node?.form;
  }

  add(asked: readonly AnsweredQuestion[], form: T): void {
    if (this.size === MAX_FORMS) {
      this.root = new PlanFormNode();
      this.size = 0;
    }
    let node = this.root;
    for (const { question, answer } of asked) {
      node.question ??= question;
      node = node.of(answer);
    }
    node.form = form;
    this.size += 1;
  }
}
