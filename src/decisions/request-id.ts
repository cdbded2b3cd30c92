/** Request identifiers (docs/contract.md §7.1). */

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH = 22;

/** Random bytes that no identifier has used yet. Asking for many at once takes hardly longer than asking for a few. */
const pool = new Uint8Array(1_024);
let used = pool.length;

/** A new request identifier: `req_` and 22 random letters and digits (about 131 bits, from the platform's CSPRNG). */
export function requestId(): string {
  let id = "req_";
  while (id.length < LENGTH + 4) {
    if (used === pool.length) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const byte = pool[used++] ?? 255;
    // 248 is the largest multiple of 62 in a byte: taking more would make some characters likelier than others.
    if (byte < 248) id += ALPHABET[byte % ALPHABET.length] ?? "";
  }
  return id;
}
