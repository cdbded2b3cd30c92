import { readdirSync } from "node:fs";

/** The folder for bundles, recordings and results. */
export const DIRECTORY = "test/mutants/.build";

/** The files of a folder at any depth, sorted; without `.d.ts` files, which contain no code. */
export function filesIn(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending) && !path.endsWith(".d.ts"))
    .map((path) => `${folder}/${path}`)
    .sort();
}
