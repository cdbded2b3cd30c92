/**
 * CEL expressions that the server's type checker accepts, over {@link ATTRIBUTES}. Attributes, variables and constants
 * are `dyn` to it, so it lets most things pass; what it does refuse, a comparison of an int with a double that are
 * both known to be so, is never made here.
 */

import fc from "fast-check";
import { ATTRIBUTES, IDS, type Layer, PATHS, ROLES, type Sort, TIMES, WORDS } from "./vocabulary.js";

/**
 * What an expression may do, each profile being part of the one before:
 * - `any`: everything.
 * - `removal`: nothing that can tell that a value is absent without an error (`has`, the keys of a map).
 * - `typed`: nothing that can tell that an attribute has another type without an error (`==` on it, say).
 *
 * With the last two, fail-closed is a theorem: taking an attribute away (`removal`), or giving one of a well-typed
 * request another type (`typed`), never turns a refusal into `allow`.
 */
export type Profile = "any" | "removal" | "typed";

/** Where an expression stands, which says what it can name. */
export type Place =
  /** A rule, a condition, an output: everything. */
  | "rule"
  /** A local variable that others build on: attributes and constants. */
  | "local"
  /** An exported variable that others build on: attributes only. */
  | "exported"
  /** A local variable that reads the ones above. */
  | "localFlag"
  /** An exported variable that reads the exported ones above. */
  | "exportedFlag";

export interface Context {
  readonly layer: Layer;
  readonly profile: Profile;
  readonly place: Place;
}

/** The variables that definitions are made for, by the sort of their value (`bool`: a condition of its own). */
export const VARIABLES = {
  local: { v_word: "word", v_num: "num", v_words: "words", v_flag: "bool" },
  exported: { x_word: "word", x_num: "num", x_flag: "bool" },
} as const;

export const CONSTANTS = {
  local: { c_word: "word", c_num: "num", c_words: "words" },
  exported: { k_id: "id", k_num: "num" },
} as const;

type Text = fc.Arbitrary<string>;

/** CEL text with holes: cel`${word}.startsWith("r")`. */
export function cel(parts: TemplateStringsArray, ...holes: readonly Text[]): Text {
  return fc.tuple(...holes).map((values) => parts.map((part, i) => part + (values[i] ?? "")).join(""));
}

const quoted = (values: readonly string[]): Text => fc.constantFrom(...values.map((value) => JSON.stringify(value)));

const word = quoted(WORDS);
const wordList = fc.subarray([...WORDS], { minLength: 1 }).map((words) => JSON.stringify(words));
const fragment = quoted(["r", "g", "e", "re", "b"]);
const pattern = quoted(["^r", "e$", "^(red|blue)$", "^g.*n$", "e{2}"]);
const time = quoted(TIMES);
const path = quoted(PATHS);
const int = fc.constantFrom("0", "1", "2", "3");
const double = fc.constantFrom("0.0", "1.0", "1.5", "2.0", "3.0");
const number = fc.oneof(int, double);
const order = fc.constantFrom("<", "<=", ">", ">=");
const equality = fc.constantFrom("==", "!=");
const timeSpan = quoted(["24h", "1h30m", "4380h", "2190h30m", "-8760h"]);

/** The values that expressions are made of: each arbitrary reads one from the request, a variable or a constant. */
interface Reads {
  readonly word: Text;
  readonly id: Text;
  readonly num: Text;
  readonly bool: Text;
  readonly words: Text;
  /** `words`, and those whose order cannot be told. */
  readonly anyWords: Text;
  readonly nums: Text;
  readonly map: Text;
  readonly time: Text;
  readonly path: Text;
}

function reads({ layer, place }: Context): Reads {
  const principal = layer === "permission" ? "key" : "account";
  const of = (...sorts: readonly Sort[]): Text => {
    const texts = [...attributesOf("resource", sorts), ...attributesOf(principal, sorts)];
    const inMap = sorts.includes("word") ? mapFields("k") : sorts.includes("num") ? mapFields("n") : [];
    const named = definitionsOf(place, sorts);
    const one = fc.oneof(...weighted(6, texts), ...weighted(1, inMap));
    return named.length === 0
      ? one
      : fc.oneof({ weight: 5, arbitrary: one }, { weight: 1, arbitrary: fc.constantFrom(...named) });
  };
  const maps = [...attributesOf("resource", ["map"]), ...attributesOf(principal, ["map"])];
  const mapFields = (field: string): Text[] => maps.map((map) => cel`${map}.${fc.constant(field)}`);
  return {
    word: of("word"),
    id: fc.oneof({ weight: 3, arbitrary: of("id") }, { weight: 1, arbitrary: fc.constantFrom("P.id", "R.id") }),
    num: of("num"),
    bool: of("bool"),
    words: of("words"),
    anyWords: of("words", "tuples"),
    nums: of("nums"),
    map: fc.oneof(...maps),
    time: of("time"),
    path: of("path"),
  };
}

