/** The forms of the texts that conditions look for: their fixed pieces, which are the same for every request. */

import { type Expr, operandsOf } from "../cel/ast.js";
import { usageOf } from "../cel/expression-usage.js";
import type { Layer } from "../engine/evaluate/layer.js";
import type { Definitions } from "../policy/model.js";
import { textOf } from "./expression-text.js";
import type { SearchedText } from "./list-search.js";
import { SoughtTexts } from "./sought-texts.js";

/** A text as its fixed pieces, in order; any text stands between two of them. */
export interface TextForm {
  readonly pieces: readonly string[];
  /** Equal for texts that are equal in each request. */
  readonly key: string;
}

/** Two ids that no text of a policy has in it. Each shows where a text has the id of the key or of the resource. */
const IDS = ["\u00011\u0001", "\u00012\u00012\u0001"] as const;

export class TextForms {
  private readonly layer: Layer;
  private readonly known = new WeakMap<SearchedText, TextForm>();

  constructor(layer: Layer) {
    this.layer = layer;
  }

  of(sought: SearchedText, definitions: Definitions): TextForm {
    const known = this.known.get(sought);
    if (known !== undefined) return known;
    const { expr } = sought;
    const pieces = piecesOf(expr) ?? this.tried(sought, definitions);
    const key = pieces.length === 1 ? `=${pieces.join("")}` : textOf(expr, definitions.constants);
    const made = { pieces, key };
    this.known.set(sought, made);
    return made;
  }

  /** The pieces that an expression gives for two ids, if they are the same. Otherwise it may be any text. */
  private tried(sought: SearchedText, definitions: Definitions): readonly string[] {
    const [one, other] = IDS.map((id) => {
      const request = { key: { id, roles: [] }, operation: "", resource: { kind: "", id } };
      const [text, ...more] = new SoughtTexts(this.layer, request, false).of(sought, definitions);
      return more.length === 0 ? text?.split(id) : undefined;
    });
    const isFixed = one?.length === 1 && usageOf(sought.expr).reads.length > 0;
    const isSame = one !== undefined && JSON.stringify(one) === JSON.stringify(other);
    return isSame && !isFixed && !readsKind(sought.expr) ? one : ANY_TEXT;
  }
}

const ANY_TEXT: readonly string[] = ["", ""];

function readsKind(expr: Expr): boolean {
  return usageOf(expr).reads.some(({ root }) => root !== "R.id" && root !== "P.id");
}

/** The pieces of a sum of texts, and of a text. */
function piecesOf(expr: Expr): readonly string[] | undefined {
  const parts = expr.kind === "call" && expr.fn === "_+_" ? operandsOf(expr) : [expr];
  const pieces = [""];
  for (const part of parts) {
    if (part.kind === "literal" && typeof part.value === "string") pieces.push(`${pieces.pop() ?? ""}${part.value}`);
    else pieces.push("");
  }
  return parts.length === 1 && pieces.length > 1 ? undefined : pieces;
}
