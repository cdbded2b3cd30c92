/** Whole policy sets: both layers, with derived roles, variables, constants, outputs and files that must not count. */

import fc from "fast-check";
import type { JsonValue } from "../../../src/cel/json.js";
import type {
  Definitions,
  DerivedRoleDocument,
  Match,
  Named,
  OutputDocument,
  PolicyDocument,
  PolicyDocuments,
  RuleDocument,
} from "../../reference/documents.js";
import { type Context, condition, outputText, type Profile, reading } from "./expressions.js";
import { ACTION_PATTERNS, IDS, KINDS, type Layer, NUMBERS, OPERATIONS, ROLES, VERSION, WORDS } from "./vocabulary.js";

export interface PolicySetOptions {
  /** What expressions may do; default `any`. */
  readonly profile?: Profile;
}

const apiVersion = "api.cerbos.dev/v1";
const PREFIX = { permission: "perm", platform: "plat" } as const;

/** Policy files of both layers, as documents. */
export function policySet({ profile = "any" }: PolicySetOptions = {}): fc.Arbitrary<PolicyDocuments> {
  return fc
    .subarray([...KINDS], { minLength: 1 })
    .chain((kinds) =>
      fc.tuple(
        layerDocuments("permission", profile, kinds),
        layerDocuments("platform", profile, kinds),
        fc.uniqueArray(bystander(profile), {
          maxLength: 2,
          selector: (document) => JSON.stringify(identity(document)),
        }),
      ),
    )
    .map((parts) => parts.flat());
}

function identity({ resourcePolicy, disabled }: PolicyDocument): unknown {
  return [resourcePolicy?.resource, resourcePolicy?.version, disabled];
}

/** A disabled policy, or one of another version, for a kind that has real ones: it must change nothing. */
function bystander(profile: Profile): fc.Arbitrary<PolicyDocument> {
  const which = fc.tuple(fc.constantFrom<Layer>("permission", "platform"), fc.constantFrom(...KINDS), fc.boolean());
  return which.chain(([layer, kind, disabled]) =>
    rule({ layer, profile, place: "exported" }, []).map((only) => ({
      apiVersion,
      ...(disabled ? { disabled } : {}),
      resourcePolicy: {
        resource: kind,
        version: disabled ? VERSION[layer] : `legacy_${PREFIX[layer]}`,
        rules: [finished(layer, only, 0)],
      },
    })),
  );
}

function layerDocuments(layer: Layer, profile: Profile, kinds: readonly string[]): fc.Arbitrary<PolicyDocument[]> {
  const context: Context = { layer, profile, place: "rule" };
  const [firstKind = "doc", ...otherKinds] = kinds;
  const present = otherKinds.map(() => fc.nat({ max: 19 }).map((roll) => roll > 0));
  const prefix = PREFIX[layer];
  return fc
    .record({
      variables: exportedVariables(context),
      constants: fc.record({ k_id: fc.constantFrom(...IDS), k_num: fc.constantFrom(...NUMBERS) }),
      roles: derivedRoles(context),
      kinds: fc.tuple(...present).map((there) => [firstKind, ...otherKinds.filter((_, i) => there[i])]),
    })
    .chain(({ variables, constants, roles, kinds: chosen }) => {
      const names = roles.definitions.map((role) => role.name);
      const policies = fc.tuple(...chosen.map((kind) => policy(context, kind, names, variables)));
      return policies.map((made): PolicyDocument[] => {
        const set = { name: `${prefix}_roles`, definitions: roles.definitions };
        return [
          ...made,
          { apiVersion, derivedRoles: { ...set, ...definitionsFor(layer, set, roles.locals, variables) } },
          { apiVersion, exportVariables: { name: `${prefix}_vars`, definitions: variables } },
          { apiVersion, exportConstants: { name: `${prefix}_consts`, definitions: constants } },
        ];
      });
    });
}

function policy(
  context: Context,
  resource: string,
  roleNames: readonly string[],
  exported: Named<string>,
): fc.Arbitrary<PolicyDocument> {
  const { layer } = context;
  const first = layer === "platform" ? supported(context) : granted(context);
  const rules = fc.array(rule(context, roleNames), { maxLength: layer === "platform" ? 4 : 5 });
  return fc.tuple(first, rules, fc.nat({ max: 5 }), locals(context)).map(([start, rest, at, own]) => {
    const unnamed =
      start === undefined || rest.length === 0 ? [start ?? rest[0]] : [...rest.slice(0, at), start, ...rest.slice(at)];
    const finishedRules = unnamed.flatMap((one, i) => (one === undefined ? [] : [finished(layer, one, i)]));
    const uses = finishedRules.some((one) => one.derivedRoles !== undefined);
    return {
      apiVersion,
      resourcePolicy: {
        resource,
        version: VERSION[layer],
        ...(uses ? { importDerivedRoles: [`${PREFIX[layer]}_roles`] } : {}),
        ...definitionsFor(layer, finishedRules, own, exported),
        rules: finishedRules,
      },
    };
  });
}

/** A rule whose name is still open. */
interface OpenRule extends Omit<RuleDocument, "name"> {
  readonly named: boolean;
}

/**
 * Names by position. A platform DENY rule always has one, and an output: DESIGN.md §2 requires both. The others may do
 * without, and are then called `rule-001`.
 */
function finished(layer: Layer, { named, ...rest }: OpenRule, i: number): RuleDocument {
  const denial = layer === "platform" && rest.effect === "EFFECT_DENY";
  const name = `${rest.effect === "EFFECT_DENY" ? "denial" : "grant"}_${i + 1}`;
  if (!denial) return named ? { name, ...rest } : rest;
  return { name, ...rest, output: { ...rest.output, when: { ruleActivated: `"${name}"`, ...rest.output?.when } } };
}

