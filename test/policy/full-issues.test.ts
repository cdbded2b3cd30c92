/** Errors and warnings in principal policies, role policies and scopes. */

import { describe, expect, test } from "vitest";
import { type Files, issuesOf, principalPolicy, resourcePolicy, rolePolicy, set } from "./support.js";

interface Case {
  readonly files: Files;
  readonly issues: readonly string[];
}

function cases(table: { readonly [title: string]: Case }): void {
  test.each(Object.entries(table))("%s", (_, { files, issues }) => {
    expect(issuesOf(files)).toEqual(issues);
  });
}

const ROOT = resourcePolicy("");
const scoped = (scope: string, more = "") => resourcePolicy(`scope: ${scope}${more === "" ? "" : `\n${more}`}`);
const CONSENT = "scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS";
const OVERRIDE = "scopePermissions: SCOPE_PERMISSIONS_OVERRIDE_PARENT";
const clerk = (scope: string, resource: string, version = "default") =>
  rolePolicy(`version: ${version}\nscope: ${scope}\nrules: [{resource: "${resource}", allowActions: [view]}]`);

describe("principal policies", () => {
  const actions = (list: string) => principalPolicy(`rules:\n  - resource: doc\n    actions: [${list}]`);
  cases({
    "a resource twice": {
      files: principalPolicy(
        "rules:\n  - {resource: doc, actions: [{action: a, effect: EFFECT_DENY}]}\n  - {resource: doc, actions: [{action: b, effect: EFFECT_DENY}]}",
      ),
      issues: ['a.yaml:7:18 duplicate the rule for the resource "doc" is defined twice: first in line 6'],
    },
    "a resource in two spellings is two": {
      files: principalPolicy(
        'rules:\n  - {resource: "a:b", actions: [{action: a, effect: EFFECT_DENY}]}\n  - {resource: a_b, actions: [{action: b, effect: EFFECT_DENY}]}',
      ),
      issues: [],
    },
    "a name twice in the rule for a resource": {
      files: actions("{name: x, action: a, effect: EFFECT_DENY}, {name: x, action: b, effect: EFFECT_DENY}"),
      issues: ['a.yaml:7:67 duplicate the rule "x" is defined twice: first in line 7'],
    },
    "an action twice, a name in the rules for two resources": {
      files: principalPolicy(
        "rules:\n  - {resource: a, actions: [{name: x, action: v, effect: EFFECT_DENY}, {action: v, effect: EFFECT_DENY}]}\n  - {resource: b, actions: [{name: x, action: v, effect: EFFECT_DENY}]}",
      ),
      issues: [],
    },
    "an action without effect": {
      files: actions("{action: a}"),
      issues: ['a.yaml:7:17 shape the field "effect" is missing'],
    },
    "no actions": { files: actions(""), issues: ['a.yaml:7:16 shape "actions" must not be empty'] },
    "an id with a star": {
      files: principalPolicy("", '"b*"'),
      issues: [
        'a.yaml:3:14 name "b*" is not allowed as "principal": it takes a principal id, without `!`, `*`, `?` and brackets',
      ],
    },
    expressions: {
      files: actions(
        '{action: a, effect: EFFECT_DENY, condition: {match: {expr: "V.x == 1"}}, output: {when: {conditionNotMet: C.y}}}',
      ),
      issues: [
        "a.yaml:7:78 undefined_variable undefined variable 'x'",
        "a.yaml:7:124 undefined_constant undefined constant 'y'",
      ],
    },
    "a script": {
      files: actions("{action: a, effect: EFFECT_DENY, condition: {script: x}}"),
      issues: ["a.yaml:7:62 shape scripts in conditions are no longer supported (write it in CEL, as match.expr)"],
    },
    "a missing import": {
      files: principalPolicy("variables: {import: [common]}"),
      issues: ['a.yaml:5:24 missing_import no file defines exported variables "common"'],
    },
    "an import that is disabled": {
      files: {
        "a.yaml": principalPolicy("variables: {import: [common]}"),
        "b.yaml": `disabled: true\n${set("exportVariables", "common", "definitions: {a: '1'}")}`,
      },
      issues: ['a.yaml:5:24 missing_import no file defines exported variables "common" (it is disabled in b.yaml:1)'],
    },
    "a variable twice, once at the top level": {
      files: `variables: {a: '1'}\n${principalPolicy("variables: {local: {a: '2'}}")}`,
      issues: ['a.yaml:1:13 duplicate the variable "a" is defined twice: first at a.yaml:6'],
    },
    "one principal twice": {
      files: { "a.yaml": principalPolicy("", "bob@x.com"), "b.yaml": principalPolicy("scope: ''", "bob_x.com") },
      issues: ['b.yaml:3:14 duplicate the policy "principal.bob_x.com.vdefault" is defined twice: first at a.yaml:3'],
    },
  });
});

