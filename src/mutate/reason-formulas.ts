/** When the reasons of a layer can differ between two policy sets, as formulas. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { Formula } from "../engine/formula/formula.js";
import type { PlanRow, PlanStep } from "../engine/plan/plan.js";
import { sanitise } from "../policy/names.js";
import { layerPolicies } from "../proof/layer-policies.js";
import type { QuestionProver } from "../proof/question-prover.js";
import { LAYERS, PRINCIPALS, type SpaceLayer } from "../space/dimension.js";

/**
 * When some reason that decisions show differs. Where this never holds, the same rules decide by both sets, so every
 * decision has the same reasons.
 */
export function reasonsDiffer(prover: QuestionProver, before: PolicySet, after: PolicySet): Formula {
  const { formulas } = prover.world;
  const { allow, insufficient, forbidden } = prover.outcomes(before);
  // Decisions show the reasons of the platform layer only where it forbids.
  const shown: { readonly [layer in SpaceLayer]: { readonly allow: Formula; readonly deny: Formula } } = {
    permission: { allow, deny: insufficient },
    platform: { allow: formulas.no, deny: forbidden },
  };
  return formulas.or(
    ...LAYERS.flatMap((layer) => {
      const [older, newer] = [before, after].map((set) => new LayerReasonFormulas(prover, set, layer).byRuling());
      const keys = new Set([...(older?.keys() ?? []), ...(newer?.keys() ?? [])]);
      return [...keys].map((key) => {
        const [one, other] = [older?.get(key), newer?.get(key)];
        const differs = formulas.not(formulas.same(one?.when ?? formulas.no, other?.when ?? formulas.no));
        return formulas.and(differs, shown[layer][(one ?? other)?.effect ?? "deny"]);
      });
    }),
  );
}

/** A reason of a ruling: the effect that it gives, and when it holds. */
interface RulingReason {
  readonly effect: "allow" | "deny";
  readonly when: Formula;
}

class LayerReasonFormulas {
  private readonly prover: QuestionProver;
  private readonly set: PolicySet;
  private readonly name: SpaceLayer;
  private readonly found = new Map<string, RulingReason>();

  constructor(prover: QuestionProver, set: PolicySet, name: SpaceLayer) {
    this.prover = prover;
    this.set = set;
    this.name = name;
  }

  /** The reasons of each ruling: of each role, and each step of its policies. */
  byRuling(): ReadonlyMap<string, RulingReason> {
    const { set, name, prover } = this;
    const layer = set[name];
    if (layer === undefined) return this.found;
    const { kind, operation } = prover.question;
    const { formulas } = prover.world;
    const policies = layerPolicies(set, layer);
    const principal = PRINCIPALS[name];
    for (const { plan, is } of prover.plans.plansOf(policies, principal, { kind: sanitise(kind), action: operation })) {
      const add = (role: string, steps: readonly PlanStep[], has: Formula) => {
        for (const [order, step] of steps.entries()) {
          const reading = prover.plans.reading(plan, step, policies, principal);
          for (const row of step.rows) {
            const { holds, isDefined } = prover.plans.ofRow(row, step, reading);
            const ruling = [role, order, step.scope, step.asksParents];
            this.add([...ruling, ...wordsOf(row)], row.rule.effect, formulas.and(is, has, holds));
            const erred = [...ruling, "error", row.rule.errorReason.reason];
            this.add(erred, "deny", formulas.and(is, has, formulas.not(isDefined)));
          }
        }
      };
      add("", plan.personal, formulas.yes);
      for (const { role, steps } of plan.roles) add(role, steps, prover.plans.has(principal, role));
    }
    return this.found;
  }

  private add(key: readonly unknown[], effect: "allow" | "deny", when: Formula): void {
    const text = JSON.stringify(key);
    const known = this.found.get(text);
    const both = known === undefined ? when : this.prover.world.formulas.or(known.when, when);
    this.found.set(text, { effect, when: both });
  }
}

/** Rules of role policies give no reasons, but they decide. */
function wordsOf({ rule }: PlanRow): readonly string[] {
  return [rule.effect, rule.kind === "role" ? "role policy" : `reason ${rule.reason.reason}`];
}
