// Writes the pages of the site: the repository's documents at their own paths, so that links between them work, and
// pages generated from other sources.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeApi } from "./api.mjs";
import { errorPages } from "./error-pages.mjs";
import { homePage } from "./home.mjs";

const COPIED = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "service/README.md", "docs"];

/** Writes all pages into `out`, after emptying it. */
export async function writePages(root, out) {
  rmSync(out, { recursive: true, force: true });
  for (const path of COPIED) cpSync(join(root, path), join(out, path), { recursive: true });
  const write = (path, text) => {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
  };
  write("index.md", homePage());
  write("LICENSE.md", `# Licence\n\n${fenced("text", readFileSync(join(root, "LICENSE"), "utf8"))}`);
  write("docs/decisions/index.md", decisionsPage(root));
  write("policies/index.md", policiesPage(root));
  for (const [path, text] of [...commandPages(root), ...errorPages(root)]) write(path, text);
  await writeApi(root, join(out, "api"));
  for (const path of readdirSync(out, { recursive: true, encoding: "utf8" })) {
    if (path.endsWith(".md")) writeFileSync(join(out, path), linkingToPages(out, path));
  }
}

/** The text of a page; links to a folder are changed to the folder's index page. */
function linkingToPages(out, path) {
  return readFileSync(join(out, path), "utf8").replaceAll(/\]\(([\w./-]+)\)/g, (link, target) => {
    const folder = join(out, dirname(path), target);
    return existsSync(join(folder, "index.md")) ? `](${target}/index.md)` : link;
  });
}

/** The first heading of a page. */
export function titleOf(text, path) {
  const [, title] = /^# (.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`${path} has no title`);
  return title;
}

function decisionsPage(root) {
  const directory = join(root, "docs/decisions");
  const items = readdirSync(directory).map((name) => {
    return `- [${titleOf(readFileSync(join(directory, name), "utf8"), name)}](${name})\n`;
  });
  const intro = "Why things are as they are, where they could well be otherwise, and what was rejected.";
  return `# Decisions\n\n${intro}\n\n${items.join("")}`;
}

function policiesPage(root) {
  const directory = join(root, "policies");
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /\.(yaml|json)$/.test(path))
    .sort();
  const sections = files.map((path) => {
    const language = path.endsWith(".json") ? "json" : "yaml";
    return `## ${path}\n\n${fenced(language, readFileSync(join(directory, path), "utf8"))}`;
  });
  const intro =
    "The policies of a key-management service: the worked example of this documentation, which the package brings along, " +
    "with their schemas and their test suites. They can be tried in the [playground](../playground/index.html).";
  return `# The shipped policies\n\n${intro}\n\n${sections.join("\n")}`;
}

/** A page for each command with its `--help` text, and an index page. */
function commandPages(root) {
  const args = ["scripts/run-ts.mjs", "site/help.ts"];
  const { usage, commands } = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }));
  if (commands.length === 0) throw new Error("the usage lists no commands");
  const list = commands.map(([name]) => `- [keyward ${name}](${name}.md)\n`).join("");
  return [
    ["cli/index.md", `# The command\n\n${fenced("text", usage)}\n${list}`],
    ...commands.map(([name, help]) => [`cli/${name}.md`, `# keyward ${name}\n\n${fenced("text", help)}`]),
  ];
}

function fenced(language, text) {
  return `~~~~${language}\n${text.trimEnd()}\n~~~~\n`;
}
