/**
 * Writes the validators of files into the source, where they are not kept: `npm run validators`, which an installation and
 * each build run, too.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { validatorFiles } from "./validators.js";

const files = await validatorFiles(process.cwd());
for (const directory of new Set([...files.keys()].map((path) => dirname(path)))) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
}
for (const [path, text] of files) writeFileSync(path, text);
