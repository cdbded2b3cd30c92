/**
 * Policy sets with names that are easily confused: roles, derived roles, kinds, scopes, versions, principals and actions
 * share names, among them keys of policies, separators, properties of objects, and characters that nobody sees.
 */

import fc from "fast-check";
import type { BundleOptions } from "../../../src/bundle/load.js";
import type { DecisionRequest } from "../../../src/index.js";
import { policyKey } from "../../../src/policy/names.js";
import type { PolicyDocument, RuleDocument } from "../../reference/documents.js";

/** Policies, how they are compiled, and requests for them. */
export interface HostileSet {
  readonly documents: readonly PolicyDocument[];
  readonly options: BundleOptions;
  readonly requests: readonly DecisionRequest[];
}

/** Names that any of them can have. */
const WORDS = ["acme", "doc", "read", "account", "default", "platform", "rule-001", "__proto__", "0"];
const KEYS = ["resource.doc.vdefault", "resource.acme.vplatform", "principal.doc.vdefault", "derivedRoles.acme"];
const SCOPED_KEYS = ["resource.doc.vdefault/acme", "resource.acme.vplatform/doc", "role.acme.vdefault/doc"];
const SEPARATORS = [
  ",",
  ".",
  "/",
  "#",
  " ",
  "\0",
  '"',
  '","',
  "acme,doc",
  "doc/acme",
  "0doc.vdefault/acme",
  "\\",
  "\u2028",
];

/** Names that look alike, or like nothing, and one of the greatest length. */
const UNSEEN = [
  "doc\u200B",
  "\u202Edoc",
  "\u2066doc\u2069",
  "d\u00F6c",
  "do\u0308c",
  "\uFEFF",
  "doc\u00AD",
  "n".repeat(4_096),
];

/** Names that policies cannot have, for keys of requests. */
const FOREIGN = ["", "\uD800", "doc\uDC00", "n".repeat(4_097), "constructor", "*", "toString"];

/** The names that are valid for each kind of name. */
const VERSIONS = WORDS.filter((name) => /^\w+$/.test(name));
const TEXTS = [...WORDS, ...KEYS, ...SCOPED_KEYS, ...SEPARATORS, ...UNSEEN];
const SCOPES = ["acme", "doc", "acme.vdefault", "doc.acme", "default", "0"];
const LABEL = /^[\w.-]+$/;

const apiVersion = "api.cerbos.dev/v1";

const condition = fc
  .tuple(fc.constantFrom("R.attr.n", "P.attr.n", "R.attr.n + P.attr.n"), fc.constantFrom("<", ">", "=="), fc.nat(4))
  .map(([left, operator, right]) => ({ match: { expr: `${left} ${operator} ${right}` } }));
const conditional = fc.option(fc.record({ condition }), { nil: {}, freq: 8 });
const effect = fc.constantFrom<RuleDocument["effect"]>("EFFECT_ALLOW", "EFFECT_ALLOW", "EFFECT_DENY");

function some(names: readonly string[], most = names.length): fc.Arbitrary<string[]> {
  return fc.shuffledSubarray([...names], { minLength: 1, maxLength: Math.min(most, names.length) });
}

/** The names in one layer: few, so that they coincide. */
interface Names {
  readonly version: string;
  readonly kinds: readonly string[];
  readonly actions: readonly string[];
  readonly roles: readonly string[];
  readonly derived: readonly string[];
  readonly scopes: readonly string[];
  readonly principals: readonly string[];
}

type Shared = Pick<Names, "version" | "kinds" | "actions">;

/** Derived roles also have the keys of the layer's own policies as names. */
function namesOf(shared: Shared, roles: fc.Arbitrary<string[]>): fc.Arbitrary<Names> {
  const own = shared.kinds
    .map((kind) => policyKey("resource", kind, shared.version, ""))
    .filter((key) => LABEL.test(key));
  const labels = [...WORDS, ...KEYS].filter((name) => !own.includes(name));
  return fc
    .record({
      roles,
      labels: fc.subarray(labels, { minLength: own.length === 0 ? 1 : 0, maxLength: 1 }),
      scopes: some(SCOPES, 1),
      principals: fc.shuffledSubarray(TEXTS, { maxLength: 1 }),
    })
    .map(({ labels: others, ...rest }) => ({ ...shared, ...rest, derived: [...own, ...others] }));
}

type Who = fc.Arbitrary<Pick<RuleDocument, "roles" | "derivedRoles">>;

/**
 * For the first action a rule of the scope with a derived role applies, and for the second a rule of the root at the
 * same index of its policy: only names distinguish the two. Other actions have arbitrary rules.
 */
function rules({ roles, derived, actions }: Names, scope: string): fc.Arbitrary<RuleDocument[]> {
  const [first = "", second = "", ...others] = actions;
  const byRole = fc.record({ roles: some(roles) });
  const byDerived = fc.record({ derivedRoles: some(derived, 1) });
  const either = fc.record({ roles: some(roles), derivedRoles: some(derived) });
  const always = fc.record({ condition });
  const rule = (on: readonly string[], who: Who, when: fc.Arbitrary<Pick<RuleDocument, "condition">> = always) =>
    fc.tuple(fc.constant(on), who, effect, when);
  const twins =
    scope === ""
      ? [rule(others, byRole), rule([second], byRole)]
      : [rule([first, second], byRole), rule([first], byDerived)];
  const more = fc.array(
    some(others).chain((on) => rule(on, fc.oneof(byRole, byDerived, either), conditional)),
    { maxLength: 2 },
  );
  return fc.tuple(fc.tuple(...twins), more).map(([pair, rest]) =>
    [...pair, ...rest].map(([on, by, does, when], i) => ({
      name: `r${i}`,
      actions: [...on],
      ...by,
      effect: does,
      ...when,
    })),
  );
}

