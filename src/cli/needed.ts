/** Packages that only some commands need, and that who uses those installs beside this one. */

import { UsageError } from "./exit.js";

/** What loads a module that needs such packages rejects with, where one of them is not there. */
const MISSING = "ERR_MODULE_NOT_FOUND";

/** What `load` resolves to. Where packages are missing it rejects with a `UsageError` that says how to install them. */
export async function needing<T>(packages: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === MISSING;
    if (!isMissing) throw error;
    throw new UsageError(`this needs packages that are not installed: npm install --save-dev ${packages}`);
  }
}
