/** Every function, macro and type that cel-go's libraries and Cerbos add to the language is known by its name. */

import { describe, expect, test } from "vitest";
import { nearestFunction } from "../../src/cel/functions/registry.js";
import { load } from "./support.js";
import { value } from "./value.js";

/** An expression for each name. */
const NAMES: readonly (readonly [string, string])[] = [
  ["basePath", "basePath('/a/b')"],
  ["dirPath", "dirPath('/a/b')"],
  ["extPath", "extPath('/a.b')"],
  ["joinPath", "joinPath(['/a', 'b'])"],
  ["relPath", "relPath('/a', '/a/b')"],
  ["volumeName", "volumeName('C:')"],
  ["pathHasPrefix", "pathHasPrefix('/a/b', '/a')"],
  ["pathMatch", "'/a/b'.pathMatch('/a/*')"],
  ["pathMatchAnyOf", "'/a/b'.pathMatchAnyOf(['/a/*'])"],
  ["optional.of", "optional.of(1)"],
  ["optional.ofNonZeroValue", "optional.ofNonZeroValue(1)"],
  ["optional.none", "optional.none()"],
  ["optional.unwrap", "optional.unwrap([])"],
  ["unwrapOpt", "[].unwrapOpt()"],
  ["hasValue", "dyn(1).hasValue()"],
  ["value", "dyn(1).value()"],
  ["or", "dyn(1).or(dyn(1))"],
  ["orValue", "dyn(1).orValue(1)"],
  ["first", "[1].first()"],
  ["last", "[1].last()"],
  ["_[?_]", "[1][?0]"],
  ["sets.contains", "sets.contains([1], [1])"],
  ["sets.equivalent", "sets.equivalent([1], [1])"],
  ["sets.intersects", "sets.intersects([1], [1])"],
  ["regex.extract", "regex.extract('a', 'a')"],
  ["regex.extractAll", "regex.extractAll('a', 'a')"],
  ["regex.replace", "regex.replace('a', 'a', 'b')"],
  ["isIP", "isIP('a')"],
  ["isCIDR", "isCIDR('a')"],
  ["ip", "ip('::1')"],
  ["cidr", "cidr('::1/8')"],
  ["ip.isCanonical", "ip.isCanonical('::1')"],
  ...["family", "isUnspecified", "isLoopback", "isGlobalUnicast", "isLinkLocalMulticast", "isLinkLocalUnicast"].map(
    (name) => [name, `dyn(1).${name}()`] as const,
  ),
  ...["masked", "isMask", "prefixLength"].map((name) => [name, `dyn(1).${name}()`] as const),
  ["containsIP", "dyn(1).containsIP('::1')"],
  ["containsCIDR", "dyn(1).containsCIDR('::1/8')"],
  ["json.encode", "json.encode(1)"],
  ["json.parse", "json.parse('1')"],
  ["yaml.parse", "yaml.parse('1')"],
  ["yaml.encode", "yaml.encode(1)"],
  ["optMap", "dyn(1).optMap(x, x)"],
  ["optFlatMap", "dyn(1).optFlatMap(x, x)"],
];

test.each(NAMES)("%s", (_name, source) => {
  expect(load(source)).toBeTypeOf("function");
});

test.each(["optional_type", "net.IP", "net.CIDR"])("the type %s", (source) => {
  expect(value(source)).toEqual({ type: source });
});

test("a variable may be called what is a prefix, but a function with the prefix is found first, and so is a type", () => {
  expect(value("[1].map(optional_type, optional_type)")).toEqual([1]);
  expect(value("['abc'].exists(sets, sets.contains('b'))")).toMatch(/^refused: found no matching overload/);
  expect(value("[{'IP': 5}].map(net, net.IP)")).toEqual([{ type: "net.IP" }]);
});

describe("lists are compared by ==", () => {
  test.each([
    ["hasIntersection(R.attr.list, [1, 8, 9, 10, 11])", true],
    ["isSubset(R.attr.list, [1, 2, 3, 4])", true],
    ["R.attr.list.isSubset([1, 2, 3, 4])", true],
    ["R.attr.list.intersect([1, 2, 9, 10])", [1, 2]],
    ["except(R.attr.list, [1, 2, 9, 10])", [3]],
    ["hasIntersection(R.attr.list, [1])", true],
    ["has_intersection(R.attr.teams, ['design'])", true],
    ["is_subset(['design'], R.attr.teams)", true],
  ])("%s", (source, expected) => {
    expect(value(source)).toEqual(expected);
  });
});

describe("constants are looked at when they are loaded", () => {
  test.each([
    ["timestamp('2024-02-30T00:00:00Z')", "invalid timestamp argument", 10],
    ["duration('1d')", "invalid duration argument", 9],
    ["'a'.matches('[')", "invalid matches argument", 12],
    ["true || timestamp('x') == timestamp(0)", "invalid timestamp argument", 18],
  ])("%s", (source, refused, at) => {
    expect(load(source)).toEqual({ refused, at });
  });

  test.each(["timestamp('2024-02-29T00:00:00Z')", "duration('1h')", "'a'.matches('[a]')", "timestamp('a' + 'b')"])(
    "%s",
    (source) => {
      expect(load(source)).toBeTypeOf("function");
    },
  );
});

test("the nearest name", () => {
  expect(nearestFunction("sets.contain")).toBe("sets.contains");
});
