// The site's configuration. `npm run docs` writes the pages (site/pages.mjs) before VitePress reads this.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import GithubSlugger from "github-slugger";
import { defineConfig } from "vitepress";
import { footer, LINKS, OUTSIDE } from "../common.mjs";
import { GUIDES } from "../guides.mjs";
import { titleOf } from "../pages.mjs";
import { inlinePictures } from "../pictures.mjs";
import { expectAllPages } from "../sidebar.mjs";

const pages = fileURLToPath(new URL("../.build/pages/", import.meta.url));
expectAllPages(`${pages}docs`);
const item = (path) => ({ text: titleOf(readFileSync(pages + path, "utf8"), path), link: `/${path}` });
const inFolder = (folder) =>
  readdirSync(pages + folder)
    .filter((name) => name.endsWith(".md") && name !== "index.md")
    .map((name) => item(`${folder}/${name}`));

// The address that the site is put under, such as /keyward/.
const base = process.env.SITE_BASE ?? "/";

// biome-ignore lint/style/noDefaultExport: VitePress reads its configuration from a default export.
export default defineConfig({
  lang: "en",
  title: "keyward",
  description: "Decides what an API key may do, and says why not.",
  base,
  srcDir: ".build/pages",
  outDir: "dist",
  cacheDir: ".build/cache",
  head: [["link", { rel: "icon", href: "data:," }]],
  // One file with the hashes of all pages, in place of a script in each.
  metaChunk: true,
  // It is no page of VitePress's; site/check-site.mjs follows links to it, as it does all others.
  ignoreDeadLinks: [/^(\.\.\/|\.\/|\/)*playground\/index(\.html)?$/],
  markdown: {
    // Text is text: what looks like an element stands in a page as it is written.
    html: false,
    config: inlinePictures,
    anchor: { slugify: (text) => new GithubSlugger().slug(text) },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  vite: { plugins: [rankedSearch()] },
  transformHtml: (code) => code.replace("<head>", `<head>${policyOf(code)}`),
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    externalLinkIcon: true,
    nav: [...LINKS.map(navigationItem), ...OUTSIDE.map(({ text, url }) => ({ text, link: url }))],
    footer: { message: footer(base) },
    sidebar: [
      ...GUIDES.map(({ text, pages }) => ({ text, items: pages.map(item) })),
      { text: "Command", collapsed: true, link: "/cli/index.md", items: inFolder("cli") },
      { text: "Decisions", collapsed: true, link: "/docs/decisions/index.md", items: inFolder("docs/decisions") },
      { text: "API reference", link: "/api/index.md", collapsed: true, items: [] },
    ],
  },
});

/** VitePress's router must not follow a link to the playground: it is a page of its own. */
function navigationItem({ text, path }) {
  if (path.startsWith("playground/")) return { text, link: `/${path}.html`, target: "_self" };
  return { text, link: `/${path}.md` };
}

/**
 * A plugin of Vite that gives the search box theme/search.mjs in place of MiniSearch. A function in `themeConfig` cannot
 * rank results: VitePress passes it to the page as text to be compiled, which the page's policy forbids.
 */
function rankedSearch() {
  const ranked = fileURLToPath(new URL("theme/search.mjs", import.meta.url));
  return {
    name: "ranked-search",
    enforce: "pre",
    resolveId: (source, importer) =>
      source === "minisearch" && importer?.includes("VPLocalSearchBox.vue") ? ranked : undefined,
  };
}

/** A content security policy by which a page loads nothing from elsewhere, and runs no script but the site's. */
function policyOf(code) {
  const inline = [...code.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const hashes = inline.map(([, text]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  const policy = [
    "default-src 'self'",
    ["script-src 'self'", ...new Set(hashes)].join(" "),
    // Highlighted code has its colours in attributes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
}
