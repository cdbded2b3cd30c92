/** Which version of the expression language has what. */

import { describe, expect, test } from "vitest";
import { functionsOf, nearestFunction, overloadsOf, sinceVersion } from "../../src/cel/functions/registry.js";
import { CEL_VERSIONS, type CelVersion, DEFAULT_CEL_VERSION, has, isCelVersion } from "../../src/cel/versions.js";
import { value } from "./later.js";
import { load } from "./support.js";

const names = (version: CelVersion): ReadonlySet<string> => new Set(functionsOf(version).map(({ name }) => name));

/** An expression for each name that is newer than 0.51, and the version that it came with. */
const NEWER: readonly (readonly [string, string, CelVersion])[] = [
  ["basePath", "basePath('/a/b')", "0.52"],
  ["dirPath", "dirPath('/a/b')", "0.52"],
  ["extPath", "extPath('/a.b')", "0.52"],
  ["joinPath", "joinPath(['/a', 'b'])", "0.52"],
  ["relPath", "relPath('/a', '/a/b')", "0.52"],
  ["volumeName", "volumeName('C:')", "0.52"],
  ["pathHasPrefix", "pathHasPrefix('/a/b', '/a')", "0.52"],
  ["pathMatch", "'/a/b'.pathMatch('/a/*')", "0.52"],
  ["pathMatchAnyOf", "'/a/b'.pathMatchAnyOf(['/a/*'])", "0.52"],
  ["optional.of", "optional.of(1)", "0.55"],
  ["optional.ofNonZeroValue", "optional.ofNonZeroValue(1)", "0.55"],
  ["optional.none", "optional.none()", "0.55"],
  ["optional.unwrap", "optional.unwrap([])", "0.55"],
  ["unwrapOpt", "[].unwrapOpt()", "0.55"],
  ["hasValue", "dyn(1).hasValue()", "0.55"],
  ["value", "dyn(1).value()", "0.55"],
  ["or", "dyn(1).or(dyn(1))", "0.55"],
  ["orValue", "dyn(1).orValue(1)", "0.55"],
  ["first", "[1].first()", "0.55"],
  ["last", "[1].last()", "0.55"],
  ["_[?_]", "[1][?0]", "0.55"],
  ["sets.contains", "sets.contains([1], [1])", "0.55"],
  ["sets.equivalent", "sets.equivalent([1], [1])", "0.55"],
  ["sets.intersects", "sets.intersects([1], [1])", "0.55"],
  ["regex.extract", "regex.extract('a', 'a')", "0.55"],
  ["regex.extractAll", "regex.extractAll('a', 'a')", "0.55"],
  ["regex.replace", "regex.replace('a', 'a', 'b')", "0.55"],
  ["isIP", "isIP('a')", "0.55"],
  ["isCIDR", "isCIDR('a')", "0.55"],
  ["ip", "ip('::1')", "0.55"],
  ["cidr", "cidr('::1/8')", "0.55"],
  ["ip.isCanonical", "ip.isCanonical('::1')", "0.55"],
  ...["family", "isUnspecified", "isLoopback", "isGlobalUnicast", "isLinkLocalMulticast", "isLinkLocalUnicast"].map(
    (name) => [name, `dyn(1).${name}()`, "0.55"] as const,
  ),
  ...["masked", "isMask", "prefixLength"].map((name) => [name, `dyn(1).${name}()`, "0.55"] as const),
  ["containsIP", "dyn(1).containsIP('::1')", "0.55"],
  ["containsCIDR", "dyn(1).containsCIDR('::1/8')", "0.55"],
  ["json.encode", "json.encode(1)", "0.55"],
];

test("the names that are newer than 0.51 are these", () => {
  const base = names("0.51");
  const newer = [...names("0.55")].filter((name) => !base.has(name));
  expect(new Set(newer)).toEqual(new Set(NEWER.map(([name]) => name)));
  expect([...base].filter((name) => !names("0.55").has(name))).toEqual([]);
});

describe.each(NEWER)("%s", (name, source, since) => {
  test.each(CEL_VERSIONS)("in %s", (version) => {
    const code = load(source, version);
    if (CEL_VERSIONS.indexOf(version) >= CEL_VERSIONS.indexOf(since)) {
      expect(code).toBeTypeOf("function");
      expect(sinceVersion(name, version)).toBeUndefined();
      return;
    }
    const message = `came with Cerbos ${since}; these policies are read as of ${version} (celVersion)`;
    expect(code).toMatchObject({ refused: expect.stringContaining(message) });
    expect(sinceVersion(name, version)).toBe(since);
  });
});

