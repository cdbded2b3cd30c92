/** Path functions, by the tables of Cerbos's documentation and `crosspath_test.go`; no available server has them. */

import { describe, expect, test } from "vitest";
import { nearestFunction } from "../../../src/cel/functions/registry.js";
import { evaluationOf, load } from "../support.js";
import { value } from "../value.js";
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
    ["basePath", "..", ".."],
    ["basePath", "C:\\\\path\\\\to\\\\..\\\\dir\\\\", "dir"],
    ["dirPath", "\\\\host\\share", "\\\\host\\share"],
    ["dirPath", "\\\\host\\share\\\\file.txt", "\\\\host\\share"],
    ["dirPath", "C:\\", "C:\\"],
    ["dirPath", "C:", "C:\\"],
    ["dirPath", "C:\\path\\to\\dir\\", "C:\\path\\to"],
    ["dirPath", "path\\to\\dir", "path\\to"],
    ["dirPath", "..\\path\\to\\dir", "..\\path\\to"],
    ["dirPath", "./path/to/dir", "path/to"],
    ["dirPath", "/path//to/file.txt", "/path/to"],
    ["extPath", "\\\\host\\share\\file.txt", ".txt"],
    ["volumeName", "\\\\host\\share", "\\\\host\\share"],
    ["volumeName", "C:", "C:"],
    // A drive path needs at least one backslash.
    ["dirPath", "C:.", undefined],
    ["dirPath", "C:dir", undefined],
    ["basePath", "C:/path/to", undefined],
    ["basePath", "C:dir\\file", "file"],
    // No slash remains, and the server slices out of range.
    ["dirPath", "name\\", undefined],
  ])("%s(%j)", (name, path, expected) => {
    expect(call(name, "global", path)).toBe(expected);
  });

  test.each([
    [[], ""],
    [[""], ""],
    [["/"], "/"],
    [["/path", "to", "dir", ".."], "/path/to"],
    [["path", "to", "dir"], "path/to/dir"],
    [["\\\\host", "share", "path", ".."], "\\\\host\\share"],
    [["C:", "path", "to", "dir"], "C:\\path\\to\\dir"],
    [["\\path", "to", "dir", ".."], "\\path\\to"],
    [["C:\\"], "C:\\"],
    [["/a", "C:b"], undefined],
    [["/a", 1], undefined],
  ])("joinPath(%j)", (paths, expected) => {
    expect(call("joinPath", "global", paths)).toBe(expected);
  });

  test.each([
    ["/a", "/a/b/c", "b/c"],
    ["/path/to/dir", "/path/to", ".."],
    ["/path/to/../dir", "/path/to/../other_dir", "../other_dir"],
    ["\\\\host\\share\\object", "\\\\host\\share\\other_object", "..\\other_object"],
    ["\\\\host\\share", "\\\\host\\share\\file.txt", "file.txt"],
    ["C:\\path\\to\\..\\dir", "C:\\path\\to\\..\\other_dir", "..\\other_dir"],
    ["path\\to\\dir", "path\\to\\other_dir", "..\\other_dir"],
    ["/a/b", "/a/c", "../c"],
    ["/a", "/a", "."],
    ["a", "/a", undefined],
  ])("relPath(%j, %j)", (from, to, expected) => {
    expect(call("relPath", "global", from, to)).toBe(expected);
  });

  test.each([
    ["/a/b", "/a/*", true],
    ["/path/to/../file.zip", "/path/to/../*.zip", true],
    ["\\\\host\\share\\..\\file.zip", "\\\\host\\share\\..\\*.zip", true],
    ["C:\\path\\to\\file.zip", "C:\\path\\to\\*.zip", true],
    ["D:\\path\\to\\file.zip", "C:\\path\\to\\*.zip", false],
    ["/a/b/c", "/a/*", false],
    ["/a/b", "/a/?", true],
    ["/a/b", "/a/[a-c]", true],
    ["/a/b", "/a/[^a-c]", false],
    ["/a/bcd", "/a/*c*", true],
    ["/a/b", "/a/[", undefined],
  ])("pathMatch(%j, %j)", (path, pattern, expected) => {
    expect(call("pathMatch", "member", path, pattern)).toBe(expected);
  });

  // The values of level 0.55 are the server's. No server of level 0.58 could be asked.
  test.each<[path: string, prefix: string, at55: unknown, at58: unknown]>([
    ["/a/b", "/a", true, true],
    ["/ab", "/a", false, false],
    ["/a", "/a", true, true],
    ["/a/", "/a", false, true],
    ["/a", "/a/.", false, true],
    ["/a/b", "/x/../a", true, true],
    ["/a/../b", "/a", false, false],
    ["/a/b/../../c", "/a", false, false],
    ["/a/b/..", "/a", false, true],
    ["/a/.hidden", "/a", false, true],
    ["/a/..b", "/a", false, true],
    ["/secrets/.env", "/secrets", false, true],
    ["/a/b..", "/a", true, true],
    ["../a", ".", false, false],
    ["../a", "..", true, true],
    ["../../a", "..", false, false],
    ["", "", true, true],
    ["C:\\a\\..\\b", "C:\\a", false, false],
    ["C:\\x", "C:", true, true],
    ["D:foo", "D:foo", true, "unsupported Win32 path"],
    ["a", "/", "failed to determine relative path of a: Rel: can't make a relative to /", undefined],
    ["/a", "a", "failed to determine relative path of /a: Rel: can't make /a relative to a", undefined],
  ])("pathHasPrefix(%j, %j)", (path, prefix, at55, at58 = at55) => {
    for (const [level, expected] of [
      ["0.55", at55],
      ["0.58", at58],
    ] as const) {
      const code = load(`pathHasPrefix(R.attr.path, R.attr.prefix)`, level);
      if (typeof code !== "function") throw new Error(code.refused);
      const ev = evaluationOf({ path, prefix });
      expect(code(ev) ?? ev.fault, level).toBe(expected);
    }
  });

  test.each([
    ["basePath(R.attr.s)", "abc"],
    ["'/a/b'.pathHasPrefix('/a') && pathHasPrefix('/a/b', '/a')", true],
    ["'/a/b.zip'.pathMatchAnyOf(['/a/*.txt', '/a/*.zip'])", true],
    ["pathMatchAnyOf('/a/b.zip', [])", false],
    ["joinPath(['/a', R.attr.s])", "/a/abc"],
    ["basePath(R.attr.n)", "error"],
    ["basePath(1)", "refused: found no matching overload for 'basePath' applied to '(int)'"],
    ["'/a'.basePath()", "refused: there is no member function 'basePath'"],
  ])("%s", (source, expected) => {
    expect(value(source)).toEqual(expected);
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
