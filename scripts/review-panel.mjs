// Bundles the program of a review's what-if panel: one browser script with the engine, without the policy parser.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { noticeOf } from "./notice.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Control characters, but tabs and line ends: HTML forbids them. */
const CONTROL = /[^\P{Cc}\t\n\r]/gu;

/** The program as text that is safe inside a script element. */
export async function buildReviewPanel() {
  const result = await build({
    absWorkingDir: root,
    entryPoints: ["src/audit/review/panel/main.ts"],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    platform: "browser",
    mainFields: ["module", "main"],
    target: "es2022",
    charset: "ascii",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  const inputs = Object.keys(result.metafile.inputs);
  const stray = inputs.filter((path) => /src\/policy\/text\/|\/generated\//.test(path));
  if (stray.length > 0) throw new Error(`the panel must do without these, which read policies: ${stray.join(", ")}`);
  const [file] = result.outputFiles;
  const notice = noticeOf(result.metafile, "(https://www.apache.org/licenses/LICENSE-2.0).\n\nThis program contains");
  if (notice.includes("*/")) throw new Error("the notice cannot stand in a comment");
  // Escaped so that strings, regular expressions and templates keep their meaning.
  return `/*!\n${notice}*/\n${file.text.trim()}`
    .replaceAll("</script", "<\\/script")
    .replaceAll("<!--", "\\x3c!--")
    .replaceAll(CONTROL, (unit) => `\\x${unit.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
