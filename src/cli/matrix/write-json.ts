/** A matrix as JSON. Each cell has a line of its own, so that {@link readEarlier} reads it in pieces. */

import { CELL, MATRIX_OUTCOMES, type MatrixColumn } from "../../audit/matrix/matrix.js";
import { jsonText } from "../../policy/escape.js";
import type { Streams } from "../exit.js";
import type { MatrixWriter } from "./report.js";

export function jsonWriter({ out }: Streams): MatrixWriter {
  let ends: readonly (readonly string[])[] = [];
  let separator = "\n";
  const write = (lines: readonly string[]) => {
    if (lines.length === 0) return;
    // In pieces: there may be more cells than one text can hold.
    out(separator + lines.join(",\n"));
    separator = ",\n";
  };
  return {
    start: (head, columns) => {
      ends = [
        [],
        ...MATRIX_OUTCOMES.map((outcome) =>
          head.allowedOnly && outcome !== "allow" ? [] : columns.map((column) => lineEnd(column, outcome)),
        ),
      ];
      out(`${jsonText(head, 2).slice(0, -2)},\n  "${head.against === undefined ? "cells" : "changes"}": [`);
    },
    row: (key, row) => {
      const name = `    {"key":${jsonText(key)}`;
      const lines: string[] = [];
      for (let column = 0; column < row.length; column++) {
        const end = ends[row[column] ?? CELL.none]?.[column];
        if (end !== undefined) lines.push(name + end);
      }
      write(lines);
    },
    changes: (changes) => write(changes.map((change) => `    ${jsonText(change)}`)),
    end: async (summary) => out(`\n  ],${jsonText(summary, 2).slice(1)}\n`),
  };
}

function lineEnd({ kind, resource, operation }: MatrixColumn, outcome: string): string {
  return `,${jsonText({ kind, resource, operation, outcome }).slice(1)}`;
}
