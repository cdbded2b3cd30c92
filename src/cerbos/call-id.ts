/** Makes call ids. */

/** Crockford's base 32. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A ULID, as the server uses (https://github.com/ulid/spec): 10 digits of the time in milliseconds, 16 random digits. */
export function newCallId(millis = Date.now()): string {
  let time = "";
  for (let left = millis; time.length < 10; left = Math.floor(left / 32)) time = digit(left) + time;
  let id = time;
  for (const byte of randomBytes()) id += digit(byte);
  return id;
}

const RANDOM_DIGITS = 16;

/** Random bytes for 256 ids: to ask for them costs more than to use them. */
const block = new Uint8Array(RANDOM_DIGITS * 256);
let used = block.length;

function randomBytes(): Uint8Array {
  if (used === block.length) {
    crypto.getRandomValues(block);
    used = 0;
  }
  used += RANDOM_DIGITS;
  return block.subarray(used - RANDOM_DIGITS, used);
}

/** The last base-32 digit of a number. */
function digit(value: number): string {
  return DIGITS.charAt(value % 32);
}
