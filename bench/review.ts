/** A review of 500 policies, from files to page. Needs `dist/` (npm run build). */

import { reviewHtml } from "../src/audit/review/html/page.js";
import { reviewMarkdown } from "../src/audit/review/markdown.js";
import { review } from "../src/audit/review/review.js";
import { compilePolicies } from "../src/index.js";
import { reviewPanel } from "../src/node/index.js";
import { manyPolicies } from "../test/support/many.js";
import { show, spread } from "./rounds.js";

const POLICIES = 500;
const ROUNDS = 5;

export async function benchReview(): Promise<void> {
  const files = manyPolicies(POLICIES);
  const panel = await reviewPanel();
  const times: number[] = [];
  const cpu: number[] = [];
  let sizes = "";
  for (let i = 0; i < ROUNDS; i++) {
    const start = performance.now();
    const used = process.cpuUsage();
    const compiled = compilePolicies(files);
    if (compiled._tag === "Left") throw new Error(JSON.stringify(compiled.left[0]));
    const facts = await review(compiled.right, { date: new Date(0) });
    const page = await reviewHtml(compiled.right, facts, { panel });
    times.push((performance.now() - start) / 1000);
    const { user, system } = process.cpuUsage(used);
    cpu.push((user + system) / 1e6);
    const megabytes = (text: string) => (Buffer.byteLength(text) / 1e6).toFixed(2);
    sizes = `HTML ${megabytes(page)} MB, Markdown ${megabytes(reviewMarkdown(facts))} MB, JSON ${megabytes(JSON.stringify(facts))} MB`;
    if (i === 0)
      console.log(
        `${facts.operations.length} operations, ${facts.rules.length} rules, ${facts.findings.length} findings`,
      );
  }
  console.log(
    `${POLICIES} policies loaded, reviewed and written in ${show(spread(times), 2)} s; ${show(spread(cpu), 2)} s of processor time`,
  );
  console.log(sizes);
}
