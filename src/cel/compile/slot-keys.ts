/** The keys of slots (see `Slots` in `code.ts`). */

/** The key of a path's slot: `P.attr`, `limits`, `keys`. */
export function pathKey(root: string, path: readonly string[]): string {
  return [root, ...path].join("\0");
}

/** The key of the slot of a path whose value is validated with all its items and members. */
export function validatedKey(root: string, path: readonly string[]): string {
  return pathKey(`whole\0${root}`, path);
}

/** The key of a variable's slot. `unit` tells apart variables of one name that different policies define. */
export function variableKey(unit: string, name: string): string {
  return `V\0${unit}\0${name}`;
}
