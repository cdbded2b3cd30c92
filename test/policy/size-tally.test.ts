import { expect, test } from "vitest";
import { MAX_FILE_SIZE, MAX_TOTAL_SIZE } from "../../src/limits.js";
import { SizeTally } from "../../src/policy/size-tally.js";

test("a file that is too large by itself is not held against those that come after it", () => {
  const sizes = new SizeTally("bytes");
  expect(sizes.refusal(12 * MAX_TOTAL_SIZE)).toBe(`larger than ${MAX_FILE_SIZE} bytes`);
  expect(sizes.refusal(MAX_FILE_SIZE)).toBeUndefined();
});

test("the file that is one too many, and those after it", () => {
  const sizes = new SizeTally("characters");
  for (let read = 0; read < MAX_TOTAL_SIZE; read += MAX_FILE_SIZE) {
    expect(sizes.refusal(MAX_FILE_SIZE)).toBeUndefined();
  }
  const refusal = `with this file, more than ${MAX_TOTAL_SIZE} characters`;
  expect([sizes.refusal(1), sizes.refusal(0)]).toEqual([refusal, refusal]);
});
