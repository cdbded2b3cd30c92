/** Whether statements are so of a request, by evaluation. */

import { usageOf } from "../../cel/expression-usage.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { withoutDot } from "../../engine/plan/scopes.js";
import { reachable } from "../../policy/walk.js";
import type { Layer } from "../../space/dimension.js";
import { Draft, type RequestJson, requestOf } from "../../space/draft.js";
import { Evaluator } from "../../space/evaluator.js";
import type { About, ConditionPart, Requirement } from "./statements.js";

export class Truths {
  private readonly set: PolicySet;
  private readonly evaluators = new Map<Layer, Evaluator>();

  constructor(set: PolicySet) {
    this.set = set;
  }

  /** Whether a request is as is required, as far as that can be looked at. */
  meets(request: RequestJson, required: readonly Requirement[]): boolean {
    return required.every(({ statement: { about }, is }) => {
      if (!this.isByItself(about)) return true;
      const value = this.value(about, request);
      return is === "either" ? value !== undefined : value === (is === "so");
    });
  }

  /** Undefined: it errs. */
  private value(about: About, request: RequestJson): boolean | undefined {
    switch (about.kind) {
      case "part":
        return this.part(about, request);
      case "role":
        return about.isAmong(request.key.roles);
      case "field": {
        const subject = { key: request.key, resource: request.resource, account: request.account }[about.subject];
        const value = subject?.[about.field] ?? "";
        return (about.field === "scope" ? withoutDot(value) : value) === about.value;
      }
      case "schemas":
        return true;
    }
  }

  private part({ layer, expr, definitions, reading }: ConditionPart, request: RequestJson): boolean | undefined {
    const evaluator = this.evaluators.get(layer) ?? new Evaluator(layer, this.set[layer]?.globals ?? {});
    this.evaluators.set(layer, evaluator);
    const value = evaluator.value(expr, definitions, Draft.from(requestOf(request)), reading.types);
    return typeof value === "boolean" ? value : undefined;
  }

  /** Whether a statement can be looked at by itself: which derived roles are active is not known of a request alone. */
  isByItself(about: About): boolean {
    if (about.kind !== "part") return true;
    return !reachable({ expressions: [about], definitions: about.definitions }).some(({ expr }) =>
      usageOf(expr).reads.some(({ root }) => root.startsWith("runtime")),
    );
  }
}
