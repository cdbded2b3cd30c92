/** A place that exists in no row: a member of a column that cannot contain maps. */

import type { SqlPlace } from "./dialect.js";
import { FALSE } from "./sql-pieces.js";

const never = () => FALSE;

export const MISSING_PLACE: SqlPlace = {
  present: never,
  readable: never,
  type: never,
  isIn: never,
  order: never,
  includes: never,
  text: never,
  size: never,
  same: never,
  each: () => ({ element: () => MISSING_PLACE, quantified: never }),
};
