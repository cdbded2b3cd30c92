/**
 * The laws of batches and searches, on random requests: each says what single evaluations say.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import "../support/seed.js";
import { shippedRequest } from "../property/arbitraries/index.js";
import { shipped } from "../support/policies.js";
import { sized } from "../support/size.js";
import { DATA, EVALUATION, EVALUATIONS, MAPPING, RECORDS, SEARCH, sender } from "./support.js";

const send = sender({ policies: RECORDS, mapping: MAPPING, data: DATA });

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const texts = (...values: readonly string[]) => fc.constantFrom(...values);

const OWNER = fc.oneof(
  { weight: 5, arbitrary: texts("alice", "bob", "carol") },
  { weight: 1, arbitrary: fc.constant(5) },
);
const SOFT = fc.oneof({ weight: 5, arbitrary: fc.boolean() }, { weight: 1, arbitrary: fc.constant("yes") });
const parts = {
  subject: fc.record({ type: texts("user", "robot"), id: maybe(texts("alice", "bob", "carol", "dan")) }),
  action: fc.record({ name: texts("read", "write", "delete", "export"), properties: maybe(fc.record({ soft: SOFT })) }),
  resource: fc.record({
    type: fc.oneof({ weight: 9, arbitrary: fc.constant("record") }, { weight: 1, arbitrary: fc.constant("page") }),
    id: texts("record-1", "record-2", "record-3", "record-4"),
    properties: maybe(
      fc.record({
        owner: maybe(OWNER),
        status: maybe(texts("active", "archived", "lost")),
        colour: maybe(fc.string()),
      }),
    ),
  }),
  context: fc.record({ ip: texts("10.0.0.1", "10.0.0.2") }),
};
const request = fc.record({
  subject: maybe(parts.subject),
  action: maybe(parts.action),
  resource: maybe(parts.resource),
  context: maybe(parts.context),
});

const stripped = (value: object): object => JSON.parse(JSON.stringify(value));

test("an item of a batch is answered as the request asked alone", async () => {
  let items = 0;
  let faulty = 0;
  let allowed = 0;
  const batches = fc.record({ defaults: request, evaluations: fc.array(request, { minLength: 1, maxLength: 6 }) });
  for (const { defaults, evaluations } of fc.sample(batches, sized(100_000, 3_000))) {
    const body = stripped({ ...defaults, evaluations });
    const { json } = await send(EVALUATIONS, body);
    expect(json.evaluations).toHaveLength(evaluations.length);
    for (const [i, evaluation] of evaluations.entries()) {
      const { status, json: alone, text } = await send(EVALUATION, { ...stripped(defaults), ...stripped(evaluation) });
      const expected = status === 200 ? alone : { decision: false, context: { error: { status, message: text } } };
      expect(json.evaluations[i], JSON.stringify([body, i])).toEqual(expected);
      items += 1;
      if (status !== 200) faulty += 1;
      else if (alone.decision) allowed += 1;
    }
  }
  expect(faulty).toBeGreaterThan(items / 20);
  expect(allowed).toBeGreaterThan(items / 20);
});

test("a search has exactly the results that evaluations allow", async () => {
  let results = 0;
  let refused = 0;
  const searches = fc.record({
    part: fc.constantFrom("subject", "resource", "action"),
    request: fc.record({ ...parts, context: maybe(parts.context) }),
    limit: fc.integer({ min: 1, max: 3 }),
  });
  for (const { part, request, limit } of fc.sample(searches, sized(20_000, 1_500))) {
    const body = stripped(request);
    const found: unknown[] = [];
    let token = "";
    let status = 200;
    do {
      const answer = await send(SEARCH[part], { ...body, page: { limit, token } });
      status = answer.status;
      if (status !== 200) break;
      found.push(...answer.json.results);
      token = answer.json.page.next_token;
    } while (token !== "");
    const candidates =
      part === "action"
        ? ["read", "write", "delete", "export"].map((name) => ({ name }))
        : (part === "subject" ? DATA.subjects : DATA.resources)
            .filter(({ type }) => type === request[part].type)
            .map(({ type, id }) => ({ type, id }));
    const expected: unknown[] = [];
    const statuses = new Set<number>();
    for (const candidate of request.resource.type === "page" && part === "action" ? [] : candidates) {
      const one = await send(EVALUATION, stripped({ ...request, [part]: { ...request[part], ...candidate } }));
      statuses.add(one.status);
      if (one.json?.decision === true) expected.push(candidate);
    }
    if (status !== 200) {
      // A fault is one of the search itself, or of an evaluation.
      expect(statuses.has(400) || request.subject.id === undefined, JSON.stringify(body)).toBe(true);
      refused += 1;
    } else {
      expect(statuses.has(400), JSON.stringify(body)).toBe(false);
      expect(found, JSON.stringify(body)).toEqual(expected);
      results += found.length;
    }
  }
  expect(results).toBeGreaterThan(sized(20_000, 1_500) / 8);
  expect(refused).toBeGreaterThan(0);
});

test("what is forbidden is never to be requested; decisions are those of the policies", async () => {
  const mapping = { account: "context.account", roles: "context.roles" };
  let forbidden = 0;
  let requestable = 0;
  for (const { key, operation, resource, account } of fc.sample(shippedRequest(), sized(5_000, 1_000))) {
    const point = sender({
      policies: shipped,
      mapping,
      data: { accounts: [{ id: account.id, properties: JSON.parse(JSON.stringify(account.attr ?? {})) }] },
    });
    const { status, json } = await point(EVALUATION, {
      subject: { type: "key", id: key.id, properties: key.attr },
      action: { name: operation },
      resource: { type: resource.kind, id: resource.id, properties: resource.attr },
      context: { account: account.id, roles: key.roles },
    });
    if (status !== 200 || json.decision) continue;
    const { reason, access_request } = json.context;
    if (reason === "forbidden") {
      forbidden += 1;
      expect(access_request).toBeUndefined();
    } else if (access_request !== undefined) requestable += 1;
  }
  expect([forbidden > 10, requestable > 10]).toEqual([true, true]);
});
