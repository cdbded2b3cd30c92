/** `keyward.yaml`: its fields are read, and every fault has a place. */

import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readConfiguration } from "../../src/policy/configuration/configuration.js";
import { readGlobals } from "../../src/policy/configuration/globals.js";
import { CONFIGURATION_SCHEMA } from "../../src/policy/configuration/schema.js";
import { IssueLog } from "../../src/policy/issue-log.js";
import { Source } from "../../src/policy/text/source.js";

function read(text: string) {
  const log = new IssueLog();
  const configuration = readConfiguration("keyward.yaml", text, log);
  const issues = log.issues.map(({ line, column, message, hint }) =>
    `${line}:${column} ${message} ${hint ?? ""}`.trim(),
  );
  return { configuration, issues };
}

const WHOLE = `layers: { permission: v1, platform: rules, others: [v0] }
platform: { unlisted: supported }
globals:
  limit: 10
  huge: 9007199254740993
  text: !!str 1
  list: [a, 1.5]
schemaEnforcement: reject
typedReads: false
lenientScopeSearch: true
cerbos: "0.55"
roles: [viewer, admin]
title: Keys
owner: platform team
`;

test("every field is read", () => {
  expect(read(WHOLE)).toEqual({
    configuration: {
      file: "keyward.yaml",
      layers: { permission: "v1", platform: "rules", others: ["v0"] },
      platform: { unlisted: "supported", at: { file: "keyward.yaml", line: 2, column: 13 } },
      globals: { limit: 10n, huge: 9007199254740993n, text: "1", list: ["a", 1.5] },
      schemaEnforcement: "reject",
      typedReads: false,
      lenientScopeSearch: true,
      roles: ["viewer", "admin"],
      title: "Keys",
      owner: "platform team",
    },
    issues: [],
  });
  expect(read("platform: none\n").configuration).toMatchObject({ platform: "none", globals: undefined });
});

const FAULTS: readonly (readonly [text: string, issue: string])[] = [
  ["", "1:1 the file must be a mapping of fields to values"],
  ["- a\n", "1:1 the file must be a mapping of fields to values"],
  ["typedReeds: true\n", '1:1 unknown field typedReeds did you mean "typedReads"?'],
  ["schemaEnforcement: rejct\n", '1:20 `schemaEnforcement` must be none or warn or reject did you mean "reject"?'],
  ["typedReads: no\n", "1:13 `typedReads` must be true or false"],
  ['typedReads: "false"\n', "1:13 `typedReads` must be true or false"],
  ["lenientScopeSearch: 1\n", "1:21 `lenientScopeSearch` must be true or false"],
  ["platform: non\n", '1:11 `platform` must be none did you mean "none"?'],
  ["platform: {}\n", "1:11 `platform` must be none, or a mapping with the field `unlisted`"],
  ["platform: { unlisted: allowed }\n", "1:23 `unlisted` must be supported or forbidden"],
  ["platform: { unlisted: supported, kinds: [a] }\n", "1:34 unknown field kinds"],
  ["layers: default\n", "1:9 `layers` must be a mapping"],
  ["layers: { permission: 1 }\n", "1:23 `permission` must be text: quote it"],
  ["layers: { permision: v1 }\n", '1:11 unknown field permision did you mean "permission"?'],
  ["layers: { others: v0 }\n", "1:19 `others` must be a list of texts"],
  ["globals: [a]\n", "1:10 `globals` must be a mapping"],
  ["globals: { a-b: 1 }\n", '1:12 "a-b" cannot be the name of a global'],
  ["globals: { a: yes }\n", "1:15 yes means one thing in YAML 1.2 and another to the server quote or rewrite it"],
  [
    "globals: { a: [{ b: 012 }] }\n",
    "1:21 012 means one thing in YAML 1.2 and another to the server quote or rewrite it",
  ],
  ["cerbos: 0.55\n", "1:9 `cerbos` must be 0.55 quote it"],
  ['cerbos: "0.58"\n', '1:9 `cerbos` must be 0.55 did you mean "0.55"?'],
  ['title: ""\n', "1:8 `title` must be text: quote it"],
  ["roles: [a, 1]\n", "1:12 `roles` must be text: quote it"],
];

test.each(FAULTS)("%j is refused with its place", (text, issue) => {
  const { configuration, issues } = read(text);
  expect(configuration).toBeUndefined();
  expect(issues.map((one) => one.replace(/^did/, ""))).toEqual([issue]);
});

describe("the schema for editors", () => {
  const valid = new Ajv({ strict: false }).compile(CONFIGURATION_SCHEMA);

  test("accepts what the reader accepts", () => {
    expect(valid(parse(WHOLE))).toBe(true);
    expect(valid({ platform: "none" })).toBe(true);
  });

  // The schema knows nothing of YAML's spellings, of the server's reading, or of empty files.
  const beyond = /^$|globals:|^title/;
  test.each(FAULTS.filter(([text]) => !beyond.test(text)))("refuses %j", (text) => {
    expect(valid(parse(text))).toBe(false);
  });
});

test("globals in a file of their own", () => {
  const log = new IssueLog();
  const globals = (text: string) => readGlobals(new Source("g.yaml", text), log);
  expect(globals("a: !!str 1\nb: 1\nc: 1.0\n")).toEqual({ a: "1", b: 1n, c: 1 });
  expect(globals("")).toEqual({});
  expect(globals("- 1\n")).toBeUndefined();
  expect(log.issues.map(({ message }) => message)).toEqual(["must be a map of names to values"]);
});
