/**
 * In the suites of the shipped policies every operand decides alone.
 *
 * @module-tag long
 */

import { isLeft } from "fp-ts/lib/Either.js";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { PolicyFile } from "../../src/index.js";
import {
  coverageLines,
  readSuiteDirectory,
  runSuites,
  type SuiteFiles,
  type TestReport,
} from "../../src/testing/index.js";
import { SHIPPED_ROOT, shippedFiles } from "../support/policies.js";

const EXPRESSION =
  'V.in_reach && hasIntersection(P.attr.permissions, ["api.*.delete_api", "api." + R.id + ".delete_api"])';
const WITHOUT = EXPRESSION.replace("V.in_reach && ", "");

async function suites(): Promise<SuiteFiles> {
  const read = await readSuiteDirectory(SHIPPED_ROOT)();
  if (isLeft(read)) throw new Error("the suites cannot be read");
  return read.right;
}

function reportOf(files: readonly PolicyFile[], read: SuiteFiles): TestReport {
  const report = runSuites(files, read, { coverage: true });
  if (isLeft(report)) throw new Error(JSON.stringify(report.left));
  return report.right;
}

test("suites that do not notice that V.in_reach is left out are not at 100 %", async () => {
  const read = await suites();
  const mutant = shippedFiles.map((file) => ({ ...file, text: file.text.replace(EXPRESSION, WITHOUT) }));
  const noticing = reportOf(mutant, read).decisionSuites.flatMap(({ tests }) =>
    tests.filter(({ result }) => result !== "RESULT_PASSED").map((one) => one.case),
  );
  expect(noticing.length).toBeGreaterThan(0);
  const fewer = new Map([...read].map(([path, text]) => [path, without(path, text, new Set(noticing))]));
  expect(reportOf(mutant, fewer).summary.overallResult).toBe("RESULT_PASSED");
  const { summary, coverage } = reportOf(shippedFiles, fewer);
  expect(summary.overallResult).toBe("RESULT_PASSED");
  expect(coverage?.percent).toBeLessThan(100);
  expect(coverage === undefined ? [] : coverageLines(coverage)).toContainEqual(
    expect.stringMatching(
      /^permissions\/api.yaml:123:17 operand of permission_to_delete_api `V.in_reach`: never decided/,
    ),
  );
});

/** The suite without the cases of these names. */
function without(path: string, text: string, names: ReadonlySet<string>): string {
  if (!path.endsWith(".decisions.yaml")) return text;
  const document: { readonly cases: readonly { readonly name: string }[] } = parse(text);
  return stringify({ ...document, cases: document.cases.filter(({ name }) => !names.has(name)) });
}

test("one operand cannot decide alone: the schemas allow no environment that it refuses", async () => {
  const { coverage } = reportOf(shippedFiles, await suites());
  expect(coverage?.percent).toBe(100);
  const exempt = coverage?.points.filter((point) => point.kind === "operand" && point.unreachable.length > 0);
  expect(exempt).toMatchObject([{ name: "same_environment", unreachable: [false] }]);
});
