import fc from "fast-check";
import { expect, test } from "vitest";
import { type ActionMention, Mentions } from "../../../src/audit/findings/mentions.js";
import { isGlob } from "../../../src/policy/glob.js";
import { sized } from "../../support/size.js";
import "../../support/seed.js";

const mention = fc.record({
  file: fc.constant("a.yaml"),
  line: fc.constant(1),
  column: fc.constant(1),
  layer: fc.constantFrom<ActionMention["layer"]>("permission", "platform"),
  kind: fc.constantFrom("doc", "page", "*", "p*"),
  action: fc.constantFrom("read", "write", "*", "re*"),
  effect: fc.constantFrom<ActionMention["effect"]>("allow", "deny", "restrict"),
  rule: fc.constantFrom("r1", "r2", "r3"),
});

test("another rule is about an operation if it names it, or has a pattern for its kind or for what it may do", () => {
  const runs = sized(5_000);
  const asked = { elsewhere: 0, nowhere: 0 };
  fc.assert(
    fc.property(fc.array(mention, { minLength: 1, maxLength: 5 }), (all) => {
      const mentions = new Mentions(all);
      for (const one of all) {
        const isElsewhere = all.some(({ kind, action, effect, rule }) => {
          const isOfKind = kind === one.kind || isGlob(kind);
          return rule !== one.rule && isOfKind && (action === one.action || (isGlob(action) && effect !== "deny"));
        });
        expect(mentions.isElsewhere(one)).toBe(isElsewhere);
        asked[isElsewhere ? "elsewhere" : "nowhere"] += 1;
      }
    }),
    { numRuns: runs },
  );
  expect(Math.min(asked.elsewhere, asked.nowhere)).toBeGreaterThan(runs / 2);
});
