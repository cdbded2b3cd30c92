import { describe, expect, test } from "vitest";
import { type Files, issuesOf, resourcePolicy, set } from "./support.js";

const OK = resourcePolicy("");
const EXPORTS = set("exportVariables", "common", "definitions:\n  shared: R.attr.x");

interface Case {
  readonly files: Files;
  readonly issues: readonly string[];
}

function cases(table: { readonly [title: string]: Case }): void {
  test.each(Object.entries(table))("%s", (_, { files, issues }) => {
    expect(issuesOf(files)).toEqual(issues);
  });
}

describe("files that are not a policy document", () => {
  cases({
    "no file at all": { files: {}, issues: [":1:1 no_policies there are no policies"] },
    "comments only": { files: "# later\n---\n# later still\n", issues: [":1:1 no_policies there are no policies"] },
    "disabled policies only": {
      files: OK.replace("resourcePolicy:", "disabled: true\nresourcePolicy:"),
      issues: [":1:1 no_policies there are no policies"],
    },
    "a control character": {
      files: "# a\nb: \u0000\n",
      issues: ["a.yaml:2:4 not_text a character that no text file has"],
    },
    "half of a surrogate pair": {
      files: "a: \ud83d\n",
      issues: ["a.yaml:1:4 not_text a character that no text file has"],
    },
    "bad YAML": { files: 'a: "b\n', issues: ['a.yaml:2:1 yaml Missing closing "quote'] },
    "bad JSON": {
      files: { "a.json": '{"a": [1,\n  2' },
      issues: [
        "a.json:2:4 yaml Flow sequence in block collection must be sufficiently indented and end with a ] (close the bracket, and indent its content)",
      ],
    },
    text: { files: "what\n", issues: ["a.yaml:1:1 shape a policy document must be a mapping"] },
    "a tag without meaning": {
      files: OK.replace("version: default", "version: !!binary default"),
      issues: ["a.yaml:4:12 unsupported Unresolved tag: tag:yaml.org,2002:binary"],
    },
    "a duplicate key": {
      files: OK.replace("  version: default", "  version: default\n  version: v2"),
      issues: ['a.yaml:5:3 duplicate_key the key "version" is there twice'],
    },
    "one field in both spellings": {
      files: resourcePolicy("importDerivedRoles: []\nimport_derived_roles: []"),
      issues: ["a.yaml:6:3 duplicate_key the field importDerivedRoles is there twice, in two spellings"],
    },
    "two documents": {
      files: `${OK}---\n${OK}`,
      issues: ["a.yaml:10:1 multiple_documents more than one YAML document in the file"],
    },
    "an alias without anchor": { files: "a: *b\n", issues: ['a.yaml:1:4 yaml no anchor "&b" before this alias'] },
    "an alias of itself": { files: "a: &b [*b]\n", issues: ['a.yaml:1:8 yaml no anchor "&b" before this alias'] },
    "a key that is a list": { files: "? [a]\n: b\n", issues: ["a.yaml:1:1 unsupported a key marked by ?"] },
    "a merge of text": {
      files: "<<: b\n",
      issues: ["a.yaml:1:1 yaml a merge key takes a mapping without anchor or tag, or an alias of a mapping"],
    },
    "a number that is none": {
      files: resourcePolicy("constants: {local: {x: .nan}}"),
      issues: ["a.yaml:5:26 shape a number that JSON does not have"],
    },
  });
});

