/** `keyward/runtime/everything`: for bundles whose policies call functions that few do, or enforce schemas. They import it. */

import type { Equipment } from "../engine/evaluate/equipment.js";
import { CLOSURES_ONLY } from "../engine/evaluate/full-equipment.js";

export const EVERYTHING: Equipment = CLOSURES_ONLY;
