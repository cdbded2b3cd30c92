/** Apart from the command, which loads what runs tests: the usage is shown without it. */

export const TEST_USAGE =
  "keyward test DIR [--tests DIR] [--output tree|list|json|junit] [--verbose] [--filter TEXT]... [--run REGEX]\n" +
  "      [--ignore-schemas] [--skip-batching] [--coverage text|json|lcov] [--coverage-file FILE] [--min-coverage N] [--watch]";
