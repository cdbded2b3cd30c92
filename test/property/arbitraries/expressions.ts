/**
 * CEL expressions over {@link ATTRIBUTES} that the server's type checker accepts. Attributes, variables and constants
 * are `dyn` to the checker, so it accepts most expressions. It refuses to compare a known int with a known double; such
 * expressions are never generated.
 */

import fc from "fast-check";
import { type Context, isWhole, type Place, type Profile, type Reads } from "./context.js";
import { type Atoms, cel, intTest, numberTest, quoted, span, type Text, time, timeOrder } from "./texts.js";
import { ATTRIBUTES, IDS, type Layer, ROLES, type Sort, WORDS } from "./vocabulary.js";
import { optionalAtoms, wholeAtoms, wholeOutputs } from "./whole-expressions.js";

/** The variables with definitions, by the sort of their value (`bool`: a condition of its own). */
export const VARIABLES = {
  local: { v_word: "word", v_num: "num", v_words: "words", v_flag: "bool" },
  exported: { x_word: "word", x_num: "num", x_flag: "bool" },
} as const;

export const CONSTANTS = {
  local: { c_word: "word", c_num: "num", c_words: "words" },
  exported: { k_id: "id", k_num: "num" },
} as const;

// Right-hand sides of comparisons; the compared values lie on both sides of them.
const fragment = {
  starts: quoted(["r", "g", "bl"]),
  ends: quoted(["d", "n", "e"]),
  inside: quoted(["r", "l", "ee", "u"]),
};
const pattern = quoted(["^r", "e$", "^(red|blue)$", "^g.*n$", "e{2}"]);
const int = fc.constantFrom("0", "1", "2", "3");
const equality = fc.constantFrom("==", "!=");
const lengthTest = fc.constantFrom("> 3", "< 5", "== 4", "!= 3", "<= 3");
const hourTest = fc.constantFrom("> 8", "< 12", ">= 17", "!= 0", "== 0");
const upper = quoted(["acme.eu", "acme.eu.web"]);
const lower = quoted(["acme", "acme.eu"]);

/** Two different reads around an operator, since comparing a value with itself proves nothing. */
function versus(a: Text, operator: Text, b: Text): Text {
  const plain = (text: string) =>
    text
      .replace(/\["(\w+)"\]/, ".$1")
      .replace("request.resource", "R")
      .replace("request.principal", "P");
  return fc
    .tuple(a, operator, b)
    .filter(([left, , right]) => plain(left) !== plain(right))
    .map((parts) => parts.join(" "));
}

function reads({ layer, place }: Context): Reads {
  const principal = layer === "permission" ? "key" : "account";
  const of = (...sorts: readonly Sort[]): Text => {
    const texts = [...attributesOf("resource", sorts), ...attributesOf(principal, sorts)];
    const inMap = sorts.includes("word") ? mapFields("k") : sorts.includes("num") ? mapFields("n") : [];
    const named = variablesOf(place, sorts);
    const one = fc.oneof(...weighted(6, texts), ...weighted(1, inMap));
    return named.length === 0
      ? one
      : fc.oneof({ weight: 5, arbitrary: one }, { weight: 1, arbitrary: fc.constantFrom(...named) });
  };
  const both = (sort: Sort) => [...attributesOf("resource", [sort]), ...attributesOf(principal, [sort])];
  const maps = both("map");
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
    log: fc.oneof(...both("log")),
    time: of("time"),
    path: of("path"),
    aWord: withConstants(quoted(WORDS), 8, place, "word"),
    someWords: withConstants(
      fc.subarray([...WORDS], { minLength: 1, maxLength: 2 }).map((words) => JSON.stringify(words)),
      4,
      place,
      "words",
    ),
    aNumber: withConstants(fc.constantFrom("0", "1", "2", "3", "0.0", "1.0", "1.5", "2.0"), 6, place, "num"),
  };
}

