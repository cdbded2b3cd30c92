/** Plans that read the same attributes share the cached frame of a key: no plan changes it for another. */

import { expect, test } from "vitest";
import { decide, deciderFor } from "../../../src/index.js";
import { policy, when } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

const WARM = 22;

test("a list that the schema of one kind refuses", () => {
  const schema = (name: string, list: object) => ({
    path: `_schemas/${name}.json`,
    text: JSON.stringify({ properties: { list } }),
  });
  const kind = (resource: string) => ({
    path: `${resource}.yaml`,
    text: policy({
      resource,
      body: `schemas: {principalSchema: {ref: cerbos:///${resource}.json}}`,
      rules: [
        `actions: [act], roles: [user], effect: EFFECT_ALLOW, ${when('hasIntersection(P.attr.list, ["a", "p" + R.id])')}`,
      ],
    }),
  });
  const files = [
    kind("texts"),
    kind("any"),
    schema("texts", { type: "array", items: { type: "string" } }),
    schema("any", { type: "array" }),
  ];
  const [generated, closures] = [true, false].map((codegen) => compiled(files, { platform: "none", codegen }));
  if (generated === undefined || closures === undefined) throw new Error("no policies");
  const account = { id: "none", attr: {} };
  const asked = (name: string) => ({ operation: "act", resource: { kind: name, id: "d", attr: {} }, account });
  const keyWith = (list: readonly (string | number)[]) => ({ id: "k", roles: ["user"], attr: { list } });
  for (let i = 0; i < WARM; i++)
    for (const name of ["texts", "any"]) decide(generated, { key: keyWith(["a"]), ...asked(name) });
  for (const list of [["b", 1, "a"], ["a", 1], [1, "a"], ["a"], ["b"]]) {
    const key = keyWith(list);
    const decider = deciderFor(generated, { key });
    for (const name of ["texts", "any", "texts", "any"]) {
      expect([list, name, decider.decide(asked(name))]).toEqual([
        list,
        name,
        decide(closures, { key, ...asked(name) }),
      ]);
    }
  }
});
