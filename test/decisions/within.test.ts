/** Decisions that are asked for while another is made: a request's attribute may be a getter that decides. */

import { expect, test } from "vitest";
import { type Decision, decide } from "../../src/index.js";
import { policy, supportAll, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const set = compiled([
  ...supportAll("doc"),
  {
    path: "doc.yaml",
    text: policy({ rules: [`name: a, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.open")}`] }),
  },
]);

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
  const message = "invalid request:  is read by more than 4 decisions, each within another";
  expect(innermost).toMatchObject({ outcome: "forbidden", fault: { kind: "invalid_request", path: "", message } });
});

test("however many were made before", () => {
  for (let i = 0; i < 20; i++) nested(i % 7);
  expect(nested(5).map(({ outcome }) => outcome)).toEqual(["forbidden", "allow", "allow", "allow", "allow", "allow"]);
});
