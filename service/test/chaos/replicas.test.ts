/**
 * Replicas that start together on an empty store, and clocks that are shifted.
 *
 * @module-tag long
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { NO_POSTGRES, newDatabase, skipped } from "../support/databases.js";
import { NOT_BUILT, startProcess, until } from "../support/process.js";
import { endure, ROUNDS } from "./stage.js";

const home = mkdtempSync(join(tmpdir(), "keyward-clock-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const missing = NOT_BUILT ?? NO_POSTGRES;

test.skipIf(missing !== undefined)(
  `two on an empty store: one fills it, both serve it${skipped(missing)}`,
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const environment = { DATABASE_URL: await newDatabase(), DEMO: "1" };
      const services = await Promise.all([startProcess(environment), startProcess(environment)]);
      try {
        const announced = () => services.filter(({ stdout }) => stdout().includes('"demo"'));
        await until("one announces it", () => announced().length > 0);
        const { demo } = JSON.parse(announced()[0]?.stdout().split("\n")[0] ?? "");
        for (const service of services) {
          const { status } = await service.call("/v2/apis.getApi", demo.keys.admin, { apiId: demo.apis.active });
          expect(status).toBe(200);
        }
        expect(announced().length).toBe(1);
      } finally {
        expect(await Promise.all(services.map((service) => service.end()))).toEqual([0, 0]);
      }
    }
  },
);

const DAY = 86_400_000;
let clocks = 0;

describe.each([
  ["a data directory", NOT_BUILT, async () => ({ DATA_DIR: join(home, `data-${clocks}`) })],
  ["PostgreSQL", missing, async () => ({ DATABASE_URL: await newDatabase() })],
] as const)("the clock of a service on %s", (_, absent, environmentOf) => {
  test.skipIf(absent !== undefined).each([
    ["forward", DAY],
    ["back", -DAY],
  ])(`is moved %s by a day${skipped(absent)}`, async (__, offset) => {
    const clock = join(home, `clock-${clocks++}`);
    writeFileSync(clock, "0");
    const preload = `--import ${new URL("clock.mjs", import.meta.url).href}`;
    await endure(
      { ...(await environmentOf()), MOVED_CLOCK: clock, NODE_OPTIONS: preload },
      { begin: () => writeFileSync(clock, String(offset)), end: () => writeFileSync(clock, "0"), shows: false },
    );
  });
});
