/** A set is asked as its `keyward.yaml` says; options take precedence, and the set records them. */

import { describe, expect, test } from "vitest";
import { pack } from "../../src/bundle/pack.js";
import { unpack } from "../../src/bundle/unpack.js";
import { assumedWords, configurationNotes } from "../../src/decisions/configuration-notes.js";
import { decideAny } from "../../src/decisions/decide.js";
import { CLOSURES_ONLY } from "../../src/engine/evaluate/full-equipment.js";
import {
  type CompileOptions,
  compilePolicies,
  type DecisionRequest,
  decide,
  type PolicyFile,
  type PolicySet,
  policySetHash,
} from "../../src/index.js";
import { policy, supportAll, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const configured = (text: string, files: readonly PolicyFile[], options?: CompileOptions): PolicySet =>
  compiled([...files, { path: "keyward.yaml", text }], options);

/** The outcome by a set, and by a bundle of it. */
function outcomes(set: PolicySet, request: DecisionRequest): string {
  const outcome = decide(set, request).outcome;
  expect(decide(unpack(pack(set), CLOSURES_ONLY), request).outcome).toBe(outcome);
  return outcome;
}

const ask = (attr = {}, more: Partial<DecisionRequest> = {}): DecisionRequest => ({
  key: { id: "k", roles: ["user"], attr: {} },
  operation: "read",
  resource: { kind: "doc", id: "d", attr },
  account: { id: "a", attr: {} },
  ...more,
});

const READ = "actions: [read], roles: [user], effect: EFFECT_ALLOW, name: read";
const docs = (...rules: readonly string[]): readonly PolicyFile[] => [
  { path: "doc.yaml", text: policy({ rules }) },
  ...supportAll("doc"),
];

describe("globals", () => {
  const files = docs(`${READ}, ${when("G.open == true")}`);

  test("are the file's, or those of an option; unknown globals are absent", () => {
    expect(outcomes(configured("globals: { open: true }", files), ask())).toBe("allow");
    expect(outcomes(configured("globals: { open: false }", files), ask())).toBe("insufficient_permissions");
    expect(outcomes(compiled(files), ask())).toBe("insufficient_permissions");
    const set = configured("globals: { open: false }", files, { globals: { open: true } });
    expect(outcomes(set, ask())).toBe("allow");
  });

  test("a bundle carries them, and takes others when it is loaded", () => {
    const packed = pack(configured("globals: { open: false }", files));
    expect(decide(unpack(packed, CLOSURES_ONLY), ask()).outcome).toBe("insufficient_permissions");
    const other = unpack(packed, CLOSURES_ONLY, "", { open: true });
    expect(decide(other, ask()).outcome).toBe("allow");
    expect(other.configuration).toMatchObject({ globals: { open: true }, overridden: ["globals"] });
  });
});

const SCHEMA: PolicyFile = {
  path: "_schemas/doc.json",
  text: JSON.stringify({ type: "object", properties: { locked: { type: "boolean" } } }),
};
const SCHEMAS = "schemas: {resourceSchema: {ref: 'cerbos:///doc.json'}}";
const typed = (...rules: readonly string[]): readonly PolicyFile[] => [
  SCHEMA,
  { path: "doc.yaml", text: policy({ body: SCHEMAS, rules }) },
  ...supportAll("doc"),
];

test("schema enforcement", () => {
  const files = typed(READ);
  const bad = ask({ locked: "yes" });
  expect(outcomes(configured("schemaEnforcement: reject", files), bad)).toBe("insufficient_permissions");
  expect(outcomes(configured("schemaEnforcement: warn", files), bad)).toBe("allow");
  expect(outcomes(compiled(files), bad)).toBe("allow");
  const set = configured("schemaEnforcement: reject", files, { schemaEnforcement: "none" });
  expect(outcomes(set, bad)).toBe("allow");
});

test("typed reads", () => {
  const files = typed(READ, `actions: [read], roles: [user], effect: EFFECT_DENY, ${when("R.attr.locked == true")}`);
  const bad = ask({ locked: "true" });
  expect(outcomes(configured("typedReads: true", files), bad)).toBe("insufficient_permissions");
  expect(outcomes(configured("typedReads: false", files), bad)).toBe("allow");
});

test("a lenient search for scopes", () => {
  const files = docs(READ);
  const below = ask({}, { resource: { kind: "doc", id: "d", attr: {}, scope: "acme.hr" } });
  expect(outcomes(configured("lenientScopeSearch: true", files), below)).toBe("allow");
  expect(outcomes(configured("lenientScopeSearch: false", files), below)).toBe("forbidden");
});

describe("layers", () => {
  const V1 = policy({ version: "v1", rules: [READ] });

  test("their versions", () => {
    const files = [
      { path: "doc.yaml", text: V1 },
      { path: "old.yaml", text: policy({ version: "v0", rules: [READ] }) },
      {
        path: "rules.yaml",
        text: policy({ version: "rules", rules: ["actions: [read], roles: [account], effect: EFFECT_ALLOW"] }),
      },
    ];
    const set = configured("layers: { permission: v1, platform: rules, others: [v0] }", files);
    expect(outcomes(set, ask())).toBe("allow");
    expect(set.warnings).toEqual([]);
  });

  test("no platform layer: no account is needed", () => {
    const { key, operation, resource } = ask();
    const set = configured("{ platform: none, layers: { permission: v1 } }", [{ path: "doc.yaml", text: V1 }]);
    expect(decideAny(set, { key, operation, resource })).toMatchObject({
      outcome: "allow",
      platform: { asked: false },
    });
  });

  test("a version that a program names is a platform layer, also where the file has none", () => {
    const files = [...docs(READ), { path: "note.yaml", text: policy({ resource: "note", rules: [READ] }) }];
    const set = configured("platform: none", files, { platformVersion: "platform" });
    expect(outcomes(set, ask())).toBe("allow");
    expect(outcomes(set, ask({}, { resource: { kind: "note", id: "n", attr: {} } }))).toBe("forbidden");
    expect(set.configuration.overridden).toContain("platform");
  });

  test("kinds without a platform policy are supported only where the file says so", () => {
    const files = [...docs(READ), { path: "note.yaml", text: policy({ resource: "note", rules: [READ] }) }];
    const note = ask({}, { resource: { kind: "note", id: "n", attr: {} } });
    expect(outcomes(compiled(files), note)).toBe("forbidden");
    expect(outcomes(configured("platform: { unlisted: forbidden }", files), note)).toBe("forbidden");
    const open = configured("platform: { unlisted: supported }", files);
    expect(outcomes(open, note)).toBe("allow");
    expect(outcomes(open, ask())).toBe("allow");
    // A kind that no policy names is still forbidden, and a kind with a platform policy is as that policy says.
    expect(outcomes(open, ask({}, { resource: { kind: "memo", id: "m", attr: {} } }))).toBe("forbidden");
    expect(outcomes(open, ask({}, { operation: "write" }))).toBe("insufficient_permissions");
    const option = compiled(files, { platform: { unlisted: "supported" } });
    expect(outcomes(option, note)).toBe("allow");
  });
});

test("without a file and options, everything has its default", () => {
  expect(compiled(docs(READ)).configuration).toMatchObject({
    permissionVersion: "default",
    platformVersion: "platform",
    unlisted: "forbidden",
    otherVersions: [],
    schemaEnforcement: "none",
    typedReads: true,
    lenientScopeSearch: false,
    cerbos: "0.55",
    overridden: [],
  });
});

test("what options override, and what nothing gives, is recorded", () => {
  const files = docs(READ);
  const text = "globals: { a: 1, b: { c: 2 } }\ntypedReads: true\n";
  const { configuration } = configured(text, files, { globals: { b: { c: 2 }, a: 1 }, typedReads: false });
  expect(configuration).toMatchObject({
    overridden: ["typedReads"],
    assumed: ["schemaEnforcement", "lenientScopeSearch"],
  });
  expect(compiled(files).configuration.assumed).toEqual([
    "globals",
    "schemaEnforcement",
    "typedReads",
    "lenientScopeSearch",
  ]);
  const layers = configured("layers: { platform: platform }\nplatform: { unlisted: supported }", files, {
    platform: "none",
  });
  expect(layers.configuration).toMatchObject({ platformVersion: null, overridden: ["platform"] });
  const others = configured("layers: { others: [old] }", files, { otherVersions: ["older"] });
  expect(others.configuration).toMatchObject({ otherVersions: ["older"], overridden: ["layers.others"] });
  const schemas = configured("schemaEnforcement: reject\nlenientScopeSearch: true", files, {
    schemaEnforcement: "none",
    lenientScopeSearch: false,
  });
  expect(schemas.configuration.overridden).toEqual(["schemaEnforcement", "lenientScopeSearch"]);
  const level = configured('cerbos: "0.58"', files, { cerbos: "0.55" });
  expect(level.configuration).toMatchObject({ cerbos: "0.55", overridden: ["cerbos"] });
});

describe("a proof names the settings that it assumes", () => {
  const body = 'schemas: {resourceSchema: {ref: "cerbos:///doc.json"}}';
  const typed = [
    ...supportAll("doc"),
    { path: "doc.yaml", text: policy({ body, rules: [READ] }) },
    { path: "_schemas/doc.json", text: "{}" },
  ];
  const scoped = docs(READ).map(({ path, text }) => ({
    path: `scoped-${path}`,
    text: text.replace("version:", "scope: acme\n  version:"),
  }));
  const assumedOf = (files: readonly PolicyFile[], options: CompileOptions = {}) =>
    assumedWords(configurationNotes([compiled(files, options)]));

  test.each([
    ["none of them can change a decision", docs(READ), {}, ""],
    ["a schema", typed, {}, " (assuming schemaEnforcement: none, typedReads: true)"],
    ["a schema, and a choice", typed, { typedReads: false }, " (assuming schemaEnforcement: none)"],
    ["a scope", [...docs(READ), ...scoped], {}, " (assuming lenientScopeSearch: false)"],
  ])("%s", (_, files, options, words) => {
    expect(assumedOf(files, options)).toBe(words);
  });
});

test("the file is part of the set's hash; it can be hidden, and of two files the visible one counts", async () => {
  const files = docs(READ);
  const hashes = ["typedReads: true", "typedReads: false"].map((text) => policySetHash(configured(text, files)));
  const [one, two] = await Promise.all([...hashes, policySetHash(compiled(files))]);
  expect(one).not.toBe(two);
  const hidden = { path: ".keyward.yaml", text: "typedReads: true" };
  const both = compiled([...files, hidden, { path: "keyward.yaml", text: "typedReads: false" }]);
  expect(both.configuration.typedReads).toBe(false);
  expect(both.warnings).toMatchObject([{ file: ".keyward.yaml", code: "duplicate" }]);
  expect(compiled([...files, hidden]).configuration.assumed).not.toContain("typedReads");
});

test("a fault of the file refuses the set", () => {
  expect(compilePolicies([...docs(READ), { path: "keyward.yaml", text: "platfrom: none\n" }])).toMatchObject({
    left: [{ file: "keyward.yaml", line: 1, column: 1, message: "unknown field platfrom" }],
  });
});
