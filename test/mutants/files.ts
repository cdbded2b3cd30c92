/** Files of the repository, which is the working directory. */

import { readdirSync } from "node:fs";

/** Where bundles, recordings and results are kept. */
export const DIRECTORY = "test/mutants/.build";

/** The files of a folder, at any depth, sorted; declarations of generated code have no code. */
export function filesIn(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending) && !path.endsWith(".d.ts"))
    .map((path) => `${folder}/${path}`)
    .sort();
}
