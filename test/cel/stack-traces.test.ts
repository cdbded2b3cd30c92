import { expect, test } from "vitest";
import { withoutStackTraces } from "../../src/cel/stack-traces.js";

const framesOf = ({ stack = "" }: Error) => stack.split("\n").slice(1);

test("errors that are made within have no stack, those after it have", () => {
  expect(framesOf(withoutStackTraces(() => new Error("within")))).toEqual([]);
  expect(framesOf(new Error("after"))).not.toEqual([]);
});

test("errors after work that throws have a stack", () => {
  expect(() =>
    withoutStackTraces(() => {
      throw new Error("within");
    }),
  ).toThrow("within");
  expect(framesOf(new Error("after"))).not.toEqual([]);
});
