/** The pages for readers. */

import { readdirSync, readFileSync } from "node:fs";
import { ROOT } from "./built.js";

/** Paths, relative to the root of the repository. */
export const DOCUMENTS: readonly string[] = [
  "README.md",
  "service/README.md",
  "site/home.md",
  ...["docs", "docs/decisions"].flatMap((directory) =>
    readdirSync(ROOT + directory)
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${directory}/${name}`),
  ),
];

/** The code blocks of a document in a language, each as a numbered name and its text. */
export function blocks(document: string, language: string): [string, string][] {
  const text = readFileSync(ROOT + document, "utf8");
  const found = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"));
  return [...found].map(([, block = ""], i) => [`${document}, ${language} ${i + 1}`, block]);
}
