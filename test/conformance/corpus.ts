/** Cerbos's own test data, read in place, and the scores of its cases. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Either, isLeft } from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import { parse } from "yaml";
import { readPolicyDirectory } from "../../src/node/directory.js";
import type { PolicyIssue } from "../../src/policy/issue.js";
import type { PolicyModel } from "../../src/policy/model.js";
import { parsePolicyFiles } from "../../src/policy/parse.js";

/** Stored beside the project; its licence is in its LICENSE file. */
export const CORPUS = fileURLToPath(new URL("../../../shared/corpus/cerbos-v0.55", import.meta.url));

export const ABSENT = existsSync(CORPUS) ? undefined : `skipped: ${CORPUS} is not there`;

export interface CorpusCase {
  readonly name: string;
  readonly body: unknown;
  /** The files beside it that start with its name, keyed by the rest of their names. */
  readonly companions: ReadonlyMap<string, string>;
}

export function casesIn(directory: string): readonly CorpusCase[] {
  if (ABSENT !== undefined) return [];
  const root = join(CORPUS, directory);
  const names = readdirSync(root);
  const textOf = (name: string) => readFileSync(join(root, name), "utf8");
  return names
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => ({
      name: name.replace(/\.yaml$/, ""),
      body: parse(textOf(name)),
      companions: new Map(
        names
          .filter((other) => other.startsWith(`${name}.`))
          .map((other) => [other.slice(name.length + 1), textOf(other)]),
      ),
    }));
}

/** The files of a txtar archive. */
export function filesOfArchive(text: string): ReadonlyMap<string, string> {
  const parts = text.split(/^-- (.+) --\n/m).slice(1);
  const files = new Map<string, string>();
  for (let i = 0; i + 1 < parts.length; i += 2) files.set(parts[i] ?? "", parts[i + 1] ?? "");
  return files;
}

export type Loaded = Either<NonEmptyArray<PolicyIssue>, PolicyModel>;

/** Loads a directory with every feature of the policy language. */
export async function loadDirectory(directory: string): Promise<Loaded> {
  const files = await readPolicyDirectory(directory)();
  return isLeft(files) ? files : parsePolicyFiles(files.right);
}

/** Writes the files to a directory and loads it, so that the test also covers which files are read or skipped. */
export async function loadFiles(files: ReadonlyMap<string, string>): Promise<Loaded> {
  const root = await mkdtemp(join(tmpdir(), "keyward-corpus-"));
  try {
    for (const [path, text] of files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    return await loadDirectory(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

export function errorsOf(loaded: Loaded): readonly PolicyIssue[] {
  return isLeft(loaded) ? loaded.left.filter((issue) => issue.severity === "error") : [];
}

export function show({ file, line, column, code, message }: PolicyIssue): string {
  return `${file}:${line}:${column} ${code} ${message}`;
}

/** Reads a field whose type the corpus guarantees. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Object.entries(found).find(([key]) => key === name)?.[1];
  }
  return found;
}

export function text(value: unknown, ...path: readonly string[]): string {
  return String(field(value, ...path) ?? "");
}

export function list(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = field(value, ...path);
  return Array.isArray(found) ? found : [];
}

/**
 * Whether `line` lies in the entry that begins on line `from`. The server reports the first line of an entry, while
 * this loader reports the exact line.
 */
export function isWithin(text: string, from: number, line: number): boolean {
  const lines = text.split("\n");
  const indentOf = (number: number) => (lines[number - 1] ?? "").search(/\S|$/);
  for (let inside = from + 1; inside <= line; inside++) {
    if ((lines[inside - 1] ?? "").trim() !== "" && indentOf(inside) <= indentOf(from)) return false;
  }
  return line >= from;
}

/** Counts the cases of a directory, for the table at the end. */
export class Scores {
  private readonly directory: string;
  private passed = 0;
  private readonly excepted: string[] = [];
  private cases = 0;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Counts a case; `exceptions` are the reasons for its differences from the corpus. */
  async run(name: string, exceptions: readonly string[], check: () => Promise<void>): Promise<void> {
    this.cases++;
    await check();
    if (exceptions.length === 0) this.passed++;
    else this.excepted.push(...exceptions.map((reason) => `${name}: ${reason}`));
  }

  print(): void {
    const row = (...cells: readonly (string | number)[]) => cells.map((cell) => String(cell).padEnd(12)).join("");
    const failed = this.cases - this.passed - new Set(this.excepted.map((line) => line.split(":")[0])).size;
    const lines = [
      row("directory", "cases", "passed", "excepted", "failed"),
      row(this.directory, this.cases, this.passed, this.cases - this.passed - failed, failed),
      ...this.excepted.map((line) => `  excepted: ${line}`),
    ];
    process.stdout.write(`\n${lines.map((line) => line.trimEnd()).join("\n")}\n`);
  }
}
