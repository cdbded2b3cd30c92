// Finds the packages of others that a bundle contains. They are read from esbuild's output, so that none is forgotten.

/** The directories of bundled packages (`node_modules/yaml`) with their bundled files, by the metafile of a build. */
export function bundledWorks(metafile) {
  const works = new Map();
  const inputs = Object.values(metafile.outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  for (const input of inputs) {
    const [, directory] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
    if (directory !== undefined) works.set(directory, [...(works.get(directory) ?? []), input]);
  }
  return works;
}
