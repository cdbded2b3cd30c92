/** Functions that one layer has generated. */

import { expect, test } from "vitest";
import { Generator } from "../../../src/engine/evaluate/generator.js";
import { policy, when } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

test("there is none for somebody who is bound, where a condition has no generated form", () => {
  const generated = 'R.attr.a == "x"';
  const closuresAlone = 'hierarchy(R.attr.a).overlaps(hierarchy("x.y"))';
  const made = [generated, `${generated} && ${closuresAlone}`].map((expr) => {
    const rules = [`actions: [act], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`];
    const { permission } = compiled([{ path: "a.yaml", text: policy({ rules }) }], { platform: "none" });
    const part = { id: "x", kind: "doc", roles: ["user"], scope: "", attr: {} };
    const { wanted } = permission.planned(part, part, "act").jointWith(undefined);
    return new Generator().bindingFor(wanted, new Set(["principal"]), { release: () => undefined });
  });
  expect(made).toEqual([
    { stages: expect.anything(), reads: expect.any(Array), left: [], selection: undefined },
    undefined,
  ]);
});
