/** The tables of limits in docs/embedding.md have the values of `src/limits.ts`. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as LIMITS from "../../src/limits.js";
import { ROOT } from "../support/built.js";

const [, section = ""] = /^## Limits\n(.*?)^## /ms.exec(readFileSync(`${ROOT}docs/embedding.md`, "utf8")) ?? [];

/** The rows of the tables: the name of a limit, and its value. */
const rows = [...section.matchAll(/^\| (.+?) +\| ([\d,]+) +\|$/gm)].map(([, limit, value = ""]) => [
  limit,
  Number(value.replaceAll(",", "")),
]);

/** Limits that no reasonable policy meets: the tables do not have them. */
const BESIDE: readonly (keyof typeof LIMITS)[] = ["MAX_ERRORS_PER_FILE", "MAX_LOCK_SIZE", "MAX_SCOPE_DEPTH"];

test("each limit has the value that the documents give", () => {
  expect(rows).toEqual([
    ["steps of one layer in one decision (about 100 ns each)", LIMITS.STEP_BUDGET],
    ["length of an id, kind, operation or role", LIMITS.MAX_NAME_LENGTH],
    ["roles of a key", LIMITS.MAX_ROLES],
    ["steps of matching the names of a request by patterns", LIMITS.MAX_MATCHING_STEPS],
    ["rules that apply to a key, counted for each role", LIMITS.MAX_ROWS],
    ["values in the attributes that a decision reads", LIMITS.MAX_VALUES],
    ["members of maps with more than 128 members", LIMITS.MAX_VALUES / LIMITS.LARGE_MEMBER],
    ["nesting of compared values", LIMITS.MAX_COMPARED_DEPTH],
    ["steps of one validation by a JSON Schema", LIMITS.VALIDATION_BUDGET],
    ["characters of a file", LIMITS.MAX_FILE_SIZE],
    ["characters of all files", LIMITS.MAX_TOTAL_SIZE],
    ["files", LIMITS.MAX_FILES],
    ["documents of a file, with empty ones", LIMITS.MAX_DOCUMENTS],
    ["nesting of mappings and lists", LIMITS.MAX_NESTING],
    ["aliases of a document", LIMITS.MAX_ALIASES],
    ["nodes of a document, after aliases are resolved", LIMITS.MAX_NODES],
    ["characters of an expression", LIMITS.MAX_EXPRESSION_LENGTH],
    ["nesting of an expression", LIMITS.MAX_EXPRESSION_DEPTH],
    ["characters of a pattern of names", LIMITS.MAX_GLOB_LENGTH],
  ]);
  // A row for each, but for those; a new limit needs a row.
  expect(Object.keys(LIMITS)).toHaveLength(rows.length + BESIDE.length);
});
