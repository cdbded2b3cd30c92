/** A log of decisions by the worked example: decision records with attributes, or a server's entries. */

import { decisionRecord } from "../src/http/index.js";
import { decide, type PolicySet } from "../src/index.js";
import { type Work, workload } from "./requests.js";

export type LogForm = "records" | "entries";

interface LogOptions {
  readonly lines: number;
  readonly form: LogForm;
  /** Characters of an unknown field in each line. Default: 0. */
  readonly padding?: number;
}

/** Distinct requests; a longer log repeats them with other ids and times. */
const DISTINCT = 100_000;

/** The first entry is of this time, and each other one a second later. */
const START = Date.UTC(2026, 0, 1);

/** Characters that are yielded together, at least. */
const PIECE = 1 << 18;

/** Yields the log in pieces of several lines. */
export function* logText(policies: PolicySet, { lines, form, padding = 0 }: LogOptions): Generator<string> {
  const requests = workload(Math.min(lines, DISTINCT));
  const pad = padding === 0 ? {} : { padding: "x".repeat(padding) };
  let text = "";
  for (let i = 0; i < lines; i++) {
    const request = requests[i % requests.length];
    if (request === undefined) throw new Error("no requests");
    const time = new Date(START + i * 1_000).toISOString();
    const head = form === "records" ? { time, requestId: `req_${i}` } : { callId: `call_${i}`, timestamp: time };
    text += `${JSON.stringify({ ...BODIES[form](policies, request), ...head, ...pad })}\n`;
    if (text.length < PIECE && i < lines - 1) continue;
    yield text;
    text = "";
  }
}

const BODIES: { readonly [form in LogForm]: (policies: PolicySet, request: Work) => object } = {
  records: (policies, request) => {
    const decision = decide(policies, request);
    const about = { requestId: "", durationMs: 0.1, policySetHash: "sha256:0", record: "reads" } as const;
    return decisionRecord({ ...about, request, decision, policies });
  },
  entries: (policies, { key, operation, resource, account }) => {
    const { effect, policy } = decide(policies, { key, operation, resource, account }).permission;
    const answer = { effect: effect === "allow" ? "EFFECT_ALLOW" : "EFFECT_DENY", policy };
    return {
      ...{ "log.logger": "cerbos.audit", "log.kind": "decision" },
      checkResources: {
        inputs: [{ principal: key, resource, actions: [operation] }],
        outputs: [{ resourceId: resource.id, actions: { [operation]: answer } }],
      },
    };
  },
};
