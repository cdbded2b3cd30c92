/** Expressions of the whole language: forms that the other profiles exclude or rarely have. */

import fc from "fast-check";
import type { Context, Reads } from "./context.js";
import { type Atoms, cel, intTest, numberTest, quoted, span, type Text, time, timeOrder } from "./texts.js";
import { SCOPES, SPANS } from "./vocabulary.js";

/** The forms of whole-language sets, with patterns that find them in an expression. Each form is in many sets. */
export const FORMS = {
  conversion: /\b(int|double|string|bool)\([RP]\.attr\.\w+\)/,
  dynamicConversion: /\b(int|double|string|timestamp|duration)\([RPG]\.[\w.]+\[/,
  int: /\bint\([RPG]\.[\w.]+\[/,
  string: /\bstring\([RPG]\.[\w.]+\[/,
  timestamp: /\btimestamp\([RPG]\.[\w.]+\[/,
  duration: /\bduration\([RPG]\.[\w.]+\[/,
  bind: /\bcel\.bind\(/,
  exists: /\.exists\(\w+, [^,]/,
  all: /\.all\(\w+, [^,]/,
  existsOne: /\.exists_one\(/,
  filter: /\.filter\(/,
  map: /\.map\(/,
  twoVariables: /\.(all|exists|existsOne|transformList|transformMap)\(\w+, \w+, /,
  has: /\bhas\(/,
  now: /\bnow\(\)/,
  timestamps: /\btimestamp\(/,
  runtime: /\bruntime\.effective/,
  globals: /\b(G|globals)\.\w/,
  scope: /\b[RP]\.scope\b/,
  otherKeys: /\{(\d|true|i|int)\b/,
} as const;

/** Forms in sets of the profile `optionals` only. */
export const OPTIONAL_FORMS = {
  optional: /\.\?\w|\[\?/,
  optionalIndex: /\w\[\?/,
  orValue: /\.orValue\(/,
  hasValue: /\.hasValue\(/,
  optMap: /\.optMap\(/,
  optionalElement: /[[{]\?/,
} as const;

export function wholeAtoms(context: Context, reads: Reads): Atoms {
  return [
    ...conversionAtoms(reads),
    ...bindAtoms(reads),
    ...pairAtoms(reads),
    ...globalAtoms(reads),
    ...scopeAtoms(),
    ...madeAtoms(reads),
    ...(context.place === "rule" ? runtimeAtoms(context) : []),
  ];
}

/**
 * Conversions of a plain read, and of a read with a key in brackets. The type of the latter is open until the
 * conversion. Nearly all of the latter err when they are evaluated (except `string` of a text and `double` of a
 * number), so most have an alternative.
 */
function conversionAtoms({ word, num, bool, map, log, time: t, aWord }: Reads): Atoms {
  return [
    [1, cel`string(${map}["k"]) == ${aWord}`],
    [1, cel`string(${map}["k"]) + "!" in ["red!", "blue!"]`],
    [1, cel`double(${map}["n"]) ${numberTest}`],
    [0.5, cel`string(${log}["at"]).startsWith(${quoted(["2024", "2024-06", "2025"])})`],
    [0.5, cel`${bool} || int(${map}["n"]) ${intTest}`],
    [0.5, cel`${bool} && int(${log}["n"]) ${intTest}`],
    [0.5, cel`${bool} || string(${map}["n"]) == ${quoted(["1", "2", "1.5"])}`],
    [0.5, cel`${bool} && timestamp(${log}["at"]) ${timeOrder} timestamp(${time})`],
    [0.5, cel`${bool} || timestamp(${log}["at"]) + duration(${log}.span) ${timeOrder} timestamp(${t})`],
    [0.5, cel`${bool} && duration(${log}["span"]) ${timeOrder} duration(${quoted(SPANS)})`],
    [1, cel`timestamp(${log}.at) + duration(${log}.span) ${timeOrder} timestamp(${t})`],
    [1, cel`duration(${log}.span) ${timeOrder} duration(${span})`],
    [1, cel`duration(${log}.span).getHours() ${fc.constantFrom("> 23", "< 4000", "== 0")}`],
    [1, cel`int(${num}) ${intTest}`],
    [1, cel`string(${word}) + string(${bool}) == ${quoted(["redtrue", "bluefalse"])}`],
    [0.5, cel`int(timestamp(${t})) > 1717200000`],
    [0.5, cel`${bool} || int(${map}.k) ${intTest}`], // a word is not a number
    [0.5, cel`${bool} || int(string(${num})) ${intTest}`], // "1.5" is not an integer
  ];
}

function bindAtoms({ word, num, bool, words, map, time: t, aWord }: Reads): Atoms {
  return [
    [2, cel`cel.bind(n, ${num}, n > 0.5 && n ${numberTest})`],
    [1, cel`cel.bind(n, int(${num}), n ${intTest} || n == 3)`],
    [0.5, cel`cel.bind(s, string(${map}["k"]), s == ${aWord} || s == ${aWord})`],
    [1, cel`cel.bind(t, timestamp(${t}), t < now() || t == timestamp(${time}))`],
    [1, cel`cel.bind(l, ${words}, l.exists(w, w == ${aWord}) || size(l) > 2)`],
    [1, cel`cel.bind(a, ${word}, cel.bind(b, ${word}, a != b && (a == ${aWord} || b == ${aWord})))`],
    [0.2, cel`${bool} || cel.bind(t, int, t == int)`], // a variable cannot stand for a type: always an error
    [0.5, cel`cel.bind(f, ${num} + 1, ${bool} || f > 2)`], // an error only where the variable is read
  ];
}

/** Macros with two variables. */
function pairAtoms({ words, nums, map, bool, aWord, someWords }: Reads): Atoms {
  return [
    [1, cel`${words}.exists(i, w, i < 2 && w == ${aWord})`],
    [1, cel`${words}.all(i, w, i > 0 || w in ${someWords})`],
    [1, cel`${nums}.existsOne(i, n, n ${numberTest} && i < 2)`],
    [1, cel`${map}.exists(k, v, k == "k" && v == ${aWord})`],
    [1, cel`${map}.all(k, v, k != "z" || ${bool})`],
    [1, cel`${words}.transformList(i, w, i > 0, w + "!").exists(w, w != "red!")`],
    [1, cel`${nums}.transformList(i, n, n * 2.0).all(n, n ${numberTest})`],
    [1, cel`${map}.transformMap(k, v, k == "k", v) == {"k": ${aWord}}`],
    [0.5, cel`${map}.exists(k, v, v > 1 || k == "z")`], // an error for a word, unless a number precedes it
  ];
}

function globalAtoms({ word, num, map }: Reads): Atoms {
  return [
    [1, cel`${num} < G.limit`],
    [1, cel`${word} in G.words`],
    [1, cel`${word} == globals.limits["label"]`],
    [1, cel`${map}["n"] <= globals.limits.max`],
    [0.5, cel`double(G.limits["max"]) > ${num}`],
    [0.5, fc.constantFrom('G.environment == "test"', "G.missing == null", "has(G.missing)", "has(G.limit)")],
    [0.5, cel`G.environment == "live" || ${word} == G.limits.label`],
  ];
}

function scopeAtoms(): Atoms {
  return [
    [1, cel`R.scope == ${quoted(["", ...SCOPES])}`],
    [1, cel`R.scope.startsWith(${quoted(["acme", "acme."])})`],
    [1, cel`P.scope == ${quoted(["", "acme"])}`],
    [0.3, cel`P.scope == R.scope`],
    [0.2, fc.constantFrom('R.policyVersion == ""', 'P.policyVersion != ""')],
  ];
}

/** Lists and maps that an expression makes: their keys and elements can have types that no data of a request has. */
function madeAtoms({ word, num, nums, bool, aWord }: Reads): Atoms {
  return [
    [1, cel`${num} in {1: "a", 2: "b"}`],
    [1, cel`{1: ${word}, 2: "x"}[1] == ${aWord}`],
    [0.5, cel`${bool} || {1: ${aWord}, 2: "red"}[int(${num})] == ${word}`], // most numbers are no key
    [0.5, cel`{true: 1, false: 2}[${bool}] / 2 == 1`],
    [0.5, cel`[1, 2].map(i, {i: ${word}}).exists(m, 1 in m && m[1] == ${aWord})`],
    [0.5, cel`${nums}.map(n, int(n)).exists(n, n / 2 == 1)`],
    [0.5, cel`[now(), timestamp("2024-06-01T00:00:00Z")].exists(t, t ${timeOrder} now())`],
    [0.5, cel`{int(${num}): {2: ${word}}}.exists(k, v, k ${intTest} && v[2] == ${aWord})`],
  ];
}

function runtimeAtoms(context: Context): Atoms {
  const role = quoted([1, 2, 3].map((i) => `${context.layer === "permission" ? "perm" : "plat"}_role_${i}`));
  return [
    [2, cel`${role} in runtime.effectiveDerivedRoles`],
    [1, cel`runtime.effectiveDerivedRoles.exists(r, r == ${role})`],
    [1, cel`size(runtime.effectiveDerivedRoles) ${intTest}`],
    [1, cel`runtime.effective_derived_roles == [${role}]`],
    [0.5, fc.constant("runtime.effectiveDerivedRoles == []")],
  ];
}

export function optionalAtoms({ word, num, bool, words, map, log, time: t, aWord }: Reads): Atoms {
  const subject = fc.constantFrom("R", "P");
  return [
    [2, cel`${subject}.attr.?label.orValue("none") != ${aWord}`],
    [2, cel`${subject}.attr.?level.orValue(1.0) ${numberTest}`],
    [1, cel`${map}.?z.hasValue() == ${bool}`],
    [2, cel`${map}[?"k"].orValue("none") == ${aWord}`],
    [2, cel`${words}[?1].orValue(${word}) == ${aWord}`],
    [1, cel`${words}[?0].optMap(w, w + "!").orValue("none") != "red!"`],
    [1, cel`${log}.?n.optMap(n, n * 2.0).orValue(0.0) ${numberTest}`],
    [1, cel`${log}.?at.optMap(t, timestamp(t)).orValue(timestamp(${t})) ${timeOrder} timestamp(${time})`],
    [1, cel`R.attr.?label.or(${map}.?k).orValue("none") == ${aWord}`],
    [1, cel`[?R.attr.?label, ${word}].exists(w, w == ${aWord})`],
    [1, cel`{?"z": ${map}.?z, "n": ${num}}.size() == 2`],
    [1, cel`has(R.attr.?history.n) || ${bool}`],
    [1, cel`optional.ofNonZeroValue(${num}).hasValue()`],
    [1, cel`cel.bind(o, ${map}.?n, o.hasValue() && o.value() ${numberTest})`],
    [0.5, cel`${map}.?z.value() || ${bool}`], // an error if the key is absent
    [0.5, cel`int(${map}[?"n"].value()) ${intTest} || ${bool}`],
  ];
}

/** Values of outputs that the other profiles exclude. */
export function wholeOutputs({ place }: Context, { word, num, words, map, log, aWord }: Reads): Text {
  return fc.oneof(
    cel`int(${map}.n)`,
    cel`string(${map}["k"])`,
    cel`duration(${log}["span"])`,
    cel`cel.bind(x, ${word}, {"was": x, "is": x + "!"})`,
    cel`${words}.filter(w, w != ${aWord}).map(w, w + "!")`,
    cel`${map}.transformMap(k, v, k != "z", v)`,
    cel`[R.scope, P.scope, G.environment, string(${num})]`,
    cel`G.${fc.constantFrom("limit", "words", "limits", "missing")}`,
    fc.constant("now()"),
    ...(place === "rule" ? [fc.constant("runtime.effectiveDerivedRoles")] : []),
  );
}
