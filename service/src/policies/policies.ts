/** The policies in force. Their changes, and refused changes, are logged. */

import type { PolicyIssue } from "keyward";
import { type LiveEvent, LivePolicies } from "keyward/watch";
import type { Logger } from "../observability/logger.js";

export type Policies = LivePolicies;

/** The policies cannot be loaded. `issues` has every fault of every file. */
export class PoliciesInvalid extends Error {
  override readonly name = "PoliciesInvalid";
  readonly issues: readonly PolicyIssue[];

  constructor(directory: string, issues: readonly PolicyIssue[]) {
    super(`the policies in ${directory} are not valid`);
    this.issues = issues;
  }
}

export interface PoliciesOptions {
  readonly onWidening?: "take" | "hold";
  /** Whether the policies must have a lock. */
  readonly locked?: boolean;
  /** Called after each reload. `taken`: another set is in force. Must not throw. */
  readonly onReload?: (result: LiveEvent["kind"]) => void;
}

/** Rejects with {@link PoliciesInvalid}. */
export async function openPolicies(
  directory: string,
  logger: Logger,
  { onWidening = "take", locked = false, onReload }: PoliciesOptions = {},
): Promise<Policies> {
  const lock = locked ? ({ lock: "required" } as const) : {};
  const loaded = await LivePolicies.load(directory, {
    ...lock,
    onWidening,
    // An intended removal is possible by SIGHUP, or with a new directory in place of this one.
    onRemoval: "refuse",
    onEvent: (event) => {
      log(event, logger);
      onReload?.(event.kind);
    },
  })();
  if (loaded._tag === "Left") throw new PoliciesInvalid(directory, loaded.left);
  return loaded.right;
}

/**
 * The response to SIGHUP: takes the held set, if there is one (the log has announced it); otherwise reads the files
 * again.
 */
export async function reloadOnSighup(policies: Policies): Promise<void> {
  if (policies.held === undefined || !policies.confirm(policies.held.hash)) await policies.reload();
}

function log(event: LiveEvent, logger: Logger): void {
  switch (event.kind) {
    case "taken":
      logger.info({ policySetHash: event.hash, before: event.before }, "policies reloaded");
      break;
    case "held": {
      const { hash, widenings, gaps, failure } = event.held;
      const what = failure === undefined ? "they allow more than" : "they could not be compared with";
      logger.warn(
        { policySetHash: event.inForce, held: hash, widenings: widenings.map(wideningOf), gaps, failure },
        `policies held: ${what} the set in force, which stays until SIGHUP`,
      );
      break;
    }
    case "refused":
      logger.error(
        { issues: event.issues.map(lineOf), policySetHash: event.inForce },
        "policies not reloaded: the set in force stays",
      );
      break;
  }
}

type Widening = Extract<LiveEvent, { readonly kind: "held" }>["held"]["widenings"][number];

function wideningOf({ operation, kind, roles, from, circumstances }: Widening) {
  return { operation, kind, roles, from, circumstances };
}

/** An issue in one line of the log. */
export function lineOf({ file, line, column, code, message }: PolicyIssue): string {
  return `${file}:${line}:${column} ${code} ${message}`;
}