test.each([
  ["optional_type", "0.55"],
  ["net.IP", "0.55"],
  ["net.CIDR", "0.55"],
])("the type %s", (source) => {
  expect(value(source, "0.54")).toMatch(/^refused: undeclared reference/);
  expect(value(source, "0.55")).toEqual({ type: source });
});

test.each(["optMap", "optFlatMap"])("the macro %s", (name) => {
  const source = `dyn(1).${name}(x, x)`;
  expect(load(source, "0.54")).toMatchObject({ refused: expect.stringContaining(`'${name}' came with Cerbos 0.55`) });
  expect(load(source, "0.55")).toBeTypeOf("function");
});

test("a variable may be called what is a prefix later", () => {
  expect(value("['abc'].exists(sets, sets.contains('b'))", "0.51")).toBe(true);
  expect(value("['abc'].map(regex, regex.replace('b', '-'))", "0.54")).toEqual(["a-c"]);
  expect(value("[{'IP': 5}].map(net, net.IP)", "0.54")).toEqual([5]);
  expect(value("[1].map(optional_type, optional_type)", "0.55")).toEqual([1]);
  // A function with the prefix is found first, and so is a type.
  expect(value("['abc'].exists(sets, sets.contains('b'))")).toMatch(/^refused: found no matching overload/);
  expect(value("[{'IP': 5}].map(net, net.IP)")).toEqual([{ type: "net.IP" }]);
});

describe("lists are compared by == from 0.55 on", () => {
  test.each([
    ["hasIntersection(R.attr.list, [1, 8, 9, 10, 11])", false, true],
    ["isSubset(R.attr.list, [1, 2, 3, 4])", false, true],
    ["R.attr.list.isSubset([1, 2, 3, 4])", false, true],
    ["R.attr.list.intersect([1, 2, 9, 10])", [], [1, 2]],
    ["except(R.attr.list, [1, 2, 9, 10])", [1, 2, 3], [3]],
    ["hasIntersection(R.attr.list, [1])", true, true],
    ["has_intersection(R.attr.teams, ['design'])", true, true],
    ["is_subset(['design'], R.attr.teams)", true, true],
  ])("%s", (source, before, after) => {
    expect([value(source, "0.51"), value(source, "0.54")]).toEqual([before, before]);
    expect(value(source)).toEqual(after);
  });
});

describe("constants are looked at when they are loaded, from 0.55 on", () => {
  test.each([
    ["timestamp('2024-02-30T00:00:00Z')", "invalid timestamp argument", 10],
    ["duration('1d')", "invalid duration argument", 9],
    ["'a'.matches('[')", "invalid matches argument", 12],
    ["matches('a', '(?=b)')", "invalid matches argument", 13],
    ["true || timestamp('x') == timestamp(0)", "invalid timestamp argument", 18],
  ])("%s", (source, refused, at) => {
    expect(load(source, "0.54")).toBeTypeOf("function");
    expect(load(source)).toBeTypeOf("function");
    expect(load(source, "0.55")).toEqual({ refused, at });
  });

  test.each(["timestamp('2024-02-29T00:00:00Z')", "duration('1h')", "'a'.matches('[a]')", "timestamp('a' + 'b')"])(
    "%s",
    (source) => {
      expect(load(source, "0.55")).toBeTypeOf("function");
    },
  );
});

test("a version that has nothing new is the one before", () => {
  for (const [older, newer] of [
    ["0.52", "0.53"],
    ["0.53", "0.54"],
  ] as const) {
    expect(functionsOf(newer)).toEqual(functionsOf(older));
  }
});

test("names and defaults", () => {
  expect(DEFAULT_CEL_VERSION).toBe("0.51");
  expect(["0.51", "0.55", "0.50", "1", "", "__proto__"].filter(isCelVersion)).toEqual(["0.51", "0.55"]);
  expect(has("0.52", "paths")).toBe(true);
  expect(overloadsOf("basePath", "global")).toEqual([]);
  expect(nearestFunction("sets.contain")).toBe(undefined);
  expect(nearestFunction("sets.contain", "0.55")).toBe("sets.contains");
});
