/**
 * The commands of `examples/serve/Dockerfile`, without Docker: the packed package is installed into an empty folder,
 * started as `nobody`, and asked for its health. Installs from the registry.
 *
 * @module-tag long
 */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUILT, ROOT } from "../support/built.js";
import { CHECK, checkOf, post, waitFor } from "./support.js";

/** The instructions of the container file. Continued lines are joined, and comments are left out. */
const INSTRUCTIONS = readFileSync(`${ROOT}examples/serve/Dockerfile`, "utf8")
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll(/\\\n\s*/g, " ")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] as const);

function only(name: string): string {
  const found = INSTRUCTIONS.filter(([instruction]) => instruction === name).map(([, rest]) => rest);
  expect(found, name).toHaveLength(1);
  return found[0] ?? "";
}

/** The arguments of an instruction, or of its end, that is written as a list. */
const listOf = (text: string): readonly string[] => JSON.parse(text.slice(text.indexOf("[")));

test("the base image has an exact version; the last user is nobody, and nothing runs after that", () => {
  expect(only("FROM")).toMatch(/^node:\d+\.\d+\.\d+-alpine$/);
  expect(INSTRUCTIONS.map(([name]) => name)).toEqual([
    "FROM",
    "WORKDIR",
    "RUN",
    "USER",
    "EXPOSE",
    "HEALTHCHECK",
    "ENTRYPOINT",
    "CMD",
  ]);
  expect(only("USER")).toBe("nobody");
  expect(only("RUN")).toMatch(/^npm install .*--ignore-scripts/);
});

describe.skipIf(!BUILT || process.platform !== "linux")("its commands (skipped without dist/: npm run build)", () => {
  const home = mkdtempSync(join(tmpdir(), "keyward-container-"));
  const [workdir, policies] = [join(home, "opt"), join(home, "policies")];

  beforeAll(() => {
    const packed = JSON.parse(
      execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", home], {
        cwd: ROOT,
        encoding: "utf8",
      }),
    );
    mkdirSync(workdir);
    const install = only("RUN").replace(/ keyward@\S+/, ` ${join(home, packed[0].filename)}`);
    execFileSync("sh", ["-c", install], { cwd: workdir, stdio: "ignore" });
    cpSync(join(ROOT, "policies"), policies, { recursive: true });
    for (const directory of [home, workdir, policies]) chmodSync(directory, 0o755);
  }, 300_000);
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  async function freePort(): Promise<number> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  test("they install, start as nobody, answer, and tell health from its lack", async () => {
    const port = await freePort();
    const here = (text: string) => text.replace("/policies", policies).replaceAll("3592", String(port));
    const [command = "", ...args] = [...listOf(only("ENTRYPOINT")), ...listOf(only("CMD"))].map(here);
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const config = join(home, "mapping.json");
    cpSync(join(ROOT, "bench/serve.authzen.json"), config);
    const child = spawn(command, [...args, "--config", config], {
      cwd: workdir,
      env: { PATH: process.env.PATH ?? "" },
      stdio: ["ignore", "pipe", "pipe"],
      ...user,
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (data) => {
        text += String(data);
      });
    }
    const exited = once(child, "exit");
    const health = () => {
      const [program = "", ...rest] = listOf(only("HEALTHCHECK")).map(here);
      return spawnSync(program, rest, { cwd: workdir, ...user }).status;
    };
    try {
      await waitFor(() => (/keyward serve: http/.test(text) ? true : undefined)).catch(() => expect.fail(text));
      expect(health()).toBe(0);
      expect((await post(`http://127.0.0.1:${port}${CHECK}`, checkOf(["read"]))).status).toBe(200);
      child.kill("SIGTERM");
      expect(await exited).toEqual([0, null]);
      expect(health()).toBe(1);
    } finally {
      child.kill("SIGKILL");
    }
  });
});