const weighted = (weight: number, texts: readonly Text[]) => texts.map((arbitrary) => ({ weight, arbitrary }));

function attributesOf(subject: keyof typeof ATTRIBUTES, sorts: readonly Sort[]): Text[] {
  const [short, long] = subject === "resource" ? ["R", "request.resource"] : ["P", "request.principal"];
  return Object.entries(ATTRIBUTES[subject])
    .filter(([, sort]) => sorts.includes(sort))
    .map(([name]) =>
      fc.oneof(
        { weight: 10, arbitrary: fc.constant(`${short}.attr.${name}`) },
        { weight: 1, arbitrary: fc.constantFrom(`${short}.attr["${name}"]`, `${long}.attr.${name}`) },
      ),
    );
}

function definitionsOf(place: Place, sorts: readonly Sort[]): string[] {
  const names = (root: string, table: { readonly [name: string]: Sort }) =>
    Object.entries(table).flatMap(([name, sort]) => (sorts.includes(sort) ? [`${root}.${name}`] : []));
  const { v_flag: _v, ...locals } = VARIABLES.local;
  const { x_flag: _x, ...exported } = VARIABLES.exported;
  const constants = [...names("C", CONSTANTS.local), ...names("constants", CONSTANTS.exported)];
  switch (place) {
    case "exported":
      return [];
    case "exportedFlag":
      return names("V", exported);
    case "local":
      return constants;
    case "localFlag":
      return [...names("V", locals), ...constants];
    case "rule":
      return [...names("V", VARIABLES.local), ...names("variables", VARIABLES.exported), ...constants];
  }
}

/** A read of one attribute, for a variable that stands for it. */
export function reading(context: Context, sort: "word" | "num" | "words"): Text {
  return reads(context)[sort];
}

/** Expressions without a logical operator, by profile: a weight and the text. */
type Atoms = readonly (readonly [weight: number, text: Text])[];

/** An error, not an answer, for a value of any other type than the one meant. */
function typedAtoms({ word: w, id, num, bool, words, anyWords, nums, map, time: t }: Reads): Atoms {
  return [
    [6, bool],
    [2, cel`!${bool}`],
    [2, cel`${w}.startsWith(${fragment})`],
    [1, cel`${w}.endsWith(${fragment})`],
    [2, cel`${w}.contains(${fragment})`],
    [1, cel`${w}.matches(${pattern})`],
    [2, cel`${w} + "" ${equality} ${word}`],
    [2, cel`${w} + "" in ${wordList}`],
    [1, cel`${w}.upperAscii() == ${quoted(["RED", "BLUE"])}`],
    [1, cel`("N" + ${w}).lowerAscii() ${equality} ${quoted(["nred", "nblue"])}`],
    [3, cel`${id} + "" == ${id} + ""`],
    [6, cel`${num} ${order} ${number}`],
    [2, cel`${num} - ${num} ${order} ${number}`],
    [1, cel`${num} + 1.0 ${order} ${number}`],
    [1, cel`${num} * 2.0 ${order} ${number}`],
    [1, cel`-${num} / 2.0 ${order} ${fc.constantFrom("-1.0", "-1", "0.0")}`],
    [3, cel`hasIntersection(${anyWords}, ${wordList})`],
    [1, cel`${anyWords}.hasIntersection(${words})`],
    [2, cel`${anyWords}.isSubset(${wordList})`],
    [1, cel`(${anyWords} + ["red"]).exists(w, w == ${word} || w == ${word})`],
    [1, cel`size(${anyWords} + ${words}) ${order} ${int}`],
    [0.5, cel`${words}[0].startsWith(${fragment})`],
    [0.5, cel`${nums}[0] ${order} ${number}`],
    [1, cel`${map}.n ${order} ${number}`],
    [1, cel`${map}.k.startsWith(${fragment})`],
    [2, cel`timestamp(${t}) ${order} timestamp(${time})`],
    [2, cel`timestamp(${t}) ${order} timestamp(${t})`],
    [1, cel`timestamp(${t}) ${order} now()`],
    [1, cel`now() - timestamp(${t}) ${order} duration(${timeSpan})`],
    [1, cel`timestamp(${t}).timeSince() ${order} duration(${timeSpan})`],
    [1, cel`timestamp(${t}) + duration(${timeSpan}) ${order} now()`],
    [1, cel`timestamp(${t}).getHours() ${order} ${fc.constantFrom("0", "8", "17")}`],
    [1, cel`timestamp(${t}).getFullYear() == 2024`],
    [0.5, cel`timestamp(${t}).getMonth() ${order} 5`],
    [0.5, cel`now().getDayOfWeek() == ${fc.constantFrom("0", "5")} || ${bool}`],
  ];
}

