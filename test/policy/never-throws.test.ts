/** @module-tag long */

import fc from "fast-check";
import { expect, test } from "vitest";
import { parsePolicyFiles } from "../../src/policy/parse.js";
import { principalPolicy, resourcePolicy, rolePolicy, set } from "./support.js";
import "../support/seed.js";

const SAMPLES = [
  resourcePolicy(
    "importDerivedRoles: [roles]\nvariables: {import: [vars], local: {a: V.b}}\nschemas: {principalSchema: {ref: 'cerbos:///p.json'}}",
    "name: x\ncondition: &c\n  match:\n    all:\n      of:\n        - expr: V.a\n        - expr: >-\n            P.id\n            == R.id\noutput: {when: {ruleActivated: '1'}}",
  ),
  set(
    "derivedRoles",
    "roles",
    "definitions:\n  - name: owner\n    parentRoles: [user]\n    condition: {match: {expr: R.attr.x}}",
  ),
  set("exportVariables", "vars", "definitions: {b: R.attr.y}"),
  resourcePolicy("scope: a.b\nscopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS"),
  principalPolicy(
    "scope: a\nrules:\n  - resource: 'a:*'\n    actions:\n      - {name: x, action: view, effect: EFFECT_DENY, condition: {match: {expr: P.id == R.id}}}",
  ),
  rolePolicy("scope: a\nparentRoles: [user]\nrules:\n  - {resource: 'd*', allowActions: [view, '{a,b}*']}"),
  '{"type": "object", "properties": {"a": {"$ref": "#/properties/a", "pattern": "a+"}}}',
];

const scrap = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom(..."[]{}:,&*!|>'\"-?%@`#~\n\t\0", "<<: ", "__proto__: ", "---\n", "*c", "null", ": ", "  ", "\r\n"),
);

/** A sample with random parts of its text replaced. */
const damaged = fc
  .tuple(fc.constantFrom(...SAMPLES), fc.array(fc.tuple(fc.nat(400), fc.nat(20), scrap), { maxLength: 4 }))
  .map(([text, edits]) => edits.reduce((t, [at, length, by]) => t.slice(0, at) + by + t.slice(at + length), text));

test("whatever the files are, the answer is a model, or issues with positions that are in the files", () => {
  const path = fc.constantFrom("a.yaml", "b.yaml", "c.json", "_schemas/p.json", "_schemas/q.json");
  fc.assert(
    fc.property(fc.array(fc.record({ path, text: damaged }), { maxLength: 4 }), (files) => {
      const loaded = parsePolicyFiles(files);
      const issues = loaded._tag === "Left" ? loaded.left : loaded.right.warnings;
      expect(issues.some((issue) => issue.severity === "error")).toBe(loaded._tag === "Left");
      for (const { file, line, column } of issues) {
        const lines = (files.find((each) => each.path === file)?.text ?? "").replace(/^\ufeff/, "").split("\n");
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeGreaterThanOrEqual(1);
        if (files.filter((each) => each.path === file).length === 1) {
          expect(column).toBeLessThanOrEqual((lines[line - 1] ?? "").length + 1);
        }
      }
    }),
    { numRuns: 1_500 },
  );
});

test("a polluted prototype is never read as data", () => {
  const text = resourcePolicy("");
  const pollute = () => {
    Object.defineProperty(Object.prototype, "scope", {
      value: "acme",
      configurable: true,
      enumerable: true,
      writable: true,
    });
    try {
      return parsePolicyFiles([{ path: "a.yaml", text }]);
    } finally {
      Reflect.deleteProperty(Object.prototype, "scope");
    }
  };
  expect(parsePolicyFiles([{ path: "a.yaml", text }])._tag).toBe("Right");
  expect(pollute()._tag).toBe("Right");
});
