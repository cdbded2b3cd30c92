/** The engine of a bundle for checks has the configuration that the bundle was built with, as the one of its files has. */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { CORE } from "../../src/bundle/core.js";
import { bundleText } from "../../src/bundle/module.js";
import { type CheckEngine, compileCheckEngine, EmbeddedClient } from "../../src/cerbos/index.js";
import { type BundledEngineOptions, loadCheckEngine } from "../../src/cerbos/runtime.js";
import type { CompileOptions } from "../../src/index.js";
import { imported } from "../support/bundles.js";
import { compiled } from "../support/policies.js";

const POLICY = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: invoice
  version: VERSION
  schemas: { resourceSchema: { ref: cerbos:///invoice.json } }
  rules:
    - { actions: [pay], roles: [clerk], effect: EFFECT_ALLOW }
    - { actions: [pay], roles: [clerk], effect: EFFECT_DENY, condition: { match: { expr: G.closed } } }
`;

function files(configuration: string, version = "default") {
  return [
    { path: "invoice.yaml", text: POLICY.replace("VERSION", version) },
    { path: "_schemas/invoice.json", text: '{"properties": {"amount": {"type": "number"}}}' },
    { path: "keyward.yaml", text: `platform: none\n${configuration}` },
  ];
}

async function bundledEngine(
  policies: ReturnType<typeof files>,
  { built = {}, ...options }: BundledEngineOptions & { readonly built?: CompileOptions } = {},
) {
  const engine = loadCheckEngine(imported(await bundleText(compiled(policies, built))), options);
  if (isLeft(engine)) throw new Error(engine.left.message);
  return engine.right;
}

function pays(engine: CheckEngine, resource: { readonly scope?: string; readonly attr?: { amount: string } } = {}) {
  return new EmbeddedClient(engine).isAllowed({
    principal: { id: "cleo", roles: ["clerk"] },
    resource: { kind: "invoice", id: "i1", ...resource },
    action: "pay",
  });
}

const DAMAGED = { attr: { amount: "much" } };

describe("a setting of keyward.yaml", () => {
  test.each<[string, ReturnType<typeof files>, Parameters<typeof pays>[1], boolean]>([
    ["no setting", files(""), {}, true],
    ["a global that a prohibition reads", files("globals: { closed: true }"), {}, false],
    ["no enforcement of schemas", files(""), DAMAGED, true],
    ["enforcement of schemas", files("schemaEnforcement: reject"), DAMAGED, false],
    ["no search of scopes", files(""), { scope: "acme" }, false],
    ["a search of scopes", files("lenientScopeSearch: true"), { scope: "acme" }, true],
    ["the version of the layer", files("layers: { permission: v2 }", "v2"), {}, true],
  ])("%s", async (_, policies, resource, expected) => {
    const ofFiles = compileCheckEngine(policies);
    if (isLeft(ofFiles)) throw new Error(JSON.stringify(ofFiles.left));
    const engines = [ofFiles.right, await bundledEngine(policies)];
    expect(await Promise.all(engines.map((engine) => pays(engine, resource)))).toEqual([expected, expected]);
  });
});

test("an option of the build is one of the bundle's engine, and an option of the engine takes precedence", async () => {
  const built = { globals: { closed: true } };
  expect(await pays(await bundledEngine(files(""), { built }))).toBe(false);
  expect(await pays(await bundledEngine(files(""), { built, globals: { closed: false } }))).toBe(true);
  expect(await pays(await bundledEngine(files(""), { built, globals: {} }))).toBe(true);
  expect(
    await pays(await bundledEngine(files("schemaEnforcement: reject"), { schemaEnforcement: "none" }), DAMAGED),
  ).toBe(true);
});

test("an option that is undefined is absent", async () => {
  const options = Object({ globals: undefined, schemaEnforcement: undefined, lenientScopeSearch: undefined });
  const engine = await bundledEngine(files("globals: { closed: true }"), options);
  expect(await pays(engine)).toBe(false);
});

test("a bundle that enforces schemas says so to an equipment that cannot", async () => {
  const needed = "schemaEnforcement needs the equipment EVERYTHING of keyward/runtime/everything";
  for (const enforcement of ["warn", "reject"]) {
    const engine = bundledEngine(files(`schemaEnforcement: ${enforcement}`), { equipment: CORE });
    await expect(engine).rejects.toThrow(new TypeError(needed));
  }
});

test("globals that are not JSON are a fault of the program, and not of the bundle", async () => {
  const globals = Object({ closed: new Map() });
  await expect(bundledEngine(files(""), { globals })).rejects.toThrow(new TypeError("globals.closed must be JSON"));
});