describe("documents of a wrong shape", () => {
  cases({
    "no kind": {
      files: "apiVersion: api.cerbos.dev/v1\n",
      issues: [
        "a.yaml:1:1 shape not a policy: it has none of resourcePolicy, derivedRoles, principalPolicy, rolePolicy, exportVariables, exportConstants",
      ],
    },
    "a misspelt kind": {
      files: OK.replace("resourcePolicy", "resourcesPolicy"),
      issues: ['a.yaml:2:1 shape unknown field "resourcesPolicy" (did you mean "resourcePolicy"?)'],
    },
    "two kinds": {
      files: `${OK}derived_roles: {}\n`,
      issues: [
        "a.yaml:9:1 shape a document is one policy: it is a resourcePolicy already, and cannot be a derived_roles too",
      ],
    },
    "another version of the API": {
      files: OK.replace("/v1", "/v2"),
      issues: ['a.yaml:1:13 shape "apiVersion" must be "api.cerbos.dev/v1"'],
    },
    "a field missing": {
      files: OK.replace("  version: default\n", ""),
      issues: ['a.yaml:3:3 shape the field "version" is missing'],
    },
    "an unknown field": {
      files: resourcePolicy("", "conditions: {}"),
      issues: ['a.yaml:9:7 shape unknown field "conditions" (did you mean "condition"?)'],
    },
    "an effect that is none": {
      files: OK.replace("EFFECT_ALLOW", "EFFECT_DENNY"),
      issues: ['a.yaml:7:15 shape "effect" must be one of EFFECT_ALLOW, EFFECT_DENY (did you mean "EFFECT_DENY"?)'],
    },
    "text for a list": {
      files: OK.replace('["view"]', "view"),
      issues: ['a.yaml:6:16 shape "actions" must be a list'],
    },
    "an empty action": {
      files: OK.replace('["view"]', '["view", ""]'),
      issues: ['a.yaml:6:25 shape "actions[1]" must not be empty'],
    },
    "a condition that is two": {
      files: resourcePolicy("", "condition:\n  match:\n    expr: a\n    all: {of: [{expr: b}]}"),
      issues: ['a.yaml:11:11 shape "match" must have exactly one of expr, all, any, none'],
    },
    "a script": {
      files: resourcePolicy("", "condition:\n  script: x"),
      issues: ["a.yaml:10:9 shape scripts in conditions are no longer supported (write it in CEL, as match.expr)"],
    },
    "a rule for nobody": {
      files: OK.replace('      roles: ["user"]\n', ""),
      issues: ["a.yaml:6:7 shape a rule needs at least one role or derived role"],
    },
    "top-level variables of an export": {
      files: { "a.yaml": OK, "b.yaml": `variables: {a: "1"}\n${EXPORTS}` },
      issues: ['b.yaml:1:1 shape unknown field "variables"'],
    },
    "a key named __proto__": {
      files: `${OK}__proto__: {disabled: true}\n`,
      issues: ['a.yaml:9:1 shape unknown field "__proto__"'],
    },
    "several faults in several files": {
      files: { "b.yaml": OK.replace("EFFECT_", ""), "a.yaml": OK.replace("roles:", "role:") },
      issues: [
        'a.yaml:8:7 shape unknown field "role" (did you mean "roles"?)',
        'b.yaml:7:15 shape "effect" must be one of EFFECT_ALLOW, EFFECT_DENY (did you mean "EFFECT_ALLOW"?)',
      ],
    },
  });
});

describe("names", () => {
  cases({
    "a resource kind with a star": {
      files: resourcePolicy("", "", "'doc*'"),
      issues: [
        'a.yaml:3:13 name "doc*" is not allowed as "resource": it takes a resource kind, without `!`, `*`, `?` and brackets',
      ],
    },
    "a version with a dash": {
      files: OK.replace("default", "v-1"),
      issues: ['a.yaml:4:12 name "v-1" is not allowed as "version": it takes letters, digits and `_`'],
    },
    "a rule name that starts with a digit": {
      files: resourcePolicy("", "name: 1st"),
      issues: [
        'a.yaml:9:13 name "1st" is not allowed as "name": it takes a letter, then letters, digits, `_`, `-`, `.` and `@`',
      ],
    },
    "a variable that is no identifier": {
      files: resourcePolicy("variables:\n  local:\n    a-b: '1'\n    in: '2'"),
      issues: ['a.yaml:7:7 name "a-b" is not an identifier', 'a.yaml:8:7 name "in" is a reserved word'],
    },
  });
});

