// Writes the API reference: a page for each symbol of each package entry, from the types and their docstrings.
import { Application, ReflectionKind } from "typedoc";
import { entries } from "./entries.mjs";

/** Writes pages into `out`. Throws for a faulty docstring, such as one with a broken link. */
export async function writeApi(root, out) {
  const all = entries(root);
  const app = await Application.bootstrapWithPlugins({
    plugin: ["typedoc-plugin-markdown"],
    entryPoints: all.map(({ source }) => `${root}${source}`),
    tsconfig: `${root}tsconfig.json`,
    readme: "none",
    disableSources: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeProtected: true,
    excludeExternals: true,
    hidePageHeader: true,
    useCodeBlocks: true,
    entryFileName: "index",
    sanitizeComments: true,
    // The project's own compiler checks the types, so TypeDoc need not.
    skipErrorChecking: true,
    logLevel: "Warn",
    // A type that an entry mentions but does not export has no page; only its name is shown.
    validation: { notExported: false, invalidLink: true, notDocumented: false },
  });
  const project = await app.convert();
  if (project === undefined) throw new Error("the API reference cannot be made of the sources");
  for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
    const entry = all.find(
      ({ source }) => source === `src/${module.name}.ts` || source === `src/${module.name}/index.ts`,
    );
    if (entry === undefined) throw new Error(`no entry of the package is ${module.name}`);
    module.name = entry.name;
  }
  app.validate(project);
  await app.outputs.writeOutput({ name: "markdown", path: out }, project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error("the API reference has faults: see above");
  return project;
}
