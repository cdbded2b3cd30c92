/** IPv4 addresses as numbers. */

const DOT = 46;
const ZERO = 48;

/** The 32 bits of an address in four decimal numbers without leading zeros; -1 for anything else. */
export function readIPv4(text: string): number {
  let address = 0;
  let part = -1;
  let parts = 1;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    const digit = char - ZERO;
    if (char === DOT) {
      if (part < 0 || parts === 4) return -1;
      address = address * 256 + part;
      part = -1;
      parts++;
    } else if (digit >= 0 && digit <= 9 && part !== 0) {
      part = part < 0 ? digit : part * 10 + digit;
      if (part > 255) return -1;
    } else {
      return -1;
    }
  }
  return part < 0 || parts !== 4 ? -1 : address * 256 + part;
}
