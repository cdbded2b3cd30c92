/** The package's JSON Schemas match the shapes that readers validate files against. */

import { readdirSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { DOCUMENT_SHAPES, KINDS } from "../../src/policy/shape/document.js";
import { FAULTS, WHOLE } from "../policy/configurations.js";
import { ROOT } from "../support/built.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { suite } from "../testing/support.js";
import { EDITOR_SCHEMAS } from "./editor-schemas.js";

const DIRECTORY = `${ROOT}schemas/`;

function validator(name: string): (text: string) => boolean {
  const schema = JSON.parse(readFileSync(DIRECTORY + name, "utf8"));
  const ajv = schema.$schema.includes("2020-12") ? new Ajv2020({ strict: false }) : new Ajv({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (text) => validate(parse(text));
}

test("the files are the schemas of the source (npm run schemas)", () => {
  expect(readdirSync(DIRECTORY).sort()).toEqual([...EDITOR_SCHEMAS.keys()].sort());
  for (const [name, schema] of EDITOR_SCHEMAS) {
    expect(JSON.parse(readFileSync(DIRECTORY + name, "utf8")), name).toEqual(JSON.parse(JSON.stringify(schema)));
  }
});

test("that of policies has the shape of each kind of policy", () => {
  const { $defs, oneOf } = JSON.parse(readFileSync(`${DIRECTORY}policy.schema.json`, "utf8"));
  expect(oneOf).toHaveLength(KINDS.length);
  for (const kind of KINDS) {
    const { $defs: own, ...shape } = JSON.parse(JSON.stringify(DOCUMENT_SHAPES[kind]));
    expect($defs[kind]).toEqual(shape);
    expect($defs).toMatchObject(own);
  }
});

describe("they accept what is right and refuse what is not", () => {
  test("the shipped files", { tags: "long" }, () => {
    const paths = readdirSync(SHIPPED_ROOT, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".yaml"),
    );
    for (const path of paths) {
      const text = readFileSync(SHIPPED_ROOT + path, "utf8");
      const [, name = ""] = /\$schema=.*\/(.*)/.exec(text) ?? [];
      expect(validator(name)(text), path).toBe(true);
      expect(validator(name)(`${text}\nunknown: 1\n`), path).toBe(false);
    }
  });

  test.each([
    ["decisions.schema.json", suite("{ name: a, expect: allow }"), suite("{ name: a, expect: yes }")],
    ["fixtures.schema.json", "keys: { a: { roles: [x] } }", "keys: { a: { roles: [] } }"],
    [
      "policy.schema.json",
      "apiVersion: api.cerbos.dev/v1\nexportVariables: { name: a }",
      "apiVersion: api.cerbos.dev/v1",
    ],
    [
      "claims.schema.json",
      "claims: [{ claim: a, never: allow }]",
      "claims: [{ claim: a, never: allow, always: allow }]",
    ],
    ["key-history.schema.json", "{ id: k, from: 2026-05-01, roles: [a] }", "{ id: k, from: 2026-05-01 }"],
    ["key-history.schema.json", "{ id: k, revoked: true }", "{ id: k, roles: [a], from: yesterday }"],
    ["cerbos-principals.schema.json", "principals: { a: { id: a, roles: [x] } }", "principals: { a: { id: a } }"],
    ["cerbos-resources.schema.json", "resources: { a: { id: a, kind: x } }", "resources: { a: { id: a } }"],
    ["cerbos-auxdata.schema.json", "auxData: { a: { jwt: { sub: x } } }", "auxData: { a: { jwt: x } }"],
    [
      "cerbos-suite.schema.json",
      "name: a\ntests: [{ name: b, input: { actions: [c] }, expected: [{ actions: { c: EFFECT_DENY } }] }]",
      "name: a\ntests: [{ name: b, input: { actions: [c] }, expected: [{ actions: { c: DENY } }] }]",
    ],
  ])("%s", (name, good, bad) => {
    expect([good, bad].map(validator(name))).toEqual([true, false]);
  });
});

describe("that of keyward.yaml", () => {
  const valid = validator("keyward.schema.json");

  test("accepts what the reader accepts", () => {
    expect(valid(WHOLE)).toBe(true);
    expect(valid("platform: none\n")).toBe(true);
  });

  // The schema knows nothing of YAML's spellings, of the server's reading, or of empty files.
  const beyond = /^$|globals:|^title/;
  test.each(FAULTS.filter(([text]) => !beyond.test(text)))("refuses %j", (text) => {
    expect(valid(text)).toBe(false);
  });
});
