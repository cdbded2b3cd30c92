/** Which of several keys may perform an operation: each in the ways that its values leave. */

import { permissionAlone } from "../../decisions/permission-alone.js";
import { planDecisions } from "../../decisions/plan-decisions.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { PermissionRequest } from "../../decisions/types.js";
import { KnownKey } from "../../proof/ways/known-key.js";
import type { NoSolver } from "../../solver/no-solver.js";
import type { Solver } from "../../solver/solver.js";
import { TimeLimit } from "../../solver/timed-solver.js";
import { hasNoScopes, keyJson, UNSCOPED } from "./asked.js";
import { searchWays } from "./search.js";
import type { OperationWays } from "./types.js";
import { NOWHERE, type WhoOptions } from "./who.js";

/** The answer for a key: may it perform the operation on some resource of some account? */
export interface KeyPower {
  /** `no` is proved. `unknown`: no way was found, and it is not proved that there is none. */
  readonly may: "yes" | "no" | "unknown";
  /** By kind: the ways, as conditions on the resource and the account. Empty if the key lacks permission outright. */
  readonly operations: readonly OperationWays[];
  /** Why it is unknown. */
  readonly why?: string;
}

/** Examines keys one after the other, within one time limit. */
export class KeyPowers {
  private readonly policies: PolicySet;
  private readonly operation: string;
  private readonly kinds: readonly string[];
  private readonly solver: Solver | NoSolver | undefined;
  private readonly options: WhoOptions;
  private readonly limit: TimeLimit;
  /** The permission layer alone; undefined if a plan does not speak of all resources. */
  private readonly permission: PolicySet | undefined;

  /** `kinds`: the kinds on which the policies know the operation. */
  constructor(
    policies: PolicySet,
    operation: string,
    kinds: readonly string[],
    solver: Solver | NoSolver | undefined,
    options: WhoOptions,
  ) {
    this.policies = policies;
    this.operation = operation;
    this.kinds = kinds;
    this.solver = solver;
    this.options = options;
    this.limit = new TimeLimit(options.timeLimit ?? 120_000);
    this.permission = hasNoScopes(policies) ? permissionAlone(policies) : undefined;
  }

  /** `now`: the time at which a plan is made. */
  async of(key: PermissionRequest["key"], now: Date): Promise<KeyPower> {
    if (this.lacksPermission(key, now)) return { may: "no", operations: [] };
    if (this.limit.isOver) return { may: "unknown", operations: [], why: this.limit.why };
    const { kind, assume, limit } = this.options;
    const named = (name: string) => [{ name, at: NOWHERE }];
    const found = await searchWays(
      this.policies,
      this.solver,
      {
        ...(assume === undefined ? {} : { assume }),
        ...(limit === undefined ? {} : { limit }),
        ...{ timeLimit: this.limit.left, key: new KnownKey(keyJson(key)) },
      },
      {
        about: { operations: named(this.operation), kinds: kind === undefined ? undefined : named(kind) },
        expressionsFor: () => (this.permission === undefined ? [] : UNSCOPED),
      },
    );
    // The assumption that no request with this key meets leaves it nothing.
    if ("kind" in found) return { may: "no", operations: [] };
    const operations = found.map(({ ways }) => ways);
    if (operations.some(({ ways }) => ways.length > 0)) return { may: "yes", operations };
    const open = operations.find(({ result }) => result !== "proved");
    if (open === undefined) return { may: "no", operations };
    return { may: "unknown", operations, ...(open.why === undefined ? {} : { why: open.why }) };
  }

  /** Does a plan refuse the key everything? Plans are of one time, so rules that read the clock are asked otherwise. */
  private lacksPermission(key: PermissionRequest["key"], now: Date): boolean {
    const { permission, operation } = this;
    if (permission === undefined) return false;
    return this.kinds.every((kind) => {
      const plan = planDecisions(permission, { ...{ key, operation, kind }, account: { id: "none" }, now });
      return plan.outcome === "none" && plan.now === undefined;
    });
  }
}
