/**
 * `@cerbos/http` against `keyward serve`, and against the Cerbos server: the tests that `EmbeddedClient` passes.
 *
 * @module-tag long
 */

import { type AddressInfo, connect, createServer } from "node:net";
import * as core from "@cerbos/core";
import { HTTP } from "@cerbos/http";
import { afterAll, beforeAll, describe } from "vitest";
import { type ClientLibrary, clientCases, type MakeClient } from "../cerbos/client-cases.js";
import { GLOBALS, STORE, withStore } from "../cerbos/store.js";
import { serving } from "../serve/support.js";
import { NO_SERVER, startServer } from "../support/server.js";

/** Tests and clients may have two copies of `@cerbos/core`. What they share is checked by the tests. */
const library = core as unknown as ClientLibrary;
const clientOf =
  (origin: string): MakeClient =>
  (options = {}) =>
    new HTTP(origin, options) as unknown as ReturnType<MakeClient>;

const POLICIES = Object.fromEntries(Object.entries(STORE).map(([path, text]) => [`policies/${path}`, text]));

/** Runs `serve` from before the first test until after the last one. Returns the origin. */
function origin(serve: (use: (origin: string) => Promise<void>) => Promise<void>): () => string {
  let found = "";
  let done = () => {};
  let ended: Promise<void> = Promise.resolve();
  beforeAll(async () => {
    await new Promise<void>((started, failed) => {
      ended = serve(async (at) => {
        found = at;
        started();
        await new Promise<void>((resolve) => {
          done = resolve;
        });
      });
      ended.catch(failed);
    });
  });
  afterAll(async () => {
    done();
    await ended;
  });
  return () => found;
}

const ARGS = ["--globals", "FILE:globals.json", "--schema-enforcement", "warn", "--insecure-jwt"];

describe("keyward serve", () => {
  const at = origin((use) =>
    serving(ARGS, ({ origin: found }) => use(found), {
      ...POLICIES,
      "globals.json": JSON.stringify(GLOBALS),
    }),
  );
  clientCases(library, (options) => clientOf(at())(options));
});

/** Calls `use` with an address that leads to a socket. */
async function withAddressOf(path: string, use: (origin: string) => Promise<void>): Promise<void> {
  const proxy = createServer((socket) => {
    const inner = connect(path);
    socket.on("error", () => inner.destroy()).pipe(inner);
    inner.on("error", () => socket.destroy()).pipe(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  await use(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  proxy.close();
}

describe.skipIf(NO_SERVER !== undefined)(`the Cerbos server ${NO_SERVER ?? ""}`, () => {
  const at = origin((use) =>
    withStore(STORE, async (directory) => {
      const server = await startServer(directory, {
        engine: { globals: GLOBALS },
        schema: { enforcement: "warn" },
        auxData: { jwt: { disableVerification: true } },
      });
      await withAddressOf(server.http, use);
      await server.stop();
    }),
  );
  clientCases(library, (options) => clientOf(at())(options));
});
