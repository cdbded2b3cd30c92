/** The names of slots. */

/** The key of a path's slot: `P.attr`, `limits`, `keys`. */
export function pathKey(root: string, path: readonly string[]): string {
  return [root, ...path].join("\0");
}

/** The key of a variable's slot. `unit` keeps apart variables of one name that different policies define. */
export function variableKey(unit: string, name: string): string {
  return `V\0${unit}\0${name}`;
}
