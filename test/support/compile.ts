/** What the real server says against a directory of policies. */

import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SERVER } from "./server.js";

/** The server's words if it refuses the files, by path, or crashes at them; undefined if it compiles them. */
export async function refusedByServer(
  files: Iterable<readonly [path: string, content: string | Uint8Array]>,
): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), "keyward-compile-"));
  try {
    for (const [path, content] of files) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), content);
    }
    const child = spawn(SERVER, ["compile", "--skip-tests", "--no-color", directory]);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (said += String(part)));
    const code = await new Promise((resolve) => child.once("close", resolve));
    return code === 0 ? undefined : said;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
