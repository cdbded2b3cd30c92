// Parts that VitePress pages and the playground share: links at the top, version and licence.
import { readFileSync } from "node:fs";

const { version, license, repository } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const source = (repository?.url ?? repository)?.replace(/^git\+/, "").replace(/\.git$/, "");

export const VERSION = version;

/** Links to pages: paths from the root of the site, without file extensions. */
export const LINKS = [
  { text: "Guides", path: "README" },
  { text: "API", path: "api/index" },
  { text: "Command", path: "cli/index" },
  { text: "Playground", path: "playground/index" },
  { text: `v${version}`, path: "CHANGELOG" },
];

/** Links to other sites: the repository, if package.json names it. */
export const OUTSIDE = source === undefined ? [] : [{ text: "Source", url: source }];

/** The footer as HTML; `base` is the path to the root of the site. */
export const footer = (base) =>
  `keyward ${version}, released under the <a href="${base}LICENSE.html">${license} licence</a>`;
