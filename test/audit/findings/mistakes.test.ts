/** The findings of `keyward check` on realistic mistakes, and its silence on sound policies. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { FINDING_CODES } from "../../../src/audit/findings/finding.js";
import { ROOT } from "../../support/built.js";
import { SHIPPED_ROOT } from "../../support/policies.js";
import { type Files, keyward, withFiles } from "../../support/terminal.js";
import { type Change, MISTAKES, type SetName, VARIATIONS } from "./mistakes.js";

const ROOTS: { readonly [S in SetName]: string } = {
  shipped: SHIPPED_ROOT,
  parcels: fileURLToPath(new URL("parcels/", import.meta.url)),
};

const SETS = { shipped: filesIn(ROOTS.shipped), parcels: filesIn(ROOTS.parcels) };

function filesIn(root: string): { readonly [path: string]: string } {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => /\.(yaml|json)$/.test(path));
  return Object.fromEntries(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(`${root}${path}`, "utf8")]));
}

function changed(set: SetName, changes: readonly Omit<Change, "set">[]): { readonly [path: string]: string } {
  const files: { [path: string]: string } = { ...SETS[set] };
  for (const { file, from, to } of changes) {
    const text = files[file] ?? "";
    expect(from === "" || text.includes(from), `${file} has no ${from}`).toBe(true);
    files[file] = from === "" ? text + to : text.replace(from, () => to);
  }
  return files;
}

async function check(files: Files, ...args: readonly string[]): Promise<{ code: number; lines: string[] }> {
  return withFiles(files, async (directory) => {
    const { code, out } = await keyward(["check", directory, ...args]);
    return {
      code,
      lines: out
        .split("\n")
        .slice(0, -1)
        .map((line) => line.replace(`${directory}/`, "")),
    };
  });
}

const DOCUMENTS = ["policies", "review"].map((name) => readFileSync(`${ROOT}docs/${name}.md`, "utf8")).join("\n");

/** The documented severities. */
const SEVERITIES = new Map(
  [...DOCUMENTS.matchAll(/^\| `(\w+)` +\| (error|warning|note) /gm)].map(([, code, severity]) => [code, severity]),
);

/** The codes that are errors in prohibitions: `check.test.ts` of the command has the cases. */
const GRAVER_IN_PROHIBITIONS = new Set(["undeclared_attribute", "unknown_operation"]);

test("every code is in the documents", () => {
  for (const code of Object.keys(FINDING_CODES)) expect(DOCUMENTS).toMatch(new RegExp(`^\\|.*\`${code}\`.*\\|`, "m"));
});

test("there are enough of them", () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(60);
  expect(VARIATIONS.length).toBeGreaterThanOrEqual(40);
});

describe("a mistake is found, with its line and a mend", { tags: "long" }, () => {
  test.each(MISTAKES.map((one) => [`${one.set} ${one.file}: ${one.code} ${JSON.stringify(one.to)}`, one] as const))(
    "%s",
    async (_, { set, file, from, to, code, mend, on, at }) => {
      const files = changed(set, [{ file, from, to }]);
      const { lines } = await check(files);
      const sought = on ?? to.split("\n").find((line) => line !== "") ?? "";
      const text = files[at ?? file] ?? "";
      const line = text.slice(0, text.indexOf(sought)).split("\n").length;
      const { severity: said } =
        /^[^ ]+ (?<severity>\w+) /.exec(lines.find((one) => one.includes(` ${code} `)) ?? "")?.groups ?? {};
      const isGraver = said === "error" && GRAVER_IN_PROHIBITIONS.has(code);
      if (code in FINDING_CODES && !isGraver) expect(said).toBe(SEVERITIES.get(code));
      const found = lines.filter((one) => one.startsWith(`${at ?? file}:${line}:`) && one.includes(` ${code} `));
      expect(found, lines.join("\n")).not.toEqual([]);
      expect(
        found.some((one) => one.includes(mend)),
        found.join("\n"),
      ).toBe(true);
    },
  );
});

describe("nothing is said of what is right", () => {
  test.each(VARIATIONS.map((one) => [`${one.set}: ${one.name}`, one] as const))(
    "%s",
    { tags: "long" },
    async (_, one) => {
      expect(await check(changed(one.set, one.changes), ...(one.args ?? []))).toEqual({ code: 0, lines: [] });
    },
  );

  test.each([
    ["the shipped policies", ROOTS.shipped, []],
    ["the parcels", ROOTS.parcels, []],
    ["the example of a Cerbos repository", `${ROOT}examples/cerbos/policies`, ["--permission-only"]],
  ])("%s", async (_, directory, args) => {
    const { code, out } = await keyward(["check", directory, "--max-warnings", "0", ...args]);
    expect([code, out]).toEqual([0, ""]);
  });
});
