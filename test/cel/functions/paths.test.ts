/** Path functions, by the tables of Cerbos's documentation and `crosspath_test.go`; no server at hand has them. */

import { describe, expect, test } from "vitest";
import { nearestFunction, overloadsOf, sinceVersion } from "../../../src/cel/functions/registry.js";
import { call } from "./support.js";

describe("paths", () => {
  test.each([
    ["basePath", "/a/b.txt", "b.txt"],
    ["basePath", "C:\\a\\b.txt", "b.txt"],
    ["basePath", "\\\\host\\share\\a", "a"],
    ["basePath", "", "."],
    ["basePath", "/", "/"],
    ["dirPath", "/a/b.txt", "/a"],
    ["dirPath", "/a", "/"],
    ["dirPath", "a", "."],
    ["dirPath", "C:\\a\\b.txt", "C:\\a"],
    ["dirPath", "\\\\host\\share\\a", "\\\\host\\share"],
    ["extPath", "/a/b.tar.gz", ".gz"],
    ["extPath", "/a.b/c", ""],
    ["volumeName", "C:\\a", "C:"],
    ["volumeName", "\\\\host\\share\\a", "\\\\host\\share"],
    ["volumeName", "/a", ""],
  ])("%s(%j)", (name, path, expected) => {
    expect(call(name, "global", path)).toBe(expected);
  });

  test.each([
    ["/a", "/a/b/c", "b/c"],
    ["/a/b", "/a/c", "../c"],
    ["/a", "/a", "."],
    ["a", "/a", undefined],
  ])("relPath(%j, %j)", (from, to, expected) => {
    expect(call("relPath", "global", from, to)).toBe(expected);
  });

  test.each([
    ["/a/b", "/a/*", true],
    ["/a/b/c", "/a/*", false],
    ["/a/b", "/a/?", true],
    ["/a/b", "/a/[a-c]", true],
    ["/a/b", "/a/[^a-c]", false],
    ["/a/bcd", "/a/*c*", true],
    ["/a/b", "/a/[", undefined],
  ])("pathMatch(%j, %j)", (path, pattern, expected) => {
    expect(call("pathMatch", "member", path, pattern)).toBe(expected);
  });

  test("prefixes end at a separator", () => {
    expect(call("pathHasPrefix", "global", "/a/b", "/a")).toBe(true);
    expect(call("pathHasPrefix", "global", "/ab", "/a")).toBe(false);
  });

  test("are not known to 0.51", () => {
    expect(overloadsOf("basePath", "global")).toEqual([]);
    expect(sinceVersion("basePath")).toBe("0.52");
  });
});

test.each([
  ["startswith", "startsWith"],
  ["hasIntersect", "hasIntersection"],
  ["getYear", undefined],
  ["zzzzzz", undefined],
])("the name nearest to %s", (name, expected) => {
  expect(nearestFunction(name)).toBe(expected);
});
