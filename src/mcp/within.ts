/** A limit on the time of look-ups. */

import { MAX_DELAY } from "../policy/options.js";

/** Throws a `RangeError` for a time that no timer has. */
export function checkTimeout(timeoutMs: number): void {
  if (!(timeoutMs > 0 && timeoutMs <= MAX_DELAY)) throw new RangeError(`timeoutMs must be 1 to ${MAX_DELAY}`);
}

/** The result of a look-up. Rejects once `timeoutMs` are over. */
export async function within<T>(timeoutMs: number, lookUp: () => T | Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([lookUp(), late]);
  } finally {
    clearTimeout(timer);
  }
}
