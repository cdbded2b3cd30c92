/** The parts of a request that each operation reads to decide: those that a handler has to give. */

import type { PolicySet } from "../../decisions/policy-set.js";
import { actionsOn, namedKinds } from "../../engine/plan/questions.js";
import {
  isAboutAction,
  isAboutKind,
  isPattern,
  type RuleTarget,
  targetOf,
  targetsOf,
} from "../../engine/plan/targets.js";
import { compareText } from "../../policy/issue-log.js";
import { policiesOf, policiesOfLayers } from "../../space/deciding-rules.js";
import { LAYERS, PRINCIPALS, type SpaceLayer } from "../../space/dimension.js";
import { readsOfRule } from "../rule-reads.js";

/** The reads of an operation on a kind. */
export interface OperationReads {
  readonly kind: string;
  /** As policies write it: the name of an operation, or a pattern of names. */
  readonly operation: string;
  /** Paths such as `key.attr.permissions` and `resource.attr.state`, sorted. */
  readonly permission: readonly string[];
  /** Paths such as `account.attr.status`; empty without a platform layer. */
  readonly platform: readonly string[];
}

/**
 * One entry for each operation on each kind that policies name, by kind. The rules that count are those that may decide
 * it, of resource, principal and role policies; their outputs decide nothing, and are left out. The entry of a pattern
 * has the reads of every rule with a pattern.
 */
export function readsOfOperations(policies: PolicySet): readonly OperationReads[] {
  const all = policiesOfLayers([policies]);
  const targets = targetsOf(all);
  return [...namedKinds(all)]
    .flatMap(([name, [kind = name]]) => {
      const { names, patterns } = actionsOn(targets, name);
      return [...names, ...patterns].sort(compareText).map((operation) => {
        const isAbout = (target: RuleTarget) =>
          isAboutKind(target, name) &&
          (patterns.includes(operation)
            ? target.actions.some((action) => isPattern(target, action))
            : isAboutAction(target, operation));
        const [permission = [], platform = []] = LAYERS.map((layer) => readsIn(policies, layer, isAbout));
        return { kind, operation, permission, platform };
      });
    })
    .sort((a, b) => compareText(a.kind, b.kind));
}

function readsIn(policies: PolicySet, layer: SpaceLayer, isAbout: (target: RuleTarget) => boolean): readonly string[] {
  const reads = policiesOf(policies, layer).all.flatMap((policy) =>
    policy.rules.flatMap((rule) => (isAbout(targetOf(policy, rule)) ? readsOfRule(policy, rule) : [])),
  );
  return [...new Set(reads.map(({ root, path }) => pathText(layer, root, path)))].sort(compareText);
}

/** `P.attr` in the platform layer is `account.attr`. */
function pathText(layer: SpaceLayer, root: string, path: readonly string[]): string {
  const start = root.replace(/^P\b/, PRINCIPALS[layer]).replace(/^R\b/, "resource");
  return [start, ...path].join(".");
}

/** The reads for people: a paragraph for each kind. */
export function readsText(reads: readonly OperationReads[]): string {
  const kinds = [...new Set(reads.map(({ kind }) => kind))];
  return kinds
    .map(
      (kind) =>
        `${kind}\n${reads
          .filter((one) => one.kind === kind)
          .map(linesOf)
          .join("")}`,
    )
    .join("\n");
}

function linesOf(reads: OperationReads): string {
  const layers = LAYERS.flatMap((layer) =>
    reads[layer].length === 0 ? [] : [`    ${layer}: ${reads[layer].join(", ")}\n`],
  );
  return `  ${reads.operation}\n${layers.length === 0 ? "    nothing\n" : layers.join("")}`;
}
