/**
 * The matrix of real data: the outcome for each key, resource and operation.
 *
 * The platform's verdict does not depend on the key, so it is asked once for each resource and operation. Each
 * operation of a key is planned once, and only resources in the filter of the plan are decided on.
 */

import type { PolicySet } from "../../decisions/compiled-set.js";
import { decideAny } from "../../decisions/decide.js";
import { type AnyDecider, deciderOf, NO_KEY } from "../../decisions/decider.js";
import { permissionAlone } from "../../decisions/permission-alone.js";
import { planDecisions } from "../../decisions/plan-decisions.js";
import type { PermissionRequest } from "../../decisions/types.js";
import type { Filter, FilterScalar } from "../../engine/residual/filter.js";
import { matches } from "../../engine/residual/matches.js";
import { operationsOf } from "../findings/findings.js";

export type MatrixKey = PermissionRequest["key"];
export type MatrixResource = PermissionRequest["resource"];
export type MatrixAccount = NonNullable<PermissionRequest["account"]>;

/** `cannot`: the data of the key, of the resource or of its account is refused. */
export const MATRIX_OUTCOMES = ["allow", "insufficient_permissions", "forbidden", "cannot"] as const;

export type MatrixOutcome = (typeof MATRIX_OUTCOMES)[number];

/** The outcomes as they stand in the row of a key. 0 stands for none. */
export const CELL = { none: 0, allow: 1, insufficient_permissions: 2, forbidden: 3, cannot: 4 } as const;

/** The outcome of a cell of a row; undefined for none. */
export function outcomeIn(row: Uint8Array, column: number): MatrixOutcome | undefined {
  return MATRIX_OUTCOMES[(row[column] ?? CELL.none) - 1];
}

/** An entry of the data: the part of a request, or only its id if it is refused. */
export type MatrixEntry<P> = { readonly id: string; readonly part: P | undefined };

/** A resource with the account that owns it. */
export interface OwnedResource extends MatrixEntry<MatrixResource> {
  readonly kind: string;
  /** Undefined: its account is not in the data, or is refused. Sets without a platform layer need none. */
  readonly account: MatrixAccount | undefined;
}

/** A column of the matrix: an operation on a resource. */
export interface MatrixColumn {
  readonly kind: string;
  readonly resource: string;
  readonly operation: string;
}

/** The cells of one operation on one kind, by outcome. */
export interface MatrixTotal {
  readonly kind: string;
  readonly operation: string;
  readonly allow: number;
  readonly insufficient_permissions: number;
  readonly forbidden: number;
  readonly cannot: number;
}

export class Matrix {
  /** By kind, in the order of the resources and of the operations. */
  readonly columns: readonly MatrixColumn[];
  private readonly permission: PolicySet;
  private readonly kinds: readonly KindRows[];
  private readonly now: Date;
  /** The outcomes that no key changes. */
  private readonly fixed: Uint8Array;
  /** By column and outcome: the cells so far. */
  private readonly counts: Float64Array;
  /** The ids of keys that may do all that the platform does not forbid. */
  private readonly mighty: string[] = [];

  /**
   * `now`: the time of all decisions. `others`: operations to ask about besides those that the policies name, such as
   * operations that they match by a pattern.
   */
  constructor(policies: PolicySet, resources: readonly OwnedResource[], now: Date, others: readonly string[] = []) {
    this.now = now;
    this.permission = permissionAlone(policies);
    const operations = new Map<string, string[]>();
    for (const { kind, operation, isPattern } of operationsOf(policies, [])) {
      const known = operations.get(kind) ?? [];
      if (!isPattern) known.push(operation);
      operations.set(kind, known);
    }
    const byKind = new Map<string, OwnedResource[]>();
    for (const resource of resources) {
      const rows = byKind.get(resource.kind) ?? [];
      rows.push(resource);
      byKind.set(resource.kind, rows);
    }
    let first = 0;
    this.kinds = [...byKind].map(([kind, rows]) => {
      const asked = [...new Set([...(operations.get(kind) ?? []), ...others])];
      const made = new KindRows(kind, asked, rows, first);
      first += rows.length * asked.length;
      return made;
    });
    this.columns = this.kinds.flatMap((kind) => kind.columns());
    this.fixed = Uint8Array.from(this.kinds.flatMap((kind) => kind.fixedOutcomes(policies, now)));
    this.counts = new Float64Array(this.columns.length * (MATRIX_OUTCOMES.length + 1));
  }

  /** The outcomes of one key, by column. They are counted. */
  row(key: MatrixEntry<MatrixKey>): Uint8Array {
    const { fixed } = this;
    const row = new Uint8Array(fixed.length);
    if (key.part === undefined) row.fill(CELL.cannot);
    else {
      for (let column = 0; column < row.length; column++) row[column] = fixed[column] || CELL.insufficient_permissions;
      for (const kind of this.kinds) this.allow(key.part, kind, row);
    }
    for (const [column, outcome] of row.entries()) {
      const at = column * (MATRIX_OUTCOMES.length + 1) + outcome;
      this.counts[at] = (this.counts[at] ?? 0) + 1;
    }
    if (key.part !== undefined && !row.includes(CELL.insufficient_permissions)) this.mighty.push(key.id);
    return row;
  }

