/**
 * Errors with a text and a status for the caller. A status alone is not meant for the caller: HTTP clients throw errors
 * with the status of another service's response, and with that service's address in the message.
 */

interface ExposedErrorFields {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly expose?: unknown;
}

/** The status of an error, read as Express and Fastify read it; undefined unless it is from 400 to 599. */
export function statusIn(error: unknown): number | undefined {
  const { status, statusCode } = fieldsOf(error);
  return [status, statusCode].find(isErrorStatus);
}

/** The status of an error with `expose: true`, as errors of `http-errors` have; undefined for other errors. */
export function exposedStatus(error: unknown): number | undefined {
  return fieldsOf(error).expose === true ? statusIn(error) : undefined;
}

function isErrorStatus(status: unknown): status is number {
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status < 600;
}

function fieldsOf(error: unknown): ExposedErrorFields {
  return typeof error === "object" && error !== null ? error : {};
}
