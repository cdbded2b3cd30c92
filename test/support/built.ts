/** The built package, if it exists: `npm test` builds it first. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The root of the repository, with a final `/`. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export const BIN = `${ROOT}dist/cli.js`;

export const BUILT = existsSync(BIN) && existsSync(`${ROOT}dist/index.js`);