describe("things defined twice", () => {
  cases({
    "a policy": {
      files: { "a.yaml": OK, "b.yaml": OK },
      issues: ['b.yaml:3:13 duplicate the policy "resource.doc.vdefault" is defined twice: first at a.yaml:3'],
    },
    "a policy, once names are sanitised": {
      files: { "a.yaml": resourcePolicy("", "", "album:object"), "b.yaml": resourcePolicy("", "", "album_object") },
      issues: ['b.yaml:3:13 duplicate the policy "resource.album_object.vdefault" is defined twice: first at a.yaml:3'],
    },
    "a set": {
      files: { "a.yaml": OK, "b.yaml": EXPORTS, "c.yaml": EXPORTS },
      issues: ['c.yaml:3:9 duplicate exported variables "common" are defined twice: first at b.yaml:3'],
    },
    "a rule": {
      files: `${resourcePolicy("", "name: x")}    - {name: x, actions: [a], effect: EFFECT_DENY, roles: [b]}\n`,
      issues: ['a.yaml:10:14 duplicate the rule "x" is defined twice: first in line 9'],
    },
    "a derived role": {
      files: {
        "a.yaml": OK,
        "b.yaml": set(
          "derivedRoles",
          "d",
          "definitions:\n  - {name: x, parentRoles: [a]}\n  - {name: x, parentRoles: [b]}",
        ),
      },
      issues: ['b.yaml:6:14 duplicate the derived role "x" is defined twice: first in line 5'],
    },
    "an action": {
      files: OK.replace('["view"]', "[view, edit, view]"),
      issues: ['a.yaml:6:29 duplicate "view" is in "actions" twice'],
    },
    "a variable, local and imported": {
      files: { "a.yaml": resourcePolicy("variables:\n  import: [common]\n  local: {shared: '1'}"), "b.yaml": EXPORTS },
      issues: ['a.yaml:7:13 duplicate the variable "shared" is defined twice: first at b.yaml:5'],
    },
    "a variable, by two imports": {
      files: {
        "a.yaml": resourcePolicy("variables:\n  import: [common, other]"),
        "b.yaml": EXPORTS,
        "c.yaml": EXPORTS.replace("common", "other"),
      },
      issues: ['a.yaml:6:22 duplicate the variable "shared" is defined twice: first at b.yaml:5'],
    },
    "a variable, local and at the top level": {
      files: `variables: {x: "1"}\n${resourcePolicy("variables: {local: {x: '2'}}")}`,
      issues: ['a.yaml:1:13 duplicate the variable "x" is defined twice: first at a.yaml:6'],
    },
    "a constant": {
      files: {
        "a.yaml": resourcePolicy("constants:\n  import: [c]\n  local: {x: 1}"),
        "b.yaml": set("exportConstants", "c", "definitions: {x: 1}"),
      },
      issues: ['a.yaml:7:13 duplicate the constant "x" is defined twice: first at b.yaml:4'],
    },
  });
});

describe("references", () => {
  const ROLES = set("derivedRoles", "roles", "definitions:\n  - {name: owner, parentRoles: [user]}");
  const derived = (imports: string) => resourcePolicy(`importDerivedRoles: ${imports}`, "derivedRoles: [owner]");
  cases({
    "imports that no file defines": {
      files: { "a.yaml": resourcePolicy("variables: {import: [comon]}\nconstants: {import: [c]}"), "b.yaml": EXPORTS },
      issues: [
        'a.yaml:5:24 missing_import no file defines exported variables "comon" (did you mean "common"?)',
        'a.yaml:6:24 missing_import no file defines exported constants "c"',
      ],
    },
    "what a missing import might have defined is not reported": {
      files: resourcePolicy("importDerivedRoles: [gone]", "derivedRoles: [owner]"),
      issues: ['a.yaml:5:24 missing_import no file defines derived roles "gone"'],
    },
    "an import whose file is refused": {
      files: { "a.yaml": derived("[roles]"), "b.yaml": ROLES.replace("parentRoles", "parents") },
      issues: ['b.yaml:5:7 shape the field "parentRoles" is missing', 'b.yaml:5:21 shape unknown field "parents"'],
    },
    "an unknown derived role": {
      files: { "a.yaml": derived("[roles]").replace("[owner]", "[owners]"), "b.yaml": ROLES },
      issues: [
        'a.yaml:10:22 unknown_derived_role no import of this policy defines the derived role "owners" (did you mean "owner"?)',
      ],
    },
    "an ambiguous derived role": {
      files: {
        "a.yaml": derived("[roles, more]"),
        "b.yaml": ROLES,
        "c.yaml": ROLES.replace("name: roles", "name: more"),
      },
      issues: ['a.yaml:10:22 ambiguous_derived_role the derived role "owner" is in both "roles" and "more"'],
    },
    "a variable that always fails, read by a rule": {
      files: resourcePolicy(
        `variables:\n  local:\n    never: R.attr.x || int("x") == 1\n    unread: int("x") == 1\n    through: V.never`,
        "condition: {match: {expr: V.through}}",
      ),
      issues: [
        "a.yaml:7:26 unsupported no server starts with a variable that always fails: type conversion error from 'string' to 'int' (rewrite this part)",
      ],
    },
    "variables that read each other": {
      files: resourcePolicy("variables:\n  local:\n    a: V.b\n    b: V.c\n    c: V.b\n    d: V.d"),
      issues: [
        "a.yaml:8:7 cyclic_variable variables read each other in a circle: b → c → b",
        'a.yaml:10:7 cyclic_variable the variable "d" reads itself',
      ],
    },
  });
});

