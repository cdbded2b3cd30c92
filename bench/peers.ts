/** Sixteen rules decided by hand, by keyward, by other in-process engines, and by the Cerbos server. */

import { candidates, hand } from "./peers/candidates.js";
import { install } from "./peers/packages.js";
import { requests } from "./peers/workload.js";
import { sideBySide } from "./side-by-side.js";

const REQUESTS = 40_000;
const ROUNDS = 15;

export async function benchPeers(): Promise<void> {
  install();
  console.log("16 rules; 200 keys");
  await sideBySide(hand(), await candidates(), requests(REQUESTS), ROUNDS);
}
