// The software bill of materials of the package: what it contains, and what is installed with it. npm describes the
// packages, and the metafiles of the builds say which of them are in dist/.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledWorks } from "./bundled-works.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The bill as CycloneDX JSON. It depends on the lock file and the sources alone: it has no date and no serial number. */
export function sbomOf(metafiles) {
  const own = packageIn(".");
  const bundled = metafiles.flatMap((metafile) => [...bundledWorks(metafile).keys()]).map(packageIn);
  const installed = Object.entries(own.dependencies).map(([name, version]) => ({ name, version }));
  const refs = new Set([...bundled, ...installed].map(({ name, version }) => `${name}@${version}`));
  const all = npmSbom();
  const components = all.components.filter((component) => refs.has(component["bom-ref"]));
  const missing = [...refs].filter((ref) => !components.some((component) => component["bom-ref"] === ref));
  if (missing.length > 0) throw new Error(`the lock file does not describe ${missing.join(", ")}`);
  const bill = {
    $schema: all.$schema,
    bomFormat: all.bomFormat,
    specVersion: all.specVersion,
    version: 1,
    metadata: { component: { ...all.metadata.component, name: own.name } },
    // For npm, what is bundled is a dependency of the development.
    components: components.map((component) => ({ ...component, properties: [] })),
    dependencies: [{ ref: all.metadata.component["bom-ref"], dependsOn: [...refs].toSorted() }],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function packageIn(directory) {
  return JSON.parse(readFileSync(join(root, directory, "package.json"), "utf8"));
}

function npmSbom() {
  const args = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=library"];
  // On Windows, npm is a command file, which only a shell runs.
  const options = { cwd: root, encoding: "utf8", maxBuffer: 1 << 26, shell: process.platform === "win32" };
  return JSON.parse(execFileSync("npm", args, options));
}
