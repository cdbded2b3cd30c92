/** Writes the types of the client: npm run client-types -w service */

import { writeFileSync } from "node:fs";
import { clientTypes } from "./client-types.js";

writeFileSync("test/client/api.ts", await clientTypes());
