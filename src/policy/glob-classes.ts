/**
 * Classes of texts that patterns distinguish. Two texts are in the same class if each pattern matches both or neither.
 * There are few classes, and each has an example, so a property of all texts can be checked on the examples.
 */

import { compileGlob, isGlob, overlapping, type Piece, parseGlob, SEPARATOR } from "./glob.js";

export interface TextClass {
  /** A shortest text of the class. */
  readonly example: string;
  /** The example is the only text of the class. */
  readonly isAlone: boolean;
  /** The globs other than `*` that match the texts of the class. */
  readonly matchedBy: readonly string[];
  /** The globs and names that tell the class from all other texts that `matchedBy` matches. */
  readonly unmatchedBy: readonly string[];
  has(text: string): boolean;
}

/** Most states of all automata together that are explored. */
const MAX_STATES = 20_000;

/** Tells whether a part of a pattern matches a character. */
type CharacterTest = (char: string) => boolean;

/** A state of an automaton: its transitions on a character, and the state that it can enter without one. */
interface AutomatonState {
  readonly takes: readonly (readonly [taker: CharacterTest, next: number])[];
  readonly skips: number | undefined;
}

interface Automaton {
  readonly spots: readonly AutomatonState[];
  readonly end: number;
}

/** The example of texts that only `*` matches, unless a pattern has this name. */
export const UNNAMED = "unnamed";

/**
 * The classes of non-empty texts that the patterns distinguish. `patterns` are names, or globs if they contain `*`.
 * `others` are always globs. Undefined if there are too many classes.
 */
export function classesOf(
  patterns: readonly string[],
  others: readonly string[] = [],
): readonly TextClass[] | undefined {
  const names = [...new Set(patterns)].filter((pattern) => !isGlob(pattern));
  const globs = [...new Set([...patterns.filter(isGlob), ...others])];
  const matchers = globs.map((glob) => compileGlob(glob) ?? (() => false));
  const isName = new Set(names);
  const classes = new Map<string, TextClass>();
  const answers = (text: string) => matchers.map((matches) => (matches(text) ? 1 : 0)).join("");
  const keyOf = (text: string) => (isName.has(text) ? `name ${text}` : answers(text));
  const add = (example: string) => {
    const key = keyOf(example);
    if (classes.has(key)) return;
    const isAlone = isName.has(example);
    const has = (text: string) => keyOf(text) === key;
    const matchedBy = isAlone ? [] : globs.filter((glob, i) => glob !== "*" && matchers[i]?.(example) === true);
    const unmatchedBy = isAlone
      ? []
      : [...globs.filter((_, i) => matchers[i]?.(example) === false), ...names.filter((name) => answers(name) === key)];
    classes.set(key, { example, isAlone, matchedBy, unmatchedBy, has });
  };
  for (const name of names) add(name);
  if (globs.every((glob) => glob === "*")) {
    add(otherThan(isName));
    return [...classes.values()];
  }
  const alternatives = globs.flatMap((glob) => {
    const parsed = glob === "*" ? [] : parseGlob(glob);
    return typeof parsed === "string" ? [] : parsed;
  });
  const texts = [...names, ...alternatives.flatMap(overlaps)];
  const automata = [
    ...texts.map((text) => automaton([{ kind: "text", chars: [...text] }])),
    ...alternatives.map(automaton),
  ];
  const alphabet = alphabetOf([...names, ...globs], alternatives.flat());
  return explored(automata, alphabet, add) ? [...classes.values()] : undefined;
}

/** A text that a glob matches, with {@link UNNAMED} for its wildcards where that matches. */
export function exampleOf(glob: string): string | undefined {
  const isMatch = compileGlob(glob) ?? (() => false);
  const example = glob
    .replaceAll(/\{([^,{}]*)[^{}]*\}/g, "$1")
    .replaceAll(/\[!?(.)[^\]]*\]/g, "$1")
    .replaceAll(/\*+|\?/g, UNNAMED);
  return (
    [example, example.replaceAll(UNNAMED, "x")].find(isMatch) ??
    classesOf([], [glob])?.find(({ matchedBy }) => matchedBy.includes(glob))?.example
  );
}

/** A name that is not in `names`. */
export function otherThan(names: Iterable<string>): string {
  const taken = new Set(names);
  let other = UNNAMED;
  while (taken.has(other)) other = `${other}_`;
  return other;
}

