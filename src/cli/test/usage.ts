/** Separate from the command, which loads the test runner: help is shown without loading it. */

import { REPORT_FORMATS } from "../findings/print.js";
import { DIR_OPTIONS } from "../policy-options.js";
import { formatOption, type Usage } from "../usage.js";

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
    tests: { value: "DIR", does: "the directory of the suites (default: that of the policies)" },
    format: formatOption(OUTPUTS),
    output: {
      value: "FILE",
      does: "write the results to a file instead of standard output (-); the name of a format is read as --format",
    },
    verbose: { does: "also show tests that passed" },
    filter: FILTER,
    "test-filter": { ...FILTER, does: "the server's name of --filter" },
    run: { value: "REGEX", does: "run only suites and tests that match, as on the server" },
    "ignore-schemas": { does: "do not validate attributes against the schemas of the policies" },
    "skip-batching": { does: "check each action by itself" },
    coverage: { value: COVERAGES.join("|"), does: "report which rules, conditions and operands decide in the tests" },
    "coverage-file": { value: "FILE", does: "write the coverage report to a file" },
    "min-coverage": { value: "N", does: "exit with 4 if the tests reach less than N percent" },
    "pass-with-no-tests": { does: "exit with 0 if there are no suites" },
    watch: { does: "run again when a file changes" },
    ...DIR_OPTIONS,
  },
};
