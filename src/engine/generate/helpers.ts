/**
 * The functions that generated code calls. Generated functions get them when they are made, so later changes of globals
 * by a program do not reach them.
 */

import { codePointLength } from "../../cel/text.js";
import { areStrings } from "../../cel/type-declaration.js";
import { isData } from "../../cel/values.js";
import { Copies, deepCopy, listCopy, searchedCopy } from "../frame/copies.js";
import { at, put } from "../plan/sparse-list.js";
import { contains, has, indexOf, inRange, isAmong, isBuilt, listOf, meet, same, within } from "./answers.js";
import { EPOCH, order, pair, readTime, spanBetween, spanMinus, spanPlus, timeMinus, timePlus } from "./time-helpers.js";

const { getPrototypeOf } = Object;
const { isArray } = Array;
const { isInteger } = Number;

/** Whether the elements of a list are JSON data. */
function areData(list: readonly unknown[]): boolean {
  for (let i = 0; i < list.length; i++) if (!isData(list[i])) return false;
  return true;
}

/** Makes the copies of one request. */
function copies(): Copies {
  return new Copies();
}

/** Replaces a list that was read and found to contain something else than texts. */
const NO_TEXTS: readonly unknown[] = Object.freeze([null]);

/** The helpers, by their names in generated code. */
export const HELPERS = {
  O: Object.prototype,
  G: getPrototypeOf,
  L: isArray,
  I: isInteger,
  D: isData,
  A: areData,
  X: areStrings,
  S: same,
  H: has,
  C: contains,
  M: meet,
  Z: within,
  R: inRange,
  J: isBuilt,
  B: indexOf,
  K: isAmong,
  PA: at,
  PP: put,
  Q: listOf,
  U: codePointLength,
  V: listCopy,
  CP: copies,
  W: deepCopy,
  NT: NO_TEXTS,
  WL: searchedCopy,
  HO: Object.hasOwn,
  ON: Object.create,
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
