/** Entries of a log as the server writes them, for answers of the engine. */

import { parseTimestamp } from "../../src/cel/time.js";
import { check } from "../../src/engine/evaluate/check.js";
import type { CheckEngine } from "../../src/engine/evaluate/check-engine.js";
import type { JsonObject } from "../differential/json.js";

export interface EntryInput {
  readonly principal: JsonObject;
  readonly resource: JsonObject;
  readonly actions: readonly string[];
}

export const TIME = "2026-11-28T02:37:34.464301031Z";

/** The entry of one check. */
export function entryOf(engine: CheckEngine, input: EntryInput, id = "call"): JsonObject {
  const { principal, resource, actions } = input;
  const part = { id: "", attr: {}, policyVersion: "", scope: "" };
  const result = check(
    engine.policies,
    {
      principal: { ...part, roles: [], ...principal },
      resource: { ...part, kind: "", ...resource },
      ...{ actions, jwt: {}, now: parseTimestamp(TIME) },
    },
    engine.options,
  );
  const effects = [...result.actions].map(([action, { effect, policy }]) => [
    action,
    { effect: effect === "allow" ? "EFFECT_ALLOW" : "EFFECT_DENY", policy },
  ]);
  const errors = result.errors.map(({ expression, message }) => ({ celError: { expression, message } }));
  return {
    ...{ "log.logger": "cerbos.audit", "log.kind": "decision", callId: id, timestamp: TIME },
    checkResources: {
      inputs: [{ principal, resource, actions: [...actions] }],
      outputs: [
        {
          resourceId: resource.id ?? "",
          actions: Object.fromEntries(effects),
          ...(errors.length === 0 ? {} : { evaluationErrors: errors }),
        },
      ],
    },
  };
}
