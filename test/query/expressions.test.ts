/**
 * What is left of single expressions, beside what the real server leaves of them: those of `expressions.json`, the first
 * list where nothing of the resource is known, the second where some attributes are.
 *
 * @module-tag long
 */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRight } from "fp-ts/lib/Either.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CheckEngine, compileCheckEngine } from "../../src/cerbos/engine.js";
import { type JsonObject, objectAt } from "../differential/json.js";
import { say } from "../support/seed.js";
import { NO_SERVER, type Server, startServer } from "../support/server.js";
import { answer } from "./differential.js";
import EXPRESSIONS from "./expressions.json" with { type: "json" };
import { treeText } from "./trees.js";

if (NO_SERVER !== undefined) say(`plans of expressions skipped: ${NO_SERVER}`);

const ALL = [...EXPRESSIONS.plain, ...EXPRESSIONS.known];

const POLICY = {
  apiVersion: "api.cerbos.dev/v1",
  resourcePolicy: {
    resource: "doc",
    version: "default",
    constants: { local: { cc: "red", cn: 1 } },
    variables: { local: { vx: "R.attr.x.a", vy: "R.attr.y", vz: "V.vy == 1", vbad: "P.attr.nope" } },
    rules: ALL.map((expr, i) => ({
      actions: [`a${i}`],
      effect: "EFFECT_ALLOW",
      roles: ["user"],
      condition: { match: { expr } },
    })),
  },
};

const GLOBALS = { limit: 3, environment: "test" };

const principal = {
  id: "u1",
  roles: ["user"],
  attr: { team: "red", rank: 2, groups: ["red", "green"], profile: { k: "x", n: 2 } },
};
const attr = { x: { a: 1, k: "n" }, s: "red", n: 2, l: ["red", "blue"], nul: null };

/**
 * What the server fails to plan, each time with the same message. There is an answer here to what has words in a plan
 * all the same; and to what would be an error of some element, there is none.
 */
const ANSWERED = [
  "R.attr.l.exists(t, R.attr.m[t] == 1)",
  '["a"].exists(x, R.attr[x] == 1)',
  "[1,2].all(x, R.attr.m[string(x)] == P.attr.team)",
];

describe.skipIf(NO_SERVER !== undefined)("of an expression the same is left as on the server", () => {
  let server: Server;
  let directory: string;
  let engine: CheckEngine;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "keyward-plans-"));
    await writeFile(join(directory, "policy.json"), JSON.stringify(POLICY));
    server = await startServer(directory, { engine: { globals: GLOBALS } });
    const compiled = compileCheckEngine([{ path: "policy.json", text: JSON.stringify(POLICY) }], { globals: GLOBALS });
    if (!isRight(compiled)) throw new Error(JSON.stringify(compiled.left));
    engine = compiled.right;
  });

  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  test.each(ALL.map((expr, i) => [expr, i] as const))("%s", async (expr, i) => {
    const known = i < EXPRESSIONS.plain.length ? {} : { attr };
    const body = { actions: [`a${i}`], principal, resource: { kind: "doc", ...known } };
    const { status, text } = await server.plan(body);
    const theirs: JsonObject = JSON.parse(text);
    const ours = answer(engine, { body, claims: {}, named: {} });
    if (status !== 200) {
      expect([status, ours.status]).toEqual([500, ANSWERED.includes(expr) ? undefined : 500]);
      return;
    }
    const [a, b] = [objectAt(theirs, "filter"), objectAt(ours, "filter")];
    expect(b.kind).toBe(a.kind);
    const now = Date.now();
    expect(treeText(b.condition ?? null, now)).toBe(treeText(a.condition ?? null, now));
  });
});
