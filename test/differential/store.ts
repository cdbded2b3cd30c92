/**
 * Generated policy stores: Cerbos's whole policy language, except for cases that the server answers at random
 * (docs/cerbos-semantics.md §2.13). The generator observes these limits for that reason:
 * - In one role policy, conditional rules stand under one resource only (§2.13.1), no two rules list one action, and
 *   where there is a condition, only rules with a condition have an output.
 * - In one principal policy, rule names are unique (§2.13.2).
 * - `runtime.effectiveDerivedRoles` is read only in stores without scopes.
 * - All policies of one scope have the same scope permissions, spelled the same (§2.13.3).
 * - No two rules have the same expressions in conditions or outputs of different forms. Where a scope requires consent,
 *   no DENY rule has the expressions of an ALLOW rule. The server confuses such rules
 *   (docs/differences-from-cerbos.md).
 */

import { ACTION_PATTERNS, OPERATIONS } from "../property/arbitraries/vocabulary.js";
import {
  CONSTANT_EXPORT,
  definitions,
  Expressions,
  exportedConstants,
  exportedVariables,
  type Site,
  VARIABLE_EXPORT,
} from "./expressions.js";
import { isObject, type Json, type JsonObject, listAt, objectAt } from "./json.js";
import type { Random } from "./random.js";
import { parentScopes, type Scope } from "./scopes.js";

/** Settings for the server's configuration. */
export interface StoreOptions {
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly lenientScopeSearch: boolean;
  readonly strictEvaluation: boolean;
  readonly schemaEnforcement: "none" | "warn" | "reject";
  readonly globals: JsonObject;
}

export interface Store {
  readonly options: StoreOptions;
  /** Policies, and schemas under `_schemas/`. */
  readonly files: { readonly [path: string]: JsonObject };
}

export const KINDS = ["doc", "album:object", "team", "a/b-c", "1weird:x"] as const;
export const ROLES = ["reader", "writer", "owner", "admin", "mgr", "emp"] as const;
const ROLE_GLOBS = ["admin*", "*er", "?wner", "{mgr,emp}", "[aw]*", "m*", "guest?"] as const;
export const PRINCIPALS = ["u1", "u2", "we@ird.id", "x/y:z"] as const;
export const VERSIONS = ["default", "v2"] as const;
const SCOPES = ["acme", "acme.eu", "acme.eu.web", "acme.us", "other", "other.deep.er"] as const;
const ROLE_SETS = { roles_a: ["dr_one", "dr_two"], "roles-b.1": ["dr_three", "dr_four"] } as const;
const PRINCIPAL_RESOURCES = ["*", "doc", "album:object", "album_object", "al*", "album:*", "{doc,team}*", "team"];
const ROLE_RESOURCES = ["*", "doc", "album:object", "album_object", "al*", "team", "{doc,team}", "d?c", "a_b_c"];
/** The patterns of `../property/arbitraries/vocabulary.ts`, and more. */
const PATTERNS = [...ACTION_PATTERNS, "d*", "doc:*:link", "?*", "[!k]*", "doc\\:*", "read**d", "read*"];

const apiVersion = "api.cerbos.dev/v1";

export function generateStore(random: Random): Store {
  return new Generator(random).store();
}

class Generator {
  private readonly random: Random;
  private readonly expressions: Expressions;
  private readonly scopes: readonly string[];
  private readonly permissions: ReadonlyMap<string, string | undefined>;
  private readonly rootConsents: boolean;
  private readonly documents: JsonObject[] = [];
  private readonly flat: boolean;

  constructor(random: Random) {
    this.random = random;
    this.expressions = new Expressions(random);
    this.flat = random.chance(0.3);
    const leaves = this.flat ? [] : random.some(SCOPES, 1, 3);
    this.scopes = [...new Set(["", ...leaves.flatMap((leaf) => [leaf, ...parentScopes(leaf)])])];
    this.rootConsents = random.chance(0.04);
    this.permissions = new Map(this.scopes.map((scope) => [scope, this.permissionOf(scope)]));
  }

  /** Explicit permissions of the root collide with sets of derived roles and exports (§2.1), so they are rare. */
  private permissionOf(scope: string): string | undefined {
    const REQUIRE = "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS";
    if (scope === "") return this.rootConsents ? REQUIRE : undefined;
    return this.random.pick([REQUIRE, REQUIRE, undefined, "SCOPE_PERMISSIONS_OVERRIDE_PARENT"]);
  }

