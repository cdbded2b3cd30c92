/** Orders variables so that each comes after those it reads. */

import { addTo } from "../groups.js";

/** `ordered`: names in an order in which each comes after the names it reads. `cycles`: the names that read each other. */
export interface Ordering {
  readonly ordered: readonly string[];
  readonly cycles: readonly (readonly string[])[];
}

/** `reads` maps each name to the names it reads. Names that are not keys are ignored. Not recursive. */
export function orderByReads(reads: ReadonlyMap<string, ReadonlySet<string>>): Ordering {
  const waiting = new Map<string, number>();
  const readers = new Map<string, string[]>();
  for (const [name, read] of reads) {
    const known = [...read].filter((other) => reads.has(other));
    waiting.set(name, known.length);
    for (const other of known) addTo(readers, other, name);
  }
  const ordered = [...reads.keys()].filter((name) => waiting.get(name) === 0);
  for (const name of ordered) {
    for (const reader of readers.get(name) ?? []) {
      const left = (waiting.get(reader) ?? 0) - 1;
      waiting.set(reader, left);
      if (left === 0) ordered.push(reader);
    }
  }
  const done = new Set(ordered);
  return {
    ordered,
    cycles: cyclesAmong(
      [...reads.keys()].filter((name) => !done.has(name)),
      reads,
      done,
    ),
  };
}

/** Every name here reads another name here, so following the first such read ends in a cycle. */
function cyclesAmong(
  names: readonly string[],
  reads: ReadonlyMap<string, ReadonlySet<string>>,
  done: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const cycles: (readonly string[])[] = [];
  const visited = new Set<string>();
  for (const start of names) {
    const path = new Map<string, number>();
    let name: string | undefined = start;
    while (name !== undefined && !visited.has(name)) {
      visited.add(name);
      path.set(name, path.size);
      name = [...(reads.get(name) ?? [])].find((other) => reads.has(other) && !done.has(other));
    }
    const from = name === undefined ? undefined : path.get(name);
    if (from !== undefined) cycles.push([...path.keys()].slice(from));
  }
  return cycles;
}
