/** Policies and test suites for `cerbos compile` and `keyward test`. */

export const POLICIES: { readonly [path: string]: string } = {
  "_schemas/doc.json": `{"type": "object", "properties": {"owner": {"type": "string"}}, "required": ["owner"]}`,
  "doc.yaml": `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  importDerivedRoles: [doc_roles]
  rules:
    - name: own
      actions: [view, edit]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: {match: {expr: R.attr.owner == P.id}}
      output: {when: {ruleActivated: '{"count": 1, "who": P.id}', conditionNotMet: '"not the owner"'}}
    - name: timed
      actions: [timed]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: {match: {expr: now() > timestamp("2020-01-01T00:00:00Z")}}
      output: {when: {ruleActivated: string(now())}}
    - name: unneeded_clock
      actions: [maybe]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: {match: {any: {of: [{expr: R.attr.owner == P.id}, {expr: now() > timestamp("2020-01-01T00:00:00Z")}]}}}
    - name: clock_without_use
      actions: [clock]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: {match: {expr: now() == now() || true}}
    - name: globals
      actions: [globals]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: {match: {expr: G.environment == "test" && G.limit == 5}}
    - name: claims
      actions: [claims]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: {match: {expr: 'request.auxData.jwt.exp == 5 && request.auxData.jwt.aud == "me"'}}
    - name: values
      actions: [values]
      roles: [user]
      effect: EFFECT_ALLOW
      output: {when: {ruleActivated: '{"big": 9007199254740993, "f": 1.5, "list": [1, 2.0], "t": timestamp("2021-01-01T00:00:00Z")}'}}
    - name: nothing
      actions: [values]
      roles: [user]
      effect: EFFECT_ALLOW
      output: {when: {ruleActivated: 'null'}}
    - name: fails
      actions: [values]
      roles: [user]
      effect: EFFECT_ALLOW
      output: {when: {ruleActivated: 'R.attr.missing'}}
    - name: derived
      actions: [derived]
      derivedRoles: [owner]
      effect: EFFECT_ALLOW
    - name: errs
      actions: [errs]
      roles: ["*"]
      effect: EFFECT_DENY
      condition: {match: {expr: R.attr.missing}}
    - name: but_allowed
      actions: [errs]
      roles: ["*"]
      effect: EFFECT_ALLOW
    - name: country
      actions: [country]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: {match: {expr: P.attr.country == "no"}}
`,
  "roles.yaml": `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: doc_roles
  definitions:
    - name: owner
      parentRoles: [user]
      condition: {match: {expr: R.attr.owner == P.id}}
`,
  "old.yaml": `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: old
  rules:
    - {actions: [view], roles: [user], effect: EFFECT_DENY}
    - {actions: [edit], roles: [user], effect: EFFECT_ALLOW}
`,
  "acme.yaml": `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  scope: acme
  rules:
    - {actions: [view], roles: [user], effect: EFFECT_ALLOW}
`,
  "strict.yaml": `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: held
  version: default
  schemas: {resourceSchema: {ref: "cerbos:///doc.json"}}
  rules:
    - {actions: ["*"], roles: [user], effect: EFFECT_ALLOW}
`,
  "alice.yaml": `apiVersion: api.cerbos.dev/v1
principalPolicy:
  principal: eve
  version: default
  rules:
    - resource: doc
      actions: [{action: view, effect: EFFECT_DENY, name: not_eve, output: {when: {ruleActivated: '"eve"'}}}]
`,
};

const PRINCIPALS =
  "  alice: {id: alice, roles: [user]}\n  bob: {id: bob, roles: [user]}\n  eve: {id: eve, roles: [user]}";
const RESOURCES = `  d1: {id: d1, kind: doc, attr: {owner: alice}}
  d2: {id: d2, kind: doc, attr: {owner: bob}}
  old: {id: d1, kind: doc, policyVersion: old, attr: {owner: bob}}
  scoped: {id: d1, kind: doc, scope: acme, attr: {owner: bob}}
  unscoped: {id: d1, kind: doc, scope: acme.eu, attr: {owner: alice}}
  held: {id: h1, kind: held, attr: {owner: alice}}
  loose: {id: h2, kind: held, attr: {owner: 5}}`;

