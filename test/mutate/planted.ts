/**
 * Mistakes planted in the text of policies, deterministic for a seed. They know nothing of the library: each is an edit
 * of lines and words, as a careless author or a bad merge makes it.
 */

import type { PolicyFile } from "../../src/index.js";
import { Random } from "../differential/random.js";

export interface PlantedMistake {
  /** The file, the line, and the edit: `platform/api.yaml:90 a word of a list`. */
  readonly name: string;
  readonly edit: string;
  readonly files: readonly PolicyFile[];
}

/** Where an edit fits, and the text that replaces it. `pool`: other matches of the same pattern in the set. */
interface TextEdit {
  readonly pattern: RegExp;
  readonly to: (match: string, random: Random, pool: readonly string[]) => string;
}

const another = (match: string, random: Random, pool: readonly string[]) => random.pick([match, ...pool]);
const oneOf =
  (...words: readonly string[]) =>
  (match: string, random: Random) =>
    random.pick(words.filter((word) => word !== match));
const nothing = () => "";
/** The two parts of the match in the other order. `end`: the match ends with this text. */
const exchanged =
  (separator: string, end = "") =>
  (match: string) =>
    match
      .slice(0, match.length - end.length)
      .split(separator)
      .reverse()
      .join(separator) + end;

export const TEXT_EDITS: { readonly [name: string]: TextEdit } = {
  "an effect turned": { pattern: /EFFECT_(?:ALLOW|DENY)/g, to: oneOf("EFFECT_ALLOW", "EFFECT_DENY") },
  "a line of a list lost": { pattern: /(?<=\n) +- [\w.*"]+\n/g, to: nothing },
  "a word of a list": { pattern: /(?<=\n +- )[a-z]\w*\.?\w*(?=\n)/g, to: another },
  "a junction turned": { pattern: /&&|\|\|/g, to: oneOf("&&", "||") },
  "a first operand lost": { pattern: /[VRP]\.[\w.]+ (?:&&|\|\|) /g, to: nothing },
  "a last operand lost": { pattern: / (?:&&|\|\|) [VRP]\.[\w.]+(?=\s|$)/g, to: nothing },
  "a comparison turned": { pattern: /(?<= )(?:[=!<>]=|[<>])(?= )/g, to: oneOf("==", "!=", "<", "<=", ">", ">=") },
  "another text": { pattern: /(?<=[[ ,(])"[a-z_.]+"(?=[\],) ]|\s)/g, to: another },
  "a text lost": { pattern: /"[\w.*]+", (?=")/g, to: nothing },
  "another number": {
    pattern: /(?<=[=<>] )-?\d+(?:\.\d+)?/g,
    to: (match) => String(Number(match) + 1).concat(match.includes(".") ? ".0" : ""),
  },
  "another attribute": { pattern: /(?<=\b[RP]\.attr\.)\w+/g, to: another },
  "another variable": { pattern: /(?<=\bV\.)\w+/g, to: another },
  "key for resource": { pattern: /\b[RP](?=\.(?:attr|id)\b)/g, to: oneOf("R", "P") },
  "a rule lost": { pattern: /(?<=\n) {4}- name: .*\n(?: {6,}.*\n)+/g, to: nothing },
  "a quantifier turned": { pattern: /\b(?:all|any|none)(?=:\n)/g, to: oneOf("all", "any", "none") },
  "the other layer": { pattern: /(?<=version: )(?:default|platform)/g, to: oneOf("default", "platform") },
  "two lines of a list exchanged": { pattern: /(?<=\n)(?: +- [\w.*"]+\n){2}/g, to: exchanged("\n", "\n") },
  "two texts exchanged": { pattern: /"[\w.*]+", "[\w.*]+"/g, to: exchanged(", ") },
  "two operands exchanged": { pattern: /[VRP]\.[\w.]+ && [VRP]\.[\w.]+(?=\s)/g, to: exchanged(" && ") },
  always: { pattern: /(?<=expr: )(?!>)[^'"\n]+(?=\n)/g, to: () => "(true)" },
};

/** Comments decide nothing. */
const isComment = (line: string) => /^\s*#/.test(line);

/** Seeds in a row have all edits in turn. Undefined if the edit fits nowhere, or changes nothing. */
export function planted(files: readonly PolicyFile[], seed: number): PlantedMistake | undefined {
  const random = new Random(seed);
  const policies = files.filter(({ path }) => !path.startsWith("_schemas/") && !path.endsWith("keyward.yaml"));
  const edits = Object.entries(TEXT_EDITS);
  const turn = edits[seed % edits.length];
  if (turn === undefined) throw new Error(`not a seed: ${seed}`);
  const [edit, { pattern, to }] = turn;
  const target = random.pick(policies);
  const found = [...target.text.matchAll(pattern)].filter(({ index }) => !isComment(lineAt(target.text, index)));
  if (found.length === 0) return undefined;
  const { index, 0: match } = random.pick(found);
  const pool = policies.flatMap(({ text }) => [...text.matchAll(pattern)].map(([word]) => word));
  const written = to(match, random, pool);
  const text = target.text.slice(0, index) + written + target.text.slice(index + match.length);
  if (text === target.text) return undefined;
  const line = target.text.slice(0, index).split("\n").length;
  return {
    name: `${target.path}:${line} ${edit}: ${JSON.stringify(match)} becomes ${JSON.stringify(written)}`,
    edit,
    files: files.map((file) => (file === target ? { ...file, text } : file)),
  };
}

function lineAt(text: string, index: number): string {
  return text.slice(text.lastIndexOf("\n", index - 1) + 1, index);
}
