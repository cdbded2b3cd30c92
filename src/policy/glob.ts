/**
 * Globs of actions, as Cerbos matches them: gobwas/glob with `:` as separator (docs/cerbos-semantics.md §2.8).
 * `*` is any run without `:`, `**` any run, `?` one character that is not `:`, `[abc]`, `[!a-z]`, `{x,y}` and `\`
 * escapes as usual. A pattern that is just `*` matches everything. Only strings that contain `*` are patterns.
 *
 * A match walks the pattern once, keeping every prefix of the text that the part so far can match, so it takes at
 * most (pattern length × text length) steps; nothing of it is a native regular expression.
 */

const SEPARATOR = ":";

type Piece =
  | { readonly kind: "text"; readonly char: string }
  | { readonly kind: "any" } // ?
  | { readonly kind: "run" } // *
  | { readonly kind: "everything" } // **
  | { readonly kind: "class"; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

/** Tells whether a text matches. */
export type Glob = (text: string) => boolean;

/** Whether `pattern` is matched as a glob: otherwise it stands for itself. */
export function isGlob(pattern: string): boolean {
  return pattern.includes("*");
}

/** More alternatives than this in one pattern make it invalid. */
const MAX_ALTERNATIVES = 256;

/** Compiles a pattern; undefined if it is malformed (such a pattern matches nothing). */
export function compileGlob(pattern: string): Glob | undefined {
  if (pattern === "*") return () => true;
  const expanded = expandBraces(Array.from(pattern));
  if (expanded === undefined) return undefined;
  const alternatives: (readonly Piece[])[] = [];
  for (const chars of expanded) {
    const pieces = piecesOf(chars);
    if (pieces === undefined) return undefined;
    alternatives.push(pieces);
  }
  return (text) => {
    const chars = Array.from(text);
    return alternatives.some((pieces) => matches(pieces, chars));
  };
}

/** `{a,b}` is written out, so that what is left has no braces. */
function expandBraces(pattern: readonly string[]): readonly (readonly string[])[] | undefined {
  const open = indexOfUnescaped(pattern, "{", 0);
  if (open < 0) return indexOfUnescaped(pattern, "}", 0) < 0 ? [pattern] : undefined;
  const close = closingBrace(pattern, open);
  if (close < 0) return undefined;
  const results: (readonly string[])[] = [];
  for (const alternative of splitTop(pattern.slice(open + 1, close))) {
    const rest = expandBraces([...pattern.slice(0, open), ...alternative, ...pattern.slice(close + 1)]);
    if (rest === undefined) return undefined;
    results.push(...rest);
    if (results.length > MAX_ALTERNATIVES) return undefined;
  }
  return results;
}

/** The offset of the next `char` outside escapes and classes. */
function indexOfUnescaped(pattern: readonly string[], char: string, from: number): number {
  let inClass = false;
  for (let i = from; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === "\\") i++;
    else if (inClass) inClass = c !== "]";
    else if (c === "[") inClass = true;
    else if (c === char) return i;
  }
  return -1;
}

function closingBrace(pattern: readonly string[], open: number): number {
  let depth = 0;
  for (let i = open; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === "\\") i++;
    else if (c === "{") depth++;
    else if (c === "}" && --depth === 0) return i;
  }
  return -1;
}

function splitTop(body: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (let i = 0; i < body.length; i++) {
    const c = body[i] ?? "";
    if (c === "," && depth === 0) {
      parts.push([]);
      continue;
    }
    if (c === "{") depth++;
    if (c === "}") depth--;
    const part = parts[parts.length - 1];
    part?.push(c);
    if (c === "\\" && i + 1 < body.length) part?.push(body[++i] ?? "");
  }
  return parts;
}

function piecesOf(chars: readonly string[]): readonly Piece[] | undefined {
  const pieces: Piece[] = [];
  for (let i = 0; i < chars.length; i++) {
    const c = chars[i] ?? "";
    if (c === "*") {
      const everything = chars[i + 1] === "*";
      while (chars[i + 1] === "*") i++;
      pieces.push({ kind: everything ? "everything" : "run" });
    } else if (c === "?") pieces.push({ kind: "any" });
    else if (c === "\\") {
      const escaped = chars[++i];
      if (escaped === undefined) return undefined;
      pieces.push({ kind: "text", char: escaped });
    } else if (c === "[") {
      const parsed = classAt(chars, i + 1);
      if (parsed === undefined) return undefined;
      pieces.push(parsed.piece);
      i = parsed.close;
    } else pieces.push({ kind: "text", char: c });
  }
  return pieces;
}

/**
 * The class that starts after `[`: one range (`a-z`), or a list of characters in which `-` is one of them. The two do
 * not mix: `[ae-f]` is a list of four, `[a-cx]` is malformed.
 */
function classAt(
  chars: readonly string[],
  start: number,
): { readonly piece: Piece; readonly close: number } | undefined {
  const negated = chars[start] === "!";
  const at = negated ? start + 1 : start;
  const [low, dash, high, end] = chars.slice(at, at + 4);
  if (low !== undefined && dash === "-") {
    if (high === undefined || end !== "]" || high < low) return undefined;
    return { piece: { kind: "class", negated, ranges: [[low, high]] }, close: at + 3 };
  }
  const ranges: (readonly [string, string])[] = [];
  for (let i = at; i < chars.length; i++) {
    let c = chars[i] ?? "";
    if (c === "]") return ranges.length === 0 ? undefined : { piece: { kind: "class", negated, ranges }, close: i };
    if (c === "\\") c = chars[++i] ?? "";
    ranges.push([c, c]);
  }
  return undefined;
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
  for (let j = 0; j < text.length; j++) {
    if (from[j] === true && matchesOne(piece, text[j] ?? "")) to[j + 1] = true;
  }
  return to;
}

function matchesOne(piece: Exclude<Piece, { readonly kind: "run" | "everything" }>, char: string): boolean {
  switch (piece.kind) {
    case "text":
      return piece.char === char;
    case "any":
      return char !== SEPARATOR;
    case "class":
      return piece.ranges.some(([low, high]) => low <= char && char <= high) !== piece.negated;
  }
}
