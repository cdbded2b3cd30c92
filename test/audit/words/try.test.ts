import { test } from "vitest";
import { shipped } from "../../support/policies.js";
import { conditionWords } from "../../../src/audit/words/condition.js";
import { wordsOf } from "../../../src/audit/words/expression.js";
import { plain } from "../../../src/audit/words/phrase.js";
test("x", () => {
  for (const p of shipped.model.resourcePolicies) {
    const s = { principal: "the key", constants: p.definitions.constants };
    for (const r of p.rules) console.log(r.name, r.condition && plain(conditionWords(r.condition, s)));
    for (const v of p.definitions.variables) console.log(v.name, plain(wordsOf(v.expr, s)));
  }
});
