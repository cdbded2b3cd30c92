// Checks a built site: every internal link leads to an existing page and heading, and no page loads anything from
// elsewhere.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** Throws an error with all faults of the pages in `directory`; `base` is the site's path on its host. */
export function checkSite(directory, base) {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => statSync(join(directory, path)).isFile());
  const pages = new Map(files.filter((path) => path.endsWith(".html")).map((path) => [path, pageOf(directory, path)]));
  const faults = [];
  let links = 0;
  for (const [path, { targets, loads }] of pages) {
    for (const target of loads.filter((each) => /^(https?:)?\/\//.test(each))) {
      faults.push(`${path}: loads ${target}`);
    }
    for (const target of [...targets, ...loads].filter((each) => !/^([a-z][a-z+.-]*:|\/\/)/i.test(each))) {
      links++;
      const fault = faultOf(target, path);
      if (fault !== undefined) faults.push(`${path}: ${target}: ${fault}`);
    }
  }
  for (const path of files.filter((each) => each.endsWith(".css"))) {
    const outside = /(@import|url\()\s*["']?(https?:)?\/\/[^)"']*/.exec(readFileSync(join(directory, path), "utf8"));
    if (outside !== null) faults.push(`${path}: loads ${outside[0]}`);
  }
  if (faults.length > 0) throw new Error(`the site has faults:\n${faults.join("\n")}`);
  return { pages: pages.size, links };

  function faultOf(target, from) {
    const [path = "", hash = ""] = target.split("#");
    if (path.startsWith("/") && !path.startsWith(base)) return `is not under ${base}`;
    const absolute = path.startsWith("/") ? path.slice(base.length) : posix.join(dirname(from), path);
    const named = path === "" ? from : decodeURIComponent(absolute.replace(/^\.$/, ""));
    const file = named === "" || named.endsWith("/") ? `${named}index.html` : named;
    if (!files.includes(file)) return "no such file";
    const id = decodeURIComponent(hash);
    return id === "" || pages.get(file)?.ids.has(id) === true ? undefined : "no such heading";
  }
}

/** The headings and ids of a page, its links, and the files that it loads. */
function pageOf(directory, path) {
  const text = readFileSync(join(directory, path), "utf8");
  const attributes = (pattern) => [...text.matchAll(pattern)].map(([, value]) => value.replaceAll("&amp;", "&"));
  return {
    ids: new Set(attributes(/\sid="([^"]*)"/g)),
    targets: attributes(/<a\s[^>]*?href="([^"]*)"/g),
    loads: [
      ...attributes(/<link\s[^>]*?href="([^"]*)"/g),
      ...attributes(/<(?:script|img|iframe|source)\s[^>]*?src="([^"]*)"/g),
    ],
  };
}
