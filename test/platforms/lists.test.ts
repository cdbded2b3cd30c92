/**
 * The programs in docs/lists.md, run with SQLite.
 *
 * @module-tag long
 */

import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { BUILT, ROOT } from "../support/built.js";
import { blocks } from "../support/documents.js";

describe.skipIf(!BUILT)("programs of docs/lists.md (skipped without dist/: npm run build)", () => {
  const printed = blocks("docs/lists.md", "text");
  test.each(blocks("docs/lists.md", "js").map(([where, block], i) => [where, block, printed[i]?.[1]] as const))(
    "%s prints the text below it",
    (_, block, text) => {
      // Packages are resolved from the working directory.
      const options = { cwd: `${ROOT}test/platforms`, encoding: "utf8" } as const;
      expect(execFileSync(process.execPath, ["--input-type=module", "--eval", block], options)).toBe(text);
    },
  );
});
