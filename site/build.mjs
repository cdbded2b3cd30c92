// Builds the documentation site into site/dist: pages from docs/ and the types, and the playground. Installs the
// dependencies of this folder, which has its own lock file.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { install } from "../scripts/install.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const site = `${root}site/`;
const started = performance.now();

install(site);
const { build } = await import("vitepress");
const { writePages } = await import("./pages.mjs");
const { checkSite } = await import("./check-site.mjs");
const { buildPlayground } = await import("../scripts/playground.mjs");
const tsc = `${root}node_modules/typescript/bin/tsc`;
execFileSync(process.execPath, [tsc, "--noEmit", "-p", `${site}tsconfig.json`], { cwd: root, stdio: "inherit" });
await writePages(root, `${site}.build/pages`);
await build(site);
await buildPlayground(`${site}dist/playground`);
const { pages, links } = checkSite(`${site}dist`, process.env.SITE_BASE ?? "/");
const seconds = Math.round((performance.now() - started) / 1_000);
console.log(`built site/dist: ${pages} pages, ${links} links checked, ${seconds} s`);
