/**
 * Installs the packed package in applications with each supported version of `@cerbos/core`, on each version of Node
 * that this version runs on. Expects one copy of `@cerbos/core`, and a working client. Installs from the registry,
 * which takes a minute.
 *
 * @module-tag long
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUILT, ROOT } from "../support/built.js";
import { say } from "../support/seed.js";

/**
 * The oldest version, the newest one and versions between, with the major version of Node that each requires. `ofAction`:
 * the action of an output, where the version tells it.
 */
const CORES: readonly { readonly version: string; readonly node: number; readonly ofAction?: null }[] = [
  { version: "0.25.2", node: 20, ofAction: null },
  { version: "0.26.0", node: 20, ofAction: null },
  { version: "0.28.0", node: 20 },
  { version: "0.30.0", node: 20 },
  { version: "0.31.0", node: 20 },
  { version: "0.33.1", node: 22 },
];

/** A version that is too old. */
const TOO_OLD = "0.24.1";

/** Further Node binaries, which are npm packages. */
const NODES = ["22", "24"] as const;

/** An application that uses classes of its own `@cerbos/core`. */
const PROGRAM = `
import { Client, NotOK, Status } from "@cerbos/core";
import { decide, compilePolicies } from "keyward";
import { compileCheckEngine, EmbeddedClient, remoteDecider } from "keyward/cerbos";
const text = \`apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - name: read
      actions: [read]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: { match: { expr: R.attr.open && !has(request.auxData.jwts.app) } }
      output: { when: { ruleActivated: '"read by " + P.id' } }
\`;
const files = [{ path: "doc.yaml", text }];
const engine = compileCheckEngine(files).right;
const client = new EmbeddedClient(engine);
const principal = { id: "ann", roles: ["user"] };
const resource = { kind: "doc", id: "d1", attr: { open: true } };
const result = await client.checkResource({ principal, resource, actions: ["read", "edit"], includeMetadata: true });
const refusal = await client
  .isAllowed({ principal, resource: { ...resource, attr: { open: new Map() } }, action: "read" })
  .catch((error) => error);
const jwts = { app: { token: "t" } };
const verifying = new EmbeddedClient(engine, { decodeJWT: () => ({}) });
const named = await verifying.isAllowed({ principal, resource, action: "read", auxData: { jwts } });
const unimplemented = await client.listPolicies({}).catch((error) => error);
const { cerbosCallId } = await client.checkResources({ principal, resources: [{ resource, actions: ["read"] }] });
const policies = compilePolicies(files, { platform: "none" }).right;
const request = { key: principal, operation: "read", resource };
const remote = await remoteDecider(client, policies)(request)();
console.log(
  JSON.stringify({
    isClient: client instanceof Client,
    actions: result.actions,
    policy: result.metadata.actions.read.matchedPolicy,
    outputs: result.outputs.map(({ source, action, value }) => [source, action, value]),
    refusal: refusal instanceof NotOK && Status[refusal.code],
    named,
    unimplemented: unimplemented instanceof NotOK && Status[unimplemented.code],
    isUlid: /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(cerbosCallId),
    health: (await client.checkHealth()).status,
    version: (await client.serverInfo()).version,
    remote: remote._tag === "Right" && JSON.stringify(remote.right) === JSON.stringify(decide(policies, request)),
  }),
);
`;

const EXPECTED = {
  isClient: true,
  actions: { read: "EFFECT_ALLOW", edit: "EFFECT_DENY" },
  policy: "resource.doc.vdefault",
  outputs: [["resource.doc.vdefault#read", "read", "read by ann"]],
  refusal: "INVALID_ARGUMENT",
  named: false,
  unimplemented: "UNIMPLEMENTED",
  isUlid: true,
  health: "SERVING",
  version: "keyward",
  remote: true,
};

function npm(args: readonly string[], cwd: string) {
  return spawnSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], { cwd, encoding: "utf8" });
}

