/** The processes that put mutants to tests. */

import { type ChildProcess, fork } from "node:child_process";
import type { Answer, Request, Start } from "./messages.js";

/** A process is replaced when it holds more than this of what is in use. Bytes. */
const MOST_MEMORY = 2_500_000_000;

/** How many questions a process takes longer for, since nothing of what it runs was optimised yet; and how much longer. */
const COLD = { questions: 5, factor: 4 };

export class Worker {
  private child: ChildProcess | undefined = undefined;
  /** Of the present process. */
  private answered = 0;
  private readonly path: string;
  private readonly given: Start;
  /** Of the processor, in all. */
  milliseconds = 0;

  constructor(path: string, given: Start) {
    this.path = path;
    this.given = given;
  }

  /** The answer; undefined where there is none within `patience` milliseconds of a warm process, or it ends without one. */
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
      const timer = setTimeout(() => done(undefined), patience);
      child?.once("message", (answer: Answer) => done(answer));
      child?.once("exit", () => {
        this.child = undefined;
        done(undefined);
      });
      child?.send(message);
    });
  }
}
