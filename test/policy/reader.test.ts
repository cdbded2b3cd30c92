/** Reading files again after a change gives the same result as a first reading, and reads only the changed files. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { pack } from "../../src/bundle/pack.js";
import { compileWith } from "../../src/decisions/policy-set.js";
import { compilePolicies, type PolicyFile } from "../../src/index.js";
import { PolicyReader, parsePolicyFiles } from "../../src/policy/parse.js";
import { shippedFiles } from "../support/policies.js";
import { sized } from "../support/size.js";
import { callsOf } from "../support/work.js";
import "../support/seed.js";

type Compiled = ReturnType<typeof compilePolicies>;

function told(compiled: Compiled): unknown {
  return compiled._tag === "Left" ? compiled.left : [pack(compiled.right), compiled.right.warnings];
}

/** Leaves out, doubles or damages lines of a file, or removes or renames the file. */
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;
const edit = fc.record({
  file: fc.nat(),
  line: fc.nat(),
  how: fc.constantFrom("mend", "mend", "cut", "double", "spoil", "rename", "remove", "many faults"),
});

function edited(files: readonly PolicyFile[], { file, line, how }: Edit) {
  const at = file % files.length;
  const { path, text } = files[at] ?? { path: "", text: "" };
  const lines = text.split("\n");
  const n = line % lines.length;
  const whole = shippedFiles.find((each) => each.path === path)?.text ?? text;
  const changed: { readonly [how: string]: PolicyFile | undefined } = {
    mend: { path, text: whole },
    cut: { path, text: lines.toSpliced(n, 1).join("\n") },
    double: { path, text: lines.toSpliced(n, 0, lines[n] ?? "").join("\n") },
    spoil: { path, text: lines.toSpliced(n, 1, `${lines[n] ?? ""} && `).join("\n") },
    rename: { path: `other-${path.replace("/", "-")}`, text },
    "many faults": { path, text: text.replaceAll(/^( +- name: ).*$/gm, "$1[]").replaceAll(/expr: .*$/gm, "expr: '('") },
  };
  const one = changed[how];
  return files.toSpliced(at, 1, ...(one === undefined ? [] : [one]));
}

// Long because each step reads the set twice; it proves that cached files are never stale.
test("after any edits, the same policies and the same issues", { tags: "long" }, () => {
  const counts = { Left: 0, Right: 0 };
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
      const reader = new PolicyReader();
      let files: readonly PolicyFile[] = shippedFiles;
      compileWith(reader, files, {});
      for (const one of edits) {
        files = edited(files, one);
        const again = compileWith(reader, files, {});
        counts[again._tag] += 1;
        expect(told(again)).toEqual(told(compilePolicies(files)));
      }
    }),
    { numRuns: sized(200) },
  );
  expect(Math.min(counts.Left, counts.Right)).toBeGreaterThanOrEqual(sized(100));
});

test("a file that has not changed is not read again", () => {
  const reader = new PolicyReader();
  reader.read(shippedFiles);
  const [first, ...others] = shippedFiles.filter(({ path }) => path === "permissions/workspace.yaml");
  expect(others).toEqual([]);
  const files = shippedFiles.map((file) => (file === first ? { ...file, text: `# changed\n${file.text}` } : file));
  const again = callsOf(() => reader.read(files));
  const anew = callsOf(() => parsePolicyFiles(files));
  expect(again * 3).toBeLessThan(anew);
});
