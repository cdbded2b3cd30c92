// Checks that the sidebar lists every guide.
import { readdirSync } from "node:fs";
import { GUIDES } from "./guides.mjs";

/** Throws if the sidebar lacks a page of `docs`. */
export function expectAllPages(docs) {
  const listed = new Set(GUIDES.flatMap(({ pages }) => pages));
  const missing = readdirSync(docs).filter((name) => name.endsWith(".md") && !listed.has(`docs/${name}`));
  if (missing.length > 0) throw new Error(`site/sidebar.mjs has no place for ${missing.join(", ")}`);
}
