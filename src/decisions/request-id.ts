/** Request identifiers (docs/contract.md §7.1). */

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH = 22;

/** A new request identifier: `req_` and 22 random letters and digits (about 131 bits, from the platform's CSPRNG). */
export function requestId(): string {
  let id = "req_";
  while (id.length < LENGTH + 4) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH))) {
      // 248 is the largest multiple of 62 in a byte: taking more would make some characters likelier than others.
      if (byte < 248 && id.length < LENGTH + 4) id += ALPHABET[byte % ALPHABET.length] ?? "";
    }
  }
  return id;
}
