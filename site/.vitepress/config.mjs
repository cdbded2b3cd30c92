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

// The path of the site on its host, such as /keyward/.
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
  // Writes the hashes of all pages to one file, in place of an inline script in each page.
  metaChunk: true,
  // The playground is not a VitePress page; site/check-site.mjs checks links to it, like all other links.
  ignoreDeadLinks: [/^(\.\.\/|\.\/|\/)*playground\/index(\.html)?$/],
  markdown: {
    // Disables HTML in Markdown: text in angle brackets is shown as written.
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
 * A Vite plugin that replaces MiniSearch in the search box by theme/search.mjs. A function in `themeConfig` cannot rank
 * results: VitePress passes it to the page as text to compile, which the page's content security policy forbids.
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

/** The content security policy of a page: it loads nothing from other hosts, and runs only the site's own scripts. */
function policyOf(code) {
  const inline = [...code.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const hashes = inline.map(([, text]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  const policy = [
    "default-src 'self'",
    ["script-src 'self'", ...new Set(hashes)].join(" "),
    // Highlighted code has its colours in style attributes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
}
