/** Cerbos's own engine cases, read in place: every input, every action, the policy and scope that decided. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as E from "fp-ts/lib/Either.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseTimestamp } from "../../src/cel/time.js";
import { type CheckEngineOptions, compileCheckEngine } from "../../src/cerbos/engine.js";
import { check } from "../../src/engine/check/check.js";
import { readPolicyDirectory } from "../../src/node/index.js";

const CORPUS = join(import.meta.dirname, "../../../shared/corpus/cerbos-v0.51.0");
const SUITES: readonly (readonly [string, CheckEngineOptions])[] = [
  ["engine", {}],
  ["engine", { lenientScopeSearch: true }],
  ["engine_strict_scope_search", {}],
  ["engine_lenient_scope_search", { lenientScopeSearch: true }],
  ["engine_schema_enforcement/warn", { schemaEnforcement: "warn" }],
  ["engine_schema_enforcement/reject", { schemaEnforcement: "reject" }],
];


describe.skipIf(!existsSync(CORPUS))(
  "Cerbos's engine cases (skipped without the corpus beside the project)",
  async () => {
    const files = existsSync(CORPUS) ? await readPolicyDirectory(join(CORPUS, "store"))() : E.right([]);
    if (E.isLeft(files)) throw new Error(JSON.stringify(files.left));
    for (const [directory, options] of SUITES) {
      describe(`${directory} ${JSON.stringify(options)}`, () => {
        const compiled = compileCheckEngine(files.right, { globals: { environment: "test" }, ...options });
        it("loads", () => expect(E.isLeft(compiled) ? compiled.left : []).toEqual([]));
        if (E.isLeft(compiled)) return;
        const engine = compiled.right;
        for (const name of existsSync(CORPUS)
          ? readdirSync(join(CORPUS, directory)).filter((n) => n.endsWith(".yaml"))
          : []) {
          const text = readFileSync(join(CORPUS, directory, name), "utf8").replace(/\nwantDecisionLogs:[\s\S]*$/, "\n");
          const body = parse(text, { strict: false, logLevel: "silent" });
          for (const [i, input] of (body.inputs ?? []).entries()) {
            it(`${name} input ${i}: ${body.description}`, () => {
              const result = check(
                engine.table,
                {
                  principal: {
                    id: input.principal.id,
                    roles: input.principal.roles,
                    attr: input.principal.attr ?? {},
                    policyVersion: input.principal.policyVersion ?? input.principal.policy_version ?? "",
                    scope: input.principal.scope ?? "",
                  },
                  resource: {
                    kind: input.resource.kind,
                    id: input.resource.id,
                    attr: input.resource.attr ?? {},
                    policyVersion: input.resource.policyVersion ?? input.resource.policy_version ?? "",
                    scope: input.resource.scope ?? "",
                  },
                  actions: input.actions,
                  jwt: (input.auxData ?? input.aux_data)?.jwt ?? {},
                  now: parseTimestamp("2024-01-01T00:00:00Z"),
                },
                engine.options,
              );
              const want = body.wantOutputs[i];
              const actions = Object.fromEntries(
                [...result.actions].map(([a, r]) => [
                  a,
                  { effect: `EFFECT_${r.effect.toUpperCase()}`, policy: r.policy, scope: r.scope },
                ]),
              );
              const wanted = Object.fromEntries(
                Object.entries<any>(want.actions).map(([a, r]) => [
                  a,
                  { effect: r.effect, policy: r.policy ?? "", scope: r.scope ?? "" },
                ]),
              );
              expect(actions).toEqual(wanted);
              expect([...result.effectiveDerivedRoles].sort()).toEqual(
                [...(want.effectiveDerivedRoles ?? want.effective_derived_roles ?? [])].sort(),
              );
            });
          }
        }
      });
    }
  },
);
