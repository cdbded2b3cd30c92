/** Nested decisions: a getter on a request's attribute may call `decide`. */

import { expect, test } from "vitest";
import { type Decision, decide, deciderFor } from "../../src/index.js";
import { policy, supportAll, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const FILES = [
  ...supportAll("doc"),
  {
    path: "doc.yaml",
    text: policy({ rules: [`name: a, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.open")}`] }),
  },
];
const set = compiled(FILES);

/** Nests `depth` decisions, each made by a getter on the request's attribute, and returns all of them. */
function nested(depth: number): readonly Decision[] {
  const made: Decision[] = [];
  let left = depth;
  const attr = {
    get open() {
      if (left-- > 0) made.push(decide(set, request));
      return true;
    },
  };
  const request = {
    key: { id: "k", roles: ["user"] },
    operation: "read",
    resource: { kind: "doc", id: "d", attr },
    account: { id: "a" },
  };
  made.push(decide(set, request));
  return made;
}

test("five may be under way, each but the first within another; the sixth is refused, and says why", () => {
  expect(nested(4).map(({ outcome }) => outcome)).toEqual(["allow", "allow", "allow", "allow", "allow"]);
  const [innermost, ...others] = nested(5);
  expect(others.map(({ outcome }) => outcome)).toEqual(["allow", "allow", "allow", "allow", "allow"]);
  const message = "invalid request: is read by more than 4 decisions, each within another";
  expect(innermost).toMatchObject({ outcome: "forbidden", fault: { kind: "invalid_request", path: "", message } });
});

test("however many were made before", () => {
  for (let i = 0; i < 20; i++) nested(i % 7);
  expect(nested(5).map(({ outcome }) => outcome)).toEqual(["forbidden", "allow", "allow", "allow", "allow", "allow"]);
});

test("deciders are bounded likewise, whoever they are for", () => {
  const key = { id: "k", roles: ["user"] };
  const account = { id: "a" };
  const message = "invalid request: is read by more than 4 decisions, each within another";
  const deciders = [
    deciderFor(set, { key }),
    deciderFor(set, { key, account }),
    // These read all of a request.
    Reflect.apply(deciderFor, undefined, [set, {}]),
    deciderFor(compiled(FILES, { schemaEnforcement: "reject" }), { key, account }),
  ];
  for (const decider of deciders) {
    const made: unknown[] = [];
    const request = {
      operation: "read",
      account,
      get resource() {
        made.push(decider.decide(request));
        return { kind: "doc", id: "d", attr: { open: true } };
      },
    };
    made.push(decider.decide(request));
    expect(made[0]).toMatchObject({ outcome: "forbidden", fault: { kind: "invalid_request", path: "", message } });
    expect(made).toHaveLength(6);
  }
});
