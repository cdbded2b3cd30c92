/** The service's own log: JSON lines on standard error, or wherever `destination` says. */

import type { Writable } from "node:stream";
import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";
import { describe } from "../store/faults.js";

export type Logger = PinoLogger;

/** Standard output has the decision records. */
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

/** Most that waits for a reader of standard error, in bytes. */
const LIMIT = 1_048_576;

/** Standard error, without ever waiting for its reader: lines that nobody takes are dropped, and how many is told. */
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

/** Names of fields that nothing logs; should something come to, their values stay out all the same. In lower case. */
const SECRETS: ReadonlySet<string> = new Set([
  "authorization",
  "key",
  "secret",
  "hash",
  "password",
  "database_url",
  "cookie",
]);

/** How deep fields are looked at: a line has fields, and those may have fields. */
const DEPTH = 2;

function redacted(fields: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) => {
    if (SECRETS.has(name.toLowerCase())) return [name, "[redacted]"];
    const isObject = typeof value === "object" && value !== null && !(value instanceof Error);
    return [name, isObject && depth > 0 && !Array.isArray(value) ? redacted(value, depth - 1) : value];
  });
  return Object.fromEntries(entries);
}

/** Text, or a line of JSON, in which every API key is replaced, and every password of a connection URL. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/kw_[0-9a-f]{16}_[\w-]{43}/g, "kw_[redacted]")
    .replace(/(:\/\/[^\s:/@"]*):(?:[^\s@"\\]|\\.)*@/g, "$1:[redacted]@");
}
