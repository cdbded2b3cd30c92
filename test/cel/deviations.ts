/** Answers that differ from the PDP 0.55.0, and why. */

/** Deviations of functions; the naive evaluation in `functions/` shares them. */
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
]);

const KEY = "a map key that is no string, number or boolean is an error here";
const WHOLE = "variables, constants and globals as a whole are refused when loaded";
const PROTOBUF = "protobuf messages and enumerations are not supported: refused when loaded";

const FOLDED =
  "cel-go evaluates constant comprehensions beforehand, and makes null of an empty result, or where nothing is asked";

const DOTTED = "the variable of a macro has a dot before it, so that nothing can read it: refused when loaded";

export const DEVIATIONS: ReadonlyMap<string, string> = new Map([
  ...FUNCTION_DEVIATIONS,
  ['{dyn([1]): "a"}.size()', KEY],
  ['{dyn(null): "a"}.size()', KEY],
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
  ["[1].all(.y, true)", DOTTED],
  ["[1].sortBy(.x, 1)", DOTTED],
  ["[1].exists(.R, .R.attr.a)", DOTTED],
  ["[1].all(int, .int == type(1))", "cel-go does not find a type behind a dot where a variable has its name"],
  ["[3,1,2].filter(x, false)", FOLDED],
  ["{'a':1}.filter(z, false)", FOLDED],
  [
    "{'b':2,'a':1}.transformMap(x, z, z).filter(y, (R.attr.t == true ? R.attr.t == true : R.attr.t == true))",
    "the order of a map's keys is random on the server",
  ],
  ["{1:'a'}.map(x, false, R.attr.nul)", FOLDED],
  ["[1, 2].exists(x, false)", FOLDED],
  ["[1].all(x, true)", FOLDED],
  ['P.id == "u1" && [1, 2].exists(x, false)', FOLDED],
  [
    '"%s".format([b"\\xff"])',
    "a constant that is no text is refused when loaded; here bytes that are no text are replaced",
  ],
  [
    "cel.bind(x, [], [x + [1], x + [2]])",
    "a defect of cel-go: a variable that is bound to an empty list grows with each concatenation",
  ],
]);