/** The texts that an alternative matches only because its prefix and suffix overlap. */
function overlaps(pieces: readonly Piece[]): readonly string[] {
  const ends = overlapping(pieces);
  if (ends === undefined) return [];
  const { prefix, suffix } = ends;
  const lengths = Array.from({ length: Math.min(prefix.length, suffix.length) }, (_, i) => i + 1);
  return lengths.flatMap((n) => (prefix.endsWith(suffix.slice(0, n)) ? [`${prefix}${suffix.slice(n)}`] : []));
}

/** Runs all automata together over all texts, shortest first. False if there are more than {@link MAX_STATES} states. */
function explored(automata: readonly Automaton[], alphabet: readonly string[], found: (text: string) => void): boolean {
  type State = readonly (readonly number[])[];
  const start: State = automata.map((one) => closed(one, [0]));
  const seen = new Set([JSON.stringify(start)]);
  let level: { readonly state: State; readonly text: string }[] = [{ state: start, text: "" }];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { state, text } of level) {
      for (const char of alphabet) {
        const after = state.map((places, i) => advanced(automata[i], places, char));
        const key = JSON.stringify(after);
        if (seen.has(key)) continue;
        if (seen.size >= MAX_STATES) return false;
        seen.add(key);
        found(`${text}${char}`);
        next.push({ state: after, text: `${text}${char}` });
      }
    }
    level = next;
  }
  return true;
}

function advanced(one: Automaton | undefined, places: readonly number[], char: string): readonly number[] {
  if (one === undefined || places.length === 0) return [];
  const next = new Set<number>();
  for (const place of places) {
    for (const [taker, to] of one.spots[place]?.takes ?? []) if (taker(char)) next.add(to);
  }
  return closed(one, [...next]);
}

function closed({ spots }: Automaton, places: readonly number[]): readonly number[] {
  const all = new Set(places);
  for (const place of all) {
    const skips = spots[place]?.skips;
    if (skips !== undefined) all.add(skips);
  }
  return [...all].sort((a, b) => a - b);
}

function automaton(pieces: readonly Piece[]): Automaton {
  const spots: { takes: (readonly [CharacterTest, number])[]; skips: number | undefined }[] = [];
  const add = () => spots.push({ takes: [], skips: undefined }) - 1;
  let at = add();
  for (const piece of pieces) {
    const from = spots[at];
    if (from === undefined) break;
    if (piece.kind === "run" || piece.kind === "everything") {
      // A separate state for the loop, so that it repeats no transition of the state before it.
      const loop = add();
      from.skips = loop;
      const to = add();
      spots[loop] = { takes: [[piece.kind === "run" ? (char) => char !== SEPARATOR : () => true, loop]], skips: to };
      at = to;
      continue;
    }
    const to = piece.kind === "text" || piece.kind === "alternatives" ? undefined : add();
    if (piece.kind === "any" && to !== undefined) from.takes.push([(char) => char !== SEPARATOR, to]);
    else if (piece.kind === "class" && to !== undefined) {
      const { ranges, negated } = piece;
      from.takes.push([(char) => ranges.some(([low, high]) => low <= char && char <= high) !== negated, to]);
    } else {
      const texts = piece.kind === "text" ? [piece.chars] : piece.kind === "alternatives" ? piece.texts : [];
      const end = add();
      for (const chars of texts) {
        let place = at;
        for (const [i, char] of chars.entries()) {
          const next = i === chars.length - 1 ? end : add();
          spots[place]?.takes.push([(one) => one === char, next]);
          place = next;
        }
      }
      at = end;
      continue;
    }
    at = to ?? at;
  }
  return { spots, end: at };
}

/** One character of each kind that the patterns distinguish. */
function alphabetOf(patterns: readonly string[], pieces: readonly Piece[]): readonly string[] {
  const named = new Set<string>([SEPARATOR]);
  const ranges: (readonly [string, string])[] = [];
  for (const pattern of patterns) for (const char of pattern) named.add(char);
  for (const piece of pieces) if (piece.kind === "class") ranges.push(...piece.ranges);
  const within = ranges.flatMap(([low, high]) => {
    const from = low.codePointAt(0) ?? 0;
    const to = high.codePointAt(0) ?? 0;
    for (let point = from; point <= to; point++) {
      const char = String.fromCodePoint(point);
      if (!named.has(char)) return [char];
    }
    return [];
  });
  const isTaken = (char: string) => named.has(char) || ranges.some(([low, high]) => low <= char && char <= high);
  // Letters first: examples are read by people.
  const other = [..."xyzabcdefghijklmnopqrstuvwXYZABC0123456789_-"].find((char) => !isTaken(char));
  const rare = Array.from({ length: 4_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).find((char) => !isTaken(char));
  return [...new Set([other ?? rare ?? "\u{1f600}", ...named, ...within])];
}
