/** The report of `keyward matrix`, as its writers get it. */

import type { MatrixChange } from "../../audit/matrix/changes.js";
import type { MatrixColumn, MatrixTotal } from "../../audit/matrix/matrix.js";
import type { RefusedEntry } from "./data.js";
import type { EarlierOrigin } from "./earlier.js";

export interface MatrixHead {
  readonly policySetHash: string;
  readonly dataHash: string;
  /** RFC 3339. */
  readonly now: string;
  readonly keys: number;
  readonly resources: number;
  readonly accounts: number;
  readonly refused: readonly RefusedEntry[];
  readonly allowedOnly: boolean;
  readonly keyIds: readonly string[];
  readonly resourceIds: readonly ResourceName[];
  /** The matrix that this one is compared with. */
  readonly against?: EarlierOrigin;
}

export interface ResourceName {
  readonly kind: string;
  readonly id: string;
}

export interface MatrixSummary {
  readonly totals: readonly MatrixTotal[];
  readonly keysThatMayAll: readonly string[];
  readonly rolesWithoutKeys: readonly string[];
  /** If it is compared with an earlier matrix. */
  readonly changed?: ChangeSummary;
}

export interface ChangeSummary {
  readonly newlyAllowed: number;
  readonly noLongerAllowed: number;
  readonly refusedDifferently: number;
  readonly keysThatCame: readonly string[];
  readonly keysThatWent: readonly string[];
  readonly resourcesThatCame: readonly ResourceName[];
  readonly resourcesThatWent: readonly ResourceName[];
  /** False: the earlier matrix lists only what was allowed, in CSV. Keys and resources without such a cell count as new. */
  readonly isComplete: boolean;
}

/** Writes the cells of a matrix, or in their place its changes. */
export interface MatrixWriter {
  start(head: MatrixHead, columns: readonly MatrixColumn[]): void;
  row(key: string, row: Uint8Array): void;
  changes(changes: readonly MatrixChange[]): void;
  end(summary: MatrixSummary): Promise<void>;
}
