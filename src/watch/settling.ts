/** When a change of a directory is complete: at once if the directory was swapped, else once it is left alone. */

import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";

/** How a directory came to have other contents: as a whole, by a link or a rename, or file by file. */
export type Completeness = "swapped" | "edited";

/** What a directory looked like. */
export interface Look {
  /** Which directory it is: another one after a swap. */
  readonly identity: string;
  /** Names, sizes and times of what is in it. */
  readonly contents: string;
}

export function isSameLook(a: Look, b: Look): boolean {
  return a.identity === b.identity && a.contents === b.contents;
}

/** Takes looks at a directory, each with the time, and says of each whether a change is complete by it. */
export class Settling {
  private known: Look;
  private readonly quietMs: number;
  private edited: { readonly look: Look; readonly since: number } | undefined;

  constructor(known: Look, quietMs: number) {
    this.known = known;
    this.quietMs = quietMs;
  }

  /** `now` is in milliseconds. A change is edited once nothing has changed for the quiet time, and told once. */
  notice(look: Look, now: number): Completeness | undefined {
    if (look.identity !== this.known.identity) return this.settled(look, "swapped");
    if (look.contents === this.known.contents) this.edited = undefined;
    else if (this.edited?.look.contents !== look.contents) this.edited = { look, since: now };
    else if (now - this.edited.since >= this.quietMs) return this.settled(look, "edited");
    return undefined;
  }

  /** Whether nothing has changed since a change was last complete. */
  get isSettled(): boolean {
    return this.edited === undefined;
  }

  private settled(look: Look, how: Completeness): Completeness {
    this.known = look;
    this.edited = undefined;
    return how;
  }
}

/** Kubernetes swaps the contents of a mounted directory by this link in it. */
const INNER_LINK = "..data";

/** Rejects if the directory is not there, or changes while it is looked at. */
export async function lookAt(directory: string): Promise<Look> {
  const path = await realpath(directory);
  const { dev, ino } = await stat(path);
  const inner = await realpath(join(path, INNER_LINK)).catch(() => "");
  const names = (await readdir(path, { recursive: true })).sort();
  const entries = await Promise.all(
    names.map(async (name) => {
      const file = join(path, name);
      // A link that leads nowhere is looked at itself.
      const { size, mtimeMs, ctimeMs, ino: node } = await stat(file).catch(() => lstat(file));
      return [name, size, mtimeMs, ctimeMs, node].join(" ");
    }),
  );
  return { identity: [path, dev, ino, inner].join(" "), contents: entries.join("\n") };
}