const TEST = `  - name: T1
    input: {principals: [alice], resources: [d1], actions: [view]}
    expected: [{principal: alice, resource: d1, actions: {view: EFFECT_ALLOW}}]`;

/** A passing suite, with some of its parts replaced. */
export function suiteOf(
  parts: { [part in "name" | "head" | "principals" | "resources" | "tests"]?: string } = {},
): string {
  const { name = "Suite", head = "", principals = PRINCIPALS, resources = RESOURCES, tests = TEST } = parts;
  return `name: ${name}\n${head}\nprincipals:\n${principals}\nresources:\n${resources}\ntests:\n${tests}\n`;
}

const CLAIMS = "auxData: {me: {jwt: {exp: 5, aud: me}}, other: {jwt: {exp: 6, aud: me}}}";

function expected(...actions: readonly string[]): string {
  const effects = actions.map((action) => `${action}: EFFECT_ALLOW`).join(", ");
  return `[{principal: alice, resource: d1, actions: {${effects}}}]`;
}

export const RUNNABLE: { readonly [path: string]: string } = {
  "matrix_test.yaml": suiteOf({
    name: "Matrix",
    head: `description: every pair\nprincipalGroups: {people: {principals: [alice, bob]}}\nresourceGroups: {docs: {resources: [d2, d1]}}`,
    tests: `  - name: all
    description: principals and groups
    input: {principals: [bob], principalGroups: [people], resourceGroups: [docs], actions: [view, edit, derived]}
    expected:
      - {principal: alice, resource: d1, actions: {view: EFFECT_ALLOW, edit: EFFECT_ALLOW, derived: EFFECT_ALLOW}}
      - {principals: [bob], resources: [d2], actions: {view: EFFECT_ALLOW, edit: EFFECT_DENY, derived: EFFECT_ALLOW}}
      - {principalGroups: [people], resource: d1, actions: {edit: EFFECT_ALLOW}}
  - name: denied by default
    input: {principals: [eve, bob], resources: [d1], actions: [view]}
    expected: [{principal: eve, resource: d1, actions: {view: EFFECT_DENY}}]
  - name: skipped
    skip: true
    skipReason: not yet
    input: {principals: [alice, bob], resources: [d1], actions: [view, edit]}
    expected: [{principal: alice, resource: d1, actions: {view: EFFECT_ALLOW}}]
  - name: skipped without a reason
    skip: true
    input: {principals: [alice], resources: [d1], actions: [view]}
    expected: [{principal: alice, resource: d1, actions: {view: EFFECT_ALLOW}}]`,
  }),
  "outputs_test.yaml": suiteOf({
    name: "Outputs",
    tests: `  - name: as expected
    input: {principals: [alice, bob], resources: [d1], actions: [view, values]}
    expected:
      - principal: alice
        resource: d1
        actions: {view: EFFECT_ALLOW, values: EFFECT_ALLOW}
        outputs:
          - {action: view, expected: [{src: resource.doc.vdefault#own, val: {count: 1, who: alice}}]}
          - action: values
            expected:
              - {src: resource.doc.vdefault#values, val: {big: "9007199254740993", f: 1.5, list: [1, 2], t: "2021-01-01T00:00:00Z"}}
              - {src: resource.doc.vdefault#nothing, val: null}
      - {principal: bob, resource: d1, actions: {values: EFFECT_ALLOW}}
  - name: not as expected
    input: {principals: [alice], resources: [d1], actions: [view, values]}
    expected:
      - principal: alice
        resource: d1
        actions: {view: EFFECT_ALLOW, values: EFFECT_ALLOW}
        outputs:
          - {action: view, expected: [{src: resource.doc.vdefault#own, val: {count: 2}}, {src: nowhere, val: 1}, {src: nothing}]}
          - action: values
            expected: [{src: resource.doc.vdefault#fails, val: null}, {src: resource.doc.vdefault#nothing, val: 1}, {src: resource.doc.vdefault#values}]`,
  }),
  "clock_test.yaml": suiteOf({
    name: "Clock",
    head: `options: {now: "2021-06-01T00:00:00.5Z"}`,
    tests: `  - name: given
    input: {principals: [alice], resources: [d1], actions: [timed, maybe, clock]}
    expected: ${expected("timed", "maybe", "clock")}
  - name: options replace the suite's
    options: {lenientScopeSearch: true}
    input: {principals: [alice], resources: [d1], actions: [timed, view]}
    expected: ${expected("timed", "view")}
  - name: not needed
    options: {}
    input: {principals: [alice], resources: [d1], actions: [maybe, view]}
    expected: ${expected("maybe", "view")}
  - name: asked for and not used
    options: {}
    input: {principals: [alice], resources: [d1], actions: [clock]}
    expected: ${expected("clock")}
  - name: with an offset
    options: {now: 2019-12-31T23:30:00-01:00}
    input: {principals: [alice], resources: [d1], actions: [timed]}
    expected: ${expected("timed")}`,
  }),
  "options_test.yaml": suiteOf({
    name: "Options",
    head: CLAIMS,
    tests: `  - name: globals
    options: {globals: {environment: test, limit: 5}}
    input: {principals: [alice], resources: [d1], actions: [globals]}
    expected: ${expected("globals")}
  - name: other globals
    options: {globals: {environment: test, limit: "5"}}
    input: {principals: [alice], resources: [d1], actions: [globals]}
    expected: ${expected("globals")}
  - name: versions
    options: {defaultPolicyVersion: old}
    input: {principals: [alice], resources: [d1, old], actions: [view, edit]}
    expected: ${expected("view", "edit")}
  - name: scopes
    input: {principals: [alice], resources: [d1, scoped, unscoped], actions: [view, edit]}
    expected: ${expected("view", "edit")}
  - name: a default scope
    options: {defaultScope: acme}
    input: {principals: [bob], resources: [d1, scoped, unscoped], actions: [view, edit]}
    expected: [{principal: bob, resource: scoped, actions: {view: EFFECT_ALLOW}}]
  - name: lenient scopes
    options: {lenientScopeSearch: true}
    input: {principals: [alice, bob], resources: [unscoped], actions: [view, edit]}
    expected: [{principal: bob, resource: unscoped, actions: {view: EFFECT_ALLOW}}]
  - name: claims
    input: {principals: [alice], resources: [d1], actions: [claims], auxData: me}
    expected: ${expected("claims")}
  - name: other claims
    input: {principals: [alice], resources: [d1], actions: [claims], auxData: other}
    expected: ${expected("claims")}
  - name: errors
    input: {principals: [alice], resources: [d1], actions: [errs]}
    expected: ${expected("errs")}
  - name: schemas
    input: {principals: [alice], resources: [held, loose], actions: [any]}
    expected: [{principal: alice, resources: [held, loose], actions: {any: EFFECT_ALLOW}}]`,
  }),
  "skipped_test.yaml": suiteOf({ name: "Skipped", head: "skip: true\nskipReason: as a whole" }),
  "sub/.hidden_test.yml": suiteOf({ name: "Hidden" }),
  ".hidden/in_a_hidden_directory_test.yaml": suiteOf({ name: "In a hidden directory" }),
  "sub/UPPER_TEST.YAML": suiteOf({ name: "Upper" }),
  "sub/testdata/ignored_test.yaml": suiteOf({ name: "Ignored" }),
  "sub/json_test.json": JSON.stringify({
    name: "JSON",
    principals: { p: { id: "alice", roles: ["user"] } },
    resources: { r: { id: "d", kind: "doc", attr: { owner: "alice" } } },
    tests: [
      {
        name: "T",
        input: { principals: ["p"], resources: ["r"], actions: ["view"] },
        expected: [{ principal: "p", resource: "r", actions: { view: "EFFECT_ALLOW" } }],
      },
    ],
  }),
};

