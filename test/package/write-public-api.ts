/** Writes docs/public-api.md: `npm run public-api`. Needs `dist/` (npm run build). */

import { writeFileSync } from "node:fs";
import { publicApi } from "./public-api.js";

writeFileSync("docs/public-api.md", publicApi(`${process.cwd()}/`));
