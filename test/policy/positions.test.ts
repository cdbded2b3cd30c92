import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { IssueLog } from "../../src/policy/issue-log.js";
import { scalarOffset } from "../../src/policy/text/offsets.js";
import { Source } from "../../src/policy/text/source.js";
import type { ScalarNode, TreeNode } from "../../src/policy/text/tree.js";
import { parseYaml } from "../../src/policy/text/yaml.js";
import "../support/seed.js";
import { sized } from "../support/size.js";

/** The value of the field `expr` of a document, as a scalar with its position. */
function scalarOf(text: string): ScalarNode {
  const log = new IssueLog();
  const tree = parseYaml(new Source("a.yaml", text), log);
  expect(log.issues).toEqual([]);
  const node = inner(inner(tree, "rule"), "expr");
  if (node?.kind !== "scalar") throw new Error("the document has no scalar at rule.expr");
  return node;
}

function inner(node: TreeNode | undefined, name: string): TreeNode | undefined {
  return node?.kind === "map" ? node.entries.get(name)?.value : undefined;
}

const word = fc.string({ unit: fc.constantFrom(..."abPR.=&|()[]\"'+é😀!?x1:,#-"), minLength: 1, maxLength: 8 });
const words = fc.array(word, { minLength: 1, maxLength: 8 });
const lines = fc.array(
  words.map((each) => each.join(" ")),
  { minLength: 1, maxLength: 5 },
);
const newline = fc.constantFrom("\n", "\r\n");

/**
 * Expects every character of the value, except white space, at its mapped position; an escaped character is at its
 * backslash.
 */
function expectSameCharacters(text: string, node: ScalarNode, alternative = ""): void {
  const value = String(node.data);
  for (let i = 0; i < value.length; i++) {
    const c = value[i] ?? "";
    if (/\s/.test(c)) continue;
    const found = text[scalarOffset(text, node, i)];
    const what = `offset ${i} of ${JSON.stringify(value)} in ${JSON.stringify(text)}`;
    expect([c, alternative], what).toContain(found);
  }
}

describe("where a character of a scalar stands in the file", { tags: "long" }, () => {
  test("plain, on one line and on several", () => {
    const plain = fc.array(
      fc.string({ unit: fc.constantFrom(..."abPR.=&()+é😀"), minLength: 1 }).map((w) => `R${w}`),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(fc.array(plain, { minLength: 1, maxLength: 4 }), newline, fc.nat(2), (parts, eol, blank) => {
        const glue = `${eol.repeat(blank + 1)}      `;
        const text = `rule:${eol}  expr: ${parts.map((p) => p.join(" ")).join(glue)}  # comment${eol}  next: 1${eol}`;
        expectSameCharacters(text, scalarOf(text));
      }),
    );
  });

  test("single-quoted, with quotes in it and line breaks", () => {
    fc.assert(
      fc.property(lines, newline, fc.nat(2), (parts, eol, blank) => {
        const quoted = parts.map((part) => part.replaceAll("'", "''")).join(`  ${eol.repeat(blank + 1)}     `);
        const text = `rule:${eol}  expr: '${quoted}'${eol}`;
        expectSameCharacters(text, scalarOf(text));
      }),
    );
  });

  test("double-quoted, with escapes and line breaks", () => {
    fc.assert(
      fc.property(lines, newline, fc.constantFrom("fold", "join", "escape"), (parts, eol, how) => {
        const escaped = parts.map((part) => part.replaceAll(/["\\]/g, "\\$&"));
        const glue = { fold: `  ${eol}     `, join: `\\${eol}     `, escape: "\\n\\t\\x20\\u0020" }[how];
        const text = `rule:${eol}  expr: "${escaped.join(glue)}"${eol}`;
        expectSameCharacters(text, scalarOf(text), "\\");
      }),
    );
  });

  test("JSON text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        const text = JSON.stringify({ rule: { expr: `R${value}` } }, null, 2).replaceAll(/\p{Cc}/gu, (c) =>
          c === "\n" ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
        const node = scalarOf(text);
        expect(node.data).toBe(`R${value}`);
        for (let i = 0; i < value.length + 1; i++) {
          const at = text[scalarOffset(text, node, i)];
          expect([`R${value}`[i], "\\"]).toContain(at);
        }
      }),
    );
  });

  const header = fc.constantFrom("", "-", "+", " # why", "2", "2-", "+2");
  const indented = fc.array(fc.tuple(fc.constantFrom("", "", "", "  ", "\t"), words, fc.nat(2)), {
    minLength: 1,
    maxLength: 5,
  });

  for (const style of ["|", ">"]) {
    test(`block scalar ${style}`, () => {
      fc.assert(
        fc.property(header, indented, newline, fc.nat(3), fc.boolean(), (head, parts, eol, trailing, last) => {
          const body = parts.map(([extra, part, blank], i) => {
            const first = i === 0 && !head.includes("2") ? "" : extra;
            return `    ${first}${part.join(" ")}${eol}${eol.repeat(blank)}`;
          });
          const text = `rule:${eol}  expr: ${style}${head}${eol}${body.join("")}${eol.repeat(trailing)}${last ? "" : `  next: 1${eol}`}`;
          const node = scalarOf(text);
          expectSameCharacters(text, node);
        }),
        { numRuns: sized(500) },
      );
    });
  }

  test("the end of a value is the place after its last character", () => {
    const text = "rule:\n  expr: R.attr.x +\n";
    expect(new Source("a.yaml", text).position(scalarOffset(text, scalarOf(text), 10))).toEqual({
      file: "a.yaml",
      line: 2,
      column: 19,
    });
  });
});
