/** The pages that are written for readers. */

import { readdirSync } from "node:fs";
import { ROOT } from "./built.js";

/** Paths from the root of the repository. */
export const DOCUMENTS: readonly string[] = [
  "README.md",
  "service/README.md",
  ...["docs", "docs/decisions"].flatMap((directory) =>
    readdirSync(ROOT + directory)
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${directory}/${name}`),
  ),
];
