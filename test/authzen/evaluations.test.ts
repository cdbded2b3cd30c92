/** Several evaluations in one request. */

import { describe, expect, test } from "vitest";
import { asked, DATA, EVALUATION, EVALUATIONS, MAPPING, RECORDS, sender } from "./support.js";

const send = sender({ policies: RECORDS, mapping: MAPPING, data: DATA });

const READ = { action: { name: "read" }, resource: { type: "record", id: "record-1" } };
const DELETE = { action: { name: "delete" }, resource: { type: "record", id: "record-1" } };
const ALICE = { subject: { type: "user", id: "alice" } };

async function decisions(body: object): Promise<readonly boolean[]> {
  const { status, json } = await send(EVALUATIONS, body);
  expect(status).toBe(200);
  expect(Object.keys(json)).toEqual(["evaluations"]);
  return json.evaluations.map(({ decision }: { decision: boolean }) => decision);
}

test("resources of one id with other properties do not answer for each other", async () => {
  const record = (status: string) => ({ resource: { type: "record", id: "record-1", properties: { status } } });
  const items = [record("active"), record("archived")];
  const write = { ...ALICE, action: { name: "write" } };
  expect(await decisions({ ...write, evaluations: items })).toEqual([true, false]);
  expect(await decisions({ ...write, evaluations: items.toReversed() })).toEqual([false, true]);
});

test("an entity of an item replaces the default's whole", async () => {
  const resource = { type: "record", id: "record-3", properties: { owner: "alice" } };
  const body = {
    ...ALICE,
    action: { name: "write" },
    resource,
    evaluations: [{}, { resource: { type: "record", id: "record-3" } }, { subject: { type: "user", id: "bob" } }],
  };
  expect(await decisions(body)).toEqual([true, false, true]);
});

test("the context of an item replaces that of the body", async () => {
  const body = {
    ...asked("carol", "export", "record-1", { context: { ip: "10.0.0.1" } }),
    evaluations: [{}, { context: {} }],
  };
  expect(await decisions(body)).toEqual([true, false]);
});

describe("semantics", () => {
  const evaluations = [READ, DELETE, READ, { action: 5 }, DELETE];
  test.each([
    [undefined, [true, false, true, false, false]],
    ["execute_all", [true, false, true, false, false]],
    ["deny_on_first_deny", [true, false]],
    ["permit_on_first_permit", [true]],
  ])("%s", async (semantic, expected) => {
    const options = semantic === undefined ? {} : { evaluations_semantic: semantic };
    expect(await decisions({ ...ALICE, options, evaluations })).toEqual(expected);
  });

  test("an item with an error is a denial", async () => {
    const body = { ...ALICE, options: { evaluations_semantic: "deny_on_first_deny" }, evaluations: [{}, READ] };
    expect(await decisions(body)).toEqual([false]);
  });
});

test("without items it is a single evaluation", async () => {
  for (const more of [{}, { evaluations: [] }]) {
    expect((await send(EVALUATIONS, { ...ALICE, ...READ, ...more })).json).toEqual({ decision: true });
    expect((await send(EVALUATIONS, { ...ALICE, ...more })).text).toBe("action is missing");
  }
});

test("a faulty item says so, and the others are answered", async () => {
  const { status, json } = await send(EVALUATIONS, {
    ...ALICE,
    evaluations: [READ, { action: { name: "read" } }, "x", null, { ...READ, resource: { type: "record", id: 1 } }],
  });
  const error = (message: string) => ({ decision: false, context: { error: { status: 400, message } } });
  expect([status, json.evaluations]).toEqual([
    200,
    [
      { decision: true },
      error("resource is missing"),
      error("an evaluation must be an object"),
      error("an evaluation must be an object"),
      error("resource.id must be a string"),
    ],
  ]);
});

test.each<[object, string]>([
  [{ evaluations: {} }, "evaluations must be a list"],
  [{ evaluations: null }, "evaluations must be a list"],
  [{ evaluations: [{}], options: [] }, "options must be an object"],
  [{ evaluations: [{}], options: { evaluations_semantic: "all" } }, "options.evaluations_semantic must be"],
  [{ evaluations: [{}], options: { evaluations_semantic: null } }, "options.evaluations_semantic must be"],
  [{ evaluations: [{}], subject: "alice" }, "subject must be an object"],
  [{ evaluations: Array(1001).fill({}) }, "evaluations has more than 1000 items"],
])("%j is 400", async (more, message) => {
  const { status, text } = await send(EVALUATIONS, { ...ALICE, ...READ, ...more });
  expect(status).toBe(400);
  expect(text).toContain(message);
});

test("1,000 items are answered", async () => {
  const evaluations = Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? READ : DELETE));
  const found = await decisions({ ...ALICE, evaluations });
  expect(found).toEqual(evaluations.map((item) => item === READ));
  expect((await send(EVALUATION, { ...ALICE, ...DELETE })).json.decision).toBe(false);
});
