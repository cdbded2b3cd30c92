/** A line diff: the lines of two texts outside a longest common subsequence. */

/** A line that is in both texts, in the older alone, or in the newer alone. */
export interface ChangedLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** The number of context lines around a change. */
const AROUND = 2;

/**
 * The number of line pairs compared at most. For longer texts, everything between the first and the last change is
 * shown as changed.
 */
const MAX_PAIRS = 4_000_000;

/** Runs of changed lines with context. Empty if the texts have the same lines. */
export function changedLines(before: string, after: string): readonly (readonly ChangedLine[])[] {
  const [older, newer] = [linesOf(before), linesOf(after)];
  const start = common(older, newer);
  const end = common(older.slice(start).reverse(), newer.slice(start).reverse());
  const middle = between(older.slice(start, older.length - end), newer.slice(start, newer.length - end));
  const kept = (lines: readonly string[]) => lines.map((text): ChangedLine => ({ sign: " ", text }));
  return runs([...kept(older.slice(0, start)), ...middle, ...kept(older.slice(older.length - end))]);
}

function linesOf(text: string): readonly string[] {
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}

/** The number of equal lines at the start. */
function common(one: readonly string[], other: readonly string[]): number {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) if (one[i] !== other[i]) return i;
  return length;
}

function between(older: readonly string[], newer: readonly string[]): readonly ChangedLine[] {
  const gone = (text: string): ChangedLine => ({ sign: "-", text });
  const added = (text: string): ChangedLine => ({ sign: "+", text });
  if (older.length * newer.length > MAX_PAIRS) return [...older.map(gone), ...newer.map(added)];
  // The length of a longest common subsequence from a pair of lines on.
  const width = newer.length + 1;
  const lengths = new Uint32Array((older.length + 1) * width);
  const left = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = older.length - 1; i >= 0; i--) {
    for (let j = newer.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        older[i] === newer[j] ? left(i + 1, j + 1) + 1 : Math.max(left(i + 1, j), left(i, j + 1));
    }
  }
  const found: ChangedLine[] = [];
  let [i, j] = [0, 0];
  while (i < older.length || j < newer.length) {
    const [one, other] = [older[i], newer[j]];
    if (one !== undefined && one === other) {
      found.push({ sign: " ", text: one });
      i++;
      j++;
    } else if (one !== undefined && (other === undefined || left(i + 1, j) >= left(i, j + 1))) {
      found.push(gone(one));
      i++;
    } else if (other !== undefined) {
      found.push(added(other));
      j++;
    }
  }
  return found;
}

function runs(lines: readonly ChangedLine[]): readonly (readonly ChangedLine[])[] {
  const found: ChangedLine[][] = [];
  let last = -Infinity;
  for (const [i, line] of lines.entries()) {
    const isNear = lines.slice(Math.max(0, i - AROUND), i + AROUND + 1).some(({ sign }) => sign !== " ");
    if (!isNear) continue;
    if (i > last + 1) found.push([]);
    found.at(-1)?.push(line);
    last = i;
  }
  return found;
}
