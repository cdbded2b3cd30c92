/**
 * Notices that policies have changed, and when the change is complete.
 *
 * Files are looked at again and again, and not watched by the system's means: those do not see that a link in the path
 * leads elsewhere, and are not there on every file system.
 */

import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";

/** How a directory came to have other contents: as a whole, by a link or a rename, or file by file. */
export type Completeness = "swapped" | "edited";

export interface WatchOptions {
  /** How long the files must have been left alone before an edit counts as complete, in milliseconds. */
  readonly quietMs: number;
  /** How often to look, in milliseconds. Default: 500, and at most a twentieth of the time is spent looking. */
  readonly intervalMs?: number;
}

/** What a directory looked like. */
interface Look {
  /** Which directory it is: another one after a swap. */
  readonly identity: string;
  /** Names, sizes and times of what is in it. */
  readonly contents: string;
}

/**
 * Calls `onChange` after the contents of `directory` have changed: at once if the directory was swapped for another, and
 * else once nothing has changed any more for a while. The function that is returned ends it.
 */
export function watchDirectory(
  directory: string,
  onChange: (how: Completeness) => void,
  { quietMs, intervalMs = 500 }: WatchOptions,
): () => Promise<void> {
  let known: Look | undefined;
  let edited: { readonly look: Look; readonly since: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;

  const notice = (look: Look): void => {
    if (known === undefined || look.identity !== known.identity) {
      const swapped = known !== undefined;
      known = look;
      edited = undefined;
      if (swapped) onChange("swapped");
    } else if (look.contents === known.contents) {
      edited = undefined;
    } else if (edited?.look.contents !== look.contents) {
      edited = { look, since: performance.now() };
    } else if (performance.now() - edited.since >= quietMs) {
      known = look;
      edited = undefined;
      onChange("edited");
    }
  };
  const look = async (): Promise<void> => {
    const started = performance.now();
    // A directory that is not there is between two states, and is looked at again.
    const seen = await lookAt(directory).catch(() => undefined);
    if (ended) return;
    if (seen !== undefined) notice(seen);
    timer = setTimeout(next, Math.max(intervalMs, 20 * (performance.now() - started)));
    timer.unref();
  };
  let looking = Promise.resolve();
  const next = () => {
    looking = look();
  };
  next();
  return async () => {
    ended = true;
    clearTimeout(timer);
    await looking;
  };
}

/** Kubernetes swaps the contents of a mounted directory by this link in it. */
const INNER_LINK = "..data";

async function lookAt(directory: string): Promise<Look> {
  const path = await realpath(directory);
  const { dev, ino } = await stat(path);
  const inner = await realpath(join(path, INNER_LINK)).catch(() => "");
  const names = (await readdir(path, { recursive: true })).sort();
  const entries = await Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs, ctimeMs, ino: file } = await stat(join(path, name));
      return [name, size, mtimeMs, ctimeMs, file].join(" ");
    }),
  );
  return { identity: [path, dev, ino, inner].join(" "), contents: entries.join("\n") };
}
