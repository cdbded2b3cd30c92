/** The real server's compile errors for a directory of policies. */

import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SERVER, type Server, startServer } from "./server.js";

type Files = Iterable<readonly [path: string, content: string | Uint8Array]>;

/**
 * Stands for the server's message where it still compiles after {@link PATIENCE}: it folds nested macros without a
 * bound.
 */
export const NO_ANSWER = "the server gives no answer";

/** The time limit for a few files, and for each of many files. Milliseconds. */
const PATIENCE = 20_000;
const PATIENCE_A_FILE = 50;

/**
 * A run is short, and garbage collection would be half of its work, so collection is off. The memory limit is for
 * exceptions.
 */
const FRUGAL = { GOGC: "off", GOMEMLIMIT: "512MiB", GOMAXPROCS: "1" };

/** The server's message if it refuses the files (by path) or crashes; undefined if it compiles them. */
export async function refusedByServer(files: Files): Promise<string | undefined> {
  return compiled(files, []);
}

/** For independent policies: the paths that the server does not compile, with its messages. */
export async function filesRefusedByServer(files: Files): Promise<ReadonlyMap<string, string>> {
  const said = await compiled(files, ["--output=json"]);
  if (said === undefined) return new Map();
  if (said === NO_ANSWER) throw new Error(NO_ANSWER);
  const { compileErrors } = JSON.parse(said.slice(said.indexOf("{"), said.lastIndexOf("}") + 1));
  const errors: readonly { readonly file: string; readonly description: string }[] = compileErrors.errors;
  return new Map(errors.map(({ file, description }) => [file, description]));
}

/**
 * A server that checks repeatedly whether policies compile. A check takes milliseconds; a run of the compiler takes a
 * tenth of a second. For files that are too many or too large for a request, and for crashes, the compiler is run.
 */
export class Compiler {
  #server: Promise<Server> | undefined;

  /** Does the server refuse the files, given by path? NO_ANSWER if it still compiles after twenty seconds. */
  async refuses(files: Files): Promise<boolean | typeof NO_ANSWER> {
    const all = [...files];
    this.#server ??= withoutPolicies();
    const server = await this.#server;
    const answered = server
      .validate({
        playgroundId: "mutants",
        files: all.map(([fileName, content]) => ({ fileName, contents: Buffer.from(content).toString("base64") })),
      })
      .catch(() => ({ status: 0, text: "" }));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), PATIENCE);
    });
    const answer = await Promise.race([answered, late]);
    clearTimeout(timer);
    if (answer === undefined || answer.status === 0) await this.stop();
    if (answer === undefined) return NO_ANSWER;
    if (answer.status === 200 && answer.text.includes('"success"')) return false;
    if (answer.status === 400 && answer.text.includes('"failure"')) return true;
    const said = await refusedByServer(all);
    return said === NO_ANSWER ? NO_ANSWER : said !== undefined;
  }

  async stop(): Promise<void> {
    await (await this.#server)?.stop();
    this.#server = undefined;
  }
}

async function withoutPolicies(): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), "keyward-no-policies-"));
  const server = await startServer(directory);
  return { ...server, stop: () => server.stop().finally(() => rm(directory, { recursive: true, force: true })) };
}

async function compiled(files: Files, options: readonly string[]): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), "keyward-compile-"));
  let patience = PATIENCE;
  try {
    for (const [path, content] of files) {
      patience += PATIENCE_A_FILE;
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), content);
    }
    const child = spawn(SERVER, ["compile", "--skip-tests", "--no-color", ...options, directory], {
      env: { ...process.env, ...FRUGAL },
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (said += String(part)));
    const ended = new Promise((resolve) => child.once("close", resolve));
    const timer = setTimeout(() => child.kill("SIGKILL"), patience);
    const code = await ended;
    clearTimeout(timer);
    if (child.signalCode === "SIGKILL") return NO_ANSWER;
    return code === 0 ? undefined : said;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