/** An error for a value that is absent, but an answer for one of another type. */
function removalAtoms(layer: Layer, r: Reads): Atoms {
  const { word: w, id, num, bool, words, anyWords, nums, map, path: p } = r;
  const role = quoted(ROLES);
  const roleAtoms: Atoms = [
    [2, cel`${role} in P.roles`],
    [1, cel`P.roles.exists(r, r == ${role} || r.startsWith(${fragment}))`],
    [1, cel`size(P.roles) ${order} 1`],
  ];
  return [
    ...(layer === "permission" ? roleAtoms : []),
    [6, cel`${w} ${equality} ${word}`],
    [3, cel`${w} == ${w}`],
    [3, cel`${w} in ${wordList}`],
    [2, cel`${w} in ${anyWords}`],
    [2, cel`${word} in ${anyWords}`],
    [5, cel`${id} == ${id}`],
    [2, cel`${id} ${equality} ${quoted(IDS)}`],
    [3, cel`${num} ${equality} ${number}`],
    [2, cel`${num} ${order} ${num}`],
    [1, cel`${num} in [0, 1, 2]`],
    [2, cel`${bool} ${equality} ${fc.constantFrom("true", "false")}`],
    [1, cel`${bool} == ${bool}`],
    [1, cel`${bool} ? ${w} == ${word} : ${num} ${order} ${number}`],
    [1, cel`(${bool} ? ${num} : ${num}) ${order} ${number}`],
    [1, cel`size(${w}) ${order} 3`],
    [1, cel`${w} ${order} ${word}`],
    [1, cel`${w}.size() == ${fc.constantFrom("3", "4", "5")}`],
    [1, cel`size(${anyWords}) ${order} ${int}`],
    [1, cel`${words} == ${wordList}`],
    [0.5, cel`${words}[0] == ${word}`],
    [2, cel`${anyWords}.exists(w, w == ${word} || w == ${w})`],
    [1, cel`${anyWords}.exists_one(w, w == ${word})`],
    [1, cel`${anyWords}.all(w, w in ${wordList})`],
    [1, cel`${anyWords}.filter(w, w != ${word}).size() ${order} ${int}`],
    [1, cel`${anyWords}.map(w, w + "!").exists(w, w == "red!")`],
    [1, cel`size(intersect(${anyWords}, ${wordList})) ${order} ${int}`],
    [1, cel`${anyWords}.except(${wordList}) == []`],
    [1, cel`${nums}.exists(n, n > ${number})`],
    [1, cel`${nums}.all(n, n < ${number} || ${bool})`],
    [0.5, cel`${nums}.map(n, n * 2.0).filter(n, n >= ${double}).size() > 0`],
    [0.5, cel`${num} in ${nums}`],
    [1, cel`int(${num}) % 2 == ${fc.constantFrom("0", "1")}`],
    [1, cel`int(${num}) + 1 ${equality} ${int}`],
    [1, cel`double(${num}) ${equality} ${double}`],
    [1, cel`string(${num}) == ${quoted(["1", "2", "1.5"])}`],
    [1, cel`string(${bool}) == "true"`],
    [1, cel`bool(string(${bool}))`],
    [1, cel`${map}.k == ${w}`],
    [1, cel`${map}[${quoted(["k"])}] == ${word}`],
    [2, cel`hierarchy(${p}).ancestorOf(hierarchy(${path}))`],
    [1, cel`hierarchy(${p}).descendentOf(hierarchy(${p}))`],
    [1, cel`hierarchy(${p}).overlaps(hierarchy(${p}))`],
    [0.5, cel`hierarchy(${p}).siblingOf(hierarchy(${path}))`],
    [0.5, cel`hierarchy(${p}).immediateChildOf(hierarchy(${path}))`],
    [0.5, cel`hierarchy(${p}).immediateParentOf(hierarchy(${path}))`],
    [0.5, cel`hierarchy(${p}).commonAncestors(hierarchy(${path})) == hierarchy("acme")`],
    [0.5, cel`hierarchy(${p}).size() > ${int}`],
    [0.5, cel`hierarchy(${p})[0] == "acme"`],
    [0.5, cel`cel.bind(x, ${w}, x == ${word} || x.startsWith(${fragment}))`],
    [0.5, cel`dyn(${num}) == ${number}`],
    [0.5, cel`id(${w}) == ${word}`],
  ];
}

