/**
 * Roles, derived roles, kinds, scopes, versions, principals and actions share names here, among them keys of policies
 * and separators. An imported bundle, its text, and the policies with generated functions decide as closures do.
 */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { BundleOptions } from "../../src/bundle/load.js";
import { type DecisionRequest, decide, deciderFor } from "../../src/index.js";
import { policyKey } from "../../src/policy/names.js";
import type { PolicyDocument, RuleDocument } from "../reference/documents.js";
import { bundledSets } from "../support/bundles.js";
import { watchFunctions } from "../support/functions.js";
import { compiled } from "../support/policies.js";
import { SEED, say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { Tally } from "../support/tally.js";
import { toFiles } from "./arbitraries/index.js";

const SETS = sized(300, 30);
const REQUESTS = 40;

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

/** The names that are valid for each kind of name. */
const VERSIONS = WORDS.filter((name) => /^\w+$/.test(name));
const TEXTS = [...WORDS, ...KEYS, ...SCOPED_KEYS, ...SEPARATORS];
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
const cases = heads.chain(({ versions: [permissionVersion = "", platformVersion = ""], kinds, actions, isAlone }) =>
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
          id: fc.constantFrom("nobody", ...permission.names.principals),
          roles: some(permission.names.roles),
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
        requests: fc.array(request, { minLength: REQUESTS, maxLength: REQUESTS }),
      });
    }),
);

test("a bundle decides as its policies, whatever their names", { timeout: 600_000 }, async () => {
  const tally = new Tally();
  let found = 0;
  const unwatch = watchFunctions((_, isFound) => {
    if (isFound) found++;
  });
  for (const { documents, options, requests } of fc.sample(cases, { numRuns: SETS, seed: SEED })) {
    const files = toFiles(documents);
    const closures = compiled(files, { ...options, codegen: false });
    const policies = compiled(files, options);
    const { module, text } = await bundledSets(policies, options);
    for (const one of requests) {
      const expected = decide(closures, one);
      tally.sample(expected);
      const { key, ...target } = one;
      const byDecider = deciderFor(module, { key }).decide(target);
      for (const other of [decide(module, one), decide(text, one), decide(policies, one), byDecider]) {
        if (!isDeepStrictEqual(other, expected))
          expect({ documents, one, other }).toEqual({ documents, one, expected });
      }
    }
  }
  unwatch();
  say(`names: ${tally}; functions found ${found}`);
  tally.expectCoverage({ decisions: SETS * REQUESTS, errors: 0 });
  expect(found).toBeGreaterThan(tally.decisions / 2);
});
