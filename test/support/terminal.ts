/** Runs the command line in this process. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "../../src/cli/run.js";

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `keyward ARGS`. A list as `stdin` is sent in chunks. */
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

/** Calls `use` with a directory of these files, and removes the directory afterwards. */
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