  store(): Store {
    const { random } = this;
    const enforcement = random.pick(["none", "none", "warn", "reject"] as const);
    const options: StoreOptions = {
      defaultPolicyVersion: random.pick(["default", "default", "default", "v2"]),
      defaultScope: random.chance(0.15) ? random.pick([...SCOPES]) : "",
      lenientScopeSearch: random.chance(0.35),
      strictEvaluation: random.chance(0.25),
      schemaEnforcement: enforcement,
      globals: { environment: "test", limit: 3, flags: { beta: random.chance(0.5) }, list: [1, 2.5] },
    };
    const schemas = enforcement === "none" ? random.chance(0.2) : true;
    for (const kind of random.some(KINDS, 1, 3)) {
      for (const version of this.versions()) {
        for (const scope of this.chain()) this.documents.push(this.resourcePolicy(kind, version, scope, schemas));
      }
    }
    if (random.chance(0.5)) this.principalPolicies();
    if (random.chance(0.4) && !this.rootConsents) this.rolePolicies();
    if (!this.rootConsents) this.sets();
    const files: { [path: string]: JsonObject } = {};
    for (const [i, document] of this.documents.entries())
      files[`policies/p${String(i).padStart(2, "0")}.json`] = withOwnForms(document);
    if (schemas) Object.assign(files, SCHEMAS);
    return { options, files };
  }

  private versions(): readonly string[] {
    return this.random.chance(0.3) ? VERSIONS : [this.random.pick(["default", "default", "v2"])];
  }

  /** The scopes of one policy, with all scopes above them. */
  private chain(): readonly Scope[] {
    const chosen = this.random.some(this.scopes, 1, this.scopes.length);
    return [...new Set(["", ...chosen.flatMap((scope) => [scope, ...parentScopes(scope)])])];
  }

  private scoped(scope: string): JsonObject {
    const permission = this.permissions.get(scope);
    return {
      ...(scope === "" ? {} : { scope }),
      ...(permission === undefined ? {} : { scopePermissions: permission }),
    };
  }

  /** Definitions, and the matching site for expressions. */
  private site(): { readonly site: Site; readonly parts: JsonObject } {
    const defined = !this.rootConsents && this.random.chance(0.6);
    return {
      site: { definitions: defined, runtime: this.flat },
      parts: defined ? definitions(this.random, this.expressions) : {},
    };
  }

  private resourcePolicy(resource: string, version: string, scope: string, schemas: boolean): JsonObject {
    const { random } = this;
    const { site, parts } = this.site();
    const sets = this.rootConsents ? [] : random.some(Object.keys(ROLE_SETS), 0, 2);
    const roles = Object.entries(ROLE_SETS).flatMap(([set, names]) => (sets.includes(set) ? names : []));
    const rules = random.chance(0.06) ? [] : random.times(1, 6, (i) => this.resourceRule(site, roles, i));
    return {
      apiVersion,
      resourcePolicy: {
        resource,
        version,
        ...this.scoped(scope),
        ...(sets.length > 0 ? { importDerivedRoles: sets } : {}),
        ...parts,
        ...(rules.length > 0 ? { rules } : {}),
        ...(schemas && random.chance(0.6) ? { schemas: this.schemaRefs() } : {}),
      },
    };
  }

  private resourceRule(site: Site, derived: readonly string[], index: number): JsonObject {
    const { random } = this;
    const listed = random.chance(0.5) ? random.some(derived, 1, 2) : [];
    const roles: string[] = listed.length > 0 && random.chance(0.6) ? [] : random.some(ROLES, 1, 3);
    if (roles.length > 0 && random.chance(0.2)) roles.push(random.chance(0.3) ? "*" : random.pick(ROLE_GLOBS));
    return {
      actions: this.actions(),
      effect: this.effect(),
      ...(roles.length > 0 ? { roles: random.chance(0.1) ? ["*"] : roles } : {}),
      ...(listed.length > 0 ? { derivedRoles: listed } : {}),
      ...this.named(`r${index}`),
      ...this.conditionAndOutput(site),
    };
  }

  private named(name: string): JsonObject {
    return this.random.chance(0.4) ? { name } : {};
  }

  private effect(): string {
    return this.random.chance(0.72) ? "EFFECT_ALLOW" : "EFFECT_DENY";
  }

  private actions(): string[] {
    const { random } = this;
    return [...new Set([...random.some(OPERATIONS, 1, 3), ...(random.chance(0.35) ? [random.pick(PATTERNS)] : [])])];
  }