/** The platform's list of what there is: nearly always there, and nearly always without a condition. */
function supported(context: Context): fc.Arbitrary<OpenRule | undefined> {
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

/** A grant of much to many, so that keys are allowed something. */
function granted(context: Context): fc.Arbitrary<OpenRule | undefined> {
  const actions = fc.oneof(
    fc.constantFrom<string[][]>(["*"], ["doc:**", "read"], ["keys.*", "read", "doc:*"]),
    fc.subarray<string>([...OPERATIONS], { minLength: 3 }),
  );
  const made = ruleOf(context, {
    actions,
    effect: fc.constant("EFFECT_ALLOW"),
    conditional: mostly(4),
    output: mostly(1),
    roles: fc.oneof(fc.subarray<string>([...ROLES], { minLength: 2 }), fc.constant<string[]>(["*"])),
  });
  return fc.option(made, { nil: undefined, freq: 8 });
}

/** Any rule. */
function rule(context: Context, roleNames: readonly string[]): fc.Arbitrary<OpenRule> {
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
      // A platform DENY rule without a condition would make its operation dead, so it always has one.
      const guarded = conditional || (context.layer === "platform" && effect === "EFFECT_DENY");
      const direct = derived.length === 0 || by !== "derived";
      return {
        named,
        actions,
        // Often for one role alone, so that the roles of a key can disagree.
        ...(direct ? { roles: narrow && effect === "EFFECT_DENY" ? roles.slice(0, 1) : roles } : {}),
        ...(derived.length > 0 && by !== "roles" ? { derivedRoles: derived } : {}),
        effect,
        ...(guarded ? { condition: { match: holds } } : {}),
        ...(output ? { output: when } : {}),
      };
    });
}

function rolesOf(layer: Layer): fc.Arbitrary<string[]> {
  if (layer === "platform") return fc.constantFrom(["account"], ["account"], ["*"]);
  return fc.oneof(
    { weight: 6, arbitrary: fc.subarray<string>([...ROLES], { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.constant<string[]>(["*"]) },
  );
}

function outputOf(context: Context): fc.Arbitrary<OutputDocument> {
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

/** A condition, `depth` lists deep at most. */
function match(context: Context, depth: number): fc.Arbitrary<Match> {
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

/** True `n` times in ten. */
function mostly(n: number): fc.Arbitrary<boolean> {
  return fc.nat({ max: 9 }).map((roll) => roll < n);
}

interface Roles {
  readonly definitions: readonly DerivedRoleDocument[];
  readonly locals: Locals;
}

function derivedRoles(context: Context): fc.Arbitrary<Roles> {
  const { layer } = context;
  const parents =
    layer === "platform"
      ? fc.constantFrom(["account"], ["*"])
      : fc.oneof(fc.subarray<string>([...ROLES], { minLength: 1 }), fc.constant<string[]>(["*"]));
  const role = fc.record({ parentRoles: parents, conditional: mostly(9), holds: match(context, 1) });
  const definitions = fc.array(role, { minLength: 1, maxLength: 3 }).map((roles) =>
    roles.map(({ parentRoles, conditional, holds }, i) => ({
      name: `${PREFIX[layer]}_role_${i + 1}`,
      parentRoles,
      ...(conditional ? { condition: { match: holds } } : {}),
    })),
  );
  return fc.record({ definitions, locals: locals(context) });
}

/** Local definitions that a policy could have; it gets those that it uses. */
interface Locals {
  readonly variables: Named<string>;
  readonly constants: Named<JsonValue>;
  /** Keep them all, used or not. */
  readonly all: boolean;
}

function locals(context: Context): fc.Arbitrary<Locals> {
  const plain: Context = { ...context, place: "local" };
  return fc.record({
    variables: fc.record({
      v_flag: condition({ ...context, place: "localFlag" }, 1),
      v_word: reading(plain, "word"),
      v_num: reading(plain, "num"),
      v_words: reading(plain, "words"),
    }),
    constants: fc.record({
      c_word: fc.constantFrom(...WORDS),
      c_num: fc.constantFrom(...NUMBERS),
      c_words: fc.subarray([...WORDS], { minLength: 1 }),
    }),
    all: mostly(2),
  });
}

function exportedVariables(context: Context): fc.Arbitrary<Named<string>> {
  const plain: Context = { ...context, place: "exported" };
  return fc.record({
    x_flag: condition({ ...context, place: "exportedFlag" }, 1),
    x_word: reading(plain, "word"),
    x_num: reading(plain, "num"),
  });
}

/** What `user` (rules, derived roles) needs: the definitions that it names, and those that these name. */
function definitionsFor(layer: Layer, user: unknown, own: Locals, exported: Named<string>): Definitions {
  const used = new Set<string>();
  const visit = (text: string) => {
    for (const [name] of text.matchAll(/\b[vcxk]_[a-z]+\b/g)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(own.variables[name] ?? exported[name] ?? "");
    }
  };
  visit(JSON.stringify(own.all ? [user, own.variables] : user));
  const some = <T>(named: Named<T>): Named<T> =>
    Object.fromEntries(Object.entries(named).filter(([name]) => own.all || used.has(name)));
  const imports = (initial: string, name: string) =>
    [...used].some((one) => one.startsWith(initial)) ? { import: [`${PREFIX[layer]}_${name}`] } : {};
  return {
    variables: { ...imports("x_", "vars"), local: some(own.variables) },
    constants: { ...imports("k_", "consts"), local: some(own.constants) },
  };
}
