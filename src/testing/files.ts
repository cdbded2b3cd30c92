/** Tells test suites, and the files that may be their fixtures, by their paths. */

/** The text of files by path: relative to the directory of the suites, with `/` between parts. */
export type SuiteFiles = ReadonlyMap<string, string>;

const READABLE = /\.(ya?ml|json)$/i;

/**
 * Cerbos's suites: `*_test.yaml`, `.yml` or `.json` in any directory, including hidden ones, except below a `testdata`
 * directory. The server selects the same files.
 */
export function isCerbosSuite(path: string): boolean {
  return /_test\.(ya?ml|json)$/i.test(path) && !isTestData(path);
}

/** Decision suites: `*.decisions.yaml`, `.yml` or `.json` in any directory. */
export function isDecisionSuite(path: string): boolean {
  return /\.decisions\.(ya?ml|json)$/i.test(path);
}

/** Whether tests may need a file: a suite, or a file in a `testdata` directory. */
export function isTestFile(path: string): boolean {
  return READABLE.test(path) && (isTestData(path) || isCerbosSuite(path) || isDecisionSuite(path));
}

function isTestData(path: string): boolean {
  return path.split("/").slice(0, -1).includes("testdata");
}
