/** An operator's action: reads, or changes, rows of any account. Each change is an entry of the account's audit chain. */

import { z } from "zod";
import { instantOf } from "../operations/views.js";
import type { Statement } from "../store/statement.js";
import type { ParameterValue, RequestStore } from "../store/store.js";
import { SNAPSHOTS } from "./statements.js";

/** The request names a resource that does not exist, or cannot be carried out in its present state. */
export class ActionRefused extends Error {
  override readonly name = "ActionRefused";
}

/** The author of an action, for the audit chain. */
export interface Author {
  readonly operator: string;
  readonly reason?: string | undefined;
}

/** The name of an operator, in audit entries. */
export const operatorName = z
  .string("is required: the name for the audit chain")
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._@+-]{0,99}$/u, "must be 1 to 100 letters, digits, spaces or . _ @ + -");
const reason = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]{1,500}$/u, "must be 1 to 500 characters, without control characters")
  .optional();

/** The fields of every change. */
const authorship = { operator: operatorName, reason };

export interface OperatorAction {
  /** `accounts.suspend`: on the command line, `admin accounts suspend`. */
  readonly name: string;
  readonly summary: string;
  /** `id` is the resource. Values may be texts: command lines have no others. */
  readonly input: z.ZodObject;
  /** Returns data for JSON. Rejects with a `ZodError` for bad input, and with {@link ActionRefused}. */
  run(store: RequestStore, input: unknown): Promise<object>;
}

interface ActionDescription<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly summary: string;
  readonly input: Shape;
}

export function reading<Shape extends z.ZodRawShape>(
  { input: shape, ...description }: ActionDescription<Shape>,
  run: (store: RequestStore, input: z.output<z.ZodObject<Shape, z.core.$strict>>) => Promise<object>,
): OperatorAction {
  const input = z.strictObject(shape);
  return { ...description, input, run: async (store, given) => run(store, input.parse(given)) };
}

export function changing<Shape extends z.ZodRawShape>(
  { input: shape, ...description }: ActionDescription<Shape>,
  run: (
    store: RequestStore,
    input: z.output<z.ZodObject<Shape, z.core.$strict>>,
    by: Author & { readonly command: string },
  ) => Promise<object>,
): OperatorAction {
  const input = z.strictObject(shape);
  const author = z.object(authorship);
  const { name: command } = description;
  return {
    ...description,
    input: z.strictObject({ ...shape, ...authorship }),
    run: async (store, given) => {
      const by = author.parse(given);
      const { operator: _, reason: __, ...rest } = z.looseObject(authorship).parse(given);
      return run(store, input.parse(rest), { ...by, command });
    },
  };
}

export interface OperatorSnapshot<Row> {
  readonly version: string;
  readonly accountId: string;
  readonly target: Row;
}

/** A resource by its id. Rejects with {@link ActionRefused} for an unknown id. */
export async function snapshotOf<Row>(
  store: RequestStore,
  kind: keyof typeof SNAPSHOTS,
  id: string,
): Promise<OperatorSnapshot<Row>> {
  const [row] = await store.run<OperatorSnapshot<Row>>(SNAPSHOTS[kind], [id]);
  if (row === undefined)
    throw new ActionRefused(`there is no ${kind === "secret" ? "key with the prefix" : kind} ${id}`);
  return row;
}

/** A change of one resource. */
export interface OperatorChange {
  readonly statement: Statement;
  /** The parameters from $4 on. */
  readonly values: readonly ParameterValue[];
  /** The changed values, for the audit entry, before and after. */
  readonly before: object;
  readonly change: object;
}

/** How often a change is tried again after the account was changed concurrently. */
const ATTEMPTS = 100;

/**
 * Makes the change that `propose` returns, unless a row was changed meanwhile; then it asks again. `undefined` leaves
 * everything as it is, without an audit entry. Resolves to the resource as it is then, and whether it was changed.
 */
export async function changed<Row>(
  store: RequestStore,
  { kind, id, by }: { kind: Exclude<keyof typeof SNAPSHOTS, "secret">; id: string; by: Author & { command: string } },
  propose: (target: Row) => OperatorChange | undefined,
): Promise<{ readonly isChanged: boolean; readonly target: Row }> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { version, accountId, target } = await snapshotOf<Row>(store, kind, id);
    const proposed = propose(target);
    if (proposed === undefined) return { isChanged: false, target };
    const { statement, values, before, change } = proposed;
    const about = { time: instantOf(Date.now()), ...by, accountId, resourceKind: kind, resourceId: id };
    const entry = JSON.stringify({ ...about, before, change });
    if ((await store.run(statement, [accountId, version, entry, ...values])).length > 0) {
      return { isChanged: true, target: (await snapshotOf<Row>(store, kind, id)).target };
    }
  }
  throw new Error("the account was changed meanwhile, again and again");
}

/** A number on the command line is text. */
export const wholeNumber = (min: number, max: number) =>
  z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\d{1,10}$/)
          .transform(Number),
      ],
      `must be a whole number, ${min} to ${max}`,
    )
    .pipe(z.int().min(min).max(max));

/** The identifier of a resource. */
export const id = z.string("is required").regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -");

/** The part of a list to return. */
export const page = {
  limit: wholeNumber(1, 1_000).default(100),
  /** The last id of the page before. */
  after: id.default(""),
};
