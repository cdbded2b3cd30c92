/** Infers the effect of an operation on a resource from its name. */

/**
 * - `list`: reads many resources; `read`: reads one.
 * - `create`, `delete`.
 * - `write`: changes one. Every operation that is not understood is a write: of the rules for single resources, only that
 *   of `delete` asks for more.
 */
export type OperationSort = "list" | "read" | "create" | "write" | "delete";

const VERBS: ReadonlyMap<string, OperationSort> = new Map(
  (
    [
      ["list", ["list", "search", "query", "find", "count"]],
      ["read", ["read", "get", "view", "show", "fetch", "describe", "download", "watch"]],
      ["create", ["create", "add", "new", "register", "upload", "provision", "insert"]],
      ["delete", ["delete", "remove", "destroy", "erase", "purge", "drop"]],
    ] as const
  ).flatMap(([sort, verbs]) => verbs.map((verb) => [verb, sort] as const)),
);

/**
 * The sort of an operation, by a verb at the beginning of a part of its name. The last part with a known verb counts:
 * `devices.create`, `createDevice`, `admin.delete-device`.
 */
export function sortOf(operation: string): OperationSort {
  const verbs = operation.split(".").map((part) => wordsOf(part)[0] ?? "");
  const known = verbs.findLast((verb) => VERBS.has(verb));
  return VERBS.get(known ?? "") ?? "write";
}

/** The words of a name, in lower case: `createDevice`, `create-device` and `create_device` have the same two. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
