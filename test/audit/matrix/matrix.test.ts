/** Each cell of a matrix is the outcome of `decide`. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  Matrix,
  type MatrixAccount,
  type MatrixKey,
  type OwnedResource,
  outcomeIn,
} from "../../../src/audit/matrix/matrix.js";
import { type DecisionRequest, decide, type PolicySet } from "../../../src/index.js";
import { type PlainRequest, policySet, request, shippedRequest } from "../../property/arbitraries/index.js";
import { compiledDocuments, shipped } from "../../support/policies.js";
import { SEED } from "../../support/seed.js";
import { sized } from "../../support/size.js";

const NOW = new Date("2026-11-28T00:00:00Z");

interface Data {
  readonly keys: readonly DecisionRequest["key"][];
  readonly resources: readonly OwnedResource[];
}

/** The keys, resources and accounts of requests. Each resource keeps the account of its request. */
function dataOf(requests: readonly PlainRequest[]): Data {
  return {
    keys: requests.map(({ key }, i) => ({ ...key, id: i % 3 === 0 ? key.id : `${key.id}-${i}` })),
    resources: requests.map(({ resource, account }) => ({
      ...{ id: resource.id, kind: resource.kind, part: resource },
      account: account satisfies MatrixAccount,
    })),
  };
}

/** The cells of a key, with their columns. */
function cellsOf(matrix: Matrix, id: string, part: MatrixKey | undefined) {
  const row = matrix.row({ id, part });
  return matrix.columns.map((column, i) => ({ ...column, outcome: outcomeIn(row, i) }));
}

/** The cells that are not what `decide` says, and how many are allowed. All resources are of one kind. */
function wrongCells(policies: PolicySet, { keys, resources }: Data) {
  const matrix = new Matrix(policies, resources, NOW);
  const wrong: object[] = [];
  let [count, allowed] = [0, 0];
  for (const part of keys) {
    const cells = cellsOf(matrix, part.id, part);
    const operations = cells.length / resources.length;
    for (const [i, cell] of cells.entries()) {
      const row = resources[Math.floor(i / operations)];
      if (row?.part === undefined || row.account === undefined) throw new Error("no row");
      const { outcome } = decide(policies, {
        ...{ key: part, operation: cell.operation, resource: row.part, account: row.account, now: NOW },
      });
      if (outcome !== cell.outcome || row.id !== cell.resource) wrong.push({ part, row, cell, outcome });
      count += 1;
      if (outcome === "allow") allowed += 1;
    }
  }
  return { wrong, count, allowed };
}

/** Milliseconds. The whole samples have 1,000,000 cells: `decide` takes minutes for them on a busy machine. */
const TIMEOUT = 1_800_000;

describe("cells are what decide says", { timeout: TIMEOUT }, () => {
  test.each(["workspace", "api", "key"])("the shipped policies, kind %s", (kind) => {
    const all = fc.sample(shippedRequest({}), { numRuns: sized(600, 150), seed: SEED });
    const requests = all.filter(({ resource }) => resource.kind === kind);
    const { wrong, count, allowed } = wrongCells(shipped, dataOf(requests));
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(requests.length ** 2);
    expect(allowed).toBeGreaterThan(3);
  });

  test("generated policies", () => {
    const sets = fc.sample(policySet({ profile: "any" }), { numRuns: sized(20, 12), seed: SEED });
    let total = 0;
    for (const documents of sets) {
      const policies = compiledDocuments(documents);
      const requests = fc.sample(request(documents), { numRuns: sized(150, 24), seed: SEED });
      const [first] = requests;
      const data = dataOf(requests.filter(({ resource }) => resource.kind === first?.resource.kind));
      const { wrong, count } = wrongCells(policies, data);
      expect(wrong).toEqual([]);
      total += count;
    }
    expect(total).toBeGreaterThan(sized(700_000, 1_000));
  });
});

test("refused data is counted, and never left out", () => {
  const [made] = fc.sample(shippedRequest({}), { numRuns: 1, seed: SEED });
  if (made === undefined) throw new Error("no request");
  const { resource, account, key } = made;
  const rows: readonly OwnedResource[] = [
    { id: "bad", kind: resource.kind, part: undefined, account },
    { id: "lost", kind: resource.kind, part: resource, account: undefined },
    { id: "good", kind: resource.kind, part: resource, account },
  ];
  const matrix = new Matrix(shipped, rows, NOW);
  const cells = { k1: cellsOf(matrix, "k1", key), k2: cellsOf(matrix, "k2", undefined) };
  const of = (id: string, keyId: "k1" | "k2") =>
    new Set(cells[keyId].filter(({ resource: one }) => one === id).map(({ outcome }) => outcome));
  expect([of("bad", "k1"), of("lost", "k1"), of("good", "k2")]).toEqual(Array(3).fill(new Set(["cannot"])));
  expect(of("good", "k1").has("cannot")).toBe(false);
  const totals = matrix.totals();
  const sum = totals.reduce((n, one) => n + one.allow + one.insufficient_permissions + one.forbidden + one.cannot, 0);
  expect(sum).toBe(cells.k1.length + cells.k2.length);
  expect(matrix.keysThatMayAll()).toEqual([]);
});
