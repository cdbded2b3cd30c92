/**
 * Action patterns (docs/cerbos-semantics.md §2.8). Only a string with `*` is a pattern; other strings are compared
 * literally. `*` matches any run without the separator `:`, `**` any run, and a pattern that is only `*` means `**`.
 * Inside a pattern `?`, `[abc]`, `[!a-z]`, `{x,y}` and `\` have gobwas's meaning.
 */
export function actionMatches(pattern: string, action: string): boolean {
  if (!pattern.includes("*")) return pattern === action;
  return matches(pattern === "*" ? "**" : pattern, action);
}

/** In the actions of role policies every entry is a pattern, and also matches itself literally. */
export function listedActionMatches(entry: string, action: string): boolean {
  return entry === action || matches(entry === "*" ? "**" : entry, action);
}

/** Tries every match: the pattern's first element against every prefix of the text. */
function matches(pattern: string, text: string): boolean {
  if (pattern === "") return text === "";
  if (pattern.startsWith("**")) return rests(text, false).some((rest) => matches(pattern.slice(2), rest));
  if (pattern.startsWith("*")) return rests(text, true).some((rest) => matches(pattern.slice(1), rest));
  if (pattern.startsWith("{")) {
    const end = pattern.indexOf("}");
    const choices = pattern.slice(1, end).split(",");
    return end > 0 && choices.some((choice) => matches(choice + pattern.slice(end + 1), text));
  }
  if (text === "") return false;
  const next = text.slice(1);
  if (pattern.startsWith("?")) return text[0] !== ":" && matches(pattern.slice(1), next);
  if (pattern.startsWith("[")) {
    const end = pattern.indexOf("]");
    return end > 0 && inClass(pattern.slice(1, end), text.slice(0, 1)) && matches(pattern.slice(end + 1), next);
  }
  const literal = pattern.startsWith("\\") ? 1 : 0;
  return pattern[literal] === text[0] && matches(pattern.slice(literal + 1), next);
}

/** The possible rests of `text` after a star matched a prefix. */
function rests(text: string, stopAtSeparator: boolean): readonly string[] {
  const all = [text];
  for (let i = 0; i < text.length && !(stopAtSeparator && text[i] === ":"); i++) all.push(text.slice(i + 1));
  return all;
}

/** `[abc]` is a list, `[a-c]` a range; the two do not mix: `[ab-d]` also lists `-` (observed). */
function inClass(characters: string, character: string): boolean {
  const negated = characters.startsWith("!");
  const body = negated ? characters.slice(1) : characters;
  if (body[1] === "-") {
    const [low = "", , high = ""] = body;
    // "Invalid patterns: logged and never match."
    return body.length === 3 && (character >= low && character <= high) !== negated;
  }
  return body.includes(character) !== negated;
}
