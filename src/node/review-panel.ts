/** Reads the program of the what-if panel, which is a file of the package. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The program as text, for `reviewHtml` of `keyward/audit`. Rejects if the package is not built. */
export async function reviewPanel(): Promise<string> {
  const root = dirname(createRequire(import.meta.url).resolve("keyward/package.json"));
  return await readFile(join(root, "dist", "review-panel.js"), "utf8");
}
