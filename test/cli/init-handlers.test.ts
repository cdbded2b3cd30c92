/**
 * The handlers of `keyward init` compile under strict options, and answer over HTTP in each framework.
 *
 * @module-tag long
 */

import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FRAMEWORKS, type Framework } from "../../src/cli/init/frameworks.js";
import { BUILT, ROOT } from "../support/built.js";
import { NEW_SETS } from "../support/new-sets.js";
import { keyward } from "../support/terminal.js";
import { findings, newProject } from "../types/project.js";

const SETS = FRAMEWORKS.flatMap((framework) =>
  // Sets with operations of every sort, and with those of one sort alone: they need other imports.
  [1, 2, 3, 5, 7].map((i) => ({ name: `${framework}-${i}`, args: [...(NEW_SETS[i] ?? []), "--framework", framework] })),
);

let project = "";

beforeAll(async () => {
  project = await newProject(["./*-*/*.ts"], { noUnusedLocals: true, noUnusedParameters: true });
  for (const { name, args } of SETS) {
    expect(await keyward(["init", join(project, name), ...args])).toMatchObject({ code: 0 });
  }
}, 120_000);

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

test("every handler compiles, and one that answers an operation that there is not does not", {
  timeout: 120_000,
}, async () => {
  const text = await readFile(join(project, "fastify-1", "handler.ts"), "utf8");
  await writeFile(
    join(project, "fastify-1", "wrong.ts"),
    text.replace('answer("devices.delete"', 'answer("devices.destroy"'),
  );
  const found = await findings(project, "node_modules/typescript");
  expect(found).toMatchObject([{ file: "wrong.ts", message: expect.stringContaining('"devices.destroy"') }]);
});

/** The parts of a framework's program that the test needs. */
interface App {
  ready?(): Promise<unknown>;
  close?(): Promise<unknown>;
  readonly routing?: RequestListener;
  fetch?(request: Request): Promise<Response>;
}

type Asked = (
  operation: string,
  secret: string | undefined,
  body?: unknown,
) => Promise<{ status: number; body: unknown }>;

/** Calls `use` with a function that asks the program over HTTP. */
async function serving(
  framework: Framework,
  app: App & RequestListener,
  use: (ask: Asked) => Promise<void>,
): Promise<void> {
  const init = (secret: string | undefined, body: unknown) => ({
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
    },
    body: JSON.stringify(body ?? {}),
  });
  const asked =
    (send: (path: string, init: RequestInit) => Promise<Response>): Asked =>
    async (operation, secret, body) => {
      const response = await send(`/v1/${operation}`, init(secret, body));
      return { status: response.status, body: await response.json() };
    };
  if (framework === "hono") {
    return await use(
      asked(
        async (path, init) => await (app.fetch?.(new Request(`http://localhost${path}`, init)) as Promise<Response>),
      ),
    );
  }
  await app.ready?.();
  const server = createServer(framework === "fastify" ? app.routing : app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no address");
    await use(asked((path, init) => fetch(`http://127.0.0.1:${address.port}${path}`, init)));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await app.close?.();
  }
}

const ERRORS = "https://docs.example.com/api-reference/errors-v2/service/";

describe.skipIf(!BUILT)("over HTTP (skipped without dist/: npm run build)", () => {
  test.each(FRAMEWORKS)("%s answers each outcome", async (framework) => {
    const directory = join(project, `${framework}-1`);
    const program = join(directory, "handler.mjs");
    const { code } = await transform(await readFile(join(directory, "handler.ts"), "utf8"), {
      loader: "ts",
      format: "esm",
    });
    await writeFile(program, code);
    const { createApp } = await import(pathToFileURL(program).href);
    const { loadPoliciesOrThrow } = await import(pathToFileURL(`${ROOT}dist/node.js`).href);

    const place = { accountId: "acc_1" };
    const keyOf = (role: string) => ({ id: `key_${role}`, roles: [role], attr: { ...place, permissions: [] } });
    const account = { id: "acc_1", attr: { plan: "free", status: "active", usage: { devices: 2 } } };
    const devices = new Map(
      (["active", "suspended"] as const).map((state) => [
        state,
        { kind: "device", id: state, attr: { ...place, state } },
      ]),
    );
    const errors: unknown[] = [];
    const perform = async ({ id }: { id: string }, body: object) => ({ done: id, ...body });
    const app = createApp(
      await loadPoliciesOrThrow(directory),
      {
        findKey: async (role: string) => (role === "nobody" ? undefined : keyOf(role)),
        findAccount: async () => account,
        find: async (id: "active", accountId: string) => (accountId === "acc_1" ? devices.get(id) : undefined),
        findAll: async () => [
          ...devices.values(),
          { kind: "device", id: "other", attr: { accountId: "acc_2", state: "active" } },
        ],
        perform: {
          "devices.create": perform,
          "devices.read": perform,
          "devices.update": perform,
          "devices.delete": async () => {
            throw new Error("the disk is full");
          },
        },
        onError: (error: unknown) => errors.push(error),
      },
      "docs.example.com",
    );

    await serving(framework, app, async (ask) => {
      const error = (status: number, type: string, more: object = {}) => ({
        status,
        body: { error: expect.objectContaining({ type: ERRORS + type, ...more }) },
      });
      expect(await ask("devices.read", "viewer", { id: "active" })).toMatchObject({
        status: 200,
        body: { done: "active" },
      });
      expect(await ask("devices.update", "editor", { id: "active", name: "new" })).toMatchObject({
        status: 200,
        body: { done: "active", name: "new" },
      });
      expect(await ask("devices.update", "viewer", { id: "active" })).toMatchObject(
        error(403, "authorization/insufficient_permissions"),
      );
      expect(await ask("devices.update", "admin", { id: "suspended" })).toMatchObject(
        error(403, "authorization/forbidden"),
      );
      expect(await ask("devices.create", "editor")).toMatchObject({ status: 200 });
      account.attr.usage.devices = 3;
      expect(await ask("devices.create", "editor")).toMatchObject(error(403, "authorization/forbidden"));
      expect(await ask("devices.read", undefined, { id: "active" })).toMatchObject(
        error(401, "authentication/invalid_key"),
      );
      expect(await ask("devices.read", "nobody", { id: "active" })).toMatchObject(
        error(401, "authentication/invalid_key"),
      );
      expect(await ask("devices.read", "viewer", { id: "unknown" })).toMatchObject(error(404, "resource/not_found"));
      for (const body of [{}, { id: 1 }]) {
        const detail = "The request body has no string id";
        expect(await ask("devices.read", "viewer", body)).toMatchObject(error(400, "request/invalid_body", { detail }));
      }
      expect(await ask("devices.read", "viewer", [])).toMatchObject(
        error(400, "request/invalid_body", { detail: "The request body is not a JSON object" }),
      );
      // Rows that the decisions refuse are left out, whatever the query found.
      const listed = { resources: [{ id: "active" }, { id: "suspended" }] };
      expect(await ask("devices.list", "viewer")).toMatchObject({ status: 200, body: listed });
      expect(await ask("devices.list", "custom")).toEqual({ status: 200, body: { resources: [] } });
      expect(await ask("devices.list", "nobody")).toMatchObject(error(401, "authentication/invalid_key"));
      expect(errors).toEqual([]);
      expect(await ask("devices.delete", "admin", { id: "active" })).toMatchObject(error(500, "server/internal_error"));
      expect(errors).toMatchObject([{ message: "the disk is full" }]);
    });
  });
});
