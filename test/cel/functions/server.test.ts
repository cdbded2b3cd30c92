/** Every recorded answer of the PDP 0.51.0 that is not a refusal to compile, against the function library. */

import { describe, expect, test } from "vitest";
import { isEntries, typeOf } from "../../../src/cel/equality.js";
import { formatDuration, formatTimestamp } from "../../../src/cel/time.js";
import { type CelValue, Duration, isList, isMap, Opaque, Timestamp, TypeValue, Uint } from "../../../src/cel/values.js";
import answers from "../server-answers.json" with { type: "json" };
import { evaluate, newEvaluation } from "./support.js";

/** What this library answers otherwise than the server, and why. */
const DEVIATIONS = new Map([
  ['dyn([hierarchy("a")]) == dyn([1])', "cel-go takes an error between elements for equality; here they are unequal"],
  ['dyn(hierarchy("a")) != dyn(1)', "cel-go takes an error of == for != being true; here it stays an error"],
  ['dyn(spiffeTrustDomain("a")) < dyn(spiffeTrustDomain("b"))', "the server's order is reversed; here there is none"],
  ['dyn(spiffeTrustDomain("a")) < dyn("b")', "the same"],
  ['[dyn(spiffeTrustDomain("b")), dyn(spiffeTrustDomain("a"))].sort()[0].name()', "the same"],
  ['timestamp("2024-06-15T12:00:00Z").getHours("+9999999:00")', "the server's offset overflows; here it is an error"],
  ['timestamp("2024-06-15T12:00:00Z").getHours("posixrules")', "a file of the server's zone database, not a zone"],
  ['timestamp("2024-06-15T12:00:00Z").getHours("localtime")', "the same"],
  ['timestamp("2024-06-15T12:00:00Z").getHours("Factory")', "the same"],
  ['timestamp("1900-01-01T00:00:00Z").getMinutes("Europe/Amsterdam")', "before 1970 zone databases differ"],
  ['"%.10000f".format([0.1]).size()', "the precision is limited here"],
  ['"%.1000000f".format([0.1]).size()', "the precision is limited here"],
  ['"%.1000001f".format([0.1]).size()', "the precision is limited here"],
  ['"%.1001f".format([0.1]).size()', "the precision is limited here"],
]);

const INCONVERTIBLE = "<failed to convert evaluation to protobuf value>";

function toJson(value: CelValue): unknown {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return value + 0;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (value instanceof Uint) return toJson(value.value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof TypeValue || value instanceof Opaque) return INCONVERTIBLE;
  if (isList(value)) {
    const items = value.map(toJson);
    return items.includes(INCONVERTIBLE) ? INCONVERTIBLE : items;
  }
  if (!isMap(value)) return INCONVERTIBLE;
  const entries = isEntries(value) ? [...value] : Object.entries(value);
  if (entries.some(([key]) => typeof key !== "string")) return INCONVERTIBLE;
  return Object.fromEntries(entries.map(([key, item]) => [key, toJson(item)]));
}

const resource = { attr: answers.attr };

const groups = new Map<string, (typeof answers.cases)[number][]>();
for (const item of answers.cases) groups.set(item.group, [...(groups.get(item.group) ?? []), item]);

describe.each([...groups])("%s", (_name, cases) => {
  const answered = cases.filter(({ answer }) => "value" in answer || "error" in answer);
  test.each(answered.filter(({ expr }) => !DEVIATIONS.has(expr)))("$expr", ({ expr, answer, type }) => {
    const ev = newEvaluation();
    const result = evaluate(ev, expr, resource);
    if ("error" in answer) {
      expect(result, "an error").toBeUndefined();
      return;
    }
    expect(result, ev.fault).toBeDefined();
    if (result === undefined) return;
    expect(toJson(result)).toEqual(answer.value);
    if (type !== undefined) expect(typeOf(result)).toBe(type);
  });
});

test("every deviation is one", () => {
  const stale = [...DEVIATIONS.keys()].filter((expr) => {
    const item = answers.cases.find((known) => known.expr === expr);
    if (item === undefined) return true;
    const result = evaluate(newEvaluation(), expr, resource);
    const ours = result === undefined ? "error" : JSON.stringify(toJson(result));
    return ours === ("error" in item.answer ? "error" : JSON.stringify(item.answer.value));
  });
  expect(stale).toEqual([]);
});