describe("role policies", () => {
  const rule = (fields: string) => rolePolicy(`rules:\n  - {resource: doc, ${fields}}`);
  cases({
    "one role twice: the version is `default` if not written": {
      files: { "a.yaml": rolePolicy("version: default", "a:b"), "b.yaml": rolePolicy("", "a_b") },
      issues: ['b.yaml:3:9 duplicate the policy "role.a_b.vdefault" is defined twice: first at a.yaml:3'],
    },
    "no role": {
      files: "apiVersion: api.cerbos.dev/v1\nrolePolicy: {rules: []}",
      issues: ['a.yaml:2:13 shape the field "role" is missing'],
    },
    "an action twice": {
      files: rule("allowActions: [a, b, a]"),
      issues: ['a.yaml:5:44 duplicate "a" is in "allowActions" twice'],
    },
    "a parent twice": {
      files: rolePolicy("parentRoles: [a, a]"),
      issues: ['a.yaml:4:20 duplicate "a" is in "parentRoles" twice'],
    },
    "no actions": { files: rule("allowActions: []"), issues: ['a.yaml:5:37 shape "allowActions" must not be empty'] },
    "an empty parent": {
      files: rolePolicy("parentRoles: ['']"),
      issues: ['a.yaml:4:17 shape "parentRoles[0]" must not be empty'],
    },
    "the scope permission that the server refuses": {
      files: rolePolicy(OVERRIDE),
      issues: [
        'a.yaml:4:21 shape "scopePermissions" must be one of SCOPE_PERMISSIONS_UNSPECIFIED, SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
      ],
    },
    "types that do not fit": {
      files: rule("allowActions: [a], condition: {match: {expr: 1 == 1.0}}"),
      issues: [expect.stringMatching(/^a\.yaml:5:\d+ expression_type /)],
    },
    "no rules, circular parents, a resource twice, the scope permissions that are allowed": {
      files: {
        "a.yaml": rolePolicy(`${CONSENT}\nparentRoles: [clerk, boss]`),
        "b.yaml": rolePolicy(
          "parentRoles: [clerk]\nrules: [{resource: a, allowActions: [b]}, {resource: a, allowActions: [c]}]",
          "boss",
        ),
      },
      issues: [],
    },
  });
});

