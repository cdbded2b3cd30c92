/** Apart from the command, which loads what runs tests: the usage is shown without it. */

import { POLICY_USAGE } from "../policy-options.js";

export const TEST_USAGE =
  `keyward test DIR ${POLICY_USAGE} [--tests DIR]\n` +
  "      [--output tree|list|json|junit|github|sarif] [--verbose] [--filter TEXT]... [--run REGEX]\n" +
  "      [--ignore-schemas] [--skip-batching] [--coverage text|json|lcov] [--coverage-file FILE] [--min-coverage N]\n" +
  "      [--pass-with-no-tests] [--watch]";
