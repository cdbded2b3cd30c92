/** The names of slots. */

/** The key of a path's slot: `P.attr`, `limits`, `keys`. */
export function pathKey(root: string, path: readonly string[]): string {
  return [root, ...path].join("\0");
}

/** The key of a path's slot where it is read with all that is in it. */
export function wholeKey(root: string, path: readonly string[]): string {
  return pathKey(`whole\0${root}`, path);
}

/** The key of a variable's slot. `unit` keeps apart variables of one name that different policies define. */
export function variableKey(unit: string, name: string): string {
  return `V\0${unit}\0${name}`;
}
