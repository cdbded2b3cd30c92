// Bundles the playground's programs for browsers: the page's and its worker's, which share the engine.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { footer, LINKS, OUTSIDE } from "../site/common.mjs";
import { noticeOf } from "./notice.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

const OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: "browser",
  target: "es2023",
  legalComments: "none",
  logLevel: "warning",
};

/** Writes the playground into a directory. The dependencies of the playground itself are installed in site/. */
export async function buildPlayground(outdir) {
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: ["site/playground/main.ts", "site/playground/worker.ts"],
    outdir,
    splitting: true,
    format: "esm",
    mainFields: ["browser", "module", "main"],
    metafile: true,
  });
  // No module: a browser runs modules only after it has shown the page.
  await build({ ...OPTIONS, entryPoints: ["site/playground/theme.ts"], outdir, format: "iife" });
  writeFileSync(`${outdir}/NOTICE.txt`, noticeOf(metafile, "(../LICENSE.html).\n\nThe playground contains"));
  const args = ["scripts/run-ts.mjs", "site/examples.ts"];
  writeFileSync(`${outdir}/examples.json`, execFileSync(process.execPath, args, { cwd: root }));
  writeFileSync(`${outdir}/index.html`, page());
  cpSync(`${root}site/playground/style.css`, `${outdir}/style.css`);
}

/** The page with the links and the footer of the site. */
function page() {
  const inside = LINKS.map(({ text, path }) => {
    const current = path.startsWith("playground/") ? ' aria-current="page"' : "";
    return `<a href="../${path}.html"${current}>${text}</a>`;
  });
  const links = [...inside, ...OUTSIDE.map(({ text, url }) => `<a href="${url}">${text}</a>`)];
  return readFileSync(`${root}site/playground/index.html`, "utf8")
    .replace("{{links}}", () => links.join(" "))
    .replace("{{footer}}", () => footer("../"));
}