  private conditionAndOutput(site: Site): JsonObject {
    const { random } = this;
    return {
      ...(random.chance(0.6) ? { condition: { match: this.match(site, 2) } } : {}),
      ...(random.chance(0.35) ? { output: this.output(site) } : {}),
    };
  }

  private output(site: Site): JsonObject {
    const { random } = this;
    if (random.chance(0.1)) return { expr: this.expressions.output(site) };
    const when: JsonObject = {};
    if (random.chance(0.8)) when.ruleActivated = this.expressions.output(site);
    if (when.ruleActivated === undefined || random.chance(0.5)) when.conditionNotMet = this.expressions.output(site);
    return { when };
  }

  private match(site: Site, depth: number): JsonObject {
    const { random } = this;
    if (depth === 0 || random.chance(0.6)) return { expr: this.expressions.condition(site) };
    const of: Json = random.times(1, 3, () => this.match(site, depth - 1));
    return { [random.pick(["all", "any", "none"])]: { of } };
  }

  private schemaRefs(): JsonObject {
    const { random } = this;
    const use = (ref: string): JsonObject => ({
      ref: `cerbos:///${ref}`,
      ...(random.chance(0.4) ? { ignoreWhen: { actions: random.some([...OPERATIONS, "*", "doc:*"], 1, 3) } } : {}),
    });
    return {
      ...(random.chance(0.7) ? { principalSchema: use("principal.json") } : {}),
      ...(random.chance(0.8) ? { resourceSchema: use(random.pick(["resource.json", "sub/strict.json"])) } : {}),
    };
  }

  private principalPolicies(): void {
    const { random } = this;
    for (const principal of random.some(PRINCIPALS, 1, 2)) {
      for (const version of this.versions()) {
        for (const scope of this.chain()) this.documents.push(this.principalPolicy(principal, version, scope));
      }
    }
  }

  private principalPolicy(principal: string, version: string, scope: string): JsonObject {
    const { random } = this;
    const { site, parts } = this.site();
    // Conditions of a principal policy cannot read derived roles, which are not evaluated yet.
    const inner = { ...site, runtime: false };
    const rules = random.some(PRINCIPAL_RESOURCES, 1, 3).map((resource, i) => ({
      resource,
      actions: random.some([...OPERATIONS, ...PATTERNS], 1, 3).map((action, j) => ({
        action,
        effect: this.effect(),
        ...this.named(`p${i}_${j}`),
        ...this.conditionAndOutput(inner),
      })),
    }));
    const written: JsonObject = random.chance(0.06) ? {} : { rules };
    return { apiVersion, principalPolicy: { principal, version, ...this.scoped(scope), ...parts, ...written } };
  }

  private rolePolicies(): void {
    const { random } = this;
    // Only scopes where no policy states scope permissions: see `permissionOf`.
    const places = this.scopes.filter((scope) => this.permissions.get(scope) === undefined);
    for (const scope of random.some([...places, "roles_only"], 1, 2)) {
      for (const role of random.some(ROLES, 1, 3)) {
        // Every version has the same list of parents, because the server takes the list of any version (§2.13).
        const parents = this.parentsOf(role);
        for (const version of this.versions()) this.documents.push(this.rolePolicy(role, version, scope, parents));
      }
    }
  }

  private parentsOf(role: (typeof ROLES)[number]): readonly string[] {
    const above = ROLES.slice(ROLES.indexOf(role) + 1);
    return this.random.chance(0.6) ? this.random.some(above, 1, 2) : [];
  }

  private rolePolicy(role: string, version: string, scope: string, parents: readonly string[]): JsonObject {
    const { random } = this;
    const resources = random.some(ROLE_RESOURCES, 1, 3);
    const conditional = random.pick(resources);
    const { site, parts } = this.site();
    const inner = { ...site, runtime: false };
    const made = resources.flatMap((resource, i) =>
      random.times(1, 2, (j): JsonObject => {
        const condition = resource === conditional && random.chance(0.5);
        return {
          resource,
          allowActions: random.some([...OPERATIONS, "*", "doc:*", "{read,doc:read}"], 1, 4),
          ...this.named(`a${i}_${j}`),
          ...(condition ? { condition: { match: this.match(inner, 1) } } : {}),
          ...(random.chance(0.35) ? { output: this.output(inner) } : {}),
        };
      }),
    );
    const rules = made.some((rule) => rule.condition !== undefined) ? withoutRepeats(made) : made;
    return {
      apiVersion,
      rolePolicy: {
        role,
        ...(version === "default" && random.chance(0.5) ? {} : { version }),
        ...(scope === "" ? {} : { scope }),
        ...(parents.length > 0 ? { parentRoles: [...parents] } : {}),
        ...parts,
        ...(random.chance(0.08) ? {} : { rules }),
      },
    };
  }

