/** The report of a broken law: the requests and their decisions. */

import type { Decision } from "../../decisions/types.js";
import type { LayerVerdict } from "../../engine/plan/verdict.js";
import type { PlainRequest } from "./plain-request.js";

/** A law of `keyward/testing` does not hold. The message contains the requests and decisions that show it. */
export class LawViolation extends Error {
  override readonly name = "LawViolation";
}

/** One of the decisions that a law compares. */
export interface ViolatingDecision {
  /** `before`, `with another key`. */
  readonly label: string;
  readonly request: PlainRequest;
  readonly decision: Decision;
}

/** @throws {LawViolation} always */
export function throwViolation(law: string, shown: readonly ViolatingDecision[]): never {
  throw new LawViolation([law, ...shown.flatMap(lines)].join("\n"));
}

function lines({ label, request, decision }: ViolatingDecision): readonly string[] {
  return [
    "",
    `${label}: ${decision.outcome}`,
    `  ${verdictLine("permission", decision.permission)}`,
    `  ${verdictLine("platform", decision.platform)}`,
    `  ${JSON.stringify(request)}`,
  ];
}

/** `platform: deny by quota_exceeded (rule quota_exceeded of resource.api.vplatform)`, followed by any errors. */
export function verdictLine(layer: string, { effect, reasons, errors }: LayerVerdict): string {
  const why = reasons.map(({ reason, rule, policy }) =>
    rule === "" ? reason : `${reason} (rule ${rule} of ${policy})`,
  );
  const erred = errors.map(({ rule, position, message }) =>
    [rule === "" ? "" : ` in ${rule}`, position === "" ? "" : ` at ${position}`, `: ${message}`].join(""),
  );
  return `${layer}: ${effect} by ${why.join(", ")}${erred.map((one) => `; error${one}`).join("")}`;
}
