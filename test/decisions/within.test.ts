/** Decisions that are asked for while another is made: a request's attribute may be a getter that decides. */

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

/** A request whose attribute asks for the decision on the request itself, `depth` times, and all of these decisions. */
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
    // Of these all of a request is looked at.
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
