/** One throw-away PostgreSQL server for all tests of the service. */

import type { TestProject } from "vitest/node";
import { type PostgresServer, startPostgres } from "./postgres-server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The server's address, with no database in it; or why there is no server. */
    postgres: { readonly url: string } | { readonly missing: string };
  }
}

// biome-ignore lint/style/noDefaultExport: vitest calls a default export.
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server: PostgresServer | string = await startPostgres();
  if (typeof server === "string") {
    console.warn(`tests on PostgreSQL are skipped: ${server}`);
    project.provide("postgres", { missing: server });
    return async () => {};
  }
  project.provide("postgres", { url: server.url });
  return server.stop;
}
