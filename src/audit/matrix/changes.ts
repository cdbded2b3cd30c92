/** The differences between an earlier matrix and a later one. */

import { CELL, MATRIX_OUTCOMES, type MatrixColumn, type MatrixOutcome, outcomeIn } from "./matrix.js";

/** A matrix that was written earlier. */
export class EarlierMatrix {
  /** Do its cells tell the kinds of resources? If not, resources are known by their ids alone. */
  readonly hasKinds: boolean;
  private readonly columns = new Map<string, number>();
  private readonly rows = new Map<string, Uint8Array>();
  private readonly resources = new Map<string, MatrixColumn>();
  private readonly named: MatrixColumn[] = [];
  private isAllowedOnly = true;

  constructor(hasKinds: boolean) {
    this.hasKinds = hasKinds;
  }

  addKey(id: string): void {
    if (!this.rows.has(id)) this.rows.set(id, new Uint8Array(this.named.length));
  }

  addResource(resource: Pick<MatrixColumn, "kind" | "resource">): void {
    const name = this.resourceName(resource);
    if (!this.resources.has(name)) this.resources.set(name, { ...resource, operation: "" });
  }

  /** False: the cell is there already. */
  add(key: string, column: MatrixColumn, outcome: MatrixOutcome): boolean {
    const name = this.columnName(column);
    let at = this.columns.get(name);
    if (at === undefined) {
      at = this.named.push(column) - 1;
      this.columns.set(name, at);
      this.addResource(column);
    }
    let row = this.rows.get(key) ?? new Uint8Array(this.named.length);
    if (at >= row.length) {
      const longer = new Uint8Array(Math.max(this.named.length, 2 * row.length));
      longer.set(row);
      row = longer;
    }
    this.rows.set(key, row);
    if (row[at] !== CELL.none) return false;
    row[at] = CELL[outcome];
    if (outcome !== "allow") this.isAllowedOnly = false;
    return true;
  }

  /** Are there no cells but those that are allowed? Keys and resources without such a cell may then be missing. */
  get listsAllowedOnly(): boolean {
    return this.isAllowedOnly;
  }

  /** The number of a column; undefined: it has no such column. */
  numberOf(column: MatrixColumn): number | undefined {
    return this.columns.get(this.columnName(column));
  }

  column(number: number): MatrixColumn | undefined {
    return this.named[number];
  }

  row(key: string): Uint8Array | undefined {
    return this.rows.get(key);
  }

  keys(): Iterable<string> {
    return this.rows.keys();
  }

  /** Its resources, by the names of {@link resourceName}. */
  knownResources(): ReadonlyMap<string, Pick<MatrixColumn, "kind" | "resource">> {
    return this.resources;
  }

  resourceName({ kind, resource }: Pick<MatrixColumn, "kind" | "resource">): string {
    return this.hasKinds ? JSON.stringify([kind, resource]) : resource;
  }

  columnName(column: MatrixColumn): string {
    return JSON.stringify([this.resourceName(column), column.operation]);
  }
}

export const CHANGES = ["newly allowed", "no longer allowed", "refused differently"] as const;

/** A cell that differs. */
export interface MatrixChange extends MatrixColumn {
  readonly key: string;
  readonly change: (typeof CHANGES)[number];
  /** Absent: the earlier matrix has no such cell. */
  readonly before?: MatrixOutcome;
  /** Absent: the later matrix has no such cell. */
  readonly outcome?: MatrixOutcome;
}

/** Compares the rows of a later matrix with an earlier one. */
export class MatrixChanges {
  readonly counts: { [change in MatrixChange["change"]]: number } = {
    "newly allowed": 0,
    "no longer allowed": 0,
    "refused differently": 0,
  };
  /** The ids of keys that only the later matrix has. */
  readonly keysThatCame: string[] = [];
  private readonly earlier: EarlierMatrix;
  private readonly columns: readonly MatrixColumn[];
  /** For each column the number in the earlier matrix. */
  private readonly numbers: readonly (number | undefined)[];
  /** The numbers of columns that only the earlier matrix has. */
  private readonly gone: readonly number[];
  private readonly seen = new Set<string>();

