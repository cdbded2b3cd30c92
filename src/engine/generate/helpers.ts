/**
 * What generated functions call. Each is handed to them when they are made, so that nothing that a program does to
 * globals later reaches them.
 */

import { codePointLength } from "../../cel/text.js";
import { contains, has, same } from "./answers.js";
import { isBuilt } from "./intersections.js";
import { EPOCH, order, pair, readTime, spanBetween, spanMinus, spanPlus, timeMinus, timePlus } from "./times.js";

const { getPrototypeOf } = Object;
const { isArray } = Array;

/** Whether a value is JSON data. */
function isData(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
    case "object":
      return true;
    default:
      return false;
  }
}

/** The names by which generated code knows them, and they themselves. */
export const HELPERS = {
  O: Object.prototype,
  G: getPrototypeOf,
  L: isArray,
  D: isData,
  S: same,
  H: has,
  C: contains,
  J: isBuilt,
  U: codePointLength,
  E: EPOCH,
  N: pair,
  T: readTime,
  Y: order,
  TP: timePlus,
  TM: timeMinus,
  SB: spanBetween,
  SP: spanPlus,
  SM: spanMinus,
} as const;
