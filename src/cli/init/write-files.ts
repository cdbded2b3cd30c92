/** Writes all files of a new set, or none. */

import { lstat, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { reasonOf } from "../../node/file-reader.js";
import { filesBelow } from "../../node/files-below.js";
import { fileRole } from "../../policy/file-rules.js";
import type { PolicyFile } from "../../policy/parse.js";
import { UsageError } from "../exit.js";
import { writeError } from "../output-file.js";
import type { SetLayout } from "./files.js";

/** The most files that an error lists. */
const MOST_LISTED = 20;

/**
 * Throws a {@link UsageError} that lists the files in the way, or says why a file cannot be written; then nothing has
 * changed. `root` is the directory, and `shown` its name in messages. In the way are files that would be overwritten, and
 * other policies, which the new lock does not have.
 */
export async function writeFiles(
  root: string,
  shown: string,
  { policies }: SetLayout,
  files: readonly PolicyFile[],
): Promise<void> {
  const overwritten = await Promise.all(files.map(({ path }) => obstacle(root, path)));
  const others = (await policiesIn(join(root, policies))).map((path) =>
    policies === "." ? path : `${policies}/${path}`,
  );
  const inTheWay = [...new Set([...overwritten.filter((path) => path !== undefined), ...others])].sort();
  if (inTheWay.length > 0) {
    const listed = inTheWay.slice(0, MOST_LISTED).map((path) => `\n  ${path}`);
    const more = inTheWay.length > MOST_LISTED ? `\n  and ${inTheWay.length - MOST_LISTED} more` : "";
    throw new UsageError(`nothing was written, because ${shown} has these files already:${listed.join("")}${more}`);
  }
  await writeAll(root, files);
}

/** The target, or the first folder on the way to it, if something else is there. */
async function obstacle(root: string, path: string): Promise<string | undefined> {
  const parts = path.split("/");
  for (let i = 1; i < parts.length; i++) {
    const folder = parts.slice(0, i).join("/");
    const isOther = await stat(join(root, folder)).then(
      (found) => !found.isDirectory(),
      () => isThere(join(root, folder)),
    );
    if (isOther) return folder;
  }
  return (await isThere(join(root, path))) ? path : undefined;
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** The files of a directory that a loader would read. */
async function policiesIn(root: string): Promise<readonly string[]> {
  return (await filesBelow(root)).filter((path) => fileRole(path) !== "ignored").map((path) => path.join("/"));
}

async function writeAll(root: string, files: readonly PolicyFile[]): Promise<void> {
  const made: string[] = [];
  try {
    for (const { path, text } of files) {
      const target = join(root, path);
      const folder = await mkdir(dirname(target), { recursive: true });
      if (folder !== undefined) made.push(folder);
      await writeFile(target, text, { flag: "wx" });
      made.push(target);
    }
  } catch (error) {
    for (const path of made.reverse()) await rm(path, { recursive: true, force: true });
    throw writeError(`nothing was written: ${reasonOf(error)}`, error);
  }
}
