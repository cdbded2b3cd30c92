/**
 * Every function and operator pays for its work. Each overload in the registry (new ones are picked up automatically)
 * is called repeatedly with the largest values of its types. The elements it reads and makes stay within the steps it
 * has paid for, plus the step that each call in a loop pays.
 *
 * @module-tag long
 */

import { describe, expect, test } from "vitest";
import { NO_OVERLOAD, type Overload } from "../../src/cel/functions/overload.js";
import { functions } from "../../src/cel/functions/registry.js";
import type { CelType } from "../../src/cel/types.js";
import {
  type CelValue,
  Duration,
  Entries,
  isList,
  isMap,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from "../../src/cel/values.js";
import { STEP_BUDGET } from "../../src/limits.js";
import { call, newEvaluation, runOverload } from "../cel/functions/support.js";
import { watched } from "../support/work.js";

const LENGTH = 300_000;
const numbers = Array.from({ length: 20_000 }, (_, i) => i);
const LONG_TEXT = "ab,".repeat(LENGTH / 3);

/** The largest values, and smaller ones for functions that refuse the largest. */
const VALUES: readonly CelValue[] = [
  LONG_TEXT,
  "a",
  "10.0.0.0/8",
  "10.1.2.3",
  "2024-01-01T00:00:00Z",
  "UTC",
  "spiffe://a.b/c",
  "%s",
  '{"a": [1, 2]}',
  new Uint8Array(LENGTH),
  numbers,
  numbers.map((n) => `text ${n}`),
  numbers.map((n) => [n]),
  Object.fromEntries(numbers.map((n) => [`name ${n}`, n])),
  new Entries(numbers.map((n) => [BigInt(n), n])),
  1.5,
  1n,
  2n ** 62n,
  new Uint(1n),
  true,
  null,
  new Timestamp(0, 0),
  new Duration(1n),
  new TypeValue("int"),
  new OptionalValue(numbers),
  ...made("hierarchy", "a.".repeat(500)),
  ...made("spiffeID", "spiffe://a.b/c"),
  ...made("spiffeTrustDomain", "spiffe://a.b"),
  ...made("spiffeMatchAny"),
  ...made("ip", "10.1.2.3"),
  ...made("cidr", "10.0.0.0/8"),
];

function made(name: string, ...args: readonly CelValue[]): readonly CelValue[] {
  const value = call(name, "global", ...args);
  return value === undefined ? [] : [value];
}

/** One step pays for reading this many elements, or this many characters. */
const ELEMENTS = 16;
const CHARACTERS = 1_024;

const nameOf = ({ name, style, params }: Overload) =>
  `${style === "member" ? "x." : ""}${name}(${params.map((param) => param.name).join(", ")})`;

/** The values of a type; for the dynamic type, a sample of all values. */
function candidates(type: CelType): readonly CelValue[] {
  return VALUES.filter((value) => type.is(value));
}

/**
 * Argument lists that use each value of each parameter at least once; the other arguments come from the front of their
 * lists.
 */
function argumentsOf({ params }: Overload): readonly (readonly CelValue[])[] {
  const pools = params.map(candidates);
  if (pools.length === 0) return [[]];
  const most = Math.max(...pools.map((pool) => pool.length));
  const shifts = pools.length === 1 ? [0] : [0, 1];
  return shifts.flatMap((shift) =>
    Array.from({ length: most }, (_, i) => pools.map((pool, at) => pool[(i + at * shift) % pool.length] ?? null)),
  );
}

class Unpaid extends Error {}

/** The elements of a result, plus its characters converted to steps. */
function sizeOf(value: CelValue): number {
  if (typeof value === "string" || value instanceof Uint8Array) return (value.length * ELEMENTS) / CHARACTERS;
  return isList(value) ? value.length : 0;
}

const CALLS_IN_A_LOOP = 3;

/** Calls the overload with these arguments until it is refused. Returns the size of the results of successful calls. */
function drive(overload: Overload, args: readonly CelValue[]): number {
  const ev = newEvaluation();
  let read = 0;
  let size = 0;
  let answered = 0;
  const given = args.map((arg) =>
    isList(arg) || (isMap(arg) && !(arg instanceof Entries))
      ? watched(arg, () => {
          if (++read > ELEMENTS * 2 * STEP_BUDGET) throw new Unpaid();
        })
      : arg,
  );
  for (let calls = 1; calls <= CALLS_IN_A_LOOP; calls++) {
    const result = runOverload(overload, ev, given);
    if (result === NO_OVERLOAD) break;
    const spent = STEP_BUDGET - Math.max(ev.steps, 0);
    if (result !== undefined) {
      answered++;
      if (!given.includes(result) && result !== numbers) size += sizeOf(result);
    }
    const paid = ELEMENTS * (spent + calls);
    expect([nameOf(overload), "read", read > paid ? read : "paid"]).toEqual([nameOf(overload), "read", "paid"]);
    expect([nameOf(overload), "made", size > paid ? size : "paid"]).toEqual([nameOf(overload), "made", "paid"]);
    if (ev.steps < 0) {
      expect(ev.fault).toBe("step budget exhausted");
      break;
    }
  }
  return answered;
}

describe("every overload", () => {
  const answering = new Set<Overload>();

  test.each(functions.map((overload) => ({ name: nameOf(overload), overload })))("$name", ({ overload }) => {
    // If this fails, a type has no value here: add one to VALUES.
    for (const param of overload.params) expect([param.name, candidates(param).length > 0]).toEqual([param.name, true]);
    const answered = argumentsOf(overload).reduce((sum, args) => sum + drive(overload, args), 0);
    if (answered > 0) answering.add(overload);
  });

  test("most of them are called with what they have an answer for", () => {
    expect(answering.size / functions.length).toBeGreaterThan(0.85);
  });
});
