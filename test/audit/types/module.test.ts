/** The module that `keyward types` writes, and the types of attributes from their schemas. */

import { describe, expect, test } from "vitest";
import { readsOfOperations } from "../../../src/audit/operations/reads.js";
import { typesModule } from "../../../src/audit/types/module.js";
import type { CompileOptions } from "../../../src/index.js";
import { compiled, shipped, shippedFiles } from "../../support/policies.js";

const ONE_LAYER: CompileOptions = { platform: "none" };

interface Given {
  readonly schema?: object;
  readonly rules?: string;
  readonly more?: readonly { readonly path: string; readonly text: string }[];
}

/** The module of a permission-only set with one kind. */
function moduleOf({ schema, rules, more = [] }: Given): string {
  const text = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
${schema === undefined ? "" : "  schemas: {resourceSchema: {ref: cerbos:///doc.json}}\n"}  rules:
${rules ?? "    - {name: r, actions: [read], roles: [user], effect: EFFECT_ALLOW}"}
`;
  const files = [
    { path: "doc.yaml", text },
    ...(schema === undefined ? [] : [{ path: "_schemas/doc.json", text: JSON.stringify(schema) }]),
    ...more,
  ];
  return typesModule(compiled(files, ONE_LAYER));
}

/** The attribute type for a kind with this schema, on one line. */
function attributesOf(schema: object): string {
  const [, declared = ""] = /export (?:interface|type) DocAttributes (.*?)\n\n/s.exec(moduleOf({ schema })) ?? [];
  return declared.replaceAll(/\s+/g, " ");
}

/** The type of one attribute `a` with this schema. */
function attributeOf(schema: unknown, more: object = {}): string {
  const declared = attributesOf({ ...more, type: "object", properties: { a: schema }, required: ["a"] });
  return /^\{ readonly a: (.*); \}$/s.exec(declared)?.[1] ?? declared;
}

/** The text after a name in a module, to the end of its line. */
function lineOf(module: string, name: string): string {
  return new RegExp(`^ *readonly ${name}: (.*);$`, "m").exec(module)?.[1] ?? "";
}

describe("attributes", () => {
  test.each<[unknown, string]>([
    [{ type: "string", minLength: 1 }, "string"],
    [{ type: "integer", minimum: 0 }, "number"],
    [{ type: "number" }, "number"],
    [{ type: "boolean" }, "boolean"],
    [{ type: "null" }, "null"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ enum: ["b", "a", 1, null, true] }, '"b" | "a" | 1 | null | true'],
    [{ type: "string", enum: ["a", null] }, '"a"'],
    [{ const: { x: [1] } }, "{ readonly x: readonly [1]; }"],
    [{ enum: ['"\u202e'] }, String.raw`"\"\u202e"`],
    [{ type: "array" }, "readonly unknown[]"],
    [{ type: "array", items: { type: "string" } }, "readonly string[]"],
    [{ type: "array", items: { type: ["string", "null"] } }, "readonly (string | null)[]"],
    [{ type: "array", items: { type: "array", items: { enum: [1, 2] } } }, "readonly (readonly (1 | 2)[])[]"],
    [{ prefixItems: [{ type: "string" }, { enum: [1, 2] }], minItems: 1 }, "readonly [string, (1 | 2)?, ...unknown[]]"],
    [{ prefixItems: [{ type: "string" }], minItems: 9, items: false }, "readonly [string]"],
    [{ type: "object" }, "Attributes"],
    [{ type: "object", additionalProperties: { type: "number" } }, "{ readonly [name: string]: number }"],
    [
      { patternProperties: { "^x": { type: "number" } }, additionalProperties: false },
      "{ readonly [name: string]: number }",
    ],
    [
      { properties: { "x-y": { type: "string" } }, required: ["z"] },
      '{ readonly "x-y"?: string; readonly z: unknown; }',
    ],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "string | number"],
    [{ oneOf: [{ const: "a" }, { type: "array", items: { const: 1 } }] }, '"a" | readonly 1[]'],
    [
      { allOf: [{ properties: { x: { type: "string" } } }, { required: ["x"] }] },
      "{ readonly x?: string; } & { readonly x: unknown; }",
    ],
    [{ type: "string", anyOf: [{ pattern: "a" }, { pattern: "b" }] }, "string"],
    [{ if: { type: "string" }, else: { minimum: 1 }, not: { const: 1 } }, "unknown"],
    [{}, "unknown"],
    [true, "unknown"],
    [false, "never"],
  ])("%j is %s", (schema, type) => {
    expect(attributeOf(schema)).toBe(type);
  });

  test("a reference is followed, with what stands beside it", () => {
    const $defs = { x: { type: "object", properties: { y: { type: "string" } } } };
    expect(attributeOf({ $ref: "#/$defs/x" }, { $defs })).toBe("{ readonly y?: string; }");
    expect(attributeOf({ $ref: "#/$defs/x", required: ["y"] }, { $defs })).toBe(
      "{ readonly y?: string; } & { readonly y: unknown; }",
    );
    const draft7 = { $schema: "http://json-schema.org/draft-07/schema#", definitions: $defs };
    expect(attributeOf({ $ref: "#/definitions/x", required: ["y"] }, draft7)).toBe("{ readonly y?: string; }");
  });

  test("a schema that contains itself is called by its name", () => {
    expect(attributesOf({ type: "object", properties: { up: { $ref: "#" } } })).toBe(
      "{ readonly up?: DocAttributes; }",
    );
    const module = moduleOf({
      schema: {
        type: "object",
        properties: { tree: { $ref: "#/$defs/tree" } },
        $defs: { tree: { type: "array", items: { anyOf: [{ type: "string" }, { $ref: "#/$defs/tree" }] } } },
      },
    });
    expect(module).toContain("export type Tree = readonly (string | Tree)[];\n");
    expect(module).toContain("readonly tree?: Tree;\n");
  });

  test("what authors say stands in comments, and cannot leave them", () => {
    const module = moduleOf({
      schema: {
        title: "A document.",
        description: "*/ export const x = 1; /*\n// more",
        type: "object",
        properties: { a: { description: "An attribute" } },
      },
    });
    expect(module).toContain(
      "/** A document. * / export const x = 1; /* // more. */\nexport interface DocAttributes {",
    );
    expect(module).toContain("  /** An attribute. */\n  readonly a?: unknown;\n");
  });

  test("a kind without a schema has any, and the module imports what it needs alone", () => {
    const open = moduleOf({});
    expect(lineOf(open, "attr")).toBe("Attributes");
    expect(open).toContain('import type { Attributes } from "keyward";');
    expect(typesModule(shipped)).not.toContain("import");
  });
});

/** Stands for any text in a template literal type. */
const TEXT = `\${string}`;

describe("names", () => {
  const rule = (fields: string) => `    - {name: r, effect: EFFECT_ALLOW, ${fields}}`;

  test("operations of a kind are what its rules name; `*` names none", () => {
    const operations = (actions: string) =>
      lineOf(moduleOf({ rules: rule(`actions: ${actions}, roles: [user]`) }), "operations");
    expect(operations('[b, a, "*"]')).toBe('"a" | "b"');
    expect(operations('["*"]')).toBe("string");
    expect(operations('["view:*", a]')).toBe(`"a" | \`view:${TEXT}\``);
    expect(operations('["a`*$x{b,c}"]')).toBe(["`a\\`", TEXT, "\\$x$", '{"b" | "c"}`'].join(""));
    // A pattern without an asterisk is a name.
    expect(operations('["{a,b}"]')).toBe('"{a,b}"');
  });

  test("principal and role policies name operations of the kinds that they match", () => {
    const principal = `apiVersion: api.cerbos.dev/v1
principalPolicy:
  principal: bob
  version: default
  rules:
    - {resource: "*", actions: [{name: p, action: archive, effect: EFFECT_DENY}]}
    - {resource: folder, actions: [{name: f, action: open, effect: EFFECT_ALLOW, condition: {match: {expr: R.attr.x}}}]}
`;
    const role = `apiVersion: api.cerbos.dev/v1
rolePolicy:
  role: intern
  version: default
  parentRoles: [user]
  rules:
    - {resource: doc, allowActions: [skim]}
`;
    const module = moduleOf({
      more: [
        { path: "p.yaml", text: principal },
        { path: "r.yaml", text: role },
      ],
    });
    expect(module.match(/readonly operations: .*/g)).toEqual([
      'readonly operations: "archive" | "read" | "skim";',
      'readonly operations: "archive" | "open";',
    ]);
    expect(lineOf(module, "roles")).toBe('"intern" | "user"');
    const [, permission = ""] = /permission: (\{.*?\};)/s.exec(module) ?? [];
    expect(permission.replaceAll(/\s+/g, " ")).toBe(
      '{ readonly allow: "f" | "r"; readonly deny: "f" | "invalid_attributes" | "invalid_policies" | "invalid_request" | "not_granted" | "p"; };',
    );
  });

  test("roles are those of rules and derived roles, and those of the annotation", () => {
    const annotated = `apiVersion: api.cerbos.dev/v1
metadata: {annotations: {keyward.roles: "guest, robot"}}
resourcePolicy: {resource: other, version: default, rules: []}
`;
    const rules = rule('actions: [read], roles: [user, "admin:*"]');
    expect(lineOf(moduleOf({ rules, more: [{ path: "o.yaml", text: annotated }] }), "roles")).toBe(
      `"guest" | "robot" | "user" | \`admin:${TEXT}\``,
    );
    expect(lineOf(moduleOf({ rules: rule('actions: [read], roles: ["*"]') }), "roles")).toBe("string");
  });

  test("a rule that allows any role makes any text a role, unless the annotation lists the roles", () => {
    const rolesWith = (other: string, annotations = "") => {
      const text = `apiVersion: api.cerbos.dev/v1
metadata: {annotations: {${annotations}}}
resourcePolicy: {resource: other, version: default, rules: [${other}]}
`;
      const rules = rule("actions: [read], roles: [user]");
      return lineOf(moduleOf({ rules, more: [{ path: "o.yaml", text }] }), "roles");
    };
    const any = 'actions: [see], roles: ["*"], name: any';
    const open = '"user" | (string & Record<never, never>)';
    expect(rolesWith(`{${any}, effect: EFFECT_ALLOW}`)).toBe(open);
    expect(rolesWith(`{${any}, effect: EFFECT_DENY}`)).toBe('"user"');
    expect(rolesWith(`{${any}, effect: EFFECT_ALLOW}`, 'keyward.roles: "guest"')).toBe('"guest" | "user"');
    expect(rolesWith(`{${any}, effect: EFFECT_ALLOW}`, 'keyward.roles: ""')).toBe('"user"');
    const sought = `${any}, effect: EFFECT_ALLOW, condition: {match: {expr: '"owner" in P.roles'}}`;
    expect(rolesWith(`{${sought}}`, 'keyward.roles: ""')).toBe('"owner" | "user"');
  });

  test("a permission-only set says so, and reads nothing of accounts", () => {
    const module = moduleOf({});
    expect(lineOf(module, "account")).toBe("Attributes");
    expect(lineOf(module, "platform")).toBe('"none"');
    expect(module).toContain('readonly allow: "not_asked";');
    expect(typesModule(shipped)).not.toContain('"none"');
  });
});

