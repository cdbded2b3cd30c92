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
import { type RuleRead, readsOfRule } from "../rule-reads.js";

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
  return valuesOfOperations(policies).map(({ spellings: [kind = ""], operation, values }) => {
    const [permission = [], platform = []] = LAYERS.map((layer) => {
      const paths = values[layer].map(({ root, path }) => pathText(layer, root, path));
      return [...new Set(paths)].sort(compareText);
    });
    return { kind, operation, permission, platform };
  });
}

/** The names of attributes; `any` if the reads do not tell which. */
export type AttributeNames = readonly string[] | "any";

/** The attributes that an operation reads, of each part of the request. */
export interface OperationAttributes {
  readonly kind: string;
  /** See {@link OperationReads.operation}. */
  readonly operation: string;
  readonly key: AttributeNames;
  readonly account: AttributeNames;
  readonly resource: AttributeNames;
}

/** The attributes among {@link readsOfOperations}, for each spelling of a kind. */
export function attributesOfOperations(policies: PolicySet): readonly OperationAttributes[] {
  return valuesOfOperations(policies).flatMap(({ spellings, operation, values: { permission, platform } }) => {
    const key = attributesOf("P", permission);
    const account = attributesOf("P", platform);
    const resource = attributesOf("R", [...permission, ...platform]);
    return spellings.map((kind) => ({ kind, operation, key, account, resource }));
  });
}

function attributesOf(subject: "P" | "R", values: readonly ReadValue[]): AttributeNames {
  const names = new Set<string>();
  for (const { root, path } of values) {
    if (root !== subject && root !== `${subject}.attr`) continue;
    const [name] = path;
    if (root === subject || name === undefined) return "any";
    names.add(name);
  }
  return [...names].sort(compareText);
}

type ReadValue = Pick<RuleRead, "root" | "path">;

interface OperationValues {
  /** The spellings of the kind, at least one. */
  readonly spellings: readonly string[];
  readonly operation: string;
  readonly values: { readonly [layer in SpaceLayer]: readonly ReadValue[] };
}

/** Each operation on each kind, by the first spelling of the kind, then by operation. */
function valuesOfOperations(policies: PolicySet): readonly OperationValues[] {
  const all = policiesOfLayers([policies]);
  const targets = targetsOf(all);
  return [...namedKinds(all)]
    .map(([name, spellings]) => ({ name, spellings: spellings.length === 0 ? [name] : spellings }))
    .sort((a, b) => compareText(a.spellings[0] ?? "", b.spellings[0] ?? ""))
    .flatMap(({ name, spellings }) => {
      const { names, patterns } = actionsOn(targets, name);
      return [...names, ...patterns].sort(compareText).map((operation) => {
        const isAbout = (target: RuleTarget) =>
          isAboutKind(target, name) &&
          (patterns.includes(operation)
            ? target.actions.some((action) => isPattern(target, action))
            : isAboutAction(target, operation));
        const valuesIn = (layer: SpaceLayer) =>
          policiesOf(policies, layer).all.flatMap((policy) =>
            policy.rules.flatMap((rule) => (isAbout(targetOf(policy, rule)) ? readsOfRule(policy, rule) : [])),
          );
        return {
          spellings,
          operation,
          values: { permission: valuesIn("permission"), platform: valuesIn("platform") },
        };
      });
    });
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
