/**
 * One value, one answer: each way to ask gives the decision of `decide`, for values that JavaScript, JSON text and the
 * server represent differently. `test/platforms/sql/hostile-values.test.ts` asks databases.
 */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { NotOK } from "@cerbos/core";
import fc from "fast-check";
import { isLeft } from "fp-ts/lib/Either.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileCheckEngine, EmbeddedClient, remoteDecider } from "../../src/cerbos/index.js";
import {
  type DecisionRequest,
  decide,
  decideAll,
  decideEach,
  deciderFor,
  keepDeciders,
  matches,
  type PolicySet,
  planDecisions,
  snapshot,
} from "../../src/index.js";
import { bundledSets } from "../support/bundles.js";
import {
  HOSTILE_CONDITIONS,
  HOSTILE_DATA,
  HOSTILE_RULES,
  type HostileDatum,
  hostileCells,
} from "../support/hostile-data.js";
import { compiled } from "../support/policies.js";
import { say } from "../support/seed.js";
import { NO_SERVER, type Server, startServer } from "../support/server.js";
import { sized } from "../support/size.js";

const FILE = {
  path: "doc.json",
  text: JSON.stringify({
    apiVersion: "api.cerbos.dev/v1",
    resourcePolicy: { resource: "doc", version: "default", rules: HOSTILE_RULES },
  }),
};

const CELLS = hostileCells();

test("the table of docs/lists.md has these values", () => {
  expect([...CELLS.keys()]).toEqual(HOSTILE_DATA.map(({ name }) => name));
});

/** Ordinary data, some of it equal to hostile data as JavaScript reads it. */
const ORDINARY = ["9007199254740992", "0.3", "1", "2", "true", '"a"', '"x"', '""', "[]", '{"a": 2}'].map(
  (name): HostileDatum => ({ name, json: name, make: () => JSON.parse(name) }),
);

const ZERO: HostileDatum = { name: "0", json: "0", make: () => 0 };

const datum = fc.constantFrom(...HOSTILE_DATA, ...ORDINARY, ZERO);

/** A datum as it is, or within lists and maps. */
const placed: fc.Arbitrary<HostileDatum> = fc.oneof(
  datum,
  datum.map(({ name, json, make }) => ({ name: `[${name}]`, json: json && `[${json}]`, make: () => [make()] })),
  fc.tuple(datum, datum).map(([one, two]) => ({
    name: `{a: ${one.name}, b: [${two.name}]}`,
    json: one.json && two.json && `{"a": ${one.json}, "b": [${two.json}]}`,
    make: () => ({ a: one.make(), b: [two.make()] }),
  })),
  datum.map(({ name, json, make }) => ({
    name: `[{a: ${name}}]`,
    json: json && `[{"a": ${json}}]`,
    make: () => [{ a: make() }],
  })),
);

/** The attributes `v` and `w` of a resource, and `k` of a key. */
interface Attributes {
  readonly v: HostileDatum;
  readonly w: HostileDatum;
  readonly k: HostileDatum;
}

const attributes: fc.Arbitrary<Attributes> = fc.record({ v: placed, w: datum, k: fc.oneof(datum, placed) });

const PLAIN: Attributes = { v: ZERO, w: ZERO, k: ZERO };

function requestOf({ v, w, k }: Attributes, operation: string): DecisionRequest {
  return Object({
    key: { id: "k", roles: ["user"], attr: { k: k.make() } },
    operation,
    resource: { kind: "doc", id: "x", attr: { v: v.make(), w: w.make() } },
    account: { id: "a" },
  });
}

const OPERATIONS = HOSTILE_CONDITIONS.map((_, i) => `a${i}`);
const OPTIONS = { platform: "none" } as const;
/** After this many decisions, functions are generated. */
const WARM = 25;
/** A set is replaced by a new one after so many. */
const COLD = 100;