test("it does not depend on the order of files", () => {
  expect(typesModule(compiled(shippedFiles.toReversed()))).toBe(typesModule(shipped));
});

test("of the shipped policies it has every operation with its kind, and every reason", () => {
  const module = typesModule(shipped);
  for (const policy of shipped.model.resourcePolicies) {
    const [, kind = ""] = new RegExp(`readonly ${policy.name}: \\{(.*?)\\n    \\};`, "s").exec(module) ?? [];
    for (const action of policy.rules.flatMap(({ actions }) => actions)) expect(kind).toContain(`"${action}"`);
  }
  expect(lineOf(module, "roles")).toBe('"admin" | "custom" | "editor" | "viewer"');
  expect(module).toContain('| "quota_exceeded"\n');
});

describe("the attributes that each operation reads", () => {
  const readsOf = (rules: string, more: Given = {}) => {
    const [, reads = ""] = /export interface Reads (.*)/s.exec(moduleOf({ ...more, rules })) ?? [];
    return reads.replaceAll(/\s+/g, " ").trim();
  };
  const rule = (actions: string, expr: string) =>
    `    - {actions: [${actions}], roles: [user], effect: EFFECT_ALLOW, condition: {match: {expr: ${JSON.stringify(expr)}}}}\n`;

  test("by kind, operation and part of the request, each attribute once, by its first name", () => {
    const expr = 'R.attr.owner.id == P.id && R.attr["a-b"] in P.attr.list && R.attr.owner.name != "" && R.id != ""';
    expect(readsOf(rule("read", expr) + rule("edit", "now() > timestamp(R.attr.until)"))).toBe(
      '{ readonly doc: { readonly edit: { readonly key: never; readonly account: never; readonly resource: "until"; }; ' +
        'readonly read: { readonly key: "list"; readonly account: never; readonly resource: "a-b" | "owner"; }; }; }',
    );
  });

  test("any, where an expression does not tell which", () => {
    for (const expr of ["R.attr[P.id] == 1", "size(R.attr) > 0", "dyn(R) == 1", "R.attr.exists(x, x == R.attr.a)"]) {
      expect(readsOf(rule("read", expr)), expr).toContain("readonly resource: string;");
    }
  });

  test("of a pattern, those of every rule with a pattern", () => {
    const reads = readsOf(rule('"view:*"', "R.attr.a == 1") + rule('"*"', "P.attr.b == 1"));
    expect(reads).toContain(
      'readonly "view:*": { readonly key: "b"; readonly account: never; readonly resource: "a"; };',
    );
  });

  test("a schema that is called Reads keeps its declaration", () => {
    const schema = { type: "object", properties: { tree: { $ref: "#/$defs/reads" } }, $defs: { reads: {} } };
    const looped = { ...schema, $defs: { reads: { type: "array", items: { $ref: "#/$defs/reads" } } } };
    expect(moduleOf({ schema: looped })).toContain("export type Reads2 = readonly Reads2[];");
  });

  test("of the shipped policies, those of explain --reads", () => {
    const module = typesModule(shipped);
    const [, reads = ""] = /export interface Reads (.*)/s.exec(module) ?? [];
    for (const { operation, permission, platform } of readsOfOperations(shipped)) {
      const [, part = ""] = new RegExp(`readonly "${operation}": \\{(.*?)\\n    \\};`, "s").exec(reads) ?? [];
      const names = (subject: string) =>
        [...permission, ...platform].flatMap((path) => new RegExp(`^${subject}\\.attr\\.(\\w+)`).exec(path)?.[1] ?? []);
      for (const subject of ["key", "account", "resource"]) {
        const [, listed = ""] = new RegExp(`readonly ${subject}: *(.*?);`, "s").exec(part) ?? [];
        const written = [...listed.matchAll(/"(\w+)"/g)].map(([, name]) => name);
        expect(written, `${operation} ${subject}`).toEqual([...new Set(names(subject))].sort());
      }
    }
  });
});