/** Installs packages into a new project. Returns npm's message if that fails. */
function installed(directory: string, dependencies: object): string | undefined {
  writeFileSync(join(directory, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  const { status, stderr } = npm(["install"], directory);
  return status === 0 ? undefined : stderr.trim();
}

/** npm's errors for missing packages and for an unreachable registry: not faults of the package. */
const NOT_THERE = /\b(ETARGET|E404|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH)\b/;

describe.skipIf(!BUILT)("the packed package (skipped without dist/: npm run build)", () => {
  const home = mkdtempSync(join(tmpdir(), "keyward-core-"));
  const nodes = new Map<number, string>([[Number(process.versions.node.split(".")[0]), process.execPath]]);
  let tarball = "";

  beforeAll(() => {
    const packed: unknown = JSON.parse(
      execFileSync("npm", ["pack", "--json", "--pack-destination", home], { cwd: ROOT, encoding: "utf8" }),
    );
    tarball = join(home, Object(packed)[0].filename);
    const place = `node-${process.platform}-${process.arch}`;
    for (const major of NODES) {
      const directory = mkdtempSync(join(home, "node-"));
      const failure = installed(directory, { [place]: major });
      if (failure === undefined) nodes.set(Number(major), join(directory, "node_modules", place, "bin", "node"));
      else say(`Node ${major} cannot be had, and is not tried: ${failure}`);
    }
  }, 300_000);

  afterAll(() => rmSync(home, { recursive: true, force: true }), 300_000);

  const { devDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
  const messages = ["@cerbos/api", "@bufbuild/protobuf"].map((name) => [name, devDependencies[name]]);

  test("as docs/embedding.md installs it", (context) => {
    const directory = mkdtempSync(join(home, "alone-"));
    const [, command = ""] = /^npm install (@cerbos.*)$/m.exec(readFileSync(`${ROOT}docs/embedding.md`, "utf8")) ?? [];
    const named = command.split(" ").map((each) => each.split(/(?<=.)@/));
    const failure = installed(directory, { ...Object.fromEntries(named), keyward: `file:${tarball}` });
    if (failure !== undefined && NOT_THERE.test(failure)) {
      say(`an installation of the package alone is not tried, for the registry has not all that it needs: ${failure}`);
      context.skip();
    }
    expect(failure).toBeUndefined();
    writeFileSync(join(directory, "application.js"), PROGRAM);
    const output = execFileSync(process.execPath, ["application.js"], { cwd: directory, encoding: "utf8" });
    expect(JSON.parse(output)).toEqual(EXPECTED);
  });

  test.for(CORES)(
    "with @cerbos/core $version: one copy, which the client is one of",
    ({ version, node, ofAction = "read" }, context) => {
      const directory = mkdtempSync(join(home, "application-"));
      const failure = installed(directory, {
        ...Object.fromEntries(messages),
        "@cerbos/core": version,
        keyward: `file:${tarball}`,
      });
      if (failure !== undefined && NOT_THERE.test(failure)) {
        say(`@cerbos/core ${version} is not tried, for the registry has not all that it needs: ${failure}`);
        context.skip();
      }
      expect(failure).toBeUndefined();
      const modules = join(directory, "node_modules");
      const files = readdirSync(modules, { recursive: true, encoding: "utf8" });
      const manifest = join("@cerbos", "core", "package.json");
      expect(files.filter((path) => path.endsWith(manifest))).toEqual([manifest]);
      expect(JSON.parse(readFileSync(join(modules, manifest), "utf8")).version).toBe(version);
      writeFileSync(join(directory, "application.js"), PROGRAM);
      const tried = [...nodes].filter(([major]) => major >= node);
      if (tried.length === 0) {
        say(`@cerbos/core ${version} is not tried, for it needs Node ${node}`);
        context.skip();
      }
      for (const [major, binary] of tried) {
        const output = execFileSync(binary, ["application.js"], { cwd: directory, encoding: "utf8" });
        const outputs = EXPECTED.outputs.map(([source, , value]) => [source, ofAction, value]);
        expect(JSON.parse(output), `Node ${major}`).toEqual({ ...EXPECTED, outputs });
      }
      say(`@cerbos/core ${version} works on Node ${tried.map(([major]) => major).join(", ")}`);
    },
  );

  test("a version that is too old is refused when the entry is imported", (context) => {
    const directory = mkdtempSync(join(home, "old-"));
    const failure = installed(directory, {
      ...Object.fromEntries(messages),
      "@cerbos/core": TOO_OLD,
      keyward: `file:${tarball}`,
    });
    if (failure !== undefined && NOT_THERE.test(failure)) {
      say(`@cerbos/core ${TOO_OLD} is not tried, for the registry has not all that it needs: ${failure}`);
      context.skip();
    }
    expect(failure).toBeUndefined();
    const program = 'import("keyward/cerbos").catch((error) => console.log(error.message))';
    const output = execFileSync(process.execPath, ["-e", program], { cwd: directory, encoding: "utf8" });
    expect(output).toBe("keyward/cerbos needs @cerbos/core 0.25.2 or newer: npm install @cerbos/core@0.28.0\n");
  });
});
