/**
 * Exports decisions in the format of Cerbos's decision logs (`cerbos.audit.v1.DecisionLogEntry` as its file backend
 * writes it), for tools that read those logs.
 *
 * A decision becomes two checks, as a PDP is asked for it: the permission layer with the key, the platform layer with
 * the account. Attributes are left out: neither the decision log nor the audit chain contains them.
 */

import { z } from "zod";
import { chainOf, headsOf } from "./audit-log.js";
import type { RequestStore } from "./store/store.js";

const Target = z.object({ operation: z.string(), kind: z.string(), id: z.string() });
const effect = z.enum(["allow", "deny"]);

/** The fields that are read from a line of the decision log, or from an entry of the audit chain. */
const Recorded = z.object({
  time: z.iso.datetime(),
  requestId: z.string(),
  keyId: z.string(),
  keyRoles: z.array(z.string()),
  accountId: z.string(),
  operation: z.string(),
  resourceKind: z.string(),
  resourceId: z.string(),
  permissionEffect: effect,
  permissionPolicy: z.string(),
  platformEffect: effect,
  platformPolicy: z.string(),
  policySetHash: z.string(),
  exceeding: Target.optional(),
  address: z.string().optional(),
});

type Recorded = z.output<typeof Recorded>;

/** A line is not a decision record. */
export class NoRecord extends Error {
  override readonly name = "NoRecord";
}

/** The two log entries of a record, given as JSON text. Throws {@link NoRecord}. */
export function entriesOf(text: string): readonly object[] {
  const record = recordIn(text);
  const { operation, resourceKind: kind, resourceId: id, exceeding } = record;
  const target = { operation, kind, id };
  return [
    entryOf(record, {
      layer: "permission",
      // If a change would pass on too much, the recorded verdict is about the part that is too much.
      target: exceeding ?? target,
      principal: { id: record.keyId, roles: record.keyRoles, policyVersion: "default" },
      answer: { effect: record.permissionEffect, policy: record.permissionPolicy },
    }),
    entryOf(record, {
      layer: "platform",
      target,
      principal: { id: record.accountId, roles: ["account"], policyVersion: "platform" },
      answer: { effect: record.platformEffect, policy: record.platformPolicy },
    }),
  ];
}

interface ExportedCheck {
  readonly layer: string;
  readonly target: z.output<typeof Target>;
  readonly principal: { readonly id: string; readonly roles: readonly string[]; readonly policyVersion: string };
  readonly answer: { readonly effect: Recorded["permissionEffect"]; readonly policy: string };
}

function entryOf(record: Recorded, { layer, target, principal, answer }: ExportedCheck) {
  const { time, requestId, policySetHash, address = "" } = record;
  const { operation, kind, id } = target;
  const { policyVersion } = principal;
  const effect = answer.effect === "allow" ? "EFFECT_ALLOW" : "EFFECT_DENY";
  return {
    "log.logger": "cerbos.audit",
    "log.kind": "decision",
    callId: `${requestId}:${layer}`,
    timestamp: time,
    peer: { address },
    checkResources: {
      inputs: [{ requestId, principal, resource: { kind, id, policyVersion }, actions: [operation] }],
      outputs: [{ requestId, resourceId: id, actions: { [operation]: { effect, policy: answer.policy } } }],
    },
    metadata: { "keyward-policy-set": { values: [policySetHash] } },
  };
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NoRecord("a line is no JSON");
  }
}

function recordIn(text: string): Recorded {
  const record = Recorded.safeParse(valueIn(text));
  if (!record.success) throw new NoRecord(`a line is no decision record: ${record.error.issues[0]?.path.join(".")}`);
  return record.data;
}

/** An audit entry about an operator's command. Such a command involves no decision. */
const Operators = z.object({ operator: z.string() });

/** The decisions in the audit chains of all accounts: account by account, each in order. */
export async function* exportedChains(store: RequestStore): AsyncGenerator<object> {
  for (const { accountId } of await headsOf(store)) {
    for await (const { entry } of chainOf(store, accountId)) {
      if (!Operators.safeParse(valueIn(entry)).success) yield* entriesOf(entry);
    }
  }
}

/** The lines of a decision log. Empty lines, which end lines that were cut off, are skipped. */
export async function* exportedLines(lines: AsyncIterable<string>): AsyncGenerator<object> {
  for await (const line of lines) if (line.trim() !== "") yield* entriesOf(line);
}
