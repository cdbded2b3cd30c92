// Decides the example requests by the shipped policies. Prints for each the outcome, the reasons, and the error body
// for the caller.
import { readFileSync } from "node:fs";
import { decide, errorBody, requestId } from "../dist/index.js";
import { loadPolicies } from "../dist/node.js";

const root = new URL("..", import.meta.url);
const loaded = await loadPolicies(new URL("policies", root).pathname)();
if (loaded._tag === "Left") {
  for (const { file, line, column, message } of loaded.left) console.error(`${file}:${line}:${column} ${message}`);
  process.exit(3);
}

const lines = readFileSync(new URL("examples/requests.jsonl", root), "utf8").trim().split("\n");
let unexpected = 0;
for (const line of lines) {
  const { example, expect, reasons, ...request } = JSON.parse(line);
  const decision = decide(loaded.right, request);
  const verdict = decision.outcome === "insufficient_permissions" ? decision.permission : decision.platform;
  const given = verdict.reasons.map(({ reason }) => reason);
  const asExpected = decision.outcome === expect && (reasons ?? given).join() === given.join();
  if (!asExpected) unexpected++;
  console.log(`${asExpected ? "" : "UNEXPECTED "}${example}`);
  console.log(`  ${request.operation} -> ${decision.outcome}  (${given.join(", ")})`);
  const body = errorBody(decision, { requestId: requestId(), docsUrl: "docs.example.com" });
  if (body !== undefined) console.log(`  ${JSON.stringify(body)}`);
  console.log();
}
console.log(`${lines.length} requests decided, ${unexpected} unexpected`);
process.exitCode = unexpected === 0 ? 0 : 4;