/** For each kind, a policy in the root, in each drawn scope and in the scope above it. */
function resourcePolicies(names: Names): fc.Arbitrary<PolicyDocument[]> {
  const { kinds, scopes, version } = names;
  const all = new Set(["", ...scopes.flatMap((scope) => [scope.split(".")[0] ?? "", scope])]);
  const places = kinds.flatMap((resource) => [...all].map((scope) => ({ resource, scope })));
  const policies = places.map(({ resource, scope }) =>
    rules(names, scope).map((own): PolicyDocument => {
      const policy = { resource, version, importDerivedRoles: [version], rules: own };
      return { apiVersion, resourcePolicy: scope === "" ? policy : { ...policy, scope } };
    }),
  );
  return fc.tuple(...policies);
}

function derivedRoles({ version, roles, derived }: Names): fc.Arbitrary<PolicyDocument> {
  const definition = fc.record({ parentRoles: some(roles), condition });
  return fc.tuple(...derived.map(() => definition)).map((made) => {
    const definitions = made.map((one, i) => ({ name: derived[i] ?? "", ...one }));
    return { apiVersion, derivedRoles: { name: version, definitions } };
  });
}

function principalPolicies({ version, principals, kinds, actions }: Names): fc.Arbitrary<PolicyDocument[]> {
  const rule = fc.tuple(fc.constantFrom(...kinds), fc.constantFrom(...actions), effect, conditional);
  return fc.tuple(...principals.map(() => rule)).map((made) =>
    made.map(([resource, action, does, when], i): PolicyDocument => {
      const own = [{ resource, actions: [{ name: "own", action, effect: does, ...when }] }];
      return { apiVersion, principalPolicy: { principal: principals[i] ?? "", version, rules: own } };
    }),
  );
}

function layer(shared: Shared, roles: fc.Arbitrary<string[]>) {
  return namesOf(shared, roles).chain((names) =>
    fc
      .tuple(resourcePolicies(names), derivedRoles(names), principalPolicies(names))
      .map(([resources, derived, principals]) => ({ names, documents: [...resources, derived, ...principals] })),
  );
}

const heads = fc.record({
  versions: fc.shuffledSubarray(VERSIONS, { minLength: 2, maxLength: 2 }),
  kinds: fc.oneof(some([...WORDS, ...KEYS], 1), some(TEXTS, 2)),
  actions: fc.shuffledSubarray(TEXTS, { minLength: 3, maxLength: 4 }),
  isAlone: fc.nat(3).map((roll) => roll > 0),
});

/** Sometimes two layers, mostly one: questions with the same conditions are then more frequent. */
export function hostileSet(requests: number): fc.Arbitrary<HostileSet> {
  return heads.chain(({ versions: [permissionVersion = "", platformVersion = ""], kinds, actions, isAlone }) =>
    fc
      .tuple(
        layer({ version: permissionVersion, kinds, actions }, some(TEXTS, 1)),
        layer({ version: platformVersion, kinds, actions }, fc.constant(["account"])),
      )
      .chain(([permission, platform]) => {
        const attr = fc.record({ n: fc.nat(4) });
        const scopes = ["", ...permission.names.scopes, ...platform.names.scopes];
        const request: fc.Arbitrary<DecisionRequest> = fc.record({
          key: fc.record({
            id: fc.oneof(
              { weight: 12, arbitrary: fc.constantFrom("nobody", ...permission.names.principals) },
              { weight: 1, arbitrary: fc.constantFrom(...FOREIGN) },
            ),
            roles: rolesOf(permission.names),
            attr,
          }),
          operation: fc.constantFrom(...actions),
          resource: fc.record({
            kind: fc.constantFrom(...kinds),
            id: fc.constant("r"),
            attr,
            scope: fc.constantFrom(...scopes),
          }),
          account: fc.record({ id: fc.constantFrom("a", ...platform.names.principals), attr }),
        });
        return fc.record({
          documents: fc.constant(isAlone ? permission.documents : [...permission.documents, ...platform.documents]),
          options: fc.constant<BundleOptions>(
            isAlone ? { permissionVersion, platform: "none" } : { permissionVersion, platformVersion },
          ),
          requests: fc.array(request, { minLength: requests, maxLength: requests }),
        });
      }),
  );
}

/** Roles of a key: those of the policies, and sometimes one that no policy can have. */
function rolesOf({ roles }: Names): fc.Arbitrary<string[]> {
  const foreign = fc.oneof(
    { weight: 7, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...FOREIGN, ...KEYS) },
  );
  return fc.tuple(some(roles), foreign).map(([own, other]) => (other === undefined ? own : [...own, other]));
}
