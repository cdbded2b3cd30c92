/** `keyward/runtime/everything`: imported by bundles whose policies call functions beyond the core or enforce schemas. */

import type { Equipment } from "../engine/evaluate/equipment.js";
import { CLOSURES_ONLY } from "../engine/evaluate/full-equipment.js";

export const EVERYTHING: Equipment = CLOSURES_ONLY;
