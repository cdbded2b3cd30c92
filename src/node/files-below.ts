/** Lists the files of a policy directory. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { directoryRole } from "../policy/file-rules.js";

/**
 * The paths of all files in the directories that a loader enters, each as its segments from `root`. Directories that cannot
 * be listed are left out. Never rejects.
 */
export async function filesBelow(root: string): Promise<readonly (readonly string[])[]> {
  const list = async (parts: readonly string[]): Promise<readonly (readonly string[])[]> => {
    const entries = await readdir(join(root, ...parts), { withFileTypes: true }).catch(() => []);
    const found = await Promise.all(
      entries.map(async (entry) => {
        const path = [...parts, entry.name];
        if (!entry.isDirectory()) return [path];
        return directoryRole(path) === "ignored" ? [] : await list(path);
      }),
    );
    return found.flat();
  };
  return await list([]);
}
