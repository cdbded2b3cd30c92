/** Writes the JSON Schemas of the package: `npm run schemas`. */

import { writeFileSync } from "node:fs";
import { EDITOR_SCHEMAS } from "./editor-schemas.js";

for (const [name, schema] of EDITOR_SCHEMAS) writeFileSync(`schemas/${name}`, `${JSON.stringify(schema, null, 2)}\n`);
