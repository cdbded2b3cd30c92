/** Optional packages: only some commands need them, and their users install them beside this one. */

import { UsageError } from "./exit.js";

/** The error code of an import if the module, or a package that it imports, is not installed. */
const MISSING = "ERR_MODULE_NOT_FOUND";

/** The result of `load`. If packages are missing, rejects with a `UsageError` that says how to install them. */
export async function loadOptionalPackages<T>(packages: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === MISSING;
    if (!isMissing) throw error;
    throw new UsageError(`this needs packages that are not installed: npm install --save-dev ${packages}`);
  }
}
