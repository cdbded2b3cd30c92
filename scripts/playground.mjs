// Bundles the playground's programs for browsers: the page's and its worker's, which share the engine.
import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { noticeOf } from "./notice.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Writes the playground into a directory. The dependencies of the playground itself are installed in site/. */
export async function buildPlayground(outdir) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["site/playground/main.ts", "site/playground/worker.ts"],
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    mainFields: ["browser", "module", "main"],
    target: "es2023",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  writeFileSync(`${outdir}/NOTICE.txt`, noticeOf(metafile, "(../LICENSE.html).\n\nThe playground contains"));
  const args = ["scripts/run-ts.mjs", "site/examples.ts"];
  writeFileSync(`${outdir}/examples.json`, execFileSync(process.execPath, args, { cwd: root }));
  for (const name of ["index.html", "style.css"]) cpSync(`${root}site/playground/${name}`, `${outdir}/${name}`);
}
