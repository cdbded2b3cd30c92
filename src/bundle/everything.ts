/** `keyward/runtime/everything`: for bundles whose policies call functions that few do, or enforce schemas. They import it. */

import type { Equipment } from "../engine/evaluate/equipment.js";
import { WITHOUT_CODE } from "../engine/evaluate/full-equipment.js";

export const EVERYTHING: Equipment = WITHOUT_CODE;