describe("schemas", () => {
  const using = resourcePolicy("schemas:\n  principalSchema:\n    ref: cerbos:///p.json");
  cases({
    "a missing one": {
      files: using,
      issues: ['a.yaml:7:12 schema the schema "cerbos:///p.json" is missing: there is no file _schemas/p.json'],
    },
    "one that is not JSON": {
      files: { "a.yaml": using, "_schemas/p.json": '{\n  "type": object\n}' },
      issues: ['_schemas/p.json:2:11 schema not JSON: unexpected "object"'],
    },
    "one that is not a JSON Schema": {
      files: { "a.yaml": using, "_schemas/p.json": '{"type": "objekt"}' },
      issues: [
        'a.yaml:7:12 schema the schema "cerbos:///p.json" is not a valid JSON Schema: schema/type: value must be one of "array", "boolean", "integer", "null", "number", "object", "string"; schema/type: expected array, but got string',
      ],
    },
    "a pattern that RE2 does not have": {
      files: { "a.yaml": using, "_schemas/p.json": '{"pattern": "(?=a)"}' },
      issues: [
        "a.yaml:7:12 schema the schema \"cerbos:///p.json\" is not a valid JSON Schema: schema/pattern: '(?=a)' is not a regular expression of RE2",
      ],
    },
    "one that refers to a missing one": {
      files: { "a.yaml": using, "_schemas/p.json": '{"$ref": "other.json#/$defs/a"}' },
      issues: [
        'a.yaml:7:12 schema the schema "cerbos:///other.json", which "cerbos:///p.json" refers to, is missing: there is no file _schemas/other.json',
      ],
    },
    "one from elsewhere": {
      files: using.replace("cerbos:///", "https://example.com/"),
      issues: [
        'a.yaml:7:12 schema the schema "https://example.com/p.json" cannot be loaded: only cerbos:/// references are',
      ],
    },
    "a byte order mark": {
      files: {
        "a.yaml": resourcePolicy("schemas: {resourceSchema: {ref: 'cerbos:///p.json'}}"),
        "_schemas/p.json": "\ufeff{}",
      },
      issues: ["_schemas/p.json:1:1 schema not JSON: a byte order mark"],
    },
    "an unused one is not looked at": { files: { "a.yaml": OK, "_schemas/p.json": "{" }, issues: [] },
  });
});

describe("expressions", () => {
  cases({
    "one that does not parse": {
      files: resourcePolicy("", "condition:\n  match:\n    expr: P.id === 1"),
      issues: ['a.yaml:11:22 expression syntax error: unexpected "===" (did you mean `==`?)'],
    },
    "an empty one": {
      files: resourcePolicy("", 'condition: {match: {expr: ""}}'),
      issues: ["a.yaml:9:33 expression syntax error: the expression ends too early"],
    },
    "a variable that is not defined, in one that is not used": {
      files: resourcePolicy("variables: {local: {a: V.nope}}"),
      issues: ["a.yaml:5:27 undefined_variable undefined variable 'nope'"],
    },
    "the same fault of an exported variable, for two policies": {
      files: {
        "a.yaml": resourcePolicy("variables: {import: [common]}"),
        "b.yaml": resourcePolicy("variables: {import: [common]}", "", "other"),
        "c.yaml": EXPORTS.replace("R.attr.x", "C.nope"),
      },
      issues: ["c.yaml:5:14 undefined_constant undefined constant 'nope'"],
    },
    "a function that does not exist": {
      files: resourcePolicy("", "condition: {match: {expr: nosuch(1)}}"),
      issues: [expect.stringMatching(/^a\.yaml:9:3\d unknown_function /)],
    },
    "in an output that another one replaces": {
      files: {
        "a.yaml": resourcePolicy("", "output: {expr: 1 == 'a', when: {ruleActivated: '1'}}"),
        "b.yaml": resourcePolicy("", "output: {expr: '1', when: {conditionNotMet: V.x}}", "other"),
      },
      issues: [
        expect.stringMatching(/^a\.yaml:9:\d+ expression_type /),
        "b.yaml:9:52 undefined_variable undefined variable 'x'",
      ],
    },
    "types that do not fit": {
      files: resourcePolicy("", "condition: {match: {expr: 1 == 1.0}}"),
      issues: [expect.stringMatching(/^a\.yaml:9:3\d expression_type /)],
    },
  });
});

describe("sets that nothing imports", () => {
  cases({
    "what is wrong in them is a warning": {
      files: { "a.yaml": OK, "b.yaml": EXPORTS.replace("R.attr.x", "R.attr +") },
      issues: ['b.yaml:5:20 expression syntax error: unexpected "+"'],
    },
    "what they import has to be there": {
      files: {
        "a.yaml": OK,
        "b.yaml": `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: unused
  variables: {import: [gone]}
  constants: {import: [lost]}
  definitions: [{name: owner, parentRoles: [user], condition: {match: {expr: V.x == C.y}}}]
`,
      },
      issues: [
        'b.yaml:4:24 missing_import no file defines exported variables "gone"',
        'b.yaml:5:24 missing_import no file defines exported constants "lost"',
      ],
    },
  });
});
