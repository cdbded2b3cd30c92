/**
 * A solver for formulas: Z3, from the package `z3-solver`, which users who want proofs install beside this package. It
 * runs in a process of its own. The answer is `unknown` if a question takes too long or the process ends. Z3 usually
 * observes its time limit. If it does not, its process is ended, and it takes long to start another.
 */

import type { ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Formula } from "../engine/formula/formula.js";
import type { ModelValue, SolverQuery } from "../engine/formula/smtlib.js";

/** The answer of a solver to a query: unsatisfiable, satisfiable with values, or unknown. */
export type SolverAnswer =
  | { readonly kind: "unsatisfiable" }
  | { readonly kind: "satisfiable"; readonly values: ReadonlyMap<Formula, ModelValue> }
  | { readonly kind: "unknown"; readonly why: string };

export interface Solver {
  /** The version of the package `z3-solver`. */
  readonly version: string;
  /** Time limit for one question, in milliseconds. */
  readonly timeLimit: number;
  ask(query: SolverQuery): Promise<SolverAnswer>;
  /** Ends the process. No question can be asked after that. */
  close(): void;
}

export interface SolverLimits {
  /** Time limit for one question, in milliseconds. Default: 10,000. */
  readonly timeLimit?: number;
  /** Memory limit of the solver, in megabytes. Default: 1,024. */
  readonly memoryLimit?: number;
}

/** Time limit for starting the process, in milliseconds. */
const START_LIMIT = 60_000;

/**
 * Milliseconds that Z3 may take beyond its time limit to stop. A busy machine needs more than another needs to start a
 * process.
 */
const GRACE = 2_000;

/** Finds the solver that is installed beside this package or in the working directory; undefined if there is none. */
export function findSolver({ timeLimit = 10_000, memoryLimit = 1_024 }: SolverLimits = {}): Solver | undefined {
  for (const from of [import.meta.url, pathToFileURL(`${process.cwd()}/`).href]) {
    try {
      const require = createRequire(from);
      const { version }: { version: string } = require("z3-solver/package.json");
      return new Z3Process(require.resolve("z3-solver"), version, timeLimit, memoryLimit);
    } catch {
      // Not installed there: try the next place.
    }
  }
  return undefined;
}

/** The most answers that are kept, and the most characters of the question of each. */
const MAX_KEPT = 200;
const MAX_KEPT_LENGTH = 100_000;

class Z3Process implements Solver {
  readonly version: string;
  readonly timeLimit: number;
  private readonly entry: string;
  private readonly memoryLimit: number;
  private child: ChildProcess | undefined;
  private asked = 0;
  /** Outputs with an answer, by their scripts: operations with the same rules ask the same. */
  private readonly outputs = new Map<string, string>();
  /** Questions are asked one after the other. */
  private last: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  constructor(entry: string, version: string, timeLimit: number, memoryLimit: number) {
    this.entry = entry;
    this.version = version;
    this.timeLimit = timeLimit;
    this.memoryLimit = memoryLimit;
  }

  ask(query: SolverQuery): Promise<SolverAnswer> {
    const answer = this.last.then(() => this.answer(query));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  close(): void {
    this.isClosed = true;
    this.end();
  }

  private end(): void {
    this.child?.kill("SIGKILL");
    this.child = undefined;
  }

  private async answer(query: SolverQuery): Promise<SolverAnswer> {
    const { scriptOf, valuesIn } = await import("../engine/formula/smtlib.js");
    if (this.isClosed) return { kind: "unknown", why: "the solver was closed" };
    const script = `(set-option :timeout ${this.timeLimit})\n${scriptOf(query)}`;
    const known = this.outputs.get(script);
    const again = known === undefined ? undefined : answerIn(known, query, valuesIn);
    if (again !== undefined) return again;
    const child = await this.started();
    if (child === undefined) return { kind: "unknown", why: "the solver does not start" };
    const id = ++this.asked;
    const start = performance.now();
    const output = await reply(child, id, this.timeLimit + GRACE, () => child.send({ id, script }));
    if (output === undefined) this.end();
    const answer = output === undefined ? undefined : answerIn(output, query, valuesIn);
    const isLate = answer?.kind === "unknown" && performance.now() - start >= this.timeLimit;
    if (output !== undefined && answer !== undefined && answer.kind !== "unknown") this.keep(script, output);
    if (answer !== undefined && !isLate) return answer;
    const why = `it took more than ${this.timeLimit / 1_000} s, or more than ${this.memoryLimit} MB`;
    return { kind: "unknown", why };
  }

  private keep(script: string, output: string): void {
    if (script.length > MAX_KEPT_LENGTH) return;
    const [oldest] = this.outputs.keys();
    if (this.outputs.size >= MAX_KEPT && oldest !== undefined) this.outputs.delete(oldest);
    this.outputs.set(script, output);
  }

  private async started(): Promise<ChildProcess | undefined> {
    if (this.child?.connected === true) return this.child;
    const { fork } = await import("node:child_process");
    if (this.isClosed) return undefined;
    const child = fork(new URL("./z3-process.mjs", import.meta.url), [this.entry, String(this.memoryLimit)], {
      execArgv: [],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    // An idle process must not keep the program running.
    child.unref();
    child.channel?.unref();
    this.child = child;
    const output = await reply(child, 0, START_LIMIT, () => undefined);
    if (output === undefined) this.end();
    return output === undefined ? undefined : child;
  }
}

/** The reply of a process to `id`; undefined if the process ends or the time is over. */
function reply(child: ChildProcess, id: number, limit: number, ask: () => void): Promise<string | undefined> {
  return new Promise((resolve) => {
    const done = (output: string | undefined) => {
      clearTimeout(timer);
      child.off("message", listen);
      child.off("exit", ended);
      child.off("error", ended);
      resolve(output);
    };
    const listen = (message: unknown) => {
      if (isReply(message) && message.id === id) done(message.output);
    };
    const ended = () => done(undefined);
    const timer = setTimeout(ended, limit);
    child.on("message", listen);
    child.on("exit", ended);
    child.on("error", ended);
    ask();
  });
}

function isReply(message: unknown): message is { readonly id: number; readonly output: string } {
  return (
    typeof message === "object" &&
    message !== null &&
    "id" in message &&
    "output" in message &&
    typeof message.output === "string"
  );
}

function answerIn(
  output: string,
  { wanted }: SolverQuery,
  valuesIn: (text: string) => readonly ModelValue[],
): SolverAnswer {
  const text = output.trim();
  if (text === "unsat" || text.startsWith("unsat\n")) return { kind: "unsatisfiable" };
  if (!text.startsWith("sat")) {
    const why = text.startsWith("unknown") ? "the solver does not know" : text.slice(0, 300);
    return { kind: "unknown", why };
  }
  const values = valuesIn(text.slice("sat".length));
  return { kind: "satisfiable", values: new Map(wanted.map((one, i) => [one, values[i]] as const)) };
}
