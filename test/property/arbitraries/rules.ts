/** Rules of generated policies. */

import fc from "fast-check";
import type { Match, OutputDocument, RuleDocument } from "../../reference/documents.js";
import type { Context } from "./context.js";
import { condition, outputText } from "./expressions.js";
import { ACTION_PATTERNS, type Layer, mostly, OPERATIONS, ROLES } from "./vocabulary.js";

/** A rule before it gets its name. */
export interface OpenRule extends Omit<RuleDocument, "name"> {
  readonly named: boolean;
}

/**
 * Names a rule by its position. A platform DENY rule always has a name and an output, as docs/policies.md asks for.
 * Other rules may have none, and are then called `rule-001`.
 */
export function finished(layer: Layer, { named, ...rest }: OpenRule, i: number): RuleDocument {
  const denial = layer === "platform" && rest.effect === "EFFECT_DENY";
  const name = `${rest.effect === "EFFECT_DENY" ? "denial" : "grant"}_${i + 1}`;
  if (!denial) return named ? { name, ...rest } : rest;
  return { name, ...rest, output: { ...rest.output, when: { ruleActivated: `"${name}"`, ...rest.output?.when } } };
}

/** The platform's rule of supported operations: nearly always present, and nearly always without a condition. */
export function supported(context: Context): fc.Arbitrary<OpenRule | undefined> {
  const actions = fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>(["*"]) },
    { weight: 2, arbitrary: fc.subarray<string>([...OPERATIONS], { minLength: 4 }) },
    { weight: 1, arbitrary: fc.constant<string[]>(["doc:**", "keys.*"]) },
  );
  const made = ruleOf(context, {
    actions,
    effect: fc.constant("EFFECT_ALLOW"),
    conditional: mostly(1),
    output: mostly(0),
    roles: rolesOf("platform"),
  });
  return fc.option(made, { nil: undefined, freq: 12 });
}

/** A rule that grants many actions to many roles, so that keys are often allowed. */
export function granted(context: Context): fc.Arbitrary<OpenRule | undefined> {
  const actions = fc.oneof(
    fc.constantFrom<string[][]>(["*"], ["doc:**", "read"], ["keys.*", "read", "doc:*"]),
    fc.subarray<string>([...OPERATIONS], { minLength: 3 }),
  );
  const made = ruleOf(context, {
    actions,
    effect: fc.constant("EFFECT_ALLOW"),
    conditional: mostly(4),
    output: mostly(1),
    roles: fc.oneof(
      fc.subarray<string>([...ROLES], { minLength: 2 }),
      fc.constantFrom<string[][]>(["*"], ["*er", "admin"]),
    ),
  });
  return fc.option(made, { nil: undefined, freq: 8 });
}

export function rule(context: Context, roleNames: readonly string[]): fc.Arbitrary<OpenRule> {
  const actions = fc.uniqueArray(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom<string>(...OPERATIONS) },
      { weight: 4, arbitrary: fc.constantFrom<string>(...ACTION_PATTERNS) },
    ),
    { minLength: 1, maxLength: 4 },
  );
  const effect = context.layer === "platform" ? mostly(3) : mostly(6);
  return ruleOf(
    context,
    {
      actions,
      effect: effect.map((allow) => (allow ? "EFFECT_ALLOW" : "EFFECT_DENY")),
      conditional: mostly(9),
      output: mostly(3),
      roles: rolesOf(context.layer),
    },
    roleNames,
  );
}

interface RuleParts {
  readonly actions: fc.Arbitrary<string[]>;
  readonly effect: fc.Arbitrary<RuleDocument["effect"]>;
  readonly conditional: fc.Arbitrary<boolean>;
  readonly output: fc.Arbitrary<boolean>;
  readonly roles: fc.Arbitrary<string[]>;
}

function ruleOf(context: Context, parts: RuleParts, roleNames: readonly string[] = []): fc.Arbitrary<OpenRule> {
  return fc
    .record({
      ...parts,
      named: mostly(7),
      derived: roleNames.length === 0 ? fc.constant([]) : fc.subarray([...roleNames], { minLength: 1 }),
      by: fc.constantFrom("roles", "roles", "roles", "derived", "derived", "both"),
      match: match(context, 3),
      when: outputOf(context),
      narrow: mostly(6),
    })
    .map(({ actions, effect, conditional, output, named, roles, derived, by, match: holds, when, narrow }) => {
      // A platform DENY rule without a condition would always refuse its operation, so it always has one.
      const guarded = conditional || (context.layer === "platform" && effect === "EFFECT_DENY");
      const direct = derived.length === 0 || by !== "derived";
      return {
        named,
        actions,
        // Often for one role only, so that the roles of a key can disagree.
        ...(direct ? { roles: narrow && effect === "EFFECT_DENY" ? roles.slice(0, 1) : roles } : {}),
        ...(derived.length > 0 && by !== "roles" ? { derivedRoles: derived } : {}),
        effect,
        ...(guarded ? { condition: { match: holds } } : {}),
        ...(output ? { output: when } : {}),
      };
    });
}

export function rolesOf(layer: Layer): fc.Arbitrary<string[]> {
  if (layer === "platform") return fc.constantFrom(["account"], ["account"], ["*"]);
  return fc.oneof(
    { weight: 6, arbitrary: fc.subarray<string>([...ROLES], { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.constant<string[]>(["*"]) },
  );
}

export function outputOf(context: Context): fc.Arbitrary<OutputDocument> {
  const text = outputText(context);
  return fc.oneof(
    { weight: 3, arbitrary: text.map((ruleActivated) => ({ when: { ruleActivated } })) },
    { weight: 2, arbitrary: text.map((conditionNotMet) => ({ when: { conditionNotMet } })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(text, text)
        .map(([ruleActivated, conditionNotMet]) => ({ when: { ruleActivated, conditionNotMet } })),
    },
  );
}

/** A condition with at most `depth` nested lists. */
export function match(context: Context, depth: number): fc.Arbitrary<Match> {
  const expr = condition(context, 2).map((text): Match => ({ expr: text }));
  if (depth === 0) return expr;
  const of = fc.array(match(context, depth - 1), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 10, arbitrary: expr },
    { weight: 2, arbitrary: of.map((all): Match => ({ all: { of: all } })) },
    { weight: 2, arbitrary: of.map((any): Match => ({ any: { of: any } })) },
    { weight: 1, arbitrary: of.map((none): Match => ({ none: { of: none } })) },
  );
}
