/** Selects the tests to run: the server's `--run` and `--test-filter`, with the server's reasons for skipped tests. */

import * as E from "fp-ts/lib/Either.js";
import { compileRegex, type Regex } from "../../cel/regex.js";
import { compileGlob } from "../../policy/glob.js";
import { quoted } from "./fixtures.js";

const DIMENSIONS = ["suite", "test", "principal", "resource", "action"] as const;

type FilterDimension = (typeof DIMENSIONS)[number];

type Globs = ReadonlyMap<FilterDimension, readonly string[]>;

/** The names of a test that a filter matches. */
export interface TestName {
  readonly suite: string;
  readonly test: string;
  readonly principal: string;
  readonly resource: string;
}

export class TestFilter {
  private readonly globs: Globs;
  private readonly words: readonly string[];
  private readonly run: Regex | undefined;

  /** `words`: the name of a suite or test must contain one of them, in any case. Without words, every name matches. */
  constructor(globs: Globs, words: readonly string[], run: Regex | undefined) {
    this.globs = globs;
    this.words = words.map((word) => word.toLowerCase());
    this.run = run;
  }

  /** The reason to skip a test; undefined if the test runs. `actions`: all actions of the test. */
  skips(name: TestName, actions: readonly string[]): string | undefined {
    if (this.run !== undefined && !this.run.test(fullName(name))) return NOT_RUN;
    if (!this.matches("suite", name.suite)) return "Suite did not match the test filter";
    if (!this.matches("test", name.test) || !this.hasWord(name)) return "Test did not match the test filter";
    if (!this.matches("principal", name.principal)) return "Principal did not match the test filter";
    if (!this.matches("resource", name.resource)) return "Resource did not match the test filter";
    return actions.some((action) => this.runs(action)) ? undefined : NO_ACTION;
  }

  /** Whether a test that runs asks for this action. */
  runs(action: string): boolean {
    return this.matches("action", action);
  }

  private hasWord({ suite, test }: TestName): boolean {
    const name = `${suite} / ${test}`.toLowerCase();
    return this.words.length === 0 || this.words.some((word) => name.includes(word));
  }

  private matches(dimension: FilterDimension, name: string): boolean {
    const globs = this.globs.get(dimension);
    return globs === undefined || globs.some((glob) => compileGlob(glob)?.(name) === true);
  }
}

export const NO_ACTION = "No actions matched the test filter";

const NOT_RUN = "Test name did not match the provided pattern";

/** Whether a filter or `--run` left the test out. False where its suite says to skip it. */
export function isLeftOut(reason: string): boolean {
  return reason === NOT_RUN || isFilterReason(reason);
}

/** Whether a filter left the test out. (The server counts tests that `--run` leaves out, so these are not included.) */
export function isFilterReason(reason: string): boolean {
  return reason === NO_ACTION || /^(Suite|Test|Principal|Resource) did not match the test filter$/.test(reason);
}

/** Runs every test. */
export const EVERY_TEST = new TestFilter(new Map(), [], undefined);

/** The name that the expression of `--run` is matched against, in the server's format. */
function fullName({ suite, test, principal, resource }: TestName): string {
  return `${suite}/test_table_name:${quoted(test)} principal_key:${quoted(principal)} resource_key:${quoted(resource)}`;
}

/**
 * Parses filter texts and a regular expression of RE2 (`--run`). Left: the fault. A text is `dimension=glob1,glob2;…`.
 * The dimensions are `suite`, `test` (in a decision suite: the case), `principal` (the key), `resource` and `action`
 * (the operation). A test must match one glob of every dimension that is given. A text without `=` is part of the name
 * of a suite or a test.
 */
export function parseFilter(texts: readonly string[], run?: string): E.Either<string, TestFilter> {
  const globs = new Map<FilterDimension, readonly string[]>();
  const given = texts.filter((each) => each.trim() !== "");
  const words = given.filter((text) => !text.includes("=")).map((text) => text.trim());
  for (const text of given.filter((each) => each.includes("="))) {
    const parts = text.split(";").filter((part) => part.trim() !== "");
    let found = 0;
    for (const part of parts) {
      const parsed = parseDimension(part.trim());
      if (E.isLeft(parsed)) return parsed;
      const { dimension, patterns } = parsed.right;
      found += patterns.length;
      if (patterns.length > 0) globs.set(dimension, [...(globs.get(dimension) ?? []), ...patterns]);
    }
    if (found === 0) return E.left("a filter must contain at least one glob pattern in at least one dimension");
  }
  const regex = run === undefined ? undefined : compileRegex(run);
  if (run !== undefined && regex === undefined) return E.left(`${quoted(run)} is not a regular expression of RE2`);
  return E.right(new TestFilter(globs, words, regex));
}

function parseDimension(part: string) {
  const equals = part.indexOf("=");
  if (equals < 0) {
    return E.left(`invalid filter dimension format ${quoted(part)}: expected 'dimension=glob1,glob2'`);
  }
  const written = part.slice(0, equals);
  const dimension = DIMENSIONS.find((each) => each === written.trim().toLowerCase());
  if (dimension === undefined) {
    return E.left(`unknown filter dimension ${quoted(written)}: valid dimensions are ${DIMENSIONS.join(", ")}`);
  }
  const patterns = part
    .slice(equals + 1)
    .split(",")
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "");
  return E.right({ dimension, patterns });
}
