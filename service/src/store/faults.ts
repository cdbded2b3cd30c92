/** What goes wrong in a store. */

import { DrizzleQueryError } from "drizzle-orm/errors";

/** The error below what the query layer wraps around it (which has SQL and parameters in its message). */
function rootOf(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? rootOf(error.cause) : error;
}

/** PostgreSQL's five characters, or Node's `ECONNREFUSED` and the like. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Whether a write broke the unique constraint of this name. */
export function violates(error: unknown, constraint: string): boolean {
  const root = rootOf(error);
  return codeOf(root) === "23505" && root instanceof Error && "constraint" in root && root.constraint === constraint;
}

/** The store is at fault for now, and not what was asked of it. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** What the store gives. Rejects with {@link StoreUnavailable} where it is at fault. */
export async function available<T>(given: Promise<T>): Promise<T> {
  try {
    return await given;
  } catch (error) {
    throw isOutage(error) ? new StoreUnavailable("the store is unavailable", { cause: error }) : error;
  }
}

/**
 * Whether the store is at fault for now, and not the statement: no connection, no resources, shutting down, a lock
 * that took too long, a deadlock. (https://www.postgresql.org/docs/current/errcodes-appendix.html)
 */
function isOutage(error: unknown): boolean {
  const root = rootOf(error);
  const code = codeOf(root);
  if (/^(08|53|57P|58)|^(40001|40P01|55P03|57014|25P03)$/.test(code)) return true;
  if (/^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)/.test(code)) return true;
  // pg and PGlite give these no code.
  return (
    root instanceof Error &&
    /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after|Query read timeout|Client was closed|PGlite is clos)/.test(
      root.message,
    )
  );
}

/** An error for logs: its kind, code and message, without the values that a statement had. */
export function describe(error: unknown): { readonly [field: string]: string } {
  const root = rootOf(error);
  if (!(root instanceof Error)) return { type: typeof root };
  if (root instanceof StoreUnavailable) return { ...describe(root.cause), type: root.name };
  // PostgreSQL puts values into `detail`, and sometimes into the message: its errors are told by their code.
  const fromDatabase = root !== error || "severity" in root;
  if (fromDatabase) return { type: root.name, code: codeOf(root) };
  return { type: root.name, code: codeOf(root), message: root.message };
}

/** Where an error comes from: the frames of its stack, without its message. */
export function placeOf(error: unknown): string {
  const { stack = "" } = error instanceof Error ? error : {};
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");
}
