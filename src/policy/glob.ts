/**
 * Globs of actions, roles and kinds, as Cerbos matches them: gobwas/glob with `:` as separator (docs/cerbos-semantics.md
 * §2.8). `*` is any run without `:`, `**` any run, `?` one character other than `:`. `[abc]`, `[!a-z]`, `{x,y}` and `\\`
 * escapes have their usual meaning. The pattern `*` alone matches everything.
 *
 * The server's library has faults. Some patterns deviate from its documentation, some depend on how many bytes a
 * character takes, and some crash it. Such patterns are refused ({@link globFault}), except for those that deviate only
 * on texts beyond ASCII ({@link departsBeyondAscii}). The only deviation that is copied is {@link overlapping}.
 *
 * A pattern of texts with wildcards of one kind between them is matched by searching for each text in turn. For any other
 * pattern a match walks the pattern once, and keeps every prefix of the text that the pieces so far can match. So it takes
 * at most (pattern length × text length) steps. It uses no native regular expression. {@link GlobWithCost} bounds the work.
 */

export const SEPARATOR = ":";

export type Piece =
  | { readonly kind: "text"; readonly chars: readonly string[] }
  | { readonly kind: "alternatives"; readonly texts: readonly (readonly string[])[] }
  | { readonly kind: "any" } // ?
  | { readonly kind: "run" } // *
  | { readonly kind: "everything" } // **
  | { readonly kind: "class"; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

/** Tells whether a text matches. */
export type Glob = (text: string) => boolean;

/** The glob of the pattern `*`. */
export const ANYTHING: Glob = () => true;

/** Whether `pattern` is matched as a glob. Otherwise it matches only itself. */
export function isGlob(pattern: string): boolean {
  return pattern.includes("*");
}

/** Whether `pattern` has a glob character, even if it is matched as a name. */
export function looksLikeGlob(pattern: string): boolean {
  return /[*?[{\\]/.test(pattern);
}

/** Whether `pattern` consists of asterisks: it matches everything and names nothing. */
export function isEverything(pattern: string): boolean {
  return /^\*+$/.test(pattern);
}

/** Compiles a pattern; undefined if it has a {@link globFault}. */
export function compileGlob(pattern: string): Glob | undefined {
  return compileGlobWithCost(pattern)?.matches;
}

export interface GlobWithCost {
  readonly matches: Glob;
  /**
   * The work of matching a text, beside a constant: in steps of some 100 ns for each {@link COST_LENGTH} characters of the
   * text.
   */
  readonly cost: number;
}

/** {@link compileGlob}, with the cost of a match. */
export function compileGlobWithCost(pattern: string): GlobWithCost | undefined {
  if (pattern === "*") return { matches: ANYTHING, cost: 0 };
  const alternatives = parseGlob(pattern);
  if (typeof alternatives === "string") return undefined;
  const globs = alternatives.map(globOf);
  const [only] = globs;
  if (globs.length === 1) return only;
  return {
    matches: (text) => globs.some(({ matches }) => matches(text)),
    cost: globs.reduce((sum, { cost }) => sum + cost, 0),
  };
}

function globOf(pieces: readonly Piece[]): GlobWithCost {
  const { length } = pieces;
  const ends = overlapping(pieces);
  if (ends !== undefined) {
    return { matches: (text) => text.startsWith(ends.prefix) && text.endsWith(ends.suffix), cost: length };
  }
  const ordered = orderedTexts(pieces);
  return ordered === undefined
    ? { matches: (text) => matches(pieces, Array.from(text)), cost: length * WALK_COST }
    : { matches: (text) => isInOrder(ordered, text), cost: length };
}

export const COST_LENGTH = 128;

/** The cost of a piece where the pattern is walked. */
const WALK_COST = 64;

/** A pattern of texts with wildcards of one kind between them. */
interface OrderedTexts {
  readonly first: string;
  readonly middle: readonly string[];
  readonly last: string;
  /** True if the wildcards match {@link SEPARATOR}, too. */
  readonly crosses: boolean;
}

/** Undefined for other patterns, and for texts with half a character: those would be found within other characters. */
function orderedTexts(pieces: readonly Piece[]): OrderedTexts | undefined {
  const texts = [""];
  const wildcards = new Set<Piece["kind"]>();
  for (const piece of pieces) {
    if (piece.kind === "run" || piece.kind === "everything") {
      wildcards.add(piece.kind);
      texts.push("");
    } else if (piece.kind === "text") texts.push(`${texts.pop() ?? ""}${piece.chars.join("")}`);
    else return undefined;
  }
  const [first = "", ...middle] = texts;
  const last = middle.pop();
  if (last === undefined || wildcards.size !== 1 || texts.some((text) => /\p{Surrogate}/u.test(text))) return undefined;
  return { first, middle, last, crosses: wildcards.has("everything") };
}

/**
 * True if the texts stand in order: the first at the start, the last at the end, each of the others where it comes first.
 * If a later place also matches, so does the first one: the characters between the two have no separator, and so the
 * text itself has none.
 */
function isInOrder({ first, middle, last, crosses }: OrderedTexts, text: string): boolean {
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const one of middle) {
    const at = text.indexOf(one, from);
    if (at < 0 || !(crosses || isFree(text, from, at))) return false;
    from = at + one.length;
  }
  const end = text.length - last.length;
  return end >= from && text.endsWith(last) && (crosses || isFree(text, from, end));
}

/** True if no separator stands from `from` up to `end`. */
function isFree(text: string, from: number, end: number): boolean {
  const at = text.indexOf(SEPARATOR, from);
  return at < 0 || at >= end;
}

/** Why a pattern may mean something else on the server; undefined if it is safe. */
export function globFault(pattern: string): string | undefined {
  const alternatives = parseGlob(pattern);
  return typeof alternatives === "string" ? alternatives : undefined;
}

/** The pieces of each alternative of a pattern (see {@link alternativesOf}), or the pattern's fault as text. */
export function parseGlob(pattern: string): readonly (readonly Piece[])[] | string {
  const alternatives: (readonly Piece[])[] = [];
  for (const alternative of alternativesOf(pattern)) {
    const pieces = piecesOf(Array.from(alternative));
    if (typeof pieces === "string") return pieces;
    const fault = shapeFault(pieces);
    if (fault !== undefined) return fault;
    alternatives.push(pieces);
  }
  const fault = alternatives.length === 1 ? undefined : commonPartFault(alternatives);
  return fault ?? alternatives;
}

/**
 * True if the server matches texts beyond ASCII differently from a pattern without fault. It reads one byte for a `?` or
 * a negated class directly beside other characters.
 */
export function departsBeyondAscii(pattern: string): boolean {
  const alternatives = parseGlob(pattern);
  if (typeof alternatives === "string") return false;
  return alternatives.some((pieces) => pieces.some((piece, i) => isByteWise(piece, pieces[i + 1])));
}

/** True if an alternative of the pattern has ends that can overlap, see {@link overlapping}. */
export function matchesOverlaps(pattern: string): boolean {
  const alternatives = parseGlob(pattern);
  return typeof alternatives !== "string" && alternatives.some((pieces) => overlapping(pieces) !== undefined);
}

/**
 * The alternatives of a pattern; a text matches the pattern if it matches one of them. A pattern that is one group in
 * braces with wildcards (`{doc:*,album:*}`) has several; any other pattern has itself.
 */
export function alternativesOf(pattern: string): readonly string[] {
  const chars = Array.from(pattern);
  if (chars[0] !== "{" || chars.at(-1) !== "}") return [pattern];
  const alternatives = [""];
  let hasWildcard = false;
  for (let i = 1; i < chars.length - 1; i++) {
    const c = chars[i] ?? "";
    if (c === ",") {
      alternatives.push("");
      continue;
    }
    if (c === "[" || c === "{" || c === "}") return [pattern];
    hasWildcard ||= SPECIAL.has(c);
    const isEscape = c === "\\";
    // An escape before the last brace leaves the group open.
    if (isEscape && i + 1 === chars.length - 1) return [pattern];
    alternatives.push(`${alternatives.pop() ?? ""}${c}${isEscape ? (chars[++i] ?? "") : ""}`);
  }
  return hasWildcard && !alternatives.includes("") ? alternatives : [pattern];
}

/**
 * Why the server may match alternatives with a common start or end wrongly. The server takes the common pieces out of
 * the braces; then wildcards within braces stand beside other pieces.
 */
function commonPartFault(alternatives: readonly (readonly Piece[])[]): string | undefined {
  const [first = [], ...others] = alternatives;
  const shortest = Math.min(...alternatives.map(({ length }) => length));
  const isCommon = (at: (pieces: readonly Piece[]) => Piece | undefined) =>
    others.every((other) => JSON.stringify(at(other)) === JSON.stringify(at(first)));
  let left = 0;
  while (left < shortest && isCommon((pieces) => pieces[left])) left++;
  let right = 0;
  while (left + right < shortest && isCommon((pieces) => pieces[pieces.length - 1 - right])) right++;
  if (left + right === 0) return undefined;
  const texts = alternatives.flatMap((pieces) => {
    const [rest, ...more] = pieces.slice(left, pieces.length - right);
    return rest?.kind === "text" && more.length === 0 ? [rest.chars] : [];
  });
  if (texts.length < alternatives.length) return "the alternatives in its braces begin or end alike";
  const ends = first.slice(first.length - right);
  return shapeFault([...first.slice(0, left), { kind: "alternatives", texts }, ...ends]);
}

/**
 * The ends of a pattern `prefix**suffix` that can overlap. The server matches every text with both ends, even where they
 * overlap. Undefined for other patterns.
 */
export function overlapping(
  pieces: readonly Piece[],
): { readonly prefix: string; readonly suffix: string } | undefined {
  if (pieces.length !== 3) return undefined;
  const [first, middle, last] = pieces;
  if (first?.kind !== "text" || middle?.kind !== "everything" || last?.kind !== "text") return undefined;
  const [prefix, suffix] = [first.chars.join(""), last.chars.join("")];
  for (let length = Math.min(prefix.length, suffix.length); length > 0; length--) {
    if (prefix.endsWith(suffix.slice(0, length))) return { prefix, suffix };
  }
  return undefined;
}

/** The pieces of an alternative, or its fault as text. */
function piecesOf(chars: readonly string[]): readonly Piece[] | string {
  const pieces: Piece[] = [];
  let text: string[] | undefined;
  for (let i = 0; i < chars.length; i++) {
    const c = chars[i] ?? "";
    const escaped = c === "\\" ? chars[++i] : undefined;
    if (c === "\\" && escaped === undefined) return "nothing follows the last backslash";
    if (escaped !== undefined || !SPECIAL.has(c)) {
      if (text === undefined) {
        text = [];
        pieces.push({ kind: "text", chars: text });
      }
      text.push(escaped ?? c);
      continue;
    }
    text = undefined;
    if (c === "?") pieces.push({ kind: "any" });
    else if (c === "*") {
      const from = i;
      while (chars[i + 1] === "*") i++;
      if (i - from > 1) return "it has more than two asterisks in a row";
      pieces.push({ kind: i > from ? "everything" : "run" });
    } else {
      const parsed = c === "[" ? classAt(chars, i + 1) : alternativesAt(chars, i + 1);
      if (typeof parsed === "string") return parsed;
      pieces.push(parsed.piece);
      i = parsed.close;
    }
  }
  return pieces;
}

const SPECIAL: ReadonlySet<string> = new Set(["*", "?", "[", "{"]);

interface Parsed {
  readonly piece: Piece;
  readonly close: number;
}

/**
 * The class that starts after `[`: one range (`a-z`), or a list of characters, in which `-` is an ordinary character. The
 * two forms do not mix: `[ae-f]` is a list of four, `[a-cx]` is malformed.
 */
function classAt(chars: readonly string[], start: number): Parsed | string {
  const malformed = "it has a character class that is malformed";
  const negated = chars[start] === "!";
  const at = negated ? start + 1 : start;
  const [low, dash, high, end] = chars.slice(at, at + 4);
  if (low !== undefined && dash === "-") {
    if (high === undefined || end !== "]" || high < low) return malformed;
    return { piece: { kind: "class", negated, ranges: [[low, high]] }, close: at + 3 };
  }
  const ranges: (readonly [string, string])[] = [];
  for (let i = at; i < chars.length; i++) {
    let c = chars[i] ?? "";
    if (c === "]") {
      if (ranges.length === 0) return malformed;
      return { piece: { kind: "class", negated, ranges }, close: i };
    }
    if (c === "\\") c = chars[++i] ?? "";
    ranges.push([c, c]);
  }
  return malformed;
}

/** The alternatives after `{`: texts, none of them empty. */
function alternativesAt(chars: readonly string[], start: number): Parsed | string {
  const texts: string[][] = [[]];
  for (let i = start; i < chars.length; i++) {
    const c = chars[i] ?? "";
    const last = texts[texts.length - 1];
    if (c === "}") {
      if (texts.some((one) => one.length === 0)) return "it has an empty alternative in braces";
      return { piece: { kind: "alternatives", texts }, close: i };
    }
    if (c === ",") texts.push([]);
    else if (SPECIAL.has(c)) return "it has a wildcard in braces";
    else if (c === "\\") last?.push(chars[++i] ?? "");
    else last?.push(c);
  }
  return "it has a brace that is not closed";
}

/**
 * Why the server may match adjacent pieces wrongly. It matches adjacent fixed pieces byte by byte but counts their
 * lengths in characters. The two disagree for letters beyond ASCII.
 */
function shapeFault(pieces: readonly Piece[]): string | undefined {
  for (const [i, piece] of pieces.entries()) {
    const next = pieces[i + 1];
    if (next === undefined || !isFixed(piece) || !isFixed(next)) continue;
    if (!isAscii(piece) || !isAscii(next)) return "a group or `?` stands directly beside letters beyond ASCII";
  }
  return undefined;
}

/** True if the server reads one byte in place of one character for adjacent pieces. */
function isByteWise(piece: Piece, next: Piece | undefined): boolean {
  if (next === undefined || !isFixed(piece) || !isFixed(next)) return false;
  if (piece.kind === "any" && next.kind === "any") return false;
  return takesBeyondAscii(piece) || takesBeyondAscii(next);
}

function takesBeyondAscii(piece: Piece): boolean {
  return piece.kind === "any" || (piece.kind === "class" && piece.negated);
}

/** Whether all texts that a piece matches have the same length. */
function isFixed(piece: Piece): boolean {
  if (piece.kind !== "alternatives") return piece.kind !== "run" && piece.kind !== "everything";
  return new Set(piece.texts.map(({ length }) => length)).size === 1;
}

function isAscii(piece: Piece): boolean {
  return charactersOf(piece).every((char) => char <= "\x7f");
}

function charactersOf(piece: Piece): readonly string[] {
  if (piece.kind === "text") return piece.chars;
  if (piece.kind === "alternatives") return piece.texts.flat();
  return piece.kind === "class" ? piece.ranges.flat() : [];
}

function matches(pieces: readonly Piece[], text: readonly string[]): boolean {
  // reachable[j]: the pieces so far can match the first j characters.
  let reachable: boolean[] = new Array<boolean>(text.length + 1).fill(false);
  reachable[0] = true;
  for (const piece of pieces) {
    reachable = advance(piece, text, reachable);
    if (!reachable.includes(true)) return false;
  }
  return reachable[text.length] === true;
}

function advance(piece: Piece, text: readonly string[], from: readonly boolean[]): boolean[] {
  const to = new Array<boolean>(from.length).fill(false);
  if (piece.kind === "run" || piece.kind === "everything") {
    let open = false;
    for (let j = 0; j < from.length; j++) {
      open = from[j] === true || (open && (piece.kind === "everything" || text[j - 1] !== SEPARATOR));
      to[j] = open;
    }
    return to;
  }
  for (let j = 0; j < from.length; j++) {
    if (from[j] !== true) continue;
    for (const length of lengthsAt(piece, text, j)) to[j + length] = true;
  }
  return to;
}

/** The numbers of characters that a piece can match at `at`. */
function lengthsAt(
  piece: Exclude<Piece, { readonly kind: "run" | "everything" }>,
  text: readonly string[],
  at: number,
): readonly number[] {
  const standsAt = (chars: readonly string[]) => chars.every((char, i) => text[at + i] === char);
  const char = text[at];
  switch (piece.kind) {
    case "text":
      return standsAt(piece.chars) ? [piece.chars.length] : [];
    case "alternatives":
      return piece.texts.filter(standsAt).map(({ length }) => length);
    case "any":
      return char !== undefined && char !== SEPARATOR ? [1] : [];
    case "class": {
      const isListed = char !== undefined && piece.ranges.some(([low, high]) => low <= char && char <= high);
      return char !== undefined && isListed !== piece.negated ? [1] : [];
    }
  }
}
