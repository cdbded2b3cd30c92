/**
 * A PDP that breaks in the middle of requests.
 *
 * @module-tag long
 */

import { shippedPolicies } from "keyward/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_SERVER } from "../../../test/support/server.js";
import { NO_POSTGRES, newDatabase, skipped } from "../support/databases.js";
import { type Pdp, startPdp } from "../support/pdp.js";
import { NOT_BUILT } from "../support/process.js";
import { endure } from "./stage.js";

const missing = NO_SERVER ?? NOT_BUILT ?? NO_POSTGRES;

describe.skipIf(missing !== undefined)(`a PDP${skipped(missing)}`, () => {
  let pdp: Pdp;
  beforeAll(async () => {
    pdp = await startPdp(shippedPolicies);
  });
  afterAll(() => pdp.stop());
  const environment = async () => ({
    DATABASE_URL: await newDatabase(),
    CERBOS_PDP: pdp.grpc,
    CERBOS_PDP_TIMEOUT_MS: "500",
  });

  test("that is killed, and comes back", async () => {
    const storm = await endure(await environment(), { begin: () => pdp.kill(), end: () => pdp.again() });
    expect(storm.statuses.get(401)).toBeGreaterThan(0);
  });

  test("that hangs, and goes on", async () => {
    await endure(await environment(), { begin: () => pdp.freeze(), end: () => pdp.thaw() });
  });

  test("of two replicas", async () => {
    await endure(await environment(), { begin: () => pdp.freeze(), end: () => pdp.thaw() }, 2);
  });
});