describe("missing scopes", () => {
  cases({
    "the root": {
      files: scoped("a"),
      issues: ['a.yaml:5:10 missing_scope there is no policy "resource.doc.vdefault", above "resource.doc.vdefault/a"'],
    },
    "two, and who needs them first": {
      files: { "a.yaml": ROOT, "b.yaml": scoped("a.b.c"), "c.yaml": scoped("a.b.d") },
      issues: [
        'b.yaml:5:10 missing_scope there is no policy "resource.doc.vdefault/a.b", above "resource.doc.vdefault/a.b.c" and 1 more',
        'b.yaml:5:10 missing_scope there is no policy "resource.doc.vdefault/a", above "resource.doc.vdefault/a.b.c" and 1 more',
      ],
    },
    "another kind, version or spelling is no help": {
      files: {
        "a.yaml": scoped("a"),
        "b.yaml": ROOT.replace("default", "v2"),
        "c.yaml": resourcePolicy("", "", "other"),
        "d.yaml": principalPolicy("", "doc"),
        "e.yaml": scoped("A.b", "").replace("doc", "x"),
        "f.yaml": resourcePolicy("", "", "x"),
        "g.yaml": resourcePolicy("scope: a", "", "x"),
      },
      issues: [
        'a.yaml:5:10 missing_scope there is no policy "resource.doc.vdefault", above "resource.doc.vdefault/a"',
        'e.yaml:5:10 missing_scope there is no policy "resource.x.vdefault/A", above "resource.x.vdefault/A.b"',
      ],
    },
    "of a principal policy": {
      files: { "a.yaml": principalPolicy("scope: a.b"), "b.yaml": principalPolicy(""), "c.yaml": clerk("a", "*") },
      issues: [
        'a.yaml:5:10 missing_scope there is no policy "principal.bob.vdefault/a", above "principal.bob.vdefault/a.b"',
      ],
    },
    "a disabled policy": {
      files: { "a.yaml": ROOT, "b.yaml": `disabled: true\n${scoped("a")}`, "c.yaml": scoped("a.b") },
      issues: [
        'c.yaml:5:10 missing_scope there is no policy "resource.doc.vdefault/a", above "resource.doc.vdefault/a.b" (it is disabled in b.yaml:1)',
      ],
    },
    "a refused policy is not missing": {
      files: { "a.yaml": ROOT.replace("actions", "action"), "b.yaml": scoped("a") },
      issues: [
        'a.yaml:6:7 shape the field "actions" is missing',
        'a.yaml:6:7 shape unknown field "action" (did you mean "actions"?)',
      ],
    },
    "role policies need none above them": { files: clerk("a.b.c", "doc"), issues: [] },
    "the scope `.` is not the root": {
      files: scoped('"."'),
      issues: [
        'a.yaml:5:10 name no request reaches a policy of the scope ".": leave the scope out for the root',
        'a.yaml:5:10 missing_scope there is no policy "resource.doc.vdefault", above "resource.doc.vdefault/."',
      ],
    },
    "a scope of 65 levels": {
      files: scoped(Array.from({ length: 65 }, () => "a").join(".")),
      issues: ["a.yaml:5:10 too_large the scope has more than 64 levels"],
    },
    "the scope `.` beside the root": {
      files: { "a.yaml": ROOT, "b.yaml": scoped('"."') },
      issues: ['b.yaml:5:10 name no request reaches a policy of the scope ".": leave the scope out for the root'],
    },
  });
});

describe("a missing scope that a role policy fills: resource policies below it are left out, with a warning", () => {
  const left = (kind = "doc", missing = "/a") => [
    `b.yaml:5:10 missing_scope "resource.${kind}.vdefault/a.b" decides nothing, as on the server: there is no policy "resource.${kind}.vdefault${missing}", only role policies`,
  ];
  const missing = (kind = "doc") => [
    `b.yaml:5:10 missing_scope there is no policy "resource.${kind}.vdefault/a", above "resource.${kind}.vdefault/a.b"`,
  ];
  const files = (role: string, name = "doc") => ({
    "a.yaml": resourcePolicy("", "", `"${name}"`),
    "b.yaml": resourcePolicy("scope: a.b", "", `"${name}"`),
    "c.yaml": role,
  });
  cases({
    "the kind by name": { files: files(clerk("a", "doc")), issues: left() },
    "a glob": { files: files(clerk("a", "d*c")), issues: left() },
    "another kind": { files: files(clerk("a", "other")), issues: missing() },
    "another version": { files: files(clerk("a", "doc", "v2")), issues: missing() },
    "another scope": { files: files(clerk("a.c", "doc")), issues: missing() },
    "no rules": { files: files(rolePolicy("scope: a")), issues: missing() },
    "a malformed glob": {
      files: files(clerk("a", "[*")),
      issues: [
        ...missing(),
        'c.yaml:6:22 unsupported the pattern "[*" matches other names on the server than it says: it has a character class that is malformed (list the names that it should match, one by one)',
      ],
    },
    "the kind as it is written": { files: files(clerk("a", "album:*"), "album:object"), issues: left("album_object") },
    "the kind sanitised": { files: files(clerk("a", "album_object"), "album:object"), issues: missing("album_object") },
    "a disabled one": { files: files(`disabled: true\n${clerk("a", "doc")}`), issues: missing() },
    "at the root": {
      files: { "b.yaml": scoped("a"), "c.yaml": clerk("''", "doc") },
      issues: left().map((issue) => issue.replace("/a.b", "/a").replace('vdefault/a", only', 'vdefault", only')),
    },
  });
});