export const FILTERED: readonly (readonly string[])[] = [
  ["--test-filter=suite=Matrix"],
  // (The server of 0.51 reads the second glob of a list as another filter, unlike its help text.)
  ["--test-filter=suite=M*", "--test-filter=suite=Clock;test=all", "--test-filter=test=given"],
  ["--test-filter=principal=alice;action=v*"],
  ["--test-filter=resource=d1", "--test-filter=action=edit"],
  ["--test-filter=action=nothing"],
  ["--test-filter="],
  ["--run=Matrix"],
  ['--run=^Clock/test_table_name:"given"'],
  ["--run=alice.*d2"],
  ["--run=all", "--test-filter=resource=d2"],
];

const ONE = `name: S
principals: {a: {id: a, roles: [user]}}
resources: {d: {id: d, kind: doc, attr: {owner: a}}}
tests:
  - {name: T, input: {principals: [p], resources: [d], actions: [x]}, expected: [{principal: p, resource: d, actions: {x: EFFECT_DENY}}]}
`;

/** Suites with fixture files beside them. */
export const FIXTURE_SUITES: { readonly [path: string]: string } = {
  ...beside("good", { "principals.yaml": "principals: {p: {id: p, roles: [user]}}" }),
  ...beside("first", {
    "principals.json": `{"principals": {"p": {"id": "a", "roles": ["user"]}}}`,
    "principals.yaml": "principals: {p: {id: b, roles: []}}",
  }),
  ...beside("groups", {
    "principals.yml": "principals: {p: {id: p, roles: [user]}}\nprincipalGroups: {g: {principals: [p, q]}}",
  }),
  ...beside("shape", { "principals.yaml": "principals: {p: {id: p}}" }),
  ...beside("field", {
    "resources.yaml": "resource: {}",
    "principals.yaml": "principals: {p: {id: p, roles: [user]}}",
  }),
  ...beside("aux", {
    "principals.yaml": "principals: {p: {id: p, roles: [user]}}",
    "aux_data.yaml": "auxData: {x: {jwt: 5}}",
  }),
  ...beside("none", {}),
  "shared/x_test.yaml": `name: S
principals: {a: {id: alice, roles: [user]}}
resourceGroups: {mine: {resources: [d, e]}}
tests:
  - name: T
    input: {principals: [a, p], resources: [d], actions: [view]}
    expected: [{principals: [a], resources: [d], actions: {view: EFFECT_ALLOW}}]
  - name: groups
    input: {principalGroups: [all], resourceGroups: [mine], actions: [claims], auxData: c}
    expected: [{principalGroups: [all], resourceGroups: [mine], actions: {claims: EFFECT_ALLOW}}]
`,
  "shared/testdata/principals.yaml":
    "principals: {a: {id: shadowed, roles: [none]}, p: {id: p, roles: [user]}}\nprincipalGroups: {all: {principals: [p, a]}}",
  "shared/testdata/resources.yaml":
    "resources: {d: {id: d, kind: doc, attr: {owner: alice}}, e: {id: e, kind: doc, attr: {owner: p}}}",
  "shared/testdata/auxData.json": `{"auxData": {"c": {"jwt": {"exp": 5, "aud": "me"}}}}`,
};

