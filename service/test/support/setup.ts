/**
 * The shared setup of the service's tests: a temporary PostgreSQL server, and an image of a PGlite store with empty
 * tables.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import { migrate } from "drizzle-orm/pglite/migrator";
import type { TestProject } from "vitest/node";
import { MIGRATIONS } from "../../src/store/migrations.js";
import { startPostgres } from "./postgres-server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The server's address without a database, or the reason that there is no server. */
    postgres: { readonly url: string } | { readonly missing: string };
    /** The path of the PGlite image. */
    pglite: string;
  }
}

// biome-ignore lint/style/noDefaultExport: vitest calls a default export.
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [image, server] = await Promise.all([makeImage(), startPostgres()]);
  project.provide("pglite", image.path);
  if (typeof server === "string") {
    process.stderr.write(`tests on PostgreSQL are skipped: ${server}\n`);
    project.provide("postgres", { missing: server });
  } else {
    project.provide("postgres", { url: server.url });
  }
  return async () => {
    image.remove();
    if (typeof server !== "string") await server.stop();
  };
}

async function makeImage() {
  const home = mkdtempSync(join(tmpdir(), "keyward-pglite-"));
  const path = join(home, "image.tar");
  const client = await PGlite.create();
  await migrate(drizzle(client), MIGRATIONS);
  const dump = await client.dumpDataDir("none");
  writeFileSync(path, Buffer.from(await dump.arrayBuffer()));
  await client.close();
  return { path, remove: () => rmSync(home, { recursive: true, force: true }) };
}
