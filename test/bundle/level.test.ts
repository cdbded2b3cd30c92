/** A bundle has the level of the policy language that its policies have. */

import { expect, test } from "vitest";
import { decide } from "../../src/index.js";
import { bundledSets } from "../support/bundles.js";
import { compiled } from "../support/policies.js";

/** At level 0.58, a name with a dot in front is below a path; at level 0.55 it is not. */
const TEXT = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - actions: [read]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: { match: { expr: R.attr.path.pathHasPrefix("/a") } }
`;

test.each([
  ["0.55", "insufficient_permissions"],
  ["0.58", "allow"],
] as const)("the level %s", async (cerbos, outcome) => {
  const built = compiled([{ path: "a.yaml", text: TEXT }], { platform: "none", cerbos });
  expect(built.configuration).toMatchObject({ cerbos, overridden: [] });
  const request = {
    key: { id: "k", roles: ["user"], attr: {} },
    operation: "read",
    resource: { kind: "doc", id: "1", attr: { path: "/a/.hidden" } },
    account: { id: "a", attr: {} },
  };
  const { module, text } = await bundledSets(built, { platform: "none" });
  for (const set of [built, module, text]) {
    expect([set.configuration.cerbos, decide(set, request).outcome]).toEqual([cerbos, outcome]);
  }
});
