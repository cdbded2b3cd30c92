/** A real server for one generated store. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Answer, type Server, startServer } from "../support/server.js";
import type { JsonObject } from "./json.js";
import type { Store } from "./store.js";

export interface StoreServer {
  /** Answers a CheckResources request. */
  check(body: JsonObject): Promise<JsonObject>;
  /** Answers a PlanResources request. */
  plan(body: JsonObject): Promise<JsonObject>;
  stop(): Promise<void>;
}

/** Starts a server, with further sections of its configuration. Rejects with `Refused` if the store does not load. */
export async function startStore(store: Store, sections: JsonObject = {}): Promise<StoreServer> {
  const directory = await mkdtemp(join(tmpdir(), "keyward-differential-"));
  const remove = () => rm(directory, { recursive: true, force: true });
  let server: Server;
  try {
    await writeStore(directory, store);
    server = await startServer(directory, { ...sectionsOf(store), ...sections });
  } catch (error) {
    await remove();
    throw error;
  }
  const read = ({ status, text }: Answer): JsonObject => {
    const answer = JSON.parse(text) as JsonObject;
    return status === 200 ? answer : { status, ...answer };
  };
  return {
    check: async (body) => read(await server.check(body)),
    plan: async (body) => read(await server.plan(body)),
    stop: () => server.stop().finally(remove),
  };
}

export async function writeStore(directory: string, { files }: Store): Promise<void> {
  for (const [path, body] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), JSON.stringify(body, null, 2));
  }
}

function sectionsOf({ options }: Store): JsonObject {
  const { defaultPolicyVersion, defaultScope, lenientScopeSearch, strictEvaluation, globals, schemaEnforcement } =
    options;
  return {
    engine: { defaultPolicyVersion, defaultScope, lenientScopeSearch, strictEvaluation, globals },
    schema: { enforcement: schemaEnforcement },
    auxData: { jwt: { disableVerification: true } },
  };
}
