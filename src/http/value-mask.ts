/** Masks values of attributes in records: equal values give equal texts, and the text does not tell the value. */

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalText } from "../cel/canonical-text.js";
import type { JsonValue } from "../cel/json.js";

/** The parts of a request that have attributes. */
export type MaskedPart = "key" | "account" | "resource";

/** An attribute to mask, such as `key.attr.email`. */
export type MaskedField = `${MaskedPart}.attr.${string}`;

/** Shorter salts can be guessed, and with them the values. */
const MIN_SALT = 16;

const FIELD = /^(?:key|account|resource)\.attr\../s;

/** Masks chosen attributes. */
export class ValueMask {
  private readonly fields: ReadonlySet<string>;
  private readonly salt: Uint8Array;

  /** Throws a `TypeError` for a field other than an attribute, and for fields with a salt of less than 16 characters. */
  constructor(fields: readonly MaskedField[] = [], salt = "") {
    const wrong = fields.find((field) => !FIELD.test(field));
    if (wrong !== undefined) {
      throw new TypeError(`keyward: mask must name attributes, such as key.attr.email: ${JSON.stringify(wrong)}`);
    }
    if (fields.length > 0 && salt.length < MIN_SALT) {
      throw new TypeError(`keyward: mask needs a salt of at least ${MIN_SALT} characters`);
    }
    this.fields = new Set(fields);
    this.salt = utf8ToBytes(salt);
  }

  /** `hmac-sha256:` and the HMAC-SHA-256 of the value in hexadecimal digits; undefined if it is not to be masked. */
  of(part: MaskedPart, name: string, value: JsonValue): string | undefined {
    if (!this.fields.has(`${part}.attr.${name}`)) return undefined;
    return `hmac-sha256:${bytesToHex(hmac(sha256, this.salt, utf8ToBytes(canonicalText(value))))}`;
  }
}
