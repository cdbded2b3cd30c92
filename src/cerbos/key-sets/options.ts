/** The options of key sets: the section `auxData.jwt` of the Cerbos server's configuration. */

import { durationIn, parseDuration } from "../../cel/time.js";
import { expectShape } from "../../schema/expect-shape.js";

/** Keys that verify tokens. Exactly one of `local` and `remote` is given. */
export interface KeySet {
  /** Requests choose a key set by this id (`keySetId`). */
  readonly id: string;
  /** A JSON Web Key or Key Set: a file, or its text in base64. With `pem`, public keys in PEM form, without ids. */
  readonly local?: { readonly file?: string; readonly data?: string; readonly pem?: boolean };
  /** The address of a JSON Web Key Set: `https`, or `http` on a loopback address. */
  readonly remote?: {
    readonly url: string;
    /** For example `1h`. Default: 10 minutes. */
    readonly refreshInterval?: string;
  };
  /** What a token and a key may lack. Default: each key has an `alg`, and each token has the `kid` of its key. */
  readonly insecure?: { readonly optionalAlg?: boolean; readonly optionalKid?: boolean };
}

export interface KeySetOptions {
  /** If there is one alone, it verifies tokens without a `keySetId`. */
  readonly keySets: readonly KeySet[];
  /** The tolerance for `exp`, `nbf` and `iat`, such as `2s`. Default: none. */
  readonly acceptableTimeSkew?: string;
}

const TEXT = { type: "string", minLength: 1 };
const FLAG = { type: "boolean" };

const SCHEMA = {
  type: "object",
  required: ["keySets"],
  additionalProperties: false,
  properties: {
    acceptableTimeSkew: TEXT,
    keySets: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["id"],
        additionalProperties: false,
        properties: {
          id: TEXT,
          local: { type: "object", additionalProperties: false, properties: { file: TEXT, data: TEXT, pem: FLAG } },
          remote: {
            type: "object",
            required: ["url"],
            additionalProperties: false,
            properties: { url: TEXT, refreshInterval: TEXT },
          },
          insecure: {
            type: "object",
            additionalProperties: false,
            properties: { optionalAlg: FLAG, optionalKid: FLAG },
          },
        },
      },
    },
  },
};

/** Throws a `TypeError` with the faults of the options. */
export function expectKeySetOptions(value: unknown): asserts value is KeySetOptions {
  expectShape("the configuration of key sets", SCHEMA, value);
}

/** Throws a `TypeError` if an id is repeated, or a key set does not have exactly one source. */
export function expectSources({ keySets }: KeySetOptions): void {
  const ids = new Set<string>();
  for (const { id, local, remote } of keySets) {
    if (ids.has(id)) throw new TypeError(`the key set ${id} is there twice`);
    ids.add(id);
    if ((local === undefined) === (remote === undefined)) {
      throw new TypeError(`the key set ${id} must have one of local and remote`);
    }
    if (local !== undefined && (local.file === undefined) === (local.data === undefined)) {
      throw new TypeError(`the key set ${id} must have one of local.file and local.data`);
    }
  }
}

/** A duration in seconds. Throws a `TypeError` with the field's name unless the text is a positive duration. */
export function secondsOf(field: string, text: string): number {
  const duration = parseDuration(text);
  const seconds = duration === undefined ? Number.NaN : durationIn(duration, 1_000_000_000n);
  if (!(seconds > 0)) throw new TypeError(`${field} must be a duration, such as 2s or 1h`);
  return seconds;
}
