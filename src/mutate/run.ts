/** Runs the mutants of a policy set: each is killed by a test or claim, proved equivalent, a survivor, or unproven. */

import * as E from "fp-ts/lib/Either.js";
import type { CompileOptions } from "../decisions/compile-options.js";
import { compileWith, type PolicySet } from "../decisions/policy-set.js";
import type { NoSolver } from "../solver/no-solver.js";
import type { Solver } from "../solver/solver.js";
import type { RequestJson } from "../space/draft.js";
import { answerOf, differ } from "./answer.js";
import type { Changed, ClaimChecks, SuiteChecks } from "./checks.js";
import { MutantComparison } from "./comparison.js";
import { MutantReader } from "./mutant-reader.js";
import { type Mutant, type MutantPlace, mutantsOf, mutatedFiles } from "./mutants.js";
import { type KilledMutant, type MutationReport, reportOf, type Survivor, type UnprovenMutant } from "./report.js";
import { isWithoutEffect } from "./same-types.js";
import { shuffled } from "./sample.js";
import { suiteText } from "./suite-text.js";

export interface MutationOptions {
  /** The options by which the set was compiled. */
  readonly compile: CompileOptions;
  /** The most mutants, drawn by `seed`. Default: all. */
  readonly max?: number | undefined;
  readonly seed?: number | undefined;
  /** Which mutants count. Default: all. */
  readonly isWanted?: ((mutant: Mutant) => boolean) | undefined;
  /** Called before each mutant, with the number of mutants run and the most that may follow. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Ends the run before the next mutant. The report then has only the mutants before. */
  readonly signal?: AbortSignal | undefined;
}

export interface MutationChecks {
  readonly suites: SuiteChecks;
  readonly claims: ClaimChecks;
}

/** Every test of `checks` must pass on `set`. */
export async function runMutants(
  set: PolicySet,
  checks: MutationChecks,
  solver: Solver | NoSolver | undefined,
  options: MutationOptions,
): Promise<MutationReport> {
  return await new MutationRun(set, checks, solver, options).report();
}

/** Lets events arrive that abort a signal. */
async function eventLoopTurn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

class MutationRun {
  private readonly set: PolicySet;
  private readonly checks: MutationChecks;
  private readonly solver: Solver | NoSolver | undefined;
  private readonly options: MutationOptions;
  private readonly reader: MutantReader;
  private readonly kills: KilledMutant[] = [];
  private readonly equivalent: MutantPlace[] = [];
  private readonly survivors: Survivor[] = [];
  private readonly unproven: UnprovenMutant[] = [];

  constructor(set: PolicySet, checks: MutationChecks, solver: Solver | NoSolver | undefined, options: MutationOptions) {
    this.set = set;
    this.reader = new MutantReader(set.model);
    this.checks = checks;
    this.solver = solver;
    this.options = options;
  }

  async report(): Promise<MutationReport> {
    const { max = Number.POSITIVE_INFINITY, seed = 1, isWanted = () => true, onProgress, signal } = this.options;
    const all = mutantsOf(this.set).filter(isWanted);
    const drawn = max < all.length ? shuffled(all, seed) : all;
    let left = max;
    for (const [done, mutant] of drawn.entries()) {
      if (left === 0 || signal?.aborted === true) break;
      if (signal !== undefined) await eventLoopTurn();
      onProgress?.(done, Math.min(drawn.length, done + left));
      const changed = this.changed(mutant);
      if (changed === undefined) continue;
      left--;
      await this.run(mutant, changed);
    }
    const order = new Map(all.map(({ id }, i) => [id, i]));
    const sorted = <T extends MutantPlace>(some: readonly T[]) =>
      [...some].sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
    return reportOf({
      kills: sorted(this.kills),
      equivalent: sorted(this.equivalent),
      survivors: sorted(this.survivors),
      unproven: sorted(this.unproven),
    });
  }

  /** The policies with the change; undefined if they do not load. */
  private changed(mutant: Mutant): Changed | undefined {
    const files = mutatedFiles(this.set.files, mutant);
    const compiled = compileWith(this.reader, files, { ...this.options.compile, codegen: false });
    return E.isLeft(compiled) ? undefined : { set: compiled.right, files };
  }

  private async run({ text: _text, ...mutant }: Mutant, changed: Changed): Promise<void> {
    const test = this.checks.suites.failing(changed);
    if (test !== undefined) {
      this.kills.push({ ...mutant, by: test });
      return;
    }
    if (isWithoutEffect(mutant, this.set, changed.set)) {
      this.equivalent.push(mutant);
      return;
    }
    const comparison = new MutantComparison(this.set, changed.set, this.solver);
    const known = this.known(changed.set);
    const found = known === undefined ? await comparison.result() : ({ kind: "different", ...known } as const);
    if (found.kind === "equal") {
      this.equivalent.push(mutant);
      return;
    }
    const claim = await this.checks.claims.broken(changed.set, (question) => comparison.isAffected(question));
    if (claim !== undefined) this.kills.push({ ...mutant, by: claim });
    else if (found.kind === "unproven") this.unproven.push({ ...mutant, why: found.why });
    else this.survive(mutant, changed.set, found);
  }

  /** The request of an earlier survivor that this mutant, too, decides with another outcome. */
  private known(set: PolicySet): { readonly request: RequestJson; readonly isMalformed: boolean } | undefined {
    const survivor = this.survivors.find(
      ({ request, malformed, before }) => !malformed && differ(before, answerOf(set, request), "outcome"),
    );
    return survivor && { request: survivor.request, isMalformed: false };
  }

  private survive(
    mutant: MutantPlace,
    set: PolicySet,
    { request, isMalformed: malformed }: { readonly request: RequestJson; readonly isMalformed: boolean },
  ): void {
    const answers = { before: answerOf(this.set, request), after: answerOf(set, request) };
    const survivor = { ...mutant, request, malformed, ...answers };
    this.survivors.push({ ...survivor, suite: suiteText(survivor) });
  }
}
