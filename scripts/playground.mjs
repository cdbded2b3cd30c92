// Bundles the programs of the playground for browsers: the page's and its worker's, which share the engine.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { footer } from "../site/common.mjs";
import { noticeOf } from "./notice.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Writes the playground into a directory. What it bundles beside the engine is installed in site/. */
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
  const page = readFileSync(`${root}site/playground/index.html`, "utf8");
  writeFileSync(`${outdir}/index.html`, page.replace("{{footer}}", () => footer("../")));
  cpSync(`${root}site/playground/style.css`, `${outdir}/style.css`);
}
