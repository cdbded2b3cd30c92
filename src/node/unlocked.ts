/** Tells those who operate a program in production that its policies have no lock. */

import { emitWarning, env } from "node:process";

let isTold = false;

/**
 * Emits a process warning (`KEYWARD_UNLOCKED`), once in a process, if `NODE_ENV` is `production`. Without a lock, a set
 * with a file that was lost or cut may load, and allow more.
 */
export function warnUnlocked(directory: string): void {
  if (isTold || env.NODE_ENV !== "production") return;
  isTold = true;
  emitWarning(`the policies in ${directory} have no lock: a lost or cut file would not be noticed`, {
    type: "KeywardWarning",
    code: "KEYWARD_UNLOCKED",
    detail: 'Write one with `keyward lock`, or pass { lock: "ignored" } if something else keeps the set whole.',
  });
}
