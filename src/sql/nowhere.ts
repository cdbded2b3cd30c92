/** A place that exists in no row: a member of a column that cannot contain maps. */

import type { Place } from "./dialect.js";
import { FALSE } from "./pieces.js";

const never = () => FALSE;

export const NOWHERE: Place = {
  present: never,
  readable: never,
  type: never,
  isIn: never,
  order: never,
  includes: never,
  text: never,
  size: never,
  same: never,
  each: () => ({ element: () => NOWHERE, quantified: never }),
};
