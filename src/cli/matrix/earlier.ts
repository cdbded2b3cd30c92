/** Reads a matrix that `keyward matrix` wrote earlier, as CSV or JSON. */

import { withFormula } from "../../audit/csv.js";
import { EarlierMatrix } from "../../audit/matrix/changes.js";
import { MATRIX_OUTCOMES } from "../../audit/matrix/matrix.js";
import { isObject } from "../../cel/json.js";
import { type Streams, UsageError } from "../exit.js";
import { readInput } from "../read-input.js";
import { textLines } from "../text-lines.js";
import { csvRecords } from "./csv-records.js";

/** The line before the cells of a matrix in JSON, and the line after them. Each cell has a line of its own. */
const CELLS = '  "cells": [';
const CELLS_END = "  ],";

/** The origin of the earlier matrix. Absent in CSV. */
export interface EarlierOrigin {
  readonly policySetHash?: string;
  readonly dataHash?: string;
  readonly now?: string;
}

export interface ReadEarlier {
  readonly matrix: EarlierMatrix;
  readonly origin: EarlierOrigin;
  /** False: keys and resources to which nothing was allowed may be missing. */
  readonly isComplete: boolean;
}

/** Throws a {@link UsageError} with the line for a file that is not such a matrix. */
export async function readEarlier(file: string, streams: Streams): Promise<ReadEarlier> {
  return /\.csv$/i.test(file) ? await fromCsv(file, streams) : await fromJson(file, streams);
}

async function fromCsv(file: string, streams: Streams): Promise<ReadEarlier> {
  const matrix = new EarlierMatrix(false);
  for await (const { line, record } of csvRecords(file, readInput(file, streams))) {
    if (!record.ok) throw notAMatrix(file, line, record.message);
    const cells = record.value.map(([name, value]) => [name, typeof value === "string" ? withFormula(value) : value]);
    addCell(matrix, Object.fromEntries(cells), file, line);
  }
  return { matrix, origin: {}, isComplete: !matrix.listsAllowedOnly };
}

async function fromJson(file: string, streams: Streams): Promise<ReadEarlier> {
  const matrix = new EarlierMatrix(true);
  const rest: string[] = [];
  let [isInCells, hasCells] = [false, false];
  for await (const lines of textLines(readInput(file, streams))) {
    for (const { number, line } of lines) {
      const text = line.text;
      if (text === undefined) throw notAMatrix(file, number, line.reason);
      if (text === CELLS) [isInCells, hasCells] = [true, true];
      else if (isInCells && text === CELLS_END) isInCells = false;
      else if (isInCells) addCell(matrix, parsed(text.replace(/,$/, ""), file, number), file, number);
      else rest.push(text);
    }
  }
  const about = parsed(rest.join("\n"), file, 1);
  if (!isObject(about) || !hasCells) throw notAMatrix(file, 1, "it has no cells");
  for (const id of listIn(about, "keyIds")) if (typeof id === "string") matrix.addKey(id);
  for (const one of listIn(about, "resourceIds")) {
    if (!isObject(one)) continue;
    const { kind, id } = one;
    if (typeof kind === "string" && typeof id === "string") matrix.addResource({ kind, resource: id });
  }
  const text = (name: string) => (typeof about[name] === "string" ? { [name]: about[name] } : {});
  return { matrix, origin: { ...text("policySetHash"), ...text("dataHash"), ...text("now") }, isComplete: true };
}

function listIn(about: { readonly [name: string]: unknown }, name: string): readonly unknown[] {
  const value = about[name];
  return Array.isArray(value) ? value : [];
}

function parsed(text: string, file: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notAMatrix(file, line, "not JSON as keyward matrix writes it");
  }
}

function addCell(matrix: EarlierMatrix, cell: unknown, file: string, line: number): void {
  const text = (name: string) => {
    const value = isObject(cell) && Object.hasOwn(cell, name) ? cell[name] : undefined;
    if (typeof value !== "string") throw notAMatrix(file, line, `there is no ${name}`);
    return value;
  };
  const outcome = MATRIX_OUTCOMES.find((one) => one === text("outcome"));
  if (outcome === undefined) throw notAMatrix(file, line, `${JSON.stringify(text("outcome"))} is not an outcome`);
  const column = {
    kind: matrix.hasKinds ? text("kind") : "",
    resource: text("resource"),
    operation: text("operation"),
  };
  if (matrix.add(text("key"), column, outcome)) return;
  throw notAMatrix(file, line, "this cell is there twice; in CSV, two kinds may share an id: compare with JSON");
}

function notAMatrix(file: string, line: number, message: string): UsageError {
  return new UsageError(`--against: ${file}:${line}: ${message}`);
}
