/** A matrix as a workbook (XLSX). */

import { unzipSync, zipSync } from "fflate";
import writeWorkbook, { type SheetData } from "write-excel-file/node";
import { withoutFormula } from "../../audit/csv.js";
import { type MatrixColumn, outcomeIn } from "../../audit/matrix/matrix.js";
import { UsageError } from "../exit.js";
import type { MatrixHead, MatrixSummary, MatrixWriter } from "./report.js";
import { CELL_COLUMNS, CHANGE_COLUMNS } from "./write-csv.js";

/** The most cells of a matrix in a workbook. It is made in memory: these take 500 MB. */
const MAX_ROWS = 250_000;

type SheetRow = readonly (string | number)[];

/** `write` gets the bytes of the workbook. The same matrix gives the same bytes. */
export function workbookWriter(write: (bytes: Uint8Array) => Promise<void>): MatrixWriter {
  let head: MatrixHead | undefined;
  let columns: readonly MatrixColumn[] = [];
  const rows: SheetRow[] = [];
  const add = (row: SheetRow) => {
    if (rows.length === MAX_ROWS) {
      throw new UsageError(`a workbook has ${MAX_ROWS} cells at most: take --allowed-only, --against or --format csv`);
    }
    rows.push(row);
  };
  return {
    start: (about, all) => {
      head = about;
      columns = all;
    },
    row: (key, row) => {
      for (const [i, { resource, operation }] of columns.entries()) {
        const outcome = outcomeIn(row, i);
        if (outcome === undefined || (head?.allowedOnly === true && outcome !== "allow")) continue;
        add([key, resource, operation, outcome]);
      }
    },
    changes: (changes) => {
      for (const { key, resource, operation, outcome = "", before = "", change } of changes) {
        add([key, resource, operation, outcome, before, change]);
      }
    },
    end: async (summary) => {
      if (head === undefined) throw new Error("the matrix was not started");
      await write(await workbook(sheetsOf(head, summary, rows)));
    },
  };
}

interface NamedSheet {
  readonly name: string;
  readonly header: readonly string[];
  readonly rows: readonly SheetRow[];
}

function sheetsOf(head: MatrixHead, summary: MatrixSummary, rows: readonly SheetRow[]): readonly NamedSheet[] {
  const { totals, keysThatMayAll, rolesWithoutKeys, changed } = summary;
  const { against } = head;
  return [
    { name: "About", header: ["what", "value"], rows: aboutRows(head, summary) },
    {
      name: "Totals",
      header: ["kind", "operation", "allow", "insufficient_permissions", "forbidden", "cannot"],
      rows: totals.map((one) => [
        ...[one.kind, one.operation, one.allow, one.insufficient_permissions, one.forbidden, one.cannot],
      ]),
    },
    against === undefined
      ? { name: "Cells", header: CELL_COLUMNS, rows }
      : { name: "Changes", header: CHANGE_COLUMNS, rows },
    ...(changed === undefined
      ? []
      : [
          {
            name: "Came and went",
            header: ["what", "kind", "id"],
            rows: [
              ...changed.keysThatCame.map((id): SheetRow => ["key came", "", id]),
              ...changed.keysThatWent.map((id): SheetRow => ["key went", "", id]),
              ...changed.resourcesThatCame.map(({ kind, id }): SheetRow => ["resource came", kind, id]),
              ...changed.resourcesThatWent.map(({ kind, id }): SheetRow => ["resource went", kind, id]),
            ],
          },
        ]),
    { name: "Keys that may all", header: ["key"], rows: keysThatMayAll.map((id) => [id]) },
    { name: "Roles without keys", header: ["role"], rows: rolesWithoutKeys.map((role) => [role]) },
    {
      name: "Refused data",
      header: ["file", "line", "entry", "message"],
      rows: head.refused.map(({ file, line = "", entry, message }) => [file, line, entry, message]),
    },
  ];
}

function aboutRows(head: MatrixHead, { changed }: MatrixSummary): readonly SheetRow[] {
  const { against } = head;
  return [
    ["policy set", head.policySetHash],
    ["data", head.dataHash],
    ["time of all decisions", head.now],
    ["keys", head.keys],
    ["resources", head.resources],
    ["accounts", head.accounts],
    ["refused entries", head.refused.length],
    ["allowed cells only", head.allowedOnly ? "yes" : "no"],
    ...Object.entries(against ?? {}).map(([name, value]): SheetRow => [`earlier ${name}`, String(value)]),
    ...(changed === undefined
      ? []
      : [
          ["newly allowed", changed.newlyAllowed],
          ["no longer allowed", changed.noLongerAllowed],
          ["refused differently", changed.refusedDifferently],
        ]),
  ];
}

/** The time of every file in the archive: the library would write the present. */
const ARCHIVE_TIME = new Date(1980, 0, 1);

async function workbook(sheets: readonly NamedSheet[]): Promise<Uint8Array> {
  const made = sheets.map(({ name, header, rows }) => {
    const data: SheetData = [header.map((value) => ({ value, fontWeight: "bold" as const }))];
    for (const row of rows) data.push(row.map((value) => (typeof value === "string" ? withoutFormula(value) : value)));
    return { sheet: name, data, stickyRowsCount: 1, columns: header.map(() => ({ width: 28 })) };
  });
  return zipSync(unzipSync(await writeWorkbook(made).toBuffer()), { mtime: ARCHIVE_TIME });
}
