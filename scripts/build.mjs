// Builds the package into dist/: JavaScript and declarations, bundled by entry, with shared chunks.
import { chmodSync, copyFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundle, bundleRuntime } from "./bundle.mjs";
import { buildDeclarations } from "./declarations.mjs";
import { buildReviewPanel } from "./review-panel.mjs";
import { sbomOf } from "./sbom.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });

const metafiles = [await bundle({ write: true }), await bundleRuntime({ write: true })].map(({ metafile }) => metafile);
const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
chmodSync(`${root}dist/cli.js`, 0o755);
// The solver runs in a process of its own. Its program must be in the same folder as the module that starts it.
copyFileSync(`${root}src/solver/z3-process.mjs`, `${root}dist/z3-process.mjs`);
writeFileSync(`${root}dist/review-panel.js`, await buildReviewPanel());
writeFileSync(`${root}dist/sbom.cdx.json`, sbomOf(metafiles));
const declarations = await buildDeclarations(root);
const bytes = outputs.reduce((sum, output) => sum + output.bytes, 0);
const kilobytes = (size) => `${Math.round(size / 1024)} kB`;
console.log(
  `built dist/: ${outputs.length} files, ${kilobytes(bytes)}; declarations: ${declarations.files} files, ${kilobytes(declarations.bytes)}`,
);