describe("each way to ask answers as decide does", () => {
  const set = compiled([FILE], OPTIONS);
  const closures = compiled([FILE], { ...OPTIONS, codegen: false });
  const fresh = () => compiled([FILE], OPTIONS);
  const kept = keepDeciders(set, { revision: () => "1" });
  let bundles: readonly PolicySet[] = [];
  beforeAll(async () => {
    const { module, text } = await bundledSets(set, OPTIONS);
    bundles = [module, text];
    for (const operation of OPERATIONS) {
      for (let i = 0; i < WARM; i++) for (const one of [set, ...bundles]) decide(one, requestOf(PLAIN, operation));
    }
  });

  test("decisions, lists and plans", async () => {
    const counts = { allow: 0, refused: 0, exact: 0, plans: 0 };
    let cold = fresh();
    await fc.assert(
      fc.asyncProperty(attributes, fc.constantFrom(...OPERATIONS), async (given, operation) => {
        if (counts.plans % COLD === 0) cold = fresh();
        const request = requestOf(given, operation);
        const { key, resource, account } = request;
        const page = { key, operation, account };
        const expected = decide(set, request);
        const found = [
          ...[cold, closures, ...bundles].map((one) => decide(one, request)),
          decide(set, snapshot(request)),
          deciderFor(set, { key }).decide({ operation, resource, account }),
          deciderFor(set, { key, account }).decide({ operation, resource }),
          kept.decide(request),
          kept.decide(request),
          ...decideAll(set, page, [resource, resource]),
        ];
        for await (const { decision } of decideEach(set, page, [resource])) found.push(decision);
        expect(found.length).toBe(12);
        for (const [way, one] of found.entries()) {
          if (isDeepStrictEqual(one, expected)) continue;
          expect({ operation, given, way, one }).toEqual({ operation, given, way, one: expected });
        }
        const plan = planDecisions(set, { ...page, kind: "doc" });
        const isIn = matches(plan.filter, resource);
        const isAllowed = expected.outcome === "allow";
        expect({ operation, given, plan, isIn }).toEqual({
          operation,
          given,
          plan,
          isIn: isAllowed || (!plan.isExact && isIn),
        });
        counts[isAllowed ? "allow" : "refused"] += 1;
        counts.plans += 1;
        if (plan.isExact) counts.exact += 1;
      }),
      { numRuns: sized(40_000, 1_000), endOnFailure: true },
    );
    say(`hostile data: ${JSON.stringify(counts)}`);
    expect(counts.allow / counts.plans).toBeGreaterThan(0.1);
    expect(counts.exact / counts.plans).toBeGreaterThan(0.9);
  });

  test("clients without a server, and deciders that ask one", async () => {
    const engine = compileCheckEngine([FILE], { failClosed: true });
    if (isLeft(engine)) throw new Error(JSON.stringify(engine.left));
    const client = new EmbeddedClient(engine.right);
    const remote = remoteDecider(client, set);
    const outcomes = { allow: 0, refused: 0, invalid: 0 };
    await fc.assert(
      fc.asyncProperty(attributes, fc.constantFrom(...OPERATIONS), async (given, operation) => {
        const request = requestOf(given, operation);
        const { key, resource } = request;
        const asked = client.isAllowed(Object({ principal: key, resource, action: operation }));
        const isAllowed = await asked.catch((error: unknown) => {
          expect(error).toBeInstanceOf(NotOK);
          return undefined;
        });
        const answer = await remote(request)();
        if (isLeft(answer)) throw new Error(answer.left.message);
        const { outcome, permission } = answer.right;
        // Data without a JSON text cannot be sent.
        const here = permission.fault === undefined ? decide(set, request).outcome : "insufficient_permissions";
        expect({ operation, given, outcome }).toEqual({ operation, given, outcome: here });
        if (isAllowed === undefined) {
          outcomes.invalid += 1;
          return;
        }
        const asJson: DecisionRequest = JSON.parse(JSON.stringify(request));
        const expected = decide(set, asJson).outcome === "allow";
        expect({ operation, given, isAllowed }).toEqual({ operation, given, isAllowed: expected });
        outcomes[isAllowed ? "allow" : "refused"] += 1;
      }),
      { numRuns: sized(20_000, 1_000), endOnFailure: true },
    );
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(sized(20_000, 1_000) / 20);
  });
});

describe.skipIf(NO_SERVER !== undefined)("the server", { tags: "long" }, () => {
  const set = compiled([FILE], OPTIONS);
  let server: Server | undefined;
  let home = "";
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "keyward-hostile-"));
    await writeFile(join(home, FILE.path), FILE.text);
    server = await startServer(home);
  });
  afterAll(async () => {
    await server?.stop();
    await rm(home, { recursive: true, force: true });
  });

  const hasText = ({ v, w, k }: Attributes) => [v, w, k].every(({ json }) => json !== undefined);
  const answer = async ({ v, w, k }: Attributes) => {
    if (server === undefined) throw new Error("no server");
    const resource = `{"kind":"doc","id":"x","attr":{"v":${v.json},"w":${w.json}}}`;
    const resources = `[{"actions":${JSON.stringify(OPERATIONS)},"resource":${resource}}]`;
    return await server.check(
      `{"requestId":"r","principal":{"id":"k","roles":["user"],"attr":{"k":${k.json}}},"resources":${resources}}`,
    );
  };

  test.each(HOSTILE_DATA.filter(({ json }) => json !== undefined))(
    "takes $name, or refuses it, as the table says",
    async (datum) => {
      const { status } = await answer({ ...PLAIN, v: datum });
      expect([status, CELLS.get(datum.name)?.["a Cerbos server"]]).toEqual(
        status === 200 ? [200, expect.not.stringContaining("refused")] : [400, "refused"],
      );
    },
  );

  test("answers as decide what it takes", async () => {
    const counts = { allow: 0, refused: 0, invalid: 0 };
    await fc.assert(
      fc.asyncProperty(attributes.filter(hasText), async (given) => {
        const { status, text } = await answer(given);
        if (status === 400) {
          counts.invalid += 1;
          return;
        }
        expect(status).toBe(200);
        const [{ actions }] = JSON.parse(text).results;
        for (const operation of OPERATIONS) {
          const { outcome } = decide(set, requestOf(given, operation));
          const expected = outcome === "allow" ? "EFFECT_ALLOW" : "EFFECT_DENY";
          expect({ operation, given, effect: actions[operation] }).toEqual({ operation, given, effect: expected });
          counts[outcome === "allow" ? "allow" : "refused"] += 1;
        }
      }),
      { numRuns: sized(2_000, 300), endOnFailure: true },
    );
    say(`hostile data and the server: ${JSON.stringify(counts)}`);
    expect(counts.allow).toBeGreaterThan(sized(2_000, 300));
    expect(counts.invalid).toBeGreaterThan(sized(2_000, 300) / 10);
  });
});
