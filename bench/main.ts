/**
 * Benchmarks: `npm run bench` runs all; `npm run bench -- decide` (or `cliffs`, `covers`, `scale`, `suites`, `import`,
 * `lists`, `review`, `hold`, `hostile`, `size`, `command`, `replay`, `peers`, `cedar`, `loadtest`, `serve`, `soak`, `instructions`)
 * runs one.
 *
 * Results are ratios to a reference measured in the same run, with their spread over the rounds. Absolute times are for
 * orientation only.
 */

import { benchCedar } from "./cedar.js";
import { benchCliffs } from "./cliffs.js";
import { benchCommand } from "./command.js";
import { benchCovers } from "./covers.js";
import { benchDecide } from "./decide.js";
import { benchDecider } from "./decider.js";
import { benchHold } from "./hold.js";
import { benchHostile } from "./hostile.js";
import { benchImport } from "./import.js";
import { benchInstructions } from "./instructions.js";
import { benchLists } from "./lists.js";
import { benchLoadtest } from "./loadtest.js";
import { benchPeers } from "./peers.js";
import { benchReplay } from "./replay.js";
import { benchReview } from "./review.js";
import { benchScale } from "./scale.js";
import { benchServe, benchSoak } from "./serve.js";
import { benchSize } from "./size.js";
import { benchSuites } from "./suites.js";

const benches: { readonly [name: string]: () => Promise<void> } = {
  decide: benchDecide,
  decider: benchDecider,
  cliffs: benchCliffs,
  covers: benchCovers,
  scale: benchScale,
  suites: benchSuites,
  import: benchImport,
  lists: benchLists,
  review: benchReview,
  hold: benchHold,
  hostile: benchHostile,
  size: benchSize,
  command: benchCommand,
  replay: benchReplay,
  peers: benchPeers,
  cedar: benchCedar,
  loadtest: benchLoadtest,
  serve: benchServe,
  soak: benchSoak,
  instructions: benchInstructions,
};

const chosen = process.argv.slice(2);
for (const name of chosen.length === 0 ? Object.keys(benches) : chosen) {
  const bench = benches[name];
  if (bench === undefined) throw new Error(`there is no benchmark ${name}: ${Object.keys(benches).join(", ")}`);
  console.log(`\n# ${name}\n`);
  await bench();
}
