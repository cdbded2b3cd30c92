/**
 * Benchmarks: `npm run bench` for all, `npm run bench -- decide` (or `cliffs`, `scale`, `suites`, `import`, `lists`, `review`)
 * for one.
 *
 * Figures are ratios against something measured in the same run, with their spread over the rounds; absolute times
 * are for orientation only.
 */

import { benchCliffs } from "./cliffs.js";
import { benchDecide } from "./decide.js";
import { benchDecider } from "./decider.js";
import { benchImport } from "./import.js";
import { benchLists } from "./lists.js";
import { benchReview } from "./review.js";
import { benchScale } from "./scale.js";
import { benchSuites } from "./suites.js";

const benches: { readonly [name: string]: () => Promise<void> } = {
  decide: benchDecide,
  decider: benchDecider,
  cliffs: benchCliffs,
  scale: benchScale,
  suites: benchSuites,
  import: benchImport,
  lists: benchLists,
  review: benchReview,
};

const chosen = process.argv.slice(2);
for (const name of chosen.length === 0 ? Object.keys(benches) : chosen) {
  const bench = benches[name];
  if (bench === undefined) throw new Error(`there is no benchmark ${name}: ${Object.keys(benches).join(", ")}`);
  console.log(`\n# ${name}\n`);
  await bench();
}
