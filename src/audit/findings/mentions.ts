/** The names that policies mention, with their positions: actions of kinds, and roles. */

import { type Call, children, type Expr, type MemberCall } from "../../cel/ast.js";
import { requestValueOf } from "../../cel/expression-usage.js";
import { LIST_RELATIONS } from "../../cel/list-functions.js";
import { OPERATORS } from "../../cel/operators.js";
import { ANY_ROLE } from "../../engine/plan/plan.js";
import { targetOf } from "../../engine/plan/targets.js";
import { alternativesOf, isGlob } from "../../policy/glob.js";
import { grouped } from "../../policy/groups.js";
import type { SourcePosition } from "../../policy/issue.js";
import type { AnyPolicy, Expression } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import { reachable } from "../../policy/policy-expressions.js";
import { type LayeredPolicy, type LayerName, ruleId } from "../policies.js";
import { partsOf, textOperands } from "./reads.js";

/** An action in the list of a rule. */
export interface ActionMention extends SourcePosition {
  readonly layer: LayerName;
  /** The kind, sanitised, or a pattern of kinds. */
  readonly kind: string;
  /** A name or a pattern. */
  readonly action: string;
  /** `restrict`: a role policy's. */
  readonly effect: "allow" | "deny" | "restrict";
  readonly rule: string;
}

export interface RoleMention extends SourcePosition {
  readonly role: string;
}

/** Every action that rules of the layers list; of a pattern that is a list in braces, its entries. */
export function actionsIn(policies: readonly LayeredPolicy[]): readonly ActionMention[] {
  return policies.flatMap(({ layer, policy }) =>
    policy.rules.flatMap((rule, i) => {
      const { written, actions } = targetOf(policy, rule);
      const effect = "effect" in rule ? rule.effect : "restrict";
      const kind = sanitise(written);
      return actions.flatMap((listed, at): readonly ActionMention[] => {
        const place = rule.actionPositions?.[at] ?? rule.at;
        const entries = isGlob(listed) ? alternativesOf(listed) : [listed];
        return entries.map((action) => ({ ...place, layer, kind, action, effect, rule: ruleId(policy, i) }));
      });
    }),
  );
}

/** Mentions by kind, so that a search for one operation does not scan all of them. */
export class Mentions {
  readonly all: readonly ActionMention[];
  /** By their kinds, in the order in which these are first mentioned. */
  readonly kinds: ReadonlyMap<string, MentionsOfKind>;
  private readonly ofPatterns: readonly MentionsOfKind[];

  constructor(all: readonly ActionMention[]) {
    this.all = all;
    const byKind = grouped(all, ({ kind }) => kind);
    this.kinds = new Map([...byKind].map(([kind, mentions]) => [kind, new MentionsOfKind(mentions)]));
    this.ofPatterns = [...this.kinds].flatMap(([kind, mentions]) => (isGlob(kind) ? [mentions] : []));
  }

  of(kind: string): MentionsOfKind {
    return this.kinds.get(kind) ?? NO_MENTIONS;
  }

  /** Can another rule be about the operation of a mention? Patterns in denials do not count. */
  isElsewhere({ kind, action, rule }: ActionMention): boolean {
    const own = isGlob(kind) ? [] : [this.of(kind)];
    return [...own, ...this.ofPatterns].some((mentions) =>
      [mentions.about(action), mentions.patterns].some((some) => some.some((other) => other.rule !== rule)),
    );
  }
}

/** Mentions of one kind, or of one pattern of kinds, in their order. */
export class MentionsOfKind {
  readonly all: readonly ActionMention[];
  /** Mentions of actions by name, not by pattern. */
  readonly named: readonly ActionMention[];
  /** Mentions of patterns in rules that do not deny. */
  readonly patterns: readonly ActionMention[];
  private readonly byAction: ReadonlyMap<string, readonly ActionMention[]>;
  private readonly allowed = new Map<LayerName | undefined, ReadonlySet<string>>();

  constructor(all: readonly ActionMention[]) {
    this.all = all;
    this.named = all.filter(({ action }) => !isGlob(action));
    this.patterns = all.filter(({ action, effect }) => isGlob(action) && effect !== "deny");
    this.byAction = grouped(all, ({ action }) => action);
  }

  about(action: string): readonly ActionMention[] {
    return this.byAction.get(action) ?? [];
  }

  /** The names of actions that a layer allows to some role; without `layer`, that any layer allows. */
  allowedBy(layer?: LayerName): ReadonlySet<string> {
    const known = this.allowed.get(layer);
    if (known !== undefined) return known;
    const allowing = this.named.filter((one) => one.effect === "allow" && (layer === undefined || one.layer === layer));
    const names = new Set(allowing.map(({ action }) => action));
    this.allowed.set(layer, names);
    return names;
  }
}

const NO_MENTIONS = new MentionsOfKind([]);

/** Every role that policies mention except `*`. */
export function rolesIn(policies: readonly AnyPolicy[]): readonly RoleMention[] {
  return policies.flatMap(rolesOf).filter(({ role }) => role !== ANY_ROLE);
}

function rolesOf(policy: AnyPolicy): readonly RoleMention[] {
  if (policy.kind === "principal") return [];
  if (policy.kind === "role") return [policy.role, ...policy.parentRoles].map((role) => ({ ...policy.at, role }));
  const ofRules = policy.rules.flatMap((rule) =>
    rule.roles.map((role, i) => ({ ...(rule.rolePositions?.[i] ?? rule.at), role })),
  );
  const ofDerived = [...policy.derivedRoles.values()].flatMap(({ parentRoles, at }) =>
    parentRoles.map((role) => ({ ...at, role })),
  );
  return [...ofRules, ...ofDerived];
}

/** Every role that expressions look up among the principal's roles: `"admin" in P.roles`. */
export function rolesSought(policies: readonly AnyPolicy[]): readonly RoleMention[] {
  return policies.flatMap((policy) =>
    policy.rules.flatMap((rule) => partsOf(policy, rule).flatMap(reachable).flatMap(soughtIn)),
  );
}

function soughtIn(expression: Expression): readonly RoleMention[] {
  const isSearch = (call: Call | MemberCall) =>
    (OPERATORS.get(call.fn)?.kind === "membership" || LIST_RELATIONS.get(call.fn) === "intersects") &&
    children(call).some(isRoles);
  return textOperands(expression, isSearch).map(({ text, at }) => ({ ...at, role: text }));
}

function isRoles(expr: Expr): boolean {
  return requestValueOf(expr)?.root.path === "P.roles";
}
