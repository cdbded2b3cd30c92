/** The command line, run in this process. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "../../src/cli/run.js";

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `keyward ARGS`, with `stdin` as standard input, in chunks if it is a list. */
export async function keyward(
  args: readonly string[],
  stdin: string | readonly (string | Uint8Array)[] = "",
  cwd?: string,
): Promise<Run> {
  let out = "";
  let err = "";
  const chunks = typeof stdin === "string" ? [stdin] : stdin;
  const code = await run(args, {
    ...(cwd === undefined ? {} : { cwd }),
    stdin: (async function* () {
      yield* chunks;
    })(),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

export type Files = { readonly [path: string]: string | Uint8Array };

/** Calls `use` with a directory that has these files, and removes it afterwards. */
export async function withFiles<T>(files: Files, use: (directory: string) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), "keyward-test-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    }
    return await use(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
