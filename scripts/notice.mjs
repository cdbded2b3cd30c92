// Collects the bundled works of others whose licences require a notice. `npm run notice` writes NOTICE for dist/, and the package's tests check that it is current. The
// program in a review page has its own notice, since pages are passed on without the package.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";
import { bundledWorks } from "./bundled-works.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The required text of NOTICE. */
export async function notice() {
  const { metafile } = await bundle({ write: false });
  return noticeOf(metafile, "(see LICENSE).\n\nThe files under dist/ contain");
}

/** The notice of a build's output. `what` follows the words about the licence, and ends in "contains". */
export function noticeOf(metafile, what) {
  const described = [...bundledWorks(metafile)].map(([directory, inputs]) => describe(directory, inputs));
  const sorted = described.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const list = sorted.map(({ name, license, copyright, url }) => `\n- ${name}, ${license}\n  ${copyright}\n  ${url}\n`);
  const texts = sorted.flatMap(({ name, text }) =>
    text === undefined ? [] : [`\n${"-".repeat(80)}\n${name}\n\n${text}\n`],
  );
  const head = "keyward\nCopyright 2026 the keyward authors\n\nLicensed under the Apache License, Version 2.0";
  return `${head} ${what} parts of these works:\n${list.join("")}${texts.join("")}`;
}

/** Describes a bundled package with its licence: the package's own file, or this project's LICENSE. */
function describe(directory, inputs) {
  const { name, license, repository } = JSON.parse(readFileSync(join(root, directory, "package.json"), "utf8"));
  const url = addressOf(typeof repository === "string" ? repository : repository?.url);
  const file = readdirSync(join(root, directory)).find((each) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(each));
  const text = file === undefined ? undefined : readFileSync(join(root, directory, file), "utf8").trim();
  if (text === undefined && license !== "Apache-2.0") throw new Error(`${name} (${license}) brings no licence`);
  const copyright = /^\W*(Copyright .*)$/im.exec(
    text ?? inputs.map((path) => readFileSync(join(root, path), "utf8")).join("\n"),
  );
  if (license === undefined || url === undefined || copyright === null) {
    throw new Error(`${name} does not say whose it is, or on which terms`);
  }
  const asked = readdirSync(join(root, directory)).filter((each) => /^notice/i.test(each));
  if (asked.length > 0) throw new Error(`${name} brings a notice, which must go along: ${asked.join()}`);
  return { name, license, url, copyright: copyright[1], text };
}

/** The web address of a repository. Without a host, it is at GitHub: `github:owner/name`, `owner/name`. */
function addressOf(written) {
  const short = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(written ?? "");
  if (short !== null) return `https://github.com/${short[1]}`;
  return written?.replace(/^git\+|\.git$/g, "").replace(/^git:/, "https:");
}

if (argv[1] === fileURLToPath(import.meta.url)) writeFileSync(join(root, "NOTICE"), await notice());
