// Checks that every page for readers can be found in the sidebar.
import { readdirSync } from "node:fs";
import { GUIDES } from "./guides.mjs";

/** Throws where a page under `docs` could not be found by anybody. */
export function expectAllPages(docs) {
  const listed = new Set(GUIDES.flatMap(({ pages }) => pages));
  const missing = readdirSync(docs).filter((name) => name.endsWith(".md") && !listed.has(`docs/${name}`));
  if (missing.length > 0) throw new Error(`site/sidebar.mjs has no place for ${missing.join(", ")}`);
}
