/** Colours for terminals. */

import { styleText } from "node:util";
import { type PaintText, PLAIN_TEXT, type TextStyle } from "../audit/style.js";
import type { Streams } from "./exit.js";

type TerminalFormat = Parameters<typeof styleText>[0];

const FORMATS: { readonly [look in TextStyle]: TerminalFormat } = {
  good: "green",
  bad: "red",
  warn: "yellow",
  dim: "dim",
  strong: "bold",
};

/** Paints text if the output may have colours. */
export function paintFor({ colors = false }: Streams): PaintText {
  if (!colors) return PLAIN_TEXT;
  return (look, text) => styleText(FORMATS[look], text, { validateStream: false });
}
