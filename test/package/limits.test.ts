/** The tables of limits in docs/embedding.md have the values of the code. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MAX_DEPTH } from "../../src/cel/equality.js";
import { STEP_BUDGET } from "../../src/cel/evaluation.js";
import { MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_LENGTH } from "../../src/cel/limits.js";
import { MAX_NAME_LENGTH, MAX_ROLES } from "../../src/decisions/well-formed.js";
import { LARGE_MEMBER, MAX_VALUES } from "../../src/engine/frame/copies.js";
import { MAX_MATCHING_STEPS, MAX_ROWS } from "../../src/engine/plan/limits.js";
import {
  MAX_ALIASES,
  MAX_DOCUMENTS,
  MAX_FILE_SIZE,
  MAX_FILES,
  MAX_GLOB_LENGTH,
  MAX_NESTING,
  MAX_NODES,
  MAX_TOTAL_SIZE,
} from "../../src/policy/limits.js";
import { STEP_BUDGET as VALIDATION_STEPS } from "../../src/schema/validator.js";
import { ROOT } from "../support/built.js";

const [, section = ""] = /^## Limits\n(.*?)^## /ms.exec(readFileSync(`${ROOT}docs/embedding.md`, "utf8")) ?? [];

/** The rows of the tables: the name of a limit, and its value. */
const rows = [...section.matchAll(/^\| (.+?) +\| ([\d,]+) +\|$/gm)].map(([, limit, value = ""]) => [
  limit,
  Number(value.replaceAll(",", "")),
]);

test("each limit has the value that the documents give", () => {
  expect(rows).toEqual([
    ["steps of one layer in one decision (about 100 ns each)", STEP_BUDGET],
    ["length of an id, kind, operation or role", MAX_NAME_LENGTH],
    ["roles of a key", MAX_ROLES],
    ["steps of matching the names of a request by patterns", MAX_MATCHING_STEPS],
    ["rules that apply to a key, counted for each role", MAX_ROWS],
    ["values in the attributes that a decision reads", MAX_VALUES],
    ["members of maps with more than 128 members", MAX_VALUES / LARGE_MEMBER],
    ["nesting of compared values", MAX_DEPTH],
    ["steps of one validation by a JSON Schema", VALIDATION_STEPS],
    ["characters of a file", MAX_FILE_SIZE],
    ["characters of all files", MAX_TOTAL_SIZE],
    ["files", MAX_FILES],
    ["documents of a file, with empty ones", MAX_DOCUMENTS],
    ["nesting of mappings and lists", MAX_NESTING],
    ["aliases of a document", MAX_ALIASES],
    ["nodes of a document, after aliases are resolved", MAX_NODES],
    ["characters of an expression", MAX_EXPRESSION_LENGTH],
    ["nesting of an expression", MAX_EXPRESSION_DEPTH],
    ["characters of a pattern of names", MAX_GLOB_LENGTH],
  ]);
});