/** An answer for a value that is absent. */
function anyAtoms(layer: Layer, { word: w, num, map }: Reads): Atoms {
  const principal = layer === "permission" ? "key" : "account";
  const attributes = [...attributesOf("resource", ["word", "map"]), ...attributesOf(principal, ["word", "num"])];
  const dotted = fc.oneof(...attributes).filter((text) => !text.endsWith("]")); // has(x["f"]) is no expression
  const dottedMap = map.filter((text) => !text.endsWith("]"));
  return [
    [1.5, cel`has(${dotted})`],
    [2, cel`has(R.attr.label) && R.attr.label == ${word}`],
    [1, cel`!has(R.attr.label) || R.attr.label == ${word}`],
    [0.5, cel`has(${dottedMap}.${fc.constantFrom("k", "z")}) == ${fc.constantFrom("true", "false")}`],
    [0.5, cel`${quoted(["k", "n"])} in ${map} && ${map}.n ${order} ${number}`],
    [0.5, cel`${map}.exists(k, k == "k" && ${map}[k] == ${word})`],
    [0.5, cel`size(${map}) ${order} 1 && ${w} == ${word}`],
    [0.5, cel`${map} == {"k": ${word}, "n": ${int}}`],
    [0.5, cel`type(${num}) == double && ${num} ${order} ${number}`],
  ];
}

/** What fails whenever it is reached, or nearly so. */
function failing(profile: Profile, { word: w, num, bool, words, map, time: t }: Reads): Text {
  const always = fc.oneof(cel`${num} + 1 ${order} ${int}`, cel`${num} % 2 == 0`, cel`R.attr.nothing == ${int}`);
  // The others would be mended by a value of another type.
  if (profile === "typed") return always;
  return fc.oneof(
    always,
    cel`${w} ${order} ${int}`,
    cel`${num}.startsWith(${fragment})`,
    cel`int(${w}) ${order} ${int}`,
    cel`timestamp(${w}) < now()`,
    cel`timestamp(${t}) < ${t}`,
    cel`${words}[2] == ${word}`,
    cel`size(${num}) > 1`,
    cel`${map}.z == ${word}`,
    cel`${bool} > ${int}`,
    cel`${bool} ? ${num} % 2 == 0 : ${w} == ${word}`,
    num, // not a boolean
    cel`!${w}`,
  );
}

const memo = new Map<string, Text>();

/** A condition's expression: `depth` logical operators deep at most. */
export function condition(context: Context, depth: number): Text {
  const key = `${context.layer} ${context.profile} ${context.place} ${depth}`;
  const known = memo.get(key);
  if (known !== undefined) return known;
  const made = makeCondition(context, depth);
  memo.set(key, made);
  return made;
}

function makeCondition(context: Context, depth: number): Text {
  const { layer, profile } = context;
  if (depth === 0) {
    const r = reads(context);
    const atoms = [
      ...typedAtoms(r),
      ...(profile === "typed" ? [] : removalAtoms(layer, r)),
      ...(profile === "any" ? anyAtoms(layer, r) : []),
    ];
    const wellMade = fc.oneof(...atoms.map(([weight, arbitrary]) => ({ weight: Math.round(weight * 2), arbitrary })));
    return fc.oneof({ weight: 60, arbitrary: wellMade }, { weight: 1, arbitrary: failing(profile, r) });
  }
  const inner = condition(context, depth - 1);
  const leaf = condition(context, 0);
  return fc.oneof(
    { weight: 8, arbitrary: leaf },
    { weight: 2, arbitrary: cel`(${inner}) && (${leaf})` },
    { weight: 2, arbitrary: cel`(${leaf}) || (${inner})` },
    { weight: 1, arbitrary: cel`!(${inner})` },
    { weight: 1, arbitrary: cel`(${leaf}) ? (${inner}) : (${leaf})` },
  );
}

/** An output's value. Its order is nobody's business, so it never shows a list whose order can be changed. */
export function outputText(context: Context): Text {
  const { word: w, id, num, words, map, time: t } = reads(context);
  return fc.oneof(
    { weight: 9, arbitrary: word },
    { weight: 6, arbitrary: fc.oneof(w, id, num, words) },
    { weight: 6, arbitrary: cel`{"who": P.id, "what": ${w}, "level": ${num}}` },
    { weight: 3, arbitrary: cel`"because " + ${w}` },
    { weight: 3, arbitrary: cel`[${num}, ${id}]` },
    { weight: 3, arbitrary: fc.oneof(map, cel`size(${words})`, cel`timestamp(${t})`, cel`string(${num})`) },
    { weight: 1, arbitrary: cel`${num} + 1` },
  );
}
