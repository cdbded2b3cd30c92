/**
 * The matrix of real data: the outcome for each key, resource and operation.
 *
 * The platform's verdict does not depend on the key, so it is asked once for each resource and operation. Each
 * operation of a key is planned once, and only resources in the filter of the plan are decided on.
 */

import { type PolicySet, policySetOf } from "../../decisions/compiled-set.js";
import { decideAny } from "../../decisions/decide.js";
import { deciderOf, NO_KEY } from "../../decisions/decider.js";
import { DecisionTables } from "../../decisions/decision-tables.js";
import { planDecisions } from "../../decisions/plan-decisions.js";
import type { PermissionRequest } from "../../decisions/types.js";
import type { Filter, FilterScalar } from "../../engine/residual/filter.js";
import { matches } from "../../engine/residual/matches.js";
import { operationsOf } from "../findings/findings.js";

export type MatrixKey = PermissionRequest["key"];
export type MatrixResource = PermissionRequest["resource"];
export type MatrixAccount = NonNullable<PermissionRequest["account"]>;

/** `cannot`: the data of the key, of the resource or of its account is refused. */
export type MatrixOutcome = "allow" | "insufficient_permissions" | "forbidden" | "cannot";

/** An entry of the data: the part of a request, or only its id if it is refused. */
export type MatrixEntry<P> = { readonly id: string; readonly part: P | undefined };

/** A resource with the account that owns it. */
export interface OwnedResource extends MatrixEntry<MatrixResource> {
  readonly kind: string;
  /** Undefined: its account is not in the data, or is refused. Sets without a platform layer need none. */
  readonly account: MatrixAccount | undefined;
}

export interface MatrixCell {
  readonly key: string;
  readonly resource: string;
  readonly operation: string;
  readonly outcome: MatrixOutcome;
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
  private readonly permission: PolicySet;
  private readonly kinds: readonly KindRows[];
  private readonly now: Date;
  private readonly all: Map<MatrixOutcome, number>[][] = [];
  /** The ids of keys that may do all that the platform does not forbid. */
  private readonly mighty: string[] = [];

  /**
   * `now`: the time of all decisions. `others`: operations to ask about besides those that the policies name, such as
   * operations that they match by a pattern.
   */
  constructor(policies: PolicySet, resources: readonly OwnedResource[], now: Date, others: readonly string[] = []) {
    this.now = now;
    const { permission, configuration } = policies;
    this.permission = policySetOf({
      ...{ permission, platform: undefined, tables: new DecisionTables(permission, undefined) },
      ...{ model: policies.model, files: policies.files, warnings: [] },
      configuration: { ...configuration, platformVersion: null },
    });
    const operations = new Map<string, string[]>();
    for (const { kind, operation, isPattern } of operationsOf(policies, [])) {
      const known = operations.get(kind) ?? [];
      if (!isPattern) known.push(operation);
      operations.set(kind, known);
    }
    const kinds = [...new Set(resources.map(({ kind }) => kind))];
    this.kinds = kinds.map((kind) => {
      const rows = resources.filter((one) => one.kind === kind);
      return new KindRows(policies, kind, [...new Set([...(operations.get(kind) ?? []), ...others])], rows, now);
    });
    this.all = this.kinds.map((kind) => kind.operations.map(() => new Map()));
  }

  /** The cells of one key, by kind, in the order of the resources and of the operations. */
  *cells(key: MatrixEntry<MatrixKey>): Generator<MatrixCell, void> {
    let isMighty = key.part !== undefined;
    for (const [i, kind] of this.kinds.entries()) {
      const allowed = kind.operations.map((operation) =>
        key.part === undefined ? undefined : this.allowed(key.part, kind, operation),
      );
      for (const [row, { id }] of kind.rows.entries()) {
        for (const [j, operation] of kind.operations.entries()) {
          const outcome = kind.outcome(row, j, allowed[j]);
          const counts = this.all[i]?.[j];
          counts?.set(outcome, (counts.get(outcome) ?? 0) + 1);
          if (outcome === "insufficient_permissions") isMighty = false;
          yield { key: key.id, resource: id, operation, outcome };
        }
      }
    }
    if (isMighty) this.mighty.push(key.id);
  }

  /** The rows on which a key is allowed an operation, by their numbers. */
  private allowed(key: MatrixKey, kind: KindRows, operation: string): ReadonlySet<number> {
    const { permission, now } = this;
    const { filter, isExact } = planDecisions(permission, {
      key,
      operation,
      kind: kind.kind,
      account: NO_ACCOUNT,
      now,
    });
    const decider = deciderOf(permission, { key });
    const found = new Set<number>();
    for (const row of kind.candidates(filter)) {
      const resource = kind.rows[row]?.part;
      if (resource === undefined || !matches(filter, resource)) continue;
      if (isExact || decider.decide({ operation, resource, now }).outcome === "allow") found.add(row);
    }
    return found;
  }

  /** The counts of all cells so far. */
  totals(): readonly MatrixTotal[] {
    return this.kinds.flatMap(({ kind, operations }, i) =>
      operations.map((operation, j) => {
        const count = (outcome: MatrixOutcome) => this.all[i]?.[j]?.get(outcome) ?? 0;
        return {
          ...{ kind, operation, allow: count("allow") },
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
  /** By row and operation: the outcome that no key changes; undefined if it is the key's. */
  private readonly fixed: readonly (readonly (MatrixOutcome | undefined)[])[];
  private readonly indexes = new Map<string, Map<unknown, number[]>>();

  constructor(
    policies: PolicySet,
    kind: string,
    operations: readonly string[],
    rows: readonly OwnedResource[],
    now: Date,
  ) {
    this.kind = kind;
    this.operations = operations;
    this.rows = rows;
    this.fixed = rows.map(({ part, account }) =>
      operations.map((operation) => {
        if (part === undefined) return "cannot";
        if (policies.platform === undefined) return undefined;
        if (account === undefined) return "cannot";
        const { outcome } = decideAny(policies, { key: NO_KEY, operation, resource: part, account, now });
        return outcome === "forbidden" ? outcome : undefined;
      }),
    );
  }

  outcome(row: number, operation: number, allowed: ReadonlySet<number> | undefined): MatrixOutcome {
    if (allowed === undefined) return "cannot";
    return this.fixed[row]?.[operation] ?? (allowed.has(row) ? "allow" : "insufficient_permissions");
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
