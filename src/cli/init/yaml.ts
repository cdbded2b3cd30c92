/** Pieces of YAML. */

/** The first line of a file: where editors find its schema. `depth` counts the folders from the file to the program's. */
export function editorSchema(name: string, depth = 2): string {
  return `# yaml-language-server: $schema=${"../".repeat(depth)}node_modules/keyward/schemas/${name}.schema.json`;
}

/** A name as a scalar. Words that YAML takes for a boolean or null are quoted. */
export function scalar(name: string): string {
  return /^(?:true|false|null|yes|no|on|off|y|n)$/i.test(name) ? JSON.stringify(name) : name;
}

/** A list on one line. */
export function flow(names: readonly string[]): string {
  return `[${names.map(scalar).join(", ")}]`;
}

/** A list, an item a line. */
export function block(names: readonly string[], indent: number): string {
  return names.map((name) => `${" ".repeat(indent)}- ${scalar(name)}\n`).join("");
}
