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
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => scrubbed(describe(error)) },
      // Nothing logs these; should something come to, they stay out all the same.
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: "[redacted]" },
      hooks: {
        logMethod(args, method) {
          const redacted = args.map((part) => (typeof part === "string" ? withoutSecrets(part) : part));
          // biome-ignore lint/complexity/noUselessThisAlias: pino's own calling convention.
          const logger = this;
          Reflect.apply(method, logger, redacted);
        },
      },
    },
    destination,
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

const SECRETS = ["authorization", "Authorization", "key", "secret", "hash", "password", "DATABASE_URL", "cookie"];

function scrubbed(fields: { readonly [field: string]: string }): { readonly [field: string]: string } {
  return Object.fromEntries(Object.entries(fields).map(([field, text]) => [field, withoutSecrets(text)]));
}

/** Text in which every API key is replaced, and every password of a connection URL. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/kw_[0-9a-f]{16}_[\w-]{43}/g, "kw_[redacted]")
    .replace(/(:\/\/[^\s:/@]*):[^\s@]*@/g, "$1:[redacted]@");
}
