/** Colours for terminals. */

import { styleText } from "node:util";
import { type Look, type Paint, PLAIN } from "../audit/style.js";
import type { Streams } from "./exit.js";

type Format = Parameters<typeof styleText>[0];

const FORMATS: { readonly [look in Look]: Format } = {
  good: "green",
  bad: "red",
  warn: "yellow",
  dim: "dim",
  strong: "bold",
};

/** Paints text if the output may have colours. */
export function paintFor({ colors = false }: Streams): Paint {
  if (!colors) return PLAIN;
  return (look, text) => styleText(FORMATS[look], text, { validateStream: false });
}