function beside(directory: string, fixtures: { readonly [name: string]: string }): { [path: string]: string } {
  const files = Object.entries(fixtures).map(([name, text]) => [`${directory}/testdata/${name}`, text]);
  return { [`${directory}/x_test.yaml`]: ONE, ...Object.fromEntries(files) };
}

const GOOD = suiteOf();

function changed(what: string | RegExp, into: string | ((match: string) => string)): string {
  const text = typeof into === "string" ? GOOD.replace(what, () => into) : GOOD.replace(what, into);
  if (text === GOOD) throw new Error(`nothing to change: ${what}`);
  return text;
}

const EXPECTED = "{principal: alice, resource: d1, actions: {view: EFFECT_ALLOW}}";

export const MALFORMED: ReadonlyMap<string, string> = new Map([
  ["unknown_principal", changed("principals: [alice]", "principals: [nobody]")],
  ["unknown_resource", changed("resources: [d1]", "resources: [d9]")],
  ["missing_principal", changed(/alice\]|principal: alice/g, (text) => text.replace("alice", "nobody"))],
  ["missing_resource", changed(/\[d1\]|resource: d1/g, (text) => text.replace("d1", "d9"))],
  ["unknown_claims", changed("actions: [view]", "actions: [view], auxData: zz")],
  ["unlisted_action", changed("{view: EFFECT_ALLOW}", "{view: EFFECT_ALLOW, z: EFFECT_DENY, b: EFFECT_DENY}")],
  ["unused_expectation", changed("principal: alice", "principal: bob")],
  ["unknown_group", changed("principals: [alice]", "principalGroups: [nobody]")],
  ["unknown_resource_group", changed("resources: [d1]", "resourceGroups: [nothing]")],
  ["effect", changed("EFFECT_ALLOW", "EFFECT_NO_MATCH")],
  ["misspelt_field", changed("name: Suite", "nam: Suite")],
  ["number_for_name", changed("name: Suite", "name: 5")],
  ["empty_name", changed("name: Suite", "name: ''")],
  ["group_member", changed("tests:", "principalGroups: {g: {principals: [alice, zz]}}\ntests:")],
  ["resource_group_member", changed("tests:", "skip: true\nresourceGroups: {g: {resources: [zz]}}\ntests:")],
  ["empty_group", changed("tests:", "principalGroups: {g: {principals: []}}\ntests:")],
  ["time", changed("tests:", "options: {now: yesterday}\ntests:")],
  ["time_without_zone", changed("tests:", 'options: {now: "2021-01-01T00:00:00"}\ntests:')],
  ["unknown_option", changed("tests:", "options: {strictEvaluations: true}\ntests:")],
  ["protobuf_spelling", changed("tests:", "principal_groups: {}\ntests:")],
  ["duplicate_test", `${GOOD}${TEST}\n${TEST}\n`],
  ["neither", changed("principal: alice, resource: d1, ", "")],
  ["both", changed("principal: alice,", "principal: alice, principals: [alice],")],
  ["both_resources", changed("resource: d1,", "resource: d1, resources: [d1],")],
  ["no_input", changed("principals: [alice], ", "")],
  ["contradiction", changed(EXPECTED, `${EXPECTED}, ${EXPECTED.replace("ALLOW", "DENY")}`)],
  [
    "output_of_other_action",
    changed("{view: EFFECT_ALLOW}", "{view: EFFECT_ALLOW}, outputs: [{action: edit, expected: [{src: x, val: 1}]}]"),
  ],
  [
    "contradicting_outputs",
    changed(
      EXPECTED,
      [1, 2]
        .map((n) => EXPECTED.replace(/}$/, `, outputs: [{action: view, expected: [{src: x, val: ${n}}]}]}`))
        .join(", "),
    ),
  ],
  ["no_roles", changed("roles: [user]", "roles: []")],
  ["repeated_role", changed("roles: [user]", "roles: [user, user]")],
  ["no_kind", changed("kind: doc, attr", "kinds: doc, attr")],
  ["repeated_principal", changed("principals: [alice]", "principals: [alice, alice]")],
  ["no_actions", changed("actions: [view]", "actions: []")],
  ["empty_action", changed("actions: [view]", 'actions: [view, ""]')],
  ["version", changed("roles: [user]}", "roles: [user], policyVersion: 'x y'}")],
  ["scope", changed("roles: [user]}", "roles: [user], scope: 'x y'}")],
  ["attribute_without_name", changed("roles: [user]}", "roles: [user], attr: {'': 1}}")],
  ["no_expectation", changed(`[${EXPECTED}]`, "[]")],
  ["no_tests", GOOD.replace(/tests:.*/s, "tests: []\n")],
  ["list", "- name: a\n"],
  [
    "many",
    "name: 5\nprincipals: {b: {id: '', roles: []}}\ntests:\n  - {name: a}\n  - {nam: b, input: {actions: []}, expected: []}\n",
  ],
]);
