/** What is answered otherwise than by the PDP 0.51.0, and why. */

/** Deviations of functions: the naive walk of `functions/` has them too. */
export const FUNCTION_DEVIATIONS: ReadonlyMap<string, string> = new Map([
  ['dyn([hierarchy("a")]) == dyn([1])', "cel-go takes an error between elements for equality; here they are unequal"],
  ['dyn(spiffeTrustDomain("a")) < dyn(spiffeTrustDomain("b"))', "the server's order is reversed; here there is none"],
  ['dyn(spiffeTrustDomain("a")) < dyn("b")', "the same"],
  ['[dyn(spiffeTrustDomain("b")), dyn(spiffeTrustDomain("a"))].sort()[0].name()', "the same"],
  ['timestamp("2024-06-15T12:00:00Z").getHours("+9999999:00")', "the server's offset overflows; here it is an error"],
  ['timestamp("2024-06-15T12:00:00Z").getHours("posixrules")', "a file of the server's zone database, not a zone"],
  ['timestamp("2024-06-15T12:00:00Z").getHours("localtime")', "the same"],
  ['timestamp("2024-06-15T12:00:00Z").getHours("Factory")', "the same"],
  ['timestamp("1900-01-01T00:00:00Z").getMinutes("Europe/Amsterdam")', "before 1970 zone databases differ"],
  ['"%.10000f".format([0.1]).size()', "the precision is limited here"],
  ['"%.1000000f".format([0.1]).size()', "the precision is limited here"],
  ['"%.1000001f".format([0.1]).size()', "the precision is limited here"],
  ['"%.1001f".format([0.1]).size()', "the precision is limited here"],
]);

const KEY = "a map key that is no string, number or boolean is an error here";
const WHOLE = "variables, constants and globals as a whole are refused when loaded";
const PROTOBUF = "protobuf messages and enumerations are not supported: refused when loaded";

export const DEVIATIONS: ReadonlyMap<string, string> = new Map([
  ...FUNCTION_DEVIATIONS,
  ['{dyn([1]): "a"}.size()', KEY],
  ['{dyn(null): "a"}.size()', KEY],
  ["{[1]: 2}", KEY],
  ["{null: 1}", KEY],
  ["{int: 1}", KEY],
  ["{P: 1}", KEY],
  ["null in {null: 1}", KEY],
  ["V", WHOLE],
  ["V == V", WHOLE],
  ["dyn(V)", WHOLE],
  ["dyn(G).x", WHOLE],
  ["C", WHOLE],
  ["G", WHOLE],
  ["type(google.protobuf.Value)", PROTOBUF],
  ["google.protobuf.NullValue.NULL_VALUE", PROTOBUF],
  ["google.protobuf.Timestamp{seconds: 1}", PROTOBUF],
  [
    "cel.bind(x, [], [x + [1], x + [2]])",
    "a defect of cel-go: a variable that is bound to an empty list grows with each concatenation",
  ],
]);