  /** Notes in the row of a key what it is allowed on the resources of a kind. */
  private allow(key: MatrixKey, kind: KindRows, row: Uint8Array): void {
    const { permission, now } = this;
    let decider: AnyDecider | undefined;
    for (const [j, operation] of kind.operations.entries()) {
      const { filter, isExact } = planDecisions(permission, {
        ...{ key, operation, kind: kind.kind },
        ...{ account: NO_ACCOUNT, now },
      });
      for (const i of kind.candidates(filter)) {
        const column = kind.columnOf(i, j);
        const resource = kind.rows[i]?.part;
        if (this.fixed[column] !== CELL.none || resource === undefined || !matches(filter, resource)) continue;
        if (!isExact) {
          decider ??= deciderOf(permission, { key });
          if (decider.decide({ operation, resource, now }).outcome !== "allow") continue;
        }
        row[column] = CELL.allow;
      }
    }
  }

  /** The counts of all cells so far. */
  totals(): readonly MatrixTotal[] {
    return this.kinds.flatMap((kind) =>
      kind.operations.map((operation, j) => {
        const count = (outcome: MatrixOutcome) => {
          let sum = 0;
          for (let i = 0; i < kind.rows.length; i++) {
            sum += this.counts[kind.columnOf(i, j) * (MATRIX_OUTCOMES.length + 1) + CELL[outcome]] ?? 0;
          }
          return sum;
        };
        return {
          ...{ kind: kind.kind, operation, allow: count("allow") },
          insufficient_permissions: count("insufficient_permissions"),
          ...{ forbidden: count("forbidden"), cannot: count("cannot") },
        };
      }),
    );
  }

  /** The keys so far that may do all that the platform does not forbid. */
  keysThatMayAll(): readonly string[] {
    return this.mighty;
  }

  /** The kinds of the data without an operation in the policies. */
  unknownKinds(): readonly string[] {
    return this.kinds.filter(({ operations }) => operations.length === 0).map(({ kind }) => kind);
  }
}

const NO_ACCOUNT: MatrixAccount = { id: "none" };

/** The resources of one kind. */
class KindRows {
  readonly kind: string;
  readonly operations: readonly string[];
  readonly rows: readonly OwnedResource[];
  /** The first column of the kind. */
  private readonly first: number;
  private readonly indexes = new Map<string, Map<unknown, number[]>>();

  constructor(kind: string, operations: readonly string[], rows: readonly OwnedResource[], first: number) {
    this.kind = kind;
    this.operations = operations;
    this.rows = rows;
    this.first = first;
  }

  columnOf(row: number, operation: number): number {
    return this.first + row * this.operations.length + operation;
  }

  columns(): readonly MatrixColumn[] {
    const { kind } = this;
    return this.rows.flatMap(({ id }) => this.operations.map((operation) => ({ kind, resource: id, operation })));
  }

  /** By column: the outcome that no key changes, or none if it is the key's. */
  fixedOutcomes(policies: PolicySet, now: Date): readonly number[] {
    return this.rows.flatMap(({ part, account }) =>
      this.operations.map((operation) => {
        if (part === undefined) return CELL.cannot;
        if (policies.platform === undefined) return CELL.none;
        if (account === undefined) return CELL.cannot;
        const { outcome } = decideAny(policies, { key: NO_KEY, operation, resource: part, account, now });
        return outcome === "forbidden" ? CELL.forbidden : CELL.none;
      }),
    );
  }

  /** Rows that include all on which a filter holds. */
  candidates(filter: Filter): Iterable<number> {
    if (filter.op === "any" && filter.of.length === 0) return [];
    const parts = filter.op === "all" ? filter.of : [filter];
    for (const part of parts) {
      if (part.op === "in" && part.term.of === "attr" && part.term.path.length === 1) {
        return this.having(part.term.path[0] ?? "", part.values);
      }
    }
    return this.rows.keys();
  }

  private having(name: string, values: readonly FilterScalar[]): readonly number[] {
    const known = this.indexes.get(name);
    const index = known ?? new Map<unknown, number[]>();
    if (known === undefined) {
      this.indexes.set(name, index);
      for (const [row, { part }] of this.rows.entries()) {
        const value: unknown = part?.attr !== undefined && Object.hasOwn(part.attr, name) ? part.attr[name] : undefined;
        const rows = index.get(value) ?? [];
        rows.push(row);
        index.set(value, rows);
      }
    }
    return [...new Set(values)].flatMap((value) => index.get(value) ?? []);
  }
}
