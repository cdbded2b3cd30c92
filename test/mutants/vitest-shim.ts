/**
 * The part of `vitest` that mutation testing needs. It collects tests and runs each on request, so a fresh evaluation
 * of source and tests costs milliseconds. Expectations are vitest's own.
 */

import {
  ASYMMETRIC_MATCHERS_OBJECT,
  addCustomEqualityTesters,
  ChaiStyleAssertions,
  customMatchers,
  GLOBAL_EXPECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  MATCHERS_OBJECT,
} from "@vitest/expect";
import { fn, restoreAllMocks, spyOn } from "@vitest/spy";
import * as chai from "chai";

type Body = (...given: readonly unknown[]) => unknown;

interface Options {
  readonly tags?: string | readonly string[];
  readonly skip?: boolean;
}

export interface Suite {
  readonly before: Body[];
  readonly after: Body[];
  readonly beforeEach: Body[];
  readonly afterEach: Body[];
  readonly outer: Suite | undefined;
  readonly isLeftOut: boolean;
}

export interface Collected {
  readonly body: Body;
  readonly suite: Suite;
}

const suiteIn = (outer: Suite | undefined, isLeftOut: boolean): Suite => ({
  before: [],
  after: [],
  beforeEach: [],
  afterEach: [],
  outer,
  isLeftOut,
});

let suite = suiteIn(undefined, false);
let tests: Collected[] = [];

let hasLong = true;

/** The tests that `load` declares, in order, without skipped tests; if `isShort`, also without long tests. */
export async function collected(load: () => Promise<unknown>, isShort: boolean): Promise<readonly Collected[]> {
  hasLong = !isShort;
  suite = suiteIn(undefined, false);
  tests = [];
  await load();
  return tests;
}

const isLeftOut = ({ tags = [], skip = false }: Options): boolean =>
  skip || (!hasLong && [tags].flat().includes("long"));

/** Accepts `name, body`, `name, options, body` or `name, body, timeout`. */
function read(given: readonly unknown[]): { readonly options: Options; readonly body: Body } {
  const body = given.find((one): one is Body => typeof one === "function");
  const options = given.find((one): one is Options => typeof one === "object" && one !== null) ?? {};
  if (body === undefined) throw new Error("a test without a body");
  return { options, body };
}

function test(_name: unknown, ...given: readonly unknown[]): void {
  const { options, body } = read(given);
  if (!suite.isLeftOut && !isLeftOut(options)) tests.push({ body, suite });
}

function describe(_name: unknown, ...given: readonly unknown[]): void {
  const { options, body } = read(given);
  const outer = suite;
  suite = suiteIn(outer, outer.isLeftOut || isLeftOut(options));
  try {
    if (!suite.isLeftOut) body();
  } finally {
    suite = outer;
  }
}

type Declare = (name: unknown, ...given: readonly unknown[]) => void;

function each(declare: Declare) {
  return (cases: readonly unknown[]) =>
    (name: unknown, ...given: readonly unknown[]): void => {
      const { options, body } = read(given);
      const argumentsOf = (one: unknown) => (Array.isArray(one) && cases.every(Array.isArray) ? one : [one]);
      for (const one of cases) declare(name, options, () => body(...argumentsOf(one)));
    };
}

const skipIf = (declare: Declare) => (condition: unknown) => (condition ? () => undefined : declare);

const suites = Object.assign(describe, { each: each(describe), skipIf: skipIf(describe) });
const cases = Object.assign(test, {
  each: each(test),
  for: (all: readonly unknown[]) => each(test)(all.map((one) => [one])),
  skipIf: skipIf(test),
});

export { cases as it, cases as test, suites as describe };

export const beforeAll = (body: Body): unknown => suite.before.push(body);
export const afterAll = (body: Body): unknown => suite.after.push(body);
export const beforeEach = (body: Body): unknown => suite.beforeEach.push(body);
export const afterEach = (body: Body): unknown => suite.afterEach.push(body);

for (const plugin of [JestExtend, JestChaiExpect, ChaiStyleAssertions, JestAsymmetricMatchers]) chai.use(plugin);

const asymmetric: object = Reflect.get(globalThis, ASYMMETRIC_MATCHERS_OBJECT);
const said = (value: unknown, message?: string) => chai.expect(value, message);
const extend = (matchers: object): void =>
  Reflect.apply(Reflect.get(chai.expect, "extend"), chai.expect, [expect, matchers]);
export const expect = Object.assign(said, chai.expect, asymmetric, {
  extend,
  addEqualityTesters: addCustomEqualityTesters,
  fail: (message?: string) => chai.assert.fail(message),
  unreachable: (message = "") => chai.assert.fail(`expected "${message}" not to be reached`),
});
const states: unknown = Reflect.get(globalThis, MATCHERS_OBJECT);
if (states instanceof WeakMap) states.set(expect, { assertionCalls: 0 });
Reflect.set(globalThis, GLOBAL_EXPECT, expect);
extend(customMatchers);

/** The compiler checks types, so this accepts everything. */
export const expectTypeOf = (): unknown => ANYTHING;
const ANYTHING: unknown = new Proxy(() => undefined, { get: () => ANYTHING, apply: () => ANYTHING });

export const vi = { fn, spyOn, restoreAllMocks };