  constructor(earlier: EarlierMatrix, columns: readonly MatrixColumn[]) {
    this.earlier = earlier;
    this.columns = columns;
    this.numbers = columns.map((column) => earlier.numberOf(column));
    const kept = new Set(this.numbers);
    const gone: number[] = [];
    for (let number = 0; earlier.column(number) !== undefined; number++) if (!kept.has(number)) gone.push(number);
    this.gone = gone;
  }

  /** A column that the earlier matrix does not tell from another. */
  ambiguous(): MatrixColumn | undefined {
    const names = new Set<string>();
    return this.columns.find((column) => {
      const name = this.earlier.columnName(column);
      return names.size === names.add(name).size;
    });
  }

  /** The changes of a key, given its row in the later matrix. */
  ofRow(key: string, row: Uint8Array): readonly MatrixChange[] {
    const old = this.earlier.row(key);
    if (old === undefined && !this.seen.has(key)) this.keysThatCame.push(key);
    this.seen.add(key);
    const changes: MatrixChange[] = [];
    for (const [i, column] of this.columns.entries()) {
      const number = this.numbers[i];
      const before = number === undefined || old === undefined ? CELL.none : (old[number] ?? CELL.none);
      if (before !== row[i]) this.note(changes, key, column, MATRIX_OUTCOMES[before - 1], outcomeIn(row, i));
    }
    if (old !== undefined) this.noteGone(changes, key, old, this.gone);
    return changes;
  }

  /** The changes of keys that only the earlier matrix has, after the rows of all others. */
  *ofKeysThatWent(): Generator<readonly MatrixChange[]> {
    for (const key of this.keysThatWent()) {
      const changes: MatrixChange[] = [];
      const old = this.earlier.row(key) ?? new Uint8Array();
      this.noteGone(changes, key, old, old.keys());
      if (changes.length > 0) yield changes;
    }
  }

  keysThatWent(): readonly string[] {
    return [...this.earlier.keys()].filter((key) => !this.seen.has(key));
  }

  resourcesThatCame(resources: readonly Pick<MatrixColumn, "kind" | "resource">[]) {
    const known = this.earlier.knownResources();
    return resources.filter((one) => !known.has(this.earlier.resourceName(one)));
  }

  resourcesThatWent(resources: readonly Pick<MatrixColumn, "kind" | "resource">[]) {
    const left = new Set(resources.map((one) => this.earlier.resourceName(one)));
    return [...this.earlier.knownResources()].flatMap(([name, one]) => (left.has(name) ? [] : [one]));
  }

  private noteGone(changes: MatrixChange[], key: string, old: Uint8Array, numbers: Iterable<number>): void {
    for (const number of numbers) {
      const column = this.earlier.column(number);
      if (column !== undefined) this.note(changes, key, column, outcomeIn(old, number), undefined);
    }
  }

  private note(
    changes: MatrixChange[],
    key: string,
    { kind, resource, operation }: MatrixColumn,
    before: MatrixOutcome | undefined,
    outcome: MatrixOutcome | undefined,
  ): void {
    const change = changeOf(before, outcome);
    if (change === undefined) return;
    this.counts[change] += 1;
    changes.push({
      ...{ key, kind, resource, operation, change },
      ...(before === undefined ? {} : { before }),
      ...(outcome === undefined ? {} : { outcome }),
    });
  }
}

/** A cell that comes or goes is a change only if it is allowed. */
function changeOf(before: MatrixOutcome | undefined, outcome: MatrixOutcome | undefined) {
  if (outcome === "allow") return before === "allow" ? undefined : "newly allowed";
  if (before === "allow") return "no longer allowed";
  return before === undefined || outcome === undefined || before === outcome ? undefined : "refused differently";
}
