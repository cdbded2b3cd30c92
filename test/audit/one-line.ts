/** Changes of one line of policies, at random: of an operator, a number, a text, an effect, an entry of a list. */

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
  EFFECT_ALLOW: ["EFFECT_DENY"],
  EFFECT_DENY: ["EFFECT_ALLOW"],
};

const TOKEN =
  /==|!=|<=|>=|<|>|&&|\|\||\btrue\b|\bfalse\b|\b(?:all|any|none):|EFFECT_(?:ALLOW|DENY)|\b\d+(?:\.\d+)?\b|\\?"[^"\\\n]*\\?"|^ *- [\w.:*"-]+,?$/gm;

export interface OneLine {
  readonly files: readonly PolicyFile[];
  /** `platform/api.yaml: "==" -> "!="`. */
  readonly what: string;
}

/** The files with one token of one of them changed. It may be that they are no policies any more. */
export function oneLineChanged(files: readonly PolicyFile[], random: Random): OneLine {
  const policies = files.filter(({ path }) => !path.startsWith("_schemas/"));
  const file = random.pick(policies);
  // Comments are left alone.
  const text = file.text.replaceAll(/^ *#.*$/gm, "");
  const tokens = [...text.matchAll(TOKEN)];
  if (tokens.length === 0) return oneLineChanged(files, random);
  const token = random.pick(tokens);
  const [written] = token;
  const changed = otherThan(
    written,
    tokens.map(([one]) => one),
    random,
  );
  if (changed === written) return oneLineChanged(files, random);
  const next = text.slice(0, token.index) + changed + text.slice(token.index + written.length);
  return {
    files: files.map((one) => (one === file ? { ...one, text: next } : one)),
    what: `${file.path}: ${JSON.stringify(written)} -> ${JSON.stringify(changed)}`,
  };
}

function otherThan(written: string, all: readonly string[], random: Random): string {
  const known = OTHERS[written];
  if (known !== undefined) return random.pick(known);
  if (/^\d/.test(written)) {
    const other = Number(written) + random.pick([-1, 1, 10]);
    return written.includes(".") ? other.toFixed(1) : String(other);
  }
  if (/^ *- /.test(written) && random.chance(0.5)) return "";
  const alike = all.filter((one) => one !== written && one[0] === written[0] && one.endsWith(written.slice(-1)));
  return alike.length === 0 ? written : random.pick(alike);
}
