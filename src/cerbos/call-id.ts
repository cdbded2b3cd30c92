/** Makes call ids. */

/** Crockford's base 32. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A ULID, as the server uses (https://github.com/ulid/spec): 10 digits of the time in milliseconds, 16 random digits. */
export function newCallId(millis = Date.now()): string {
  let time = "";
  for (let left = millis; time.length < 10; left = Math.floor(left / 32)) time = digit(left) + time;
  return time + Array.from(crypto.getRandomValues(new Uint8Array(16)), digit).join("");
}

/** The last base-32 digit of a number. */
function digit(value: number): string {
  return DIGITS.charAt(value % 32);
}
