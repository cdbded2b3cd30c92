/**
 * Pieces of generated JavaScript.
 *
 * INVARIANT (source of pieces): generated source has three sources only: fixed text in `src`, numbers, and texts of
 * policies that `quoted`, `singleQuoted` or `json` has quoted. A name or a constant of a policy is never an identifier, a
 * comment or bare text. The type checker keeps this: {@link js} takes pieces and numbers, not strings, and a string
 * becomes a piece only through these.
 */

export class Js {
  readonly text: string;
  // Not a parameter property: types are erased, not compiled. Private, so that only this file makes pieces.
  private constructor(text: string) {
    this.text = text;
  }

  /** A string of a policy as a literal. */
  static quoted(value: string): Js {
    return new Js(escapedLineEnds(JSON.stringify(value)));
  }

  /** The same in single quotes, which need fewer escapes for JSON. */
  static singleQuoted(value: string): Js {
    const inside = Js.quoted(value).text.slice(1, -1);
    return new Js(`'${inside.replace(/\\.|'/g, (found) => SINGLE.get(found) ?? found)}'`);
  }

  /** Plain data with quoted texts. The names of fields are fixed in `src`: a policy has no say in them. */
  static json(value: unknown): Js {
    return new Js(escapedLineEnds(JSON.stringify(value)));
  }

  /** Fixed text around pieces. Numbers are finite. */
  static template(fixed: TemplateStringsArray, parts: readonly JsPart[]): Js {
    let text = "";
    fixed.forEach((piece, i) => {
      const part = parts[i];
      text += piece + (part === undefined ? "" : written(part));
    });
    return new Js(text);
  }

  static joined(parts: readonly Js[], separator: Separator): Js {
    return new Js(parts.map((part) => part.text).join(separator));
  }

  /**
   * The code with `other(number)` in place of each {@link marked} piece that stands in no other marked piece. Without
   * `other`, the marks alone are left out.
   */
  unmarked(other?: (number: number) => Js): Js {
    let text = "";
    let depth = 0;
    for (const [, code, number, end] of this.text.matchAll(PIECES)) {
      if (depth === 0 || other === undefined) text += code;
      if (number !== undefined && ++depth === 1 && other !== undefined) text += other(Number(number)).text;
      if (end !== undefined) depth--;
    }
    return new Js(text);
  }

  /** The {@link marked} pieces that stand in no other marked piece, without marks; with the place of each in the code. */
  get pieces(): readonly MarkedPiece[] {
    const pieces: MarkedPiece[] = [];
    let at = 0;
    let depth = 0;
    let open = { number: 0, at: 0, text: "" };
    for (const [, code = "", number, end] of this.text.matchAll(PIECES)) {
      at += code.length;
      open.text += code;
      if (number !== undefined && ++depth === 1) open = { number: Number(number), at, text: "" };
      if (end !== undefined && --depth === 0) {
        pieces.push({ number: open.number, at: open.at, code: new Js(open.text) });
      }
    }
    return pieces;
  }
}

/** A piece in other code. */
export interface MarkedPiece {
  readonly number: number;
  /** The offset of its first character in the code without marks. */
  readonly at: number;
  readonly code: Js;
}

/** JSON is JavaScript, save for two line ends in older engines. */
function escapedLineEnds(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** The signs of marks. No other piece has them, since JSON escapes control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are what is looked for.
const PIECES = /([^\u0001\u0002]*)(?:\u0001(\d+):|(\u0002)|$)/g;

/** A piece that can be found again in the code around it, by its number: see {@link Js.unmarked}. */
export function marked(number: number, code: Js): Js {
  return js`\u0001${number}:${code}\u0002`;
}

const SINGLE: ReadonlyMap<string, string> = new Map([
  ['\\"', '"'],
  ["'", "\\'"],
]);

type JsPart = Js | number | boolean | null;
type Separator = "" | "\n" | ", " | " && " | " || " | " + " | " : ";

function written(part: JsPart): string {
  if (part instanceof Js) return part.text;
  if (typeof part !== "number") return String(part);
  // Parentheses, so that no sign meets another; -0 is not written by String.
  return Object.is(part, -0) ? "(-0)" : part < 0 ? `(${part})` : String(part);
}

/** A piece of source: js`${left} === ${quoted("a")}`. */
export function js(fixed: TemplateStringsArray, ...parts: readonly JsPart[]): Js {
  return Js.template(fixed, parts);
}

export const { json, quoted, singleQuoted, joined } = Js;
