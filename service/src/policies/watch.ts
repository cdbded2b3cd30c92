/** Notices that policy files have changed. */

import { watch } from "chokidar";

/** How long files must be left alone before they are read: they are seldom written at once. In milliseconds. */
const QUIET = 200;

/** Calls `onChange` after files in `directory` have changed. The function that is returned ends it. */
export function watchDirectory(directory: string, onChange: () => void): () => Promise<void> {
  const watcher = watch(directory, { ignoreInitial: true });
  let timer: NodeJS.Timeout | undefined;
  watcher.on("all", () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, QUIET);
  });
  return async () => {
    clearTimeout(timer);
    await watcher.close();
  };
}