  private sets(): void {
    const { random, expressions } = this;
    for (const [name, roles] of Object.entries(ROLE_SETS)) {
      const defined = random.chance(0.5);
      const site = { definitions: defined, runtime: this.flat };
      const parts = defined ? definitions(random, expressions) : {};
      const made = roles.map((role) => ({
        name: role,
        parentRoles: random.chance(0.15) ? ["*"] : random.some([...ROLES, ...ROLE_GLOBS], 1, 3),
        ...(random.chance(0.7) ? { condition: { match: this.match(site, 1) } } : {}),
      }));
      this.documents.push({ apiVersion, derivedRoles: { name, ...parts, definitions: made } });
    }
    this.documents.push(
      { apiVersion, exportVariables: { name: VARIABLE_EXPORT, definitions: exportedVariables(expressions) } },
      { apiVersion, exportConstants: { name: CONSTANT_EXPORT, definitions: exportedConstants(random) } },
    );
  }
}

/** Expressions that mark the form of a list of conditions without changing its result. */
const FORM_MARKS: { readonly [form: string]: JsonObject } = {
  all: { expr: '"all" != ""' },
  any: { expr: '"any" == ""' },
  none: { expr: '"none" == ""' },
};

/**
 * Makes expressions distinct by the form of their condition or output. Where a scope requires consent, it also marks
 * the conditions of DENY rules.
 */
function withOwnForms(document: JsonObject): JsonObject {
  const asksParents = JSON.stringify(document).includes("REQUIRE_PARENTAL_CONSENT");
  const own = (key: string, value: Json): Json => {
    if (Array.isArray(value)) return value.map((one) => own("", one));
    if (key === "conditionNotMet") return `cel.bind(not_met, true, ${String(value)})`;
    if (!isObject(value)) return value;
    const mark = FORM_MARKS[key];
    if (mark !== undefined && Array.isArray(value.of)) return { of: [...value.of.map((one) => own("", one)), mark] };
    const { match } = objectAt(value, "condition");
    const { condition, ...rest } = value;
    const inner = Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, own(name, one)]));
    if (match === undefined) return condition === undefined ? inner : { ...inner, condition };
    const made = own("", match);
    const denies = asksParents && value.effect === "EFFECT_DENY";
    return { ...inner, condition: { match: denies ? { all: { of: [made, { expr: '"deny" != ""' }] } } : made } };
  };
  const changed = own("", document);
  return isObject(changed) ? changed : document;
}

/**
 * The rules of a role policy without repeated actions: only the first rule that lists an action by name keeps it. A
 * rule without any action left gets an action of its own.
 */
function withoutRepeats(rules: readonly JsonObject[]): JsonObject[] {
  const seen = new Set<Json>();
  return rules.map(({ output, ...rule }, i) => {
    const own = listAt(rule, "allowActions").filter((action) => !seen.has(action) && !/[*{]/.test(String(action)));
    for (const action of own) seen.add(action);
    const said = rule.condition === undefined || output === undefined ? {} : { output };
    return { ...rule, allowActions: own.length > 0 ? own : [`own${i}`], ...said };
  });
}

const WORD: JsonObject = { enum: ["red", "green", "blue"] };

const SCHEMAS: { readonly [path: string]: JsonObject } = {
  "_schemas/principal.json": {
    type: "object",
    properties: {
      team: WORD,
      rank: { type: "number", minimum: 1 },
      groups: { type: "array", items: WORD, maxItems: 2 },
    },
    required: ["team", "rank"],
  },
  "_schemas/resource.json": {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      status: WORD,
      level: { type: "integer" },
      createdAt: { type: "string", format: "date-time" },
      meta: { type: "object", properties: { k: { type: "string", minLength: 4 } }, required: ["n"] },
    },
    required: ["owner"],
    anyOf: [{ required: ["label"] }, { properties: { size: { type: "number", maximum: 1 } } }],
  },
  "_schemas/sub/strict.json": {
    type: "object",
    properties: {
      owner: { type: "string", pattern: "^u[12]$" },
      tags: { type: "array", uniqueItems: true, contains: { const: "red" } },
      scores: { type: "array", items: { type: "number", multipleOf: 1 } },
      path: { not: { const: "other" } },
      locked: { const: false },
    },
    additionalProperties: true,
    dependentRequired: { label: ["size"] },
  },
};
