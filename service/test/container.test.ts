/**
 * The container file without Docker: the service is packed, installed alone from the registry, and started as `nobody`.
 *
 * @module-tag long
 */

import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { readConfig } from "../src/config/config.js";
import { skipped } from "./support/databases.js";
import { end } from "./support/postgres-server.js";
import { NOT_BUILT } from "./support/process.js";

const SERVICE = fileURLToPath(new URL("..", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "keyward-alone-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const dockerfile = readFileSync(join(SERVICE, "Dockerfile"), "utf8");
/** The instructions of the second stage: of those that occur twice, the last. */
const instructions = new Map(
  [...dockerfile.replaceAll(/\\\n\s*/g, " ").matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name = "", rest = ""]) => [
    name,
    rest,
  ]),
);

test("the image runs as nobody, has a health check, and an exact base", () => {
  expect(instructions.get("USER")).toBe("nobody");
  expect(instructions.get("FROM")).toMatch(/^node:\d+\.\d+\.\d+-alpine$/);
  expect(instructions.get("HEALTHCHECK")).toContain("/healthz");
});

test("the services of compose.yaml have variables that the service knows", () => {
  const { services, networks } = parse(readFileSync(join(SERVICE, "compose.yaml"), "utf8"), { merge: true });
  expect(Object.keys(services)).toEqual(["postgres", "migrate", "service", "proxy", "cerbos"]);
  for (const name of ["migrate", "service"]) {
    const { CERBOS_PDP, ...environment } = services[name].environment;
    expect(() => readConfig(environment)).not.toThrow();
    // Null: taken from the shell. An empty text would be refused.
    if (name === "service") expect(CERBOS_PDP).toBeNull();
  }
  const { CERBOS_PDP: _, ...environment } = services.service.environment;
  expect(readConfig(environment)).toMatchObject({ MIGRATE_ON_START: false, HOST: "0.0.0.0" });
  // The address of a caller is the one that the proxy names, for limits and in the audit chain.
  expect(readConfig(environment).TRUSTED_PROXIES).toEqual([networks.default.ipam.config[0].subnet]);
});

test.skipIf(NOT_BUILT !== undefined)(
  `installed alone, as nobody${skipped(NOT_BUILT)}`,
  { timeout: 600_000 },
  async () => {
    execFileSync(process.execPath, [join(SERVICE, "scripts/pack.mjs"), home], { stdio: "ignore" });
    expect(readFileSync(join(home, "package.json"), "utf8")).not.toContain("file:..");
    execFileSync("sh", ["-c", instructions.get("RUN") ?? ""], { cwd: home, stdio: "ignore" });
    // The image locks the policies that it brings, and demands the lock.
    const [variable = "", isLocked = ""] = (instructions.get("ENV") ?? "").split("=");
    expect([variable, isLocked]).toEqual(["POLICIES_LOCKED", "1"]);
    expect(existsSync(join(home, "node_modules/keyward/policies/keyward.lock"))).toBe(true);
    chmodSync(home, 0o755);
    const [program = "", ...args]: string[] = JSON.parse(instructions.get("ENTRYPOINT") ?? "[]");
    const isRoot = process.getuid?.() === 0;
    const id = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
    const child = spawn(program === "node" ? process.execPath : program, args, {
      ...(isRoot && { uid: id("-u"), gid: id("-g") }),
      cwd: home,
      env: { PATH: process.env.PATH, DEMO: "1", PORT: "0", SHUTDOWN_DELAY_MS: "0", [variable]: isLocked },
    });
    let log = "";
    child.stderr.on("data", (chunk) => {
      log += chunk;
    });
    child.stdout.resume();
    try {
      // A first start reads every file of the packages.
      const isUp = () => log.includes('"listening"') || child.exitCode !== null;
      for (let i = 0; i < 2_400 && !isUp(); i++) await new Promise((resolve) => setTimeout(resolve, 50));
      const line = log.split("\n").find((text) => text.includes('"listening"')) ?? log;
      const { baseUrl } = JSON.parse(line);
      expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200);
    } finally {
      const ended = end(child);
      child.kill("SIGTERM");
      await ended;
    }
    expect(child.exitCode).toBe(0);
  },
);
