/**
 * Pieces of generated JavaScript.
 *
 * INVARIANT (source of pieces): generated source has three sources only: fixed text in `src`, numbers, and texts of
 * policies that `quoted` or `singleQuoted` has quoted. A name or a constant of a policy is never an identifier, a
 * comment or bare text. The type checker keeps this: {@link js} takes pieces and numbers, not strings, and a string
 * becomes a piece only through these two.
 */

export class Js {
  readonly text: string;
  // Not a parameter property: types are erased, not compiled. Private, so that only this file makes pieces.
  private constructor(text: string) {
    this.text = text;
  }

  /** A string of a policy as a literal. JSON is JavaScript, save for two line ends in older engines. */
  static quoted(value: string): Js {
    const json = JSON.stringify(value);
    return new Js(json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029"));
  }

  /** The same in single quotes, which need fewer escapes for JSON. */
  static singleQuoted(value: string): Js {
    const inside = Js.quoted(value).text.slice(1, -1);
    return new Js(`'${inside.replace(/\\.|'/g, (found) => SINGLE.get(found) ?? found)}'`);
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

export const { quoted, singleQuoted, joined } = Js;
