/**
 * The errors of users' TypeScript compilers for calls with generated types. Each call in `cases/` follows a marker:
 * `//! right: why`, or `//! wrong(word): why` with a word of the expected message. A wrong call must have an error with
 * that word on its own lines; a right call must have none.
 *
 * @module-tag long
 */

import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../support/built.js";
import { type Finding, findings, newProject } from "../types/project.js";

const CASES = `${ROOT}test/types/cases/`;
const COMPILERS = { "5.9": "test/platforms/node_modules/typescript-5.9", "7": "node_modules/typescript" };

interface Case {
  readonly file: string;
  /** Lines from one: the marker's, and the next marker's. */
  readonly from: number;
  readonly to: number;
  readonly isRight: boolean;
  readonly word: string;
  readonly why: string;
}

function casesOf(file: string, text: string): readonly Case[] {
  const lines = text.split("\n");
  const marked = lines.flatMap((line, i) => {
    const found = /^\/\/! (?:right|wrong\((?<word>.*?)\)): (?<why>.+)$/.exec(line);
    if (found === null && line.startsWith("//!")) throw new Error(`${file}:${i + 1}: no marker: ${line}`);
    return found === null ? [] : [{ at: i + 1, word: found.groups?.word, why: found.groups?.why ?? "" }];
  });
  return marked.map(({ at, word, why }, i) => {
    const to = marked[i + 1]?.at ?? lines.length + 1;
    return { file, from: at, to, isRight: word === undefined, word: word ?? "", why };
  });
}

let project = "";
const cases: Case[] = [];

/** Declarations that the reader of docs/embedding.md has already. */
const READERS = `
import type { AccountOf, PolicySet } from "keyward";
declare const policies: PolicySet<Policies>;
declare const keys: { findBySecret(secret: string): Promise<Key | undefined> };
declare const apis: { findInAccount(id: string, account: string): Promise<Api | undefined> };
declare const accounts: { find(id: string): Promise<AccountOf<Policies>> };
declare const log: { info(said: object): void; error(said: object): void };
`;

/** The handlers of docs/embedding.md as one module; its type errors lie outside all cases and fail the test. */
async function handlers(): Promise<string> {
  const text = await readFile(`${ROOT}docs/embedding.md`, "utf8");
  const [, section = ""] = /^## Handlers$(.*?)^### /ms.exec(text) ?? [];
  const blocks = [...section.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block = ""]) => block);
  expect(blocks.length).toBe(4);
  const modules = blocks.map((block, i) => {
    const lines = block.replace("./policies.js", "shipped").split("\n");
    const imports = lines.filter((line) => line.startsWith("import ")).join("\n");
    const rest = lines.filter((line) => !line.startsWith("import ")).join("\n");
    // Each framework's entry exports its own `authorize`, so the names of later blocks get a number.
    const renamed = (code: string) =>
      i === 0 ? code : code.replaceAll(/\b(answerErrors|authorize|decided|jsonBody)\b(?=[ ,()])/g, `$1${i}`);
    const aliased = imports.replaceAll(
      /\b(answerErrors|authorize|decided|jsonBody)\b/g,
      i === 0 ? "$1" : `$1 as $1${i}`,
    );
    return [aliased, i === 0 ? rest : `{\n${renamed(rest)}\n}`];
  });
  return [...modules.map(([imports]) => imports), READERS, ...modules.map(([, rest]) => rest)].join("\n");
}

beforeAll(async () => {
  project = await newProject([CASES, "./handlers.ts"]);
  await writeFile(join(project, "handlers.ts"), await handlers());
  for (const file of await readdir(CASES)) cases.push(...casesOf(file, await readFile(CASES + file, "utf8")));
}, 120_000);

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

test("there are a hundred wrong calls and forty right ones", () => {
  expect(cases.filter(({ isRight }) => !isRight).length).toBeGreaterThanOrEqual(100);
  expect(cases.filter(({ isRight }) => isRight).length).toBeGreaterThanOrEqual(40);
});

describe.each(Object.entries(COMPILERS))("TypeScript %s", (_, compiler) => {
  test("rejects every wrong call for what is wrong with it, and accepts every right one", {
    timeout: 120_000,
  }, async () => {
    const found = await findings(project, compiler);
    const isIn =
      ({ file, from, to }: Case) =>
      (one: Finding) =>
        one.file === file && one.line > from && one.line < to;
    const elsewhere = found.filter((one) => !cases.some((each) => isIn(each)(one)));
    const refused = cases.filter((each) => each.isRight && found.some(isIn(each)));
    const accepted = cases.filter((each) => {
      const said = found.filter(isIn(each)).map(({ message }) => message);
      return !each.isRight && !said.some((message) => message.includes(each.word));
    });
    const shown = (each: Case) => ({ ...each, said: found.filter(isIn(each)).map(({ message }) => message) });
    expect(elsewhere).toEqual([]);
    expect(refused.map(shown)).toEqual([]);
    expect(accepted.map(shown)).toEqual([]);
  });
});
