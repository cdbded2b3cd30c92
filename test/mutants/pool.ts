/** The processes that run tests on mutants. */

import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Answer, Request, Start } from "./messages.js";

/** A process is replaced when it uses more memory than this. Bytes. */
const MOST_MEMORY = 2_500_000_000;

/** A new process is slower, since its code is not yet optimised: for this many questions, by this factor. */
const COLD = { questions: 5, factor: 4 };

/** A process that waits for something uses no CPU: it is looked at so often. */
const MOST_WAITS = 20;

/** CPU milliseconds of a process, so that a busy machine makes no mutant endless. Where Linux does not tell: the time. */
function cpuOf(child: ChildProcess | undefined): number {
  try {
    const stat = readFileSync(`/proc/${child?.pid}/stat`, "utf8");
    const [user = Number.NaN, system = Number.NaN] = stat
      .slice(stat.lastIndexOf(")"))
      .split(" ")
      .slice(12, 14)
      .map(Number);
    return (user + system) * 10;
  } catch {
    return performance.now();
  }
}

export class Worker {
  private child: ChildProcess | undefined = undefined;
  /** Answers of the present process. */
  private answered = 0;
  private readonly path: string;
  private readonly given: Start;
  /** CPU time of all processes. */
  milliseconds = 0;

  constructor(path: string, given: Start) {
    this.path = path;
    this.given = given;
  }

  /** The worker's answer; undefined if the process ends or a warm process exceeds `patience` milliseconds of CPU. */
  async ask(request: Request, patience: number): Promise<Answer | undefined> {
    if (this.child === undefined) {
      this.answered = 0;
      this.child = fork(this.path, {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
        execArgv: ["--max-old-space-size=4000", "--expose-gc"],
        env: { ...process.env, KEYWARD_SAMPLES: "small" },
      });
      const started = await this.answerTo({ type: "start", ...this.given }, 600_000);
      if (started === undefined || started.failure !== undefined) throw new Error(started?.failure ?? "no worker");
    }
    const isCold = this.answered++ < COLD.questions;
    const answer = await this.answerTo(request, isCold ? patience * COLD.factor : patience);
    if (answer === undefined || answer.memory > MOST_MEMORY) this.stop();
    return answer;
  }

  stop(): void {
    this.child?.kill("SIGKILL");
    this.child = undefined;
  }

  private answerTo(
    message: Request | ({ readonly type: "start" } & Start),
    patience: number,
  ): Promise<Answer | undefined> {
    const { child } = this;
    return new Promise((resolve) => {
      const done = (answer: Answer | undefined) => {
        clearTimeout(timer);
        child?.removeAllListeners();
        this.milliseconds += answer?.milliseconds ?? 0;
        resolve(answer);
      };
      const began = cpuOf(child);
      let waits = MOST_WAITS;
      const look = () => {
        const left = patience - (cpuOf(child) - began);
        if (left > 0 && --waits > 0) timer = setTimeout(look, Math.max(left, patience / 10));
        else done(undefined);
      };
      let timer = setTimeout(look, patience);
      child?.once("message", (answer: Answer) => done(answer));
      child?.once("exit", () => {
        this.child = undefined;
        done(undefined);
      });
      child?.send(message);
    });
  }
}
