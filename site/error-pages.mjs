// The pages of the service's errors, from the texts that the service itself serves.
import { execFileSync } from "node:child_process";

/** A page at the address of each `error.type` of the service, and an index page. */
export function errorPages(root) {
  const args = ["scripts/run-ts.mjs", "site/errors.ts"];
  const pages = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }));
  const directory = "api-reference/errors-v2/service";
  const list = pages.map(({ name, status, detail }) => `- ${status} [${name}](${name}.md): ${detail}\n`).join("");
  return [
    [`${directory}/index.md`, `# Errors of the service\n\n${list}`],
    ...pages.map(({ path, name, status, title, detail, when, remedy }) => [
      `${path.slice(1)}.md`,
      `# ${name}\n\n${status} ${title}: ${detail}\n\n## When it occurs\n\n${literal(when)}\n\n## What to do\n\n${literal(remedy)}\n`,
    ]),
  ];
}

/** Text without markup: VitePress would take angle brackets for components. */
function literal(text) {
  return text.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