describe("scope permissions", () => {
  cases({
    "two policies of a scope that disagree": {
      files: {
        "a.yaml": resourcePolicy(CONSENT, "", "a"),
        "b.yaml": resourcePolicy("", "", "b"),
        "c.yaml": principalPolicy(OVERRIDE),
        "d.yaml": resourcePolicy(CONSENT, "", "d"),
      },
      issues: [
        'b.yaml:3:13 scope_permissions policies of the root scope must agree: this one has OVERRIDE_PARENT, "resource.a.vdefault" at a.yaml:3 has REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
        'c.yaml:5:21 scope_permissions policies of the root scope must agree: this one has OVERRIDE_PARENT, "resource.a.vdefault" at a.yaml:3 has REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
      ],
    },
    "in another scope": {
      files: {
        "a.yaml": ROOT,
        "b.yaml": principalPolicy(""),
        "c.yaml": scoped("x", CONSENT),
        "d.yaml": principalPolicy("scope: x"),
      },
      issues: [
        'd.yaml:3:14 scope_permissions policies of the scope "x" must agree: this one has OVERRIDE_PARENT, "resource.doc.vdefault/x" at c.yaml:3 has REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
      ],
    },
    "unspecified is OVERRIDE_PARENT; role policies, derived roles and exports say nothing": {
      files: {
        "a.yaml": resourcePolicy(OVERRIDE, "", "a"),
        "b.yaml": resourcePolicy("", "", "b"),
        "c.yaml": principalPolicy("scopePermissions: SCOPE_PERMISSIONS_UNSPECIFIED"),
        "d.yaml": rolePolicy(CONSENT),
        "e.yaml": set("derivedRoles", "d", "definitions: [{name: x, parentRoles: [a]}]"),
        "f.yaml": set("exportVariables", "e", "definitions: {}"),
      },
      issues: [
        "a.yaml:5:21 scope_permissions of the root scope, this policy has scopePermissions and others have none: in some orders of files the server refuses that. Write OVERRIDE_PARENT in none of them",
      ],
    },
    "a role policy counts as one that has none, in a scope of three policies": {
      files: {
        "a.yaml": ROOT,
        "b.yaml": scoped("x", CONSENT),
        "c.yaml": principalPolicy(""),
        "d.yaml": principalPolicy(`scope: x\n${CONSENT}`),
        "e.yaml": rolePolicy(`scope: x\n${CONSENT}`),
      },
      issues: [
        'b.yaml:6:21 scope_permissions of the scope "x", this policy has scopePermissions, and those of role policies do not count: in some orders of files the server refuses that. Rename files if it does',
      ],
    },
    "a role policy in a scope of two policies": {
      files: {
        "a.yaml": ROOT,
        "b.yaml": scoped("x", CONSENT),
        "e.yaml": rolePolicy(`scope: x\n${CONSENT}`),
      },
      issues: [],
    },
  });
});

describe("schemas of scopes", () => {
  const schema = (name: string) => `schemas: {resourceSchema: {ref: "cerbos:///${name}.json"}}`;
  const named = (name: string) => resourcePolicy(schema(name));
  cases({
    "one that the root does not name is not used": {
      files: { "a.yaml": ROOT, "b.yaml": scoped("a", schema("x")), "_schemas/x.json": "{}" },
      issues: ['b.yaml:6:35 schema this schema is not used: those of "resource.doc.vdefault" hold in every scope'],
    },
    "the same as the root's": {
      files: { "a.yaml": named("x"), "b.yaml": scoped("a", schema("x")), "_schemas/x.json": "{}" },
      issues: [],
    },
    "one that is missing": {
      files: { "a.yaml": named("x"), "b.yaml": scoped("a", schema("y")), "_schemas/x.json": "{}" },
      issues: [
        'b.yaml:6:35 schema the schema "cerbos:///y.json" is missing: there is no file _schemas/y.json',
        'b.yaml:6:35 schema this schema is not used: those of "resource.doc.vdefault" hold in every scope',
      ],
    },
  });
});
