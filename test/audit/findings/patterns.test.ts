/** Findings about actions that policies give as patterns. */

import { describe, expect, test } from "vitest";
import { findingsOf } from "../../../src/audit/index.js";
import type { PolicyFile } from "../../../src/index.js";
import { policy } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

const rule = (action: string, effect: string) =>
  `name: ${effect.toLowerCase()}, actions: [${JSON.stringify(action)}], roles: [user], effect: EFFECT_${effect}`;

const supports = (action: string): PolicyFile => ({
  path: "platform.yaml",
  text: policy({
    version: "platform",
    rules: [`name: supported, actions: [${JSON.stringify(action)}], roles: [account], effect: EFFECT_ALLOW`],
  }),
});

const found = (rules: readonly string[], ...others: readonly PolicyFile[]): readonly string[] =>
  findingsOf(
    compiled(
      [{ path: "doc.yaml", text: policy({ rules }) }, ...others],
      others.length === 0 ? { platform: "none" } : {},
    ),
  ).map(({ code, message }) => `${code} ${message}`);

/** Patterns, most of which do not match their own text. */
const PATTERNS = [
  "{doc:*,album:*}",
  "{*.read,*.list}",
  "{a,b*}",
  "v[0-9]:*",
  "v?*",
  "doc:?*",
  "{read}:*",
  "v?:*",
  "api_key_?:*",
  "[!a]*",
  "\\{x\\}:*",
];

describe.for(PATTERNS)("the pattern %s", (pattern) => {
  test("is permitted if a rule allows it", () => {
    expect(found([rule(pattern, "ALLOW")])).toEqual([]);
    expect(found([rule(pattern, "ALLOW")], supports(pattern))).toEqual([]);
  });

  test("is permitted to nobody if a rule denies it as well, or if none allows it", () => {
    expect(found([rule(pattern, "ALLOW"), rule(pattern, "DENY")]).join()).toContain("ungranted_operation");
    expect(found([rule("abc", "ALLOW")], supports(pattern)).join()).toContain("ungranted_operation");
  });
});

test("each entry of a list in braces is permitted or not by itself", () => {
  const allowed = rule("{doc:*,album:*}", "ALLOW");
  expect(found([allowed, rule("doc:*", "DENY")])).toEqual([
    "ungranted_operation the policies name doc:* on doc, but no role may do it",
  ]);
  expect(found([allowed], supports("doc:*"))).toEqual([
    "unsupported_operation album:* on doc is permitted to some keys, but the platform never supports it, so it is always forbidden",
  ]);
});
