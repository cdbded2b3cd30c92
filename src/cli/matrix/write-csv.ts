/** A matrix as CSV. */

import { csvRow, quotedCell, withoutFormula } from "../../audit/csv.js";
import { CELL, MATRIX_OUTCOMES, type MatrixColumn } from "../../audit/matrix/matrix.js";
import type { Streams } from "../exit.js";
import type { MatrixHead, MatrixWriter } from "./report.js";

export const CELL_COLUMNS = ["key", "resource", "operation", "outcome"] as const;
export const CHANGE_COLUMNS = [...CELL_COLUMNS, "before", "change"] as const;

export function csvWriter({ out }: Streams): MatrixWriter {
  /** By outcome and column: the end of a line, after the key. */
  let ends: readonly (readonly string[])[] = [];
  return {
    start: ({ against, allowedOnly }: MatrixHead, columns) => {
      out(csvRow(against === undefined ? CELL_COLUMNS : CHANGE_COLUMNS));
      ends = [
        [],
        ...MATRIX_OUTCOMES.map((outcome) => (allowedOnly && outcome !== "allow" ? [] : lineEnds(columns, outcome))),
      ];
    },
    row: (key, row) => {
      const name = quotedCell(withoutFormula(key));
      let text = "";
      for (let column = 0; column < row.length; column++) {
        const end = ends[row[column] ?? CELL.none]?.[column];
        if (end !== undefined) text += name + end;
      }
      if (text !== "") out(text);
    },
    changes: (changes) => {
      const rows = changes.map(({ key, resource, operation, outcome = "", before = "", change }) =>
        csvRow([key, resource, operation, outcome, before, change]),
      );
      out(rows.join(""));
    },
    end: async () => {},
  };
}

function lineEnds(columns: readonly MatrixColumn[], outcome: string): readonly string[] {
  return columns.map(({ resource, operation }) => `,${csvRow([resource, operation, outcome])}`);
}
