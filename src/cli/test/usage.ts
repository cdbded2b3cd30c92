/** Separate from the command, which loads the test runner: help is shown without loading it. */

import { REPORT_FORMATS } from "../findings/print.js";
import { POLICY_OPTIONS } from "../policy-options.js";
import type { Usage } from "../usage.js";

export const OUTPUTS = ["tree", "list", "json", "junit", ...REPORT_FORMATS] as const;
export const COVERAGES = ["text", "json", "lcov"] as const;

const FILTER = {
  value: "TEXT",
  multiple: true,
  does: "run only suites or tests with this in their name (may be repeated)",
};

export const TEST: Usage = {
  name: "test",
  takes: ["DIR"],
  does: "Runs the test suites in DIR (Cerbos's *_test.yaml, and *.decisions.yaml) on the policies in DIR.",
  options: {
    tests: { value: "DIR", does: "the directory of the suites, that of the policies unless it is given" },
    output: { value: OUTPUTS.join("|"), does: "the form of the results, tree unless it is given" },
    verbose: { does: "show what passed as well" },
    filter: FILTER,
    "test-filter": { ...FILTER, does: "the server's name of --filter" },
    run: { value: "REGEX", does: "run only what this matches, as on the server" },
    "ignore-schemas": { does: "do not hold attributes against the schemas of the policies" },
    "skip-batching": { does: "check each action by itself" },
    coverage: { value: COVERAGES.join("|"), does: "say what the tests reach" },
    "coverage-file": { value: "FILE", does: "write that to a file" },
    "min-coverage": { value: "N", does: "end with 4 where the tests reach less than N percent" },
    "pass-with-no-tests": { does: "end with 0 where there are no suites" },
    watch: { does: "run again whenever a file has changed" },
    ...POLICY_OPTIONS,
  },
};
