/** Go's `path/filepath` on Linux, as far as Cerbos's path functions use it. */

/** `filepath.Clean`: the shortest equivalent path, without access to files. */
export function clean(path: string): string {
  if (path === "") return ".";
  const isRooted = path.startsWith("/");
  const kept: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") kept.push(name);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!isRooted) kept.push("..");
  }
  const joined = kept.join("/");
  return isRooted ? `/${joined}` : joined === "" ? "." : joined;
}

/** `filepath.Rel` of two cleaned paths; `undefined` if the texts alone do not determine a relative path. */
export function relative(from: string, to: string): string | undefined {
  if (from === to) return ".";
  const origin = from === "." ? "" : from;
  const target = to === "." ? "" : to;
  if (origin.startsWith("/") !== target.startsWith("/")) return undefined;
  const a = origin.split("/").filter((name) => name !== "");
  const b = target.split("/").filter((name) => name !== "");
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++;
  if (a[shared] === "..") return undefined;
  const ups = new Array<string>(a.length - shared).fill("..");
  return [...ups, ...b.slice(shared)].join("/");
}

/**
 * `filepath.Match`: `*` and `?` stop at slashes; `[a-z]`, `[^a-z]`; a backslash escapes the next character. `undefined`
 * for a malformed pattern.
 */
export function matchGlob(pattern: string, text: string): boolean | undefined {
  const items = parseGlob([...pattern]);
  return items === undefined ? undefined : matchItems(items, [...text]);
}

/** `undefined` stands for `*`. */
type Item = ((char: string) => boolean) | undefined;

function parseGlob(chars: readonly string[]): Item[] | undefined {
  const items: Item[] = [];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] ?? "";
    if (char === "*") {
      items.push(undefined);
    } else if (char === "?") {
      items.push((c) => c !== "/");
    } else if (char === "[") {
      const set = parseSet(chars, i + 1);
      if (set === undefined) return undefined;
      items.push(set.test);
      i = set.end;
    } else {
      const literal = char === "\\" ? chars[++i] : char;
      if (literal === undefined) return undefined;
      items.push((c) => c === literal);
    }
  }
  return items;
}

/** Parses a set after its `[`; `end` is the position of the `]`. */
function parseSet(
  chars: readonly string[],
  from: number,
): { test: (char: string) => boolean; end: number } | undefined {
  let at = from;
  const isNegated = chars[at] === "^";
  if (isNegated) at++;
  const ranges: [number, number][] = [];
  while (chars[at] !== "]" || ranges.length === 0) {
    const low = setChar(chars, at);
    if (low === undefined) return undefined;
    at = low.next;
    let high = low.point;
    if (chars[at] === "-") {
      const end = setChar(chars, at + 1);
      if (end === undefined) return undefined;
      high = end.point;
      at = end.next;
    }
    ranges.push([low.point, high]);
  }
  const test = (char: string): boolean => {
    const point = char.codePointAt(0) ?? 0;
    return char !== "/" && ranges.some(([low, high]) => low <= point && point <= high) !== isNegated;
  };
  return { test, end: at };
}

function setChar(chars: readonly string[], at: number): { point: number; next: number } | undefined {
  const char = chars[at];
  if (char === undefined || char === "-" || char === "]") return undefined;
  const literal = char === "\\" ? chars[at + 1] : char;
  const point = literal?.codePointAt(0);
  return point === undefined ? undefined : { point, next: at + (char === "\\" ? 2 : 1) };
}

/** Greedy matching with a single backtracking point, so the cost is at most the product of the lengths. */
function matchItems(items: readonly Item[], text: readonly string[]): boolean {
  let item = 0;
  let at = 0;
  let retryItem = -1;
  let retryAt = 0;
  while (at < text.length || item < items.length) {
    const test = items[item];
    if (item < items.length && test === undefined) {
      retryItem = item++;
      retryAt = at;
      continue;
    }
    if (test !== undefined && at < text.length && test(text[at] ?? "")) {
      item++;
      at++;
      continue;
    }
    if (retryItem < 0 || retryAt >= text.length || text[retryAt] === "/") return false;
    retryAt++;
    at = retryAt;
    item = retryItem + 1;
  }
  return true;
}
