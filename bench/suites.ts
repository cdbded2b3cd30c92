/** `keyward test`: 10,000 test cases of each kind of suite on the shipped policies, from text to report. */

import { fileURLToPath } from "node:url";
import { isLeft } from "fp-ts/lib/Either.js";
import { readPolicyDirectory } from "../src/node/directory.js";
import { readSuiteDirectory, runSuites, type SuiteFiles } from "../src/testing/index.js";

const CASES = 10_000;
const FIXTURES = "testdata/service.fixtures.yaml";

/** A suite with cases that differ only in a number that no policy reads. */
function decisions(fixtures: string): SuiteFiles {
  const cases = Array.from(
    { length: CASES },
    (_, i) =>
      `  - { name: "${i}", operation: keys.createKey, with: { account: { usage: { keys: ${i % 200} } } }, expect: ${i % 200 < 100 ? "allow" : "forbidden"} }\n`,
  );
  const head = `name: many\nfixtures: [${FIXTURES.slice(9)}]\ndefaults: { key: admin, account: pro, resource: api }\ncases:\n`;
  return new Map([
    [FIXTURES, fixtures],
    ["testdata/many.decisions.yaml", head + cases.join("")],
  ]);
}

/** A matrix of 100 keys and 50 APIs, with two actions. */
function matrix(): SuiteFiles {
  const place = "accountId: acc_1, environment: production";
  const keys = Array.from(
    { length: 100 },
    (_, i) => `  k${i}: { id: k${i}, roles: [editor], attr: { ${place}, workspaceIds: [ws_${i}], permissions: [] } }\n`,
  );
  const rest = "system: false, deleteProtection: false, state: active, keyCount: 0";
  const apis = Array.from(
    { length: 50 },
    (_, i) => `  r${i}: { id: api_${i}, kind: api, attr: { ${place}, workspaceId: ws_${i}, ${rest} } }\n`,
  );
  const names = (list: readonly string[]) => list.map((text) => text.trim().split(":")[0]).join(", ");
  const input = `{ principals: [${names(keys)}], resources: [${names(apis)}], actions: [apis.getApi, keys.createKey] }`;
  const expected = apis
    .map(
      (_, i) =>
        `      - { principal: k${i}, resource: r${i}, actions: { apis.getApi: EFFECT_ALLOW, keys.createKey: EFFECT_ALLOW } }\n`,
    )
    .join("");
  const text = `name: matrix\nprincipals:\n${keys.join("")}resources:\n${apis.join("")}tests:\n  - name: all\n    input: ${input}\n    expected:\n${expected}`;
  return new Map([["matrix_test.yaml", text]]);
}

export async function benchSuites(): Promise<void> {
  const directory = fileURLToPath(new URL("../../policies", import.meta.url));
  const [policies, shipped] = [await readPolicyDirectory(directory)(), await readSuiteDirectory(directory)()];
  if (isLeft(policies) || isLeft(shipped)) throw new Error("the shipped policies cannot be read");
  const suites: readonly (readonly [string, SuiteFiles])[] = [
    ["the shipped suites", shipped.right],
    ["10,000 decisions", decisions(shipped.right.get(FIXTURES) ?? "")],
    ["10,000 actions of a Cerbos matrix", matrix()],
  ];
  for (const [name, files] of suites) {
    for (const coverage of [false, true]) {
      const [start, cpu] = [performance.now(), process.cpuUsage()];
      const report = runSuites(policies.right, files, { coverage });
      const seconds = (performance.now() - start) / 1000;
      const { user, system } = process.cpuUsage(cpu);
      const busy = ((user + system) / 1e6).toFixed(2);
      if (isLeft(report)) throw new Error("the suites cannot be run");
      const { overallResult, testsCount } = report.right.summary;
      if (overallResult !== "RESULT_PASSED") throw new Error(`${name}: ${overallResult}`);
      console.log(
        `${name}${coverage ? ", with coverage" : ""}: ${testsCount} tests, ${seconds.toFixed(2)} s (${busy} s of CPU)`,
      );
    }
  }
}
