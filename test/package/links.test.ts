/** Documents link only to files in the package. */

import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/built.js";
import { DOCUMENTS } from "../support/documents.js";

const { files }: { files: readonly string[] } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
/** npm always packs the README, the license and the manifest too. */
const PACKED = [...files, "README.md", "LICENSE", "package.json"];

const isPacked = (path: string) => PACKED.some((one) => path === one || path.startsWith(`${one}/`));

test.each([...DOCUMENTS, ...files].filter((path) => path.endsWith(".md") && isPacked(path)))("%s", (document) => {
  const text = readFileSync(ROOT + document, "utf8")
    .replaceAll(/^```.*?^```/gms, "")
    .replaceAll(/`[^`\n]*`/g, "");
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  const paths = targets
    .filter((target) => !/^(https?:|#)/.test(target))
    .map((target) => posix.join(posix.dirname(document), target.replace(/#.*/, "")));
  expect(paths.filter((path) => !isPacked(path) || !existsSync(ROOT + path))).toEqual([]);
});
