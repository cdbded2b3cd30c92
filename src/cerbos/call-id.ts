/** Ids of calls. */

/** Crockford's base 32. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A ULID (https://github.com/ulid/spec): 10 digits of the time in milliseconds, 16 random ones. The server's are ULIDs. */
export function newCallId(millis = Date.now()): string {
  let time = "";
  for (let left = millis; time.length < 10; left = Math.floor(left / 32)) time = digit(left) + time;
  return time + Array.from(crypto.getRandomValues(new Uint8Array(16)), digit).join("");
}

/** The last digit of a number. */
function digit(value: number): string {
  return DIGITS.charAt(value % 32);
}
