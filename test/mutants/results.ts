/** The results of mutants. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { DIRECTORY } from "./files.js";
import type { Place } from "./subject.js";

const RESULTS = `${DIRECTORY}/results.json`;

/** The fields that identify a mutant, whatever else in its file changes. */
type Id = Pick<Place, "file" | "source" | "what">;

/** Mutants that survive for one reason. */
interface Listed {
  readonly reason: string;
  readonly mutants: readonly Id[];
}

export interface Result {
  readonly file: string;
  readonly source: string;
  readonly what: string;
  readonly line: number;
  readonly result: "killed" | "survived" | "unreached" | "listed";
  readonly by: string;
}

export const idOf = ({ file, source, what }: Id): string => JSON.stringify([file, source, what]);

/** The mutants that are equivalent to the source. */
export function listedSurvivors(): ReadonlySet<string> {
  const listed: readonly Listed[] = JSON.parse(readFileSync("test/mutants/survivors.json", "utf8"));
  return new Set(listed.flatMap(({ mutants }) => mutants.map(idOf)));
}

export const lives = ({ result }: Pick<Result, "result">): boolean => result === "survived" || result === "unreached";

export function latest(): readonly Result[] {
  return existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, "utf8")) : [];
}

/** Writes the latest results of all present mutants. */
export function keep(results: readonly Result[], places: readonly Place[]): void {
  const all = new Map([...latest(), ...results].map((one) => [idOf(one), one]));
  const kept = places.flatMap((place) => all.get(idOf(place)) ?? []);
  writeFileSync(RESULTS, JSON.stringify(kept, undefined, 1));
}

/** One line for each folder. */
export function report(results: readonly Result[]): readonly string[] {
  const folders = new Map<string, Result[]>();
  for (const result of results) {
    const [, folder, inner] = /^src\/([^/]+)\/(?:([^/]+)\/)?/.exec(result.file) ?? [];
    const name = inner === undefined ? `${folder}` : `${folder}/${inner}`;
    folders.set(name, [...(folders.get(name) ?? []), result]);
  }
  return [...folders, ["all", results] as const].map(([name, found]) => {
    const count = (kind: Result["result"]) => found.filter(({ result }) => result === kind).length;
    const share = (100 * count("killed")) / Math.max(1, found.length);
    const unreached = count("unreached");
    const left = `${count("survived") + unreached} not listed (${unreached} of them not reached)`;
    return `${name}: ${count("killed")} of ${found.length} killed (${share.toFixed(1)} %), ${count("listed")} survivors listed, ${left}`;
  });
}
