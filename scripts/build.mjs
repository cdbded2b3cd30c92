// Builds the package into dist/: JavaScript bundled by entry (with shared chunks), declarations by the compiler.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundle, bundleRuntime } from "./bundle.mjs";
import { buildReviewPanel } from "./review-panel.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });

const outputs = [await bundle({ write: true }), await bundleRuntime({ write: true })].flatMap(({ metafile }) =>
  Object.values(metafile.outputs),
);
chmodSync(`${root}dist/cli.js`, 0o755);
// The program of a process of its own: it is found beside what starts it.
copyFileSync(`${root}src/solver/z3-process.mjs`, `${root}dist/z3-process.mjs`);
writeFileSync(`${root}dist/review-panel.js`, await buildReviewPanel());
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
const bytes = outputs.reduce((sum, output) => sum + output.bytes, 0);
console.log(`built dist/: ${outputs.length} files, ${Math.round(bytes / 1024)} kB`);
