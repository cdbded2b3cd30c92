/** `keyward/runtime/everything`: for bundles of policies that enforce schemas or call rare functions. */

import type { Equipment } from "../engine/evaluate/equipment.js";
import { CLOSURES_ONLY } from "../engine/evaluate/full-equipment.js";

export const EVERYTHING: Equipment = CLOSURES_ONLY;
