/** Errors of stores. */

import { DrizzleQueryError } from "drizzle-orm/errors";

/** The original error inside the query layer's wrapper, which has SQL and parameters in its message. */
function rootOf(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? rootOf(error.cause) : error;
}

/** The code of an error: PostgreSQL's five characters, or one of Node's, such as `ECONNREFUSED`. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Whether a write violated the unique constraint of this name. */
export function violatesConstraint(error: unknown, constraint: string): boolean {
  const root = rootOf(error);
  return codeOf(root) === "23505" && root instanceof Error && "constraint" in root && root.constraint === constraint;
}

/** The store is temporarily unavailable. The statement is not at fault. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** Passes a result on. Rejects with {@link StoreUnavailable} if the store is unavailable. */
export async function orUnavailable<T>(given: Promise<T>): Promise<T> {
  try {
    return await given;
  } catch (error) {
    throw isOutage(error) ? new StoreUnavailable("the store is unavailable", { cause: error }) : error;
  }
}

/**
 * Whether the store is at fault and not the statement: no connection, no resources, shutdown, a lock timeout, a
 * deadlock; a database that takes no writes, refuses the login or its privileges, or is not there or not migrated.
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html)
 */
function isOutage(error: unknown): boolean {
  const root = rootOf(error);
  const code = codeOf(root);
  if (/^(08|28|53|57P|58)|^(25006|25P03|3D000|40001|40P01|42501|42703|42P01|55000|55P03|57014)$/.test(code))
    return true;
  if (/^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)/.test(code)) return true;
  // These errors of pg and PGlite have no code.
  return (
    root instanceof Error &&
    /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after|Query read timeout|Client was closed|PGlite is clos)/.test(
      root.message,
    )
  );
}

/** An error for logs: its kind, code and message, without the parameters of a statement. */
export function describe(error: unknown): { readonly [field: string]: string } {
  const root = rootOf(error);
  if (!(root instanceof Error)) return { type: typeof root };
  if (root instanceof StoreUnavailable) return { ...describe(root.cause), type: root.name };
  // PostgreSQL puts values into `detail`, and sometimes into the message, so its errors are described by their code.
  const fromDatabase = root !== error || "severity" in root;
  if (fromDatabase) return { type: root.name, code: codeOf(root) };
  return { type: root.name, code: codeOf(root), message: root.message };
}

/** The origin of an error: the frames of its stack, without its message. */
export function stackFramesOf(error: unknown): string {
  const { stack = "" } = error instanceof Error ? error : {};
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");
}
