/** The shipped policies on a real Cerbos server: it accepts them, and its answers equal this library's decisions. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Decision, type DecisionRequest, decide } from "../../src/index.js";
import { shippedRequest } from "../property/arbitraries/index.js";
import { SHIPPED_ROOT, shipped } from "../support/policies.js";
import "../support/seed.js";
import { NO_SERVER, SERVER, type Server, startServer } from "../support/server.js";

const EXAMPLES = readFileSync(new URL("../../examples/requests.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

test("the examples are decided as they say", () => {
  for (const { example, expect: outcome, reasons, ...request } of EXAMPLES) {
    const decision = decide(shipped, request);
    expect(decision.outcome, example).toBe(outcome);
    if (reasons !== undefined)
      expect(
        decision.platform.reasons.map(({ reason }) => reason),
        example,
      ).toEqual(reasons);
  }
});

test("there is an example for each of the thirteen conditions", () => {
  const numbers = EXAMPLES.map(({ example }) => /^7\.[34]\.\d/.exec(example)?.[0]).filter(Boolean);
  const conditions = [...[1, 2, 3, 4, 5, 6].map((n) => `7.3.${n}`), ...[1, 2, 3, 4, 5, 6, 7].map((n) => `7.4.${n}`)];
  expect([...new Set(numbers)].sort()).toEqual(conditions);
});

describe.skipIf(NO_SERVER !== undefined)(
  `on the server${NO_SERVER === undefined ? "" : ` (skipped: ${NO_SERVER})`}`,
  { tags: "long" },
  () => {
    let server: Server | undefined;

    beforeAll(async () => {
      server = await startServer(SHIPPED_ROOT);
    });
    afterAll(async () => {
      await server?.stop();
    });

    test("cerbos compile accepts the directory", () => {
      const { status, stdout, stderr } = spawnSync(SERVER, ["compile", SHIPPED_ROOT], { encoding: "utf8" });
      expect(status, stdout + stderr).toBe(0);
    });

    test.each(EXAMPLES.map((example) => [example.example, example] as const))("%s", async (_, request) => {
      await expectSame(server, request);
    });

    test("and 300 generated requests", async () => {
      for (const request of fc.sample(shippedRequest(), 300)) await expectSame(server, request);
    });
  },
);

/** The fields that decisions and the server's answers have in common. */
interface Answer {
  readonly outcome: string;
  /** The outputs of the platform layer: the reasons of a denial. */
  readonly outputs: readonly string[];
}

/** Expects the same outcome, and the server's reasons among ours: the server stops at the first denial. */
async function expectSame(server: Server | undefined, request: DecisionRequest): Promise<void> {
  const theirs = await remote(server, request);
  const ours = local(decide(shipped, request));
  expect(theirs.outcome).toBe(ours.outcome);
  expect(ours.outputs).toEqual(expect.arrayContaining([...theirs.outputs]));
  expect(theirs.outputs.length > 0).toBe(ours.outputs.length > 0);
}

function local({ outcome, platform }: Decision): Answer {
  return { outcome, outputs: platform.outputs.map(({ src, val }) => `${src} ${val}`) };
}

/** Asks the server about each layer and combines the answers. */
async function remote(
  server: Server | undefined,
  { key, operation, resource, account }: DecisionRequest,
): Promise<Answer> {
  const layers = [
    { principal: key, version: "default" },
    { principal: { ...account, roles: ["account"] }, version: "platform" },
  ].map(async ({ principal, version }) => {
    const answer = await server?.check({
      requestId: "test",
      principal: { ...principal, policyVersion: version },
      resources: [{ actions: [operation], resource: { ...resource, policyVersion: version } }],
    });
    expect(answer?.status).toBe(200);
    const { results } = JSON.parse(answer?.text ?? "") as { results: readonly Result[] };
    return results[0];
  });
  const [permission, platform] = await Promise.all(layers);
  const allows = (result: Result | undefined) => result?.actions[operation] === "EFFECT_ALLOW";
  const outcome = !allows(platform) ? "forbidden" : allows(permission) ? "allow" : "insufficient_permissions";
  return { outcome, outputs: (platform?.outputs ?? []).map(({ src, val }) => `${src} ${val}`) };
}

interface Result {
  readonly actions: { readonly [action: string]: string };
  readonly outputs?: readonly { readonly src: string; readonly val: unknown }[];
}
