/** Rows may be class instances, as database mappers make them: only own fields count, never inherited ones. */

import { expect, test } from "vitest";
import { type Decision, decide, decideAll, deciderFor } from "../../src/index.js";
import { shipped } from "../support/policies.js";
import { ask, type Changes, KINDS } from "../support/requests.js";

/** A request part with a prototype of its own. */
class Row {
  constructor(fields: object) {
    Object.assign(this, fields);
  }
}
class Inheriting extends Row {
  get accountId(): string {
    return "acc_1";
  }
  get id(): string {
    return "inherited";
  }
}

/** The decision by each way to ask. */
function decisions(request: object): readonly Decision[] {
  const { key, account, resource, ...rest }: { readonly [name: string]: unknown } = { ...request };
  const decider = Reflect.apply(deciderFor, undefined, [shipped, { key, account }]);
  for (let i = 0; i < 3; i++) Reflect.apply(decider.decide, decider, [{ ...rest, resource }]);
  return [
    Reflect.apply(decide, undefined, [shipped, request]),
    Reflect.apply(decider.decide, decider, [{ ...rest, resource }]),
    ...Reflect.apply(decideAll, undefined, [shipped, { ...rest, key, account }, [resource, resource]]),
  ];
}

function parts(name: string, changes: Changes["resource"] = {}) {
  const { key, operation, resource, account } = ask(name, { roles: ["editor", "custom"], resource: changes });
  return { key, operation, resource, account };
}

for (let i = 0; i < 40; i++) for (const name of Object.keys(KINDS)) decide(shipped, parts(name));

const SHAPES: readonly (readonly [string, (fields: object) => object])[] = [
  ["a class", (fields) => new Row(fields)],
  ["a class of a class", (fields) => new (class extends Row {})(fields)],
  ["no prototype", (fields) => Object.assign(Object.create(null), fields)],
  ["a prototype with other fields", (fields) => Object.assign(Object.create({ other: 1 }), fields)],
];

test.each(SHAPES)("%s: the decisions of plain objects", (_, shaped) => {
  for (const name of Object.keys(KINDS)) {
    for (const changes of [{}, { state: "suspended" }, { accountId: "acc_2" }, { accountId: 7 }]) {
      const { key, operation, resource, account } = parts(name, changes);
      const expected = decide(shipped, { key, operation, resource, account });
      const attr = <P extends { readonly attr?: object | undefined }>(part: P) =>
        shaped({ ...part, attr: shaped(part.attr ?? {}) });
      const request = { key: attr(key), operation, resource: attr(resource), account: attr(account) };
      for (const decision of decisions(request)) expect(decision).toEqual(expected);
    }
  }
});

test("what is inherited is absent, also where the prototype got it later", () => {
  const { key, operation, resource, account } = parts("keys.createKey");
  const { accountId: _, ...others }: { readonly [name: string]: unknown } = { ...resource.attr };
  const { id: __, ...rest } = resource;
  const absent = [
    [
      { ...resource, attr: others },
      { ...resource, attr: new Inheriting(others) },
    ],
    [rest, new Inheriting(rest)],
  ] as const;
  for (const [without, inheriting] of absent) {
    const expected = decisions({ key, operation, account, resource: without });
    expect(decisions({ key, operation, account, resource: inheriting })).toEqual(expected);
    expect(expected.map(({ outcome }) => outcome)).toEqual(Array(4).fill("forbidden"));
  }
  class Late extends Row {}
  const row = () => ({ key, operation, account, resource: { ...resource, attr: new Late(others) } });
  const expected = decisions(row());
  Object.defineProperty(Late.prototype, "accountId", { value: "acc_1", configurable: true });
  expect(decisions(row())).toEqual(expected);
});
