/** The suites and claims of a policy set, as checks that kill mutants. */

import * as E from "fp-ts/lib/Either.js";
import type { CompileOptions } from "../decisions/compile-options.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { OperationQuestion } from "../engine/plan/questions.js";
import { type PolicyIssue, positionText } from "../policy/issue.js";
import type { PolicyFile } from "../policy/parse.js";
import { proveClaims, proveClaimsOn } from "../proof/claims/prove.js";
import type { Claim } from "../proof/claims/types.js";
import type { NoSolver } from "../solver/no-solver.js";
import type { Solver } from "../solver/solver.js";
import { AttributeProblems } from "../testing/decisions/attribute-problems.js";
import { readDecisionSuite } from "../testing/decisions/read.js";
import { passesTest } from "../testing/decisions/run.js";
import type { DecisionTest } from "../testing/decisions/suite.js";
import { isCerbosSuite, isDecisionSuite, type SuiteFiles } from "../testing/files.js";
import { hasFailures, runSuites } from "../testing/run.js";

/** A changed copy of the policies. */
export interface Changed {
  readonly set: PolicySet;
  readonly files: readonly PolicyFile[];
}

/** The tests of the decision suites, and the Cerbos suites. */
export class SuiteChecks {
  private readonly tests: readonly DecisionTest[];
  private readonly cerbos: SuiteFiles;
  private readonly hasCerbosSuites: boolean;
  private readonly options: CompileOptions;

  private constructor(tests: readonly DecisionTest[], files: SuiteFiles, options: CompileOptions) {
    this.tests = tests;
    this.cerbos = new Map([...files].filter(([path]) => !isDecisionSuite(path)));
    this.hasCerbosSuites = [...files.keys()].some(isCerbosSuite);
    this.options = options;
  }

  /** Left: the faults of the suites. */
  static read(
    files: SuiteFiles,
    set: PolicySet,
    options: CompileOptions,
  ): E.Either<readonly PolicyIssue[], SuiteChecks> {
    const issues: PolicyIssue[] = [];
    const tests: DecisionTest[] = [];
    for (const path of [...files.keys()].filter(isDecisionSuite)) {
      const read = readDecisionSuite(path, files, { permissionOnly: set.platform === undefined });
      if ("issues" in read) issues.push(...read.issues);
      else if (read.suite.skipReason === undefined) tests.push(...read.suite.tests);
    }
    const running = tests.filter(({ skipReason }) => skipReason === undefined);
    return issues.length > 0 ? E.left(issues) : E.right(new SuiteChecks(running, files, options));
  }

  /** The first test with attributes that the schemas do not allow, and why; undefined if there is none. */
  unfit(set: PolicySet): string | undefined {
    const attributes = new AttributeProblems(set);
    for (const { damaged, request, at, case: name } of this.tests) {
      const [problem] = damaged ? [] : attributes.of(request());
      if (problem !== undefined) return `${positionText(at)} ${name}: ${problem}`;
    }
    return undefined;
  }

  /** The first test that fails; undefined if all pass. */
  failing({ set, files }: Changed): string | undefined {
    const failed = this.tests.find((test) => !passesTest(set, test));
    if (failed !== undefined) return `${positionText(failed.at)} ${failed.case}`;
    if (!this.hasCerbosSuites) return undefined;
    const report = runSuites(files, this.cerbos, { compile: this.options });
    if (E.isLeft(report) || !hasFailures(report.right)) return undefined;
    const suite = report.right.suites.find(({ summary }) => summary.overallResult !== "RESULT_PASSED");
    return suite === undefined ? "a Cerbos suite" : `${suite.file} ${suite.name}`;
  }
}

/** The claims that hold of the policies. */
export class ClaimChecks {
  private readonly claims: readonly Claim[];
  private readonly solver: Solver | NoSolver | undefined;

  private constructor(claims: readonly Claim[], solver: Solver | NoSolver | undefined) {
    this.claims = claims;
    this.solver = solver;
  }

  /** Leaves out the claims that the policies themselves break. Left: the faults of the claims. */
  static async of(
    claims: readonly Claim[],
    set: PolicySet,
    solver: Solver | NoSolver | undefined,
  ): Promise<E.Either<readonly PolicyIssue[], ClaimChecks>> {
    if (claims.length === 0) return E.right(new ClaimChecks([], solver));
    const proofs = await proveClaims(set, claims, solver);
    if (proofs.kind === "wrong") return E.left(proofs.issues);
    const broken = new Set(proofs.claims.flatMap(({ result, claim }) => (result === "broken" ? [claim] : [])));
    return E.right(
      new ClaimChecks(
        claims.filter(({ claim }) => !broken.has(claim)),
        solver,
      ),
    );
  }

  /** The first claim that a changed copy breaks; undefined if none is found. `isAffected`: the questions to look at. */
  async broken(set: PolicySet, isAffected: (question: OperationQuestion) => boolean): Promise<string | undefined> {
    if (this.claims.length === 0) return undefined;
    const proofs = await proveClaimsOn(set, this.claims, this.solver, isAffected);
    // A claim that names an operation or kind that the copy lacks is wrong.
    if (proofs.kind === "wrong") return proofs.issues.slice(0, 1).map(issueText).join("");
    const broken = proofs.claims.find(({ result }) => result === "broken");
    return broken && `${broken.position} ${broken.claim}`;
  }
}

function issueText(issue: PolicyIssue): string {
  return `${positionText(issue)} ${issue.message}`;
}
