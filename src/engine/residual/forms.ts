/** Forms of plans, kept by the answers that they follow from: the invariant "asked, not seen". */

import type { Given } from "./given.js";
import type { Answer, Asked } from "./inquiry.js";

/** What is asked next, and where each answer leads. At its end there is a form. */
class Node<T> {
  question: Asked["question"] | undefined = undefined;
  form: T | undefined = undefined;
  /** The answer that was given first, which is looked at before the others: it is most often the one. */
  private answer: Answer | undefined = undefined;
  private next: Node<T> | undefined = undefined;
  private readonly others = new Map<Answer, Node<T>>();

  get(answer: Answer): Node<T> | undefined {
    return answer === this.answer ? this.next : this.others.get(answer);
  }

  /** Where an answer leads, which is made if it is not there. */
  of(answer: Answer): Node<T> {
    const known = this.get(answer);
    if (known !== undefined) return known;
    const made = new Node<T>();
    if (this.next !== undefined) this.others.set(answer, made);
    else {
      this.answer = answer;
      this.next = made;
    }
    return made;
  }
}

/** Forms that are kept of what was asked, before it is begun anew: requests choose the answers. */
const MAX_FORMS = 32;

export class Forms<T> {
  private root = new Node<T>();
  private size = 0;

  find(given: Given): T | undefined {
    let node: Node<T> | undefined = this.root;
    while (node?.question !== undefined) node = node.get(node.question(given));
    return node?.form;
  }

  add(asked: readonly Asked[], form: T): void {
    if (this.size === MAX_FORMS) {
      this.root = new Node();
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
