/** Writes the JSON Schemas that the package ships, and the validators that it runs: `npm run schemas`. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { EDITOR_SCHEMAS } from "../../src/testing/editor-schemas.js";
import { validatorFiles } from "./validators.js";

const schemas = [...EDITOR_SCHEMAS].map(([name, schema]): [string, string] => [
  `schemas/${name}`,
  `${JSON.stringify(schema, null, 2)}\n`,
]);
for (const [path, text] of [...schemas, ...(await validatorFiles(process.cwd()))]) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
