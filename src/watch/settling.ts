/**
 * Tells when a change of a directory is complete: at once if the directory was swapped, otherwise when edits have
 * stopped.
 */

import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";

/** How the contents of a directory changed: as a whole, by a link or a rename, or file by file. */
export type Completeness = "swapped" | "edited";

/** The state of a directory at one moment. */
export interface DirectoryLook {
  /** Identifies the directory itself: it changes with a swap. */
  readonly identity: string;
  /** Names, sizes and times of its files. */
  readonly contents: string;
}

export function isSameLook(a: DirectoryLook, b: DirectoryLook): boolean {
  return a.identity === b.identity && a.contents === b.contents;
}

/** Compares successive looks at a directory, and tells when a change is complete. */
export class Settling {
  private known: DirectoryLook;
  private readonly quietMs: number;
  private edited: { readonly look: DirectoryLook; readonly since: number } | undefined;

  constructor(known: DirectoryLook, quietMs: number) {
    this.known = known;
    this.quietMs = quietMs;
  }

  /**
   * Returns a change once, when it is complete. An edit is complete when nothing has changed for the quiet time. `now` is
   * in milliseconds.
   */
  notice(look: DirectoryLook, now: number): Completeness | undefined {
    if (look.identity !== this.known.identity) return this.settled(look, "swapped");
    if (look.contents === this.known.contents) this.edited = undefined;
    else if (this.edited?.look.contents !== look.contents) this.edited = { look, since: now };
    else if (now - this.edited.since >= this.quietMs) return this.settled(look, "edited");
    return undefined;
  }

  /** Whether no incomplete edit is pending. */
  get isSettled(): boolean {
    return this.edited === undefined;
  }

  private settled(look: DirectoryLook, how: Completeness): Completeness {
    this.known = look;
    this.edited = undefined;
    return how;
  }
}

/** Kubernetes swaps the contents of a mounted directory by this link in it. */
const INNER_LINK = "..data";

/** Rejects if the directory does not exist, or changes during the look. */
export async function lookAt(directory: string): Promise<DirectoryLook> {
  const path = await realpath(directory);
  const { dev, ino } = await stat(path);
  const inner = await realpath(join(path, INNER_LINK)).catch(() => "");
  const names = (await readdir(path, { recursive: true })).sort();
  const entries = await Promise.all(
    names.map(async (name) => {
      const file = join(path, name);
      // For a dangling link, describe the link itself.
      const { size, mtimeMs, ctimeMs, ino: node } = await stat(file).catch(() => lstat(file));
      return [name, size, mtimeMs, ctimeMs, node].join(" ");
    }),
  );
  return { identity: [path, dev, ino, inner].join(" "), contents: entries.join("\n") };
}
