/**
 * Random one-line changes of policies: an operator, a number, a text, an effect, or a list entry. The sort of change is
 * drawn first, because most tokens of policies are texts.
 */

import type { PolicyFile } from "../../src/index.js";
import type { Random } from "../differential/random.js";

const OTHERS: { readonly [token: string]: readonly string[] } = {
  "==": ["!="],
  "!=": ["=="],
  "<=": ["<", ">"],
  ">=": [">", "<"],
  "<": ["<=", ">"],
  ">": [">=", "<"],
  "&&": ["||"],
  "||": ["&&"],
  true: ["false"],
  false: ["true"],
  "all:": ["any:", "none:"],
  "any:": ["all:", "none:"],
  "none:": ["all:", "any:"],
  '"all"': ['"any"', '"none"'],
  '"any"': ['"all"', '"none"'],
  '"none"': ['"all"', '"any"'],
  EFFECT_ALLOW: ["EFFECT_DENY"],
  EFFECT_DENY: ["EFFECT_ALLOW"],
};

/** The pattern of each sort, for policies in YAML and in JSON. */
const SORTS = {
  comparison: /==|!=|<=|>=|<|>/g,
  junction: /&&|\|\|/g,
  truth: /\b(?:true|false)\b/g,
  match: /\b(?:all|any|none):|"(?:all|any|none)"(?=: \{)/g,
  effect: /EFFECT_(?:ALLOW|DENY)/g,
  number: /(?<![\w"':.-])\d+(?:\.\d+)?\b(?![\w:-])/g,
  // Skips field names, and quoted strings that hold code as a whole.
  text: /\\"[^"\\\n]*\\"|(?<!\\)"[^"\\\n=<>&|()]*"(?!:)/g,
  entry: /^ *- [\w.:*"-]+$/gm,
} as const;

export type Sort = keyof typeof SORTS;

function isSort(name: string): name is Sort {
  return name in SORTS;
}

export const ALL_SORTS: readonly Sort[] = Object.keys(SORTS).filter(isSort);

export interface OneLine {
  readonly files: readonly PolicyFile[];
  readonly sort: Sort;
  /** The old and the new text. */
  readonly written: string;
  readonly changed: string;
  /** `platform/api.yaml: "==" -> "!="`. */
  readonly what: string;
}

/** The files with one token changed. The result may be invalid policies. */
export function oneLineChanged(files: readonly PolicyFile[], random: Random): OneLine {
  const policies = files.filter(({ path }) => !path.startsWith("_schemas/"));
  for (;;) {
    const file = random.pick(policies);
    const sort = random.pick(ALL_SORTS);
    // Skips comments and the lines that name a policy.
    const text = file.text.replaceAll(/^ *#.*$/gm, "");
    const tokens = [...text.matchAll(SORTS[sort])].filter(({ index }) => !isNaming(text, index));
    if (tokens.length === 0) continue;
    const token = random.pick(tokens);
    const [written] = token;
    const all = tokens.map(([one]) => one);
    const changed = otherThan(written, sort, all, random);
    if (changed === written) continue;
    const next = text.slice(0, token.index) + changed + text.slice(token.index + written.length);
    return {
      files: files.map((one) => (one === file ? { ...one, text: next } : one)),
      sort,
      written,
      changed,
      what: `${file.path}: ${JSON.stringify(written)} -> ${JSON.stringify(changed)}`,
    };
  }
}

/** Whether a token is on a line with the policy's name or form. */
function isNaming(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf("\n", at) + 1, at);
  return /^[ -]*"?(?:apiVersion|version|name|ref|ruleActivated|conditionNotMet)"?: *$/.test(line);
}

function otherThan(written: string, sort: Sort, all: readonly string[], random: Random): string {
  const known = OTHERS[written];
  if (known !== undefined) return random.pick(known);
  if (sort === "number") {
    const other = Number(written) + random.pick([-1, 1, 10]);
    return written.includes(".") ? other.toFixed(1) : String(other);
  }
  if (sort === "entry" && random.chance(0.5)) return "";
  const alike = all.filter((one) => one !== written && one[0] === written[0] && one.endsWith(written.slice(-1)));
  return alike.length === 0 ? written : random.pick(alike);
}
