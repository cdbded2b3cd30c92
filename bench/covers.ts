/**
 * `covers` on the shipped policies: keys with 50 permissions and 20 workspaces, below makers with one to four roles. Needs
 * `dist/` (npm run build).
 */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CoverRequest } from "../src/index.js";
import { show, spread } from "./rounds.js";

const ROUNDS = 500;

const numbered = (count: number, word: string) => Array.from({ length: count }, (_, i) => `${word}${i}`);

function keyOf(id: string, roles: readonly string[], permissions: readonly string[]): CoverRequest["maker"] {
  const workspaceIds = numbered(20, "ws_");
  return { id, roles: [...roles], attr: { accountId: "acc_1", environment: "production", workspaceIds, permissions } };
}

export async function benchCovers(): Promise<void> {
  const load = async <T>(name: string): Promise<T> => import(pathToFileURL(join(process.cwd(), "dist", name)).href);
  const { coversInSteps } = await load<typeof import("../src/index.js")>("index.js");
  const { loadPoliciesOrThrow, shippedPolicies } = await load<typeof import("../src/node/index.js")>("node.js");
  const policies = await loadPoliciesOrThrow(shippedPolicies);

  const stepsOf = (pair: CoverRequest): readonly number[] => {
    const steps = coversInSteps(policies, pair);
    const times: number[] = [];
    for (;;) {
      const start = performance.now();
      const { done, value } = steps.next();
      times.push(performance.now() - start);
      if (done !== true) continue;
      if (!value.covered) throw new Error("the maker covers the holder");
      return times;
    }
  };
  const names = numbered(50, "api.api_").map((name) => `${name}.create_key`);
  for (const roles of [
    ["admin"],
    ["editor", "custom"],
    ["viewer", "editor", "custom"],
    ["viewer", "editor", "admin", "custom"],
  ]) {
    const maker = keyOf("maker", roles, names);
    // The permissions are in another order each time.
    const rounds = Array.from({ length: ROUNDS }, (_, i) => {
      const at = i % names.length;
      return stepsOf({ maker, holder: keyOf("holder", ["custom"], [...names.slice(at), ...names.slice(0, at)]) });
    });
    const [first = [], ...others] = rounds;
    const total = (steps: readonly number[]) => steps.reduce((sum, one) => sum + one, 0);
    // The least time of each step over the rounds: other programs on the machine only make it longer.
    const least = first.map((_, i) => Math.min(...others.map((steps) => steps[i] ?? Number.NaN)));
    console.log(
      `a maker with the roles ${roles.join(", ")}: ${show(spread(others.map(total)))} ms, the longest step ` +
        `${Math.max(...least).toFixed(2)} ms; the first time ${total(first).toFixed(0)} ms, its longest step ` +
        `${Math.max(...first).toFixed(0)} ms`,
    );
  }
}