function withConstants(literal: Text, weight: number, place: Place, sort: Sort): Text {
  const names = constantsOf(place, sort);
  if (names.length === 0) return literal;
  return fc.oneof({ weight, arbitrary: literal }, { weight: 1, arbitrary: fc.constantFrom(...names) });
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

function variablesOf(place: Place, sorts: readonly Sort[]): string[] {
  const { v_flag: _v, ...locals } = VARIABLES.local;
  const { x_flag: _x, ...exported } = VARIABLES.exported;
  switch (place) {
    case "bare":
    case "exported":
    case "local":
      return [];
    case "exportedFlag":
      return namesIn("V", exported, sorts);
    case "localFlag":
      return namesIn("V", locals, sorts);
    case "rule":
      return [...namesIn("V", VARIABLES.local, sorts), ...namesIn("variables", VARIABLES.exported, sorts)];
  }
}

function constantsOf(place: Place, sort: Sort): string[] {
  if (place === "bare") return [];
  return [...namesIn("C", CONSTANTS.local, [sort]), ...namesIn("constants", CONSTANTS.exported, [sort])];
}

function namesIn(root: string, table: { readonly [name: string]: Sort }, sorts: readonly Sort[]): string[] {
  return Object.entries(table).flatMap(([name, sort]) => (sorts.includes(sort) ? [`${root}.${name}`] : []));
}

/** A read of one attribute, for the definition of a variable. */
export function reading(context: Context, sort: "word" | "num" | "words"): Text {
  return reads(context)[sort];
}

/** Atoms that err, without an answer, for any value of another type. */
function typedAtoms(r: Reads): Atoms {
  const { word, id, num, bool, words, anyWords, nums, map, time: t, aWord, someWords } = r;
  return [
    [6, bool],
    [2, cel`!${bool}`],
    [2, cel`${word}.startsWith(${fragment.starts})`],
    [1, cel`${word}.endsWith(${fragment.ends})`],
    [2, cel`${word}.contains(${fragment.inside})`],
    [1, cel`${word}.matches(${pattern})`],
    [2, cel`${word} + "" ${equality} ${aWord}`],
    [2, cel`${word} + "" in ${someWords}`],
    [1, cel`${word}.upperAscii() == ${quoted(["RED", "BLUE"])}`],
    [1, cel`("N" + ${word}).lowerAscii() ${equality} ${quoted(["nred", "nblue"])}`],
    [3, versus(cel`${id} + ""`, fc.constant("=="), cel`${id} + ""`)],
    [6, cel`${num} ${numberTest}`],
    [2, cel`${versus(num, fc.constant("-"), num)} ${fc.constantFrom("> 0", "> 0.0", "<= 0.0", ">= 1", "< 1.5")}`],
    [1, cel`${num} + 1.0 ${numberTest}`],
    [1, cel`${num} * 2.0 ${numberTest}`],
    [1, cel`-${num} / 2.0 ${fc.constantFrom("< -0.5", ">= -0.5", "< -1", "> -1.0")}`],
    [3, cel`hasIntersection(${anyWords}, ${someWords})`],
    [1, versus(anyWords, fc.constant("+ [] !="), cel`${words} + []`)],
    [2, cel`${anyWords}.isSubset(${someWords})`],
    [1, cel`(${anyWords} + ["!"]).exists(w, w == ${aWord} || w == ${aWord})`],
    [1, cel`size(${anyWords} + [] + ${words}) ${fc.constantFrom("> 2", "<= 3", "> 3")}`],
    [0.5, cel`${words}[0].startsWith(${fragment.starts})`],
    [0.5, cel`${nums}[0] ${numberTest}`],
    [1, cel`${map}.n ${numberTest}`],
    [1, cel`${map}.k.startsWith(${fragment.starts})`],
    [2, cel`timestamp(${t}) ${timeOrder} timestamp(${time})`],
    [2, versus(cel`timestamp(${t})`, timeOrder, cel`timestamp(${t})`)],
    [1, cel`timestamp(${t}) ${timeOrder} now()`],
    [1, cel`now() - timestamp(${t}) ${timeOrder} duration(${span})`],
    [1, cel`timestamp(${t}).timeSince() ${timeOrder} duration(${span})`],
    [1, cel`timestamp(${t}) + duration(${span}) ${timeOrder} now()`],
    [1, cel`timestamp(${t}).getHours() ${hourTest}`],
    [1, cel`timestamp(${t}).getFullYear() == 2024`],
    [0.5, cel`timestamp(${t}).getMonth() ${fc.constantFrom("> 5", "== 5", "<= 5")}`],
    [0.5, cel`now().getDayOfWeek() == ${fc.constantFrom("0", "5")} || ${bool}`],
  ];
}

/** Atoms that err for an absent value, but may answer for a value of another type. */
function removalAtoms(layer: Layer, r: Reads): Atoms {
  const { word, id, num, bool, words, anyWords, nums, map, path, aWord, someWords, aNumber } = r;
  const role = quoted(ROLES);
  const roleAtoms: Atoms = [
    [2, cel`${role} in P.roles`],
    [1, cel`P.roles.exists(r, r == ${role} || r.startsWith(${fragment.starts}))`],
    [1, cel`size(P.roles) ${fc.constantFrom("> 1", "== 2", "< 3")}`],
  ];
  return [
    ...(layer === "permission" ? roleAtoms : []),
    [6, cel`${word} ${equality} ${aWord}`],
    [3, versus(word, equality, word)],
    [3, cel`${word} in ${someWords}`],
    [2, cel`${word} in ${anyWords}`],
    [2, cel`${aWord} in ${anyWords}`],
    [5, versus(id, equality, id)],
    [2, cel`${id} ${equality} ${quoted(IDS)}`],
    [3, cel`${num} ${equality} ${aNumber}`],
    [2, versus(num, timeOrder, num)],
    [1, cel`${num} in [0, 1, 2]`],
    [2, cel`${bool} ${equality} ${fc.constantFrom("true", "false")}`],
    [1, versus(bool, equality, bool)],
    [1, cel`${bool} ? ${word} == ${aWord} : ${num} ${numberTest}`],
    [1, cel`(${bool} ? ${num} : ${num}) ${numberTest}`],
    [1, cel`size(${word}) ${lengthTest}`],
    [1, cel`${word} ${fc.constantFrom("<", ">=")} ${quoted(["green", "red"])}`],
    [1, cel`${word}.size() ${lengthTest}`],
    [1, cel`size(${anyWords}) ${intTest}`],
    [1, cel`${words} == ${someWords}`],
    [0.5, cel`${words}[0] == ${aWord}`],
    [2, cel`${anyWords}.exists(w, w == ${aWord} || w == ${word})`],
    [1, cel`${anyWords}.exists_one(w, w == ${aWord})`],
    [1, cel`${anyWords}.all(w, w in ${someWords})`],
    [1, cel`${anyWords}.filter(w, w != ${aWord}).size() ${intTest}`],
    [1, cel`${anyWords}.map(w, w + "!").exists(w, w == "red!")`],
    [1, cel`size(intersect(${anyWords}, ${someWords})) ${intTest}`],
    [1, cel`${anyWords}.except(${someWords}) == []`],
    [1, cel`${nums}.exists(n, n ${numberTest})`],
    [1, cel`${nums}.all(n, n ${numberTest} || ${bool})`],
    [0.5, cel`${nums}.map(n, n * 2.0).filter(n, n ${numberTest}).size() > 0`],
    [0.5, cel`${num} in ${nums}`],
    [1, cel`int(${num}) % 2 == ${fc.constantFrom("0", "1")}`],
    [1, cel`int(${num}) + 1 ${equality} ${fc.constantFrom("1", "2", "3")}`],
    [1, cel`double(${num}) ${equality} ${fc.constantFrom("0.0", "1.0", "1.5")}`],
    [1, cel`string(${num}) == ${quoted(["1", "2", "1.5"])}`],
    [1, cel`string(${bool}) == "true"`],
    [1, cel`bool(string(${bool}))`],
    [1, versus(cel`${map}.k`, equality, word)],
    [1, cel`${map}[${quoted(["k"])}] == ${aWord}`],
    [2, cel`hierarchy(${path}).ancestorOf(hierarchy(${upper}))`],
    [1, versus(cel`hierarchy(${path})`, fc.constant("=="), cel`hierarchy(${path})`)],
    [1, cel`hierarchy(${path}).descendentOf(hierarchy(${path}))`],
    [1, cel`hierarchy(${path}).overlaps(hierarchy(${upper}))`],
    [0.5, cel`hierarchy(${path}).siblingOf(hierarchy(${lower}))`],
    [0.5, cel`hierarchy(${path}).immediateChildOf(hierarchy(${lower}))`],
    [0.5, cel`hierarchy(${path}).immediateParentOf(hierarchy(${upper}))`],
    [0.5, cel`hierarchy(${path}).commonAncestors(hierarchy("acme.eu.web")) == hierarchy("acme")`],
    [0.5, cel`hierarchy(${path}).size() > 1`],
    [0.5, cel`hierarchy(${path})[0] == "acme"`],
    [0.5, cel`cel.bind(x, ${word}, x == ${aWord} || x.startsWith(${fragment.starts}))`],
    [0.5, cel`dyn(${num}) == ${aNumber}`],
    [0.5, cel`id(${word}) == ${aWord}`],
  ];
}

/** Atoms that may answer for an absent value. */
function anyAtoms(layer: Layer, { word, num, map, aWord }: Reads): Atoms {
  const principal = layer === "permission" ? "key" : "account";
  const attributes = [...attributesOf("resource", ["word", "map"]), ...attributesOf(principal, ["word", "num"])];
  const dotted = fc.oneof(...attributes).filter((text) => !text.endsWith("]")); // has(x["f"]) is not a valid expression
  return [
    [0.5, cel`has(${dotted})`],
    [1, fc.constantFrom("has(R.attr.label)", "!has(R.attr.label)")],
    [2, cel`has(R.attr.label) && R.attr.label == ${aWord}`],
    [1, cel`!has(R.attr.label) || R.attr.label == ${aWord}`],
    [0.5, cel`has(${map}.z) == ${fc.constantFrom("true", "false")}`],
    [0.5, cel`"z" in ${map} && ${map}.n ${numberTest}`],
    [0.5, cel`${map}.exists(k, k == "k" && ${map}[k] == ${aWord})`],
    [0.5, cel`size(${map}) > 2 || ${word} == ${aWord}`],
    [0.5, cel`${map} == {"k": ${aWord}, "n": ${int}} || ${word} == ${aWord}`],
    [0.5, cel`type(${num}) == double && ${num} ${numberTest}`],
  ];
}

/** Expressions that fail whenever they are evaluated, or almost always. */
function failing(profile: Profile, { word: w, num, bool, words, map, time: t, aWord }: Reads): Text {
  const always = fc.oneof(cel`${num} + 1 > ${int}`, cel`${num} % 2 == 0`, cel`R.attr.nothing == ${int}`);
  // A value of another type could turn the others into successes.
  if (profile === "typed") return always;
  return fc.oneof(
    always,
    cel`${w} > ${int}`,
    cel`${num}.startsWith(${fragment.starts})`,
    cel`int(${w}) > ${int}`,
    cel`timestamp(${w}) < now()`,
    cel`timestamp(${t}) < ${t}`,
    cel`${words}[2] == ${aWord}`,
    cel`size(${num}) > 1`,
    cel`${map}.z == ${aWord}`,
    cel`${bool} > ${int}`,
    cel`${bool} ? ${num} % 2 == 0 : ${w} == ${aWord}`,
    num, // not a boolean
    cel`!${w}`,
  );
}

const memo = new Map<string, Text>();

/** A condition's expression, with at most `depth` nested logical operators. */
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
      ...(profile === "any" || isWhole(profile) ? anyAtoms(layer, r) : []),
      ...(isWhole(profile) ? wholeAtoms(context, r) : []),
      ...(profile === "optionals" ? optionalAtoms(r) : []),
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

/** The value of an output. It never shows a list whose order can change, since reordered requests are compared. */
export function outputText(context: Context): Text {
  const r = reads(context);
  const { word: w, id, num, words, map, time: t } = r;
  return fc.oneof(
    ...(isWhole(context.profile) ? [{ weight: 8, arbitrary: wholeOutputs(context, r) }] : []),
    { weight: 9, arbitrary: quoted(WORDS) },
    { weight: 6, arbitrary: fc.oneof(w, id, num, words) },
    { weight: 6, arbitrary: cel`{"who": P.id, "what": ${w}, "level": ${num}}` },
    { weight: 3, arbitrary: cel`"because " + ${w}` },
    { weight: 3, arbitrary: cel`[${num}, ${id}]` },
    { weight: 3, arbitrary: fc.oneof(map, cel`size(${words})`, cel`timestamp(${t})`, cel`string(${num})`) },
    { weight: 1, arbitrary: cel`${num} + 1` },
  );
}
