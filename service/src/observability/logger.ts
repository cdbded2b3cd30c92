/** The service's own log: JSON lines on standard error, or on `destination`. */

import type { Writable } from "node:stream";
import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";
import { describe } from "../store/faults.js";

export type Logger = PinoLogger;

/** Standard output is reserved for decision records. */
export function createLogger(level: string, destination: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => redacted(fields, DEPTH) },
      serializers: { err: describe },
    },
    { write: (line) => destination.write(withoutSecrets(line)) },
  );
}

/** The maximum buffer for standard error, in bytes. */
const LIMIT = 1_048_576;

/** Standard error without waiting for its reader: excess lines are dropped, and their number is logged. */
function standardError(stream: Writable = process.stderr): DestinationStream {
  let dropped = 0;
  stream.on("error", () => {});
  return {
    write: (line) => {
      if (stream.writableLength > LIMIT) {
        dropped++;
        return;
      }
      if (dropped > 0) {
        const told = { level: "warn", time: new Date().toISOString(), dropped, msg: "lines of this log were dropped" };
        dropped = 0;
        stream.write(`${JSON.stringify(told)}\n`);
      }
      stream.write(line);
    },
  };
}

/** Lower-case names of secret fields. Nothing logs them; if something ever does, their values are redacted. */
const SECRETS: ReadonlySet<string> = new Set([
  "authorization",
  "key",
  "secret",
  "hash",
  "password",
  "database_url",
  "cookie",
]);

/** The depth of redaction: the fields of a line, and their own fields. */
const DEPTH = 2;

function redacted(fields: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) => {
    if (SECRETS.has(name.toLowerCase())) return [name, "[redacted]"];
    const isObject = typeof value === "object" && value !== null && !(value instanceof Error);
    return [name, isObject && depth > 0 && !Array.isArray(value) ? redacted(value, depth - 1) : value];
  });
  return Object.fromEntries(entries);
}

/** Redacts every API key, and every password of a connection URL, in a text or a line of JSON. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/kw_[0-9a-f]{16}_[\w-]{43}/g, "kw_[redacted]")
    .replace(/(:\/\/[^\s:/@"]*):(?:[^\s@"\\]|\\.)*@/g, "$1:[redacted]@");
}
