/**
 * The programs before and after a migration give the same answers, as docs/from-casl.md and docs/from-ifs.md say. The
 * programs of docs/embedding.md and docs/ask-or-stop.md print what they say.
 *
 * @module-tag long
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { BUILT, ROOT } from "../support/built.js";

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

interface Block {
  readonly language: string;
  readonly text: string;
  /** The page's text before the block. */
  readonly before: string;
}

function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(ROOT + page, "utf8");
  return [...text.matchAll(/^```(\w+)\n(.*?)^```/gms)].map((found) => {
    const [, language = "", block = ""] = found;
    return { language, text: block, before: text.slice(0, found.index) };
  });
}

/** A folder with the files of a page. A program's name is in its first line; a policy's name is in the text before it. */
function folderOf(page: string): string {
  const home = mkdtempSync(join(tmpdir(), "keyward-guide-"));
  homes.push(home);
  mkdirSync(join(home, "policies"));
  mkdirSync(join(home, "node_modules"));
  symlinkSync(ROOT, join(home, "node_modules", "keyward"));
  symlinkSync(`${ROOT}node_modules/@casl`, join(home, "node_modules", "@casl"));
  for (const { language, text, before } of blocksOf(page)) {
    const name =
      language === "js"
        ? /^\/\/ (\S+)/.exec(text)?.[1]
        : before
            .match(/`(policies\/[\w.]+)`/g)
            ?.at(-1)
            ?.slice(1, -1);
    if (language === "js" || language === "yaml") writeFileSync(join(home, name ?? ""), text);
  }
  return home;
}

/** The JSON output of a program in a folder. */
function answers<T>(home: string, program: string): T {
  const options = { cwd: home, encoding: "utf8", input: program } as const;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-"], options));
}

const WITH_COMBINATIONS = `
const combinations = (lists) => Object.entries(lists).reduce(
  (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
  [{}],
);
const subsets = (list) => list.reduce((all, one) => [...all, ...all.map((set) => [...set, one])], [[]]);`;

interface Compared {
  readonly asked: number;
  readonly answered: { readonly [answer: string]: number };
  readonly differences: readonly unknown[];
}

describe.skipIf(!BUILT)("guides (skipped without dist/: npm run build)", () => {
  test("from CASL: the same answers for every caller, action and article", () => {
    const { asked, answered, differences } = answers<Compared>(
      folderOf("docs/from-casl.md"),
      `${WITH_COMBINATIONS}
      import { may as before } from "./abilities.mjs";
      import { may as after } from "./may.mjs";
      import { may as both } from "./both.mjs";
      const users = combinations({ id: ["ann", "ben"], roles: subsets(["author", "moderator", "reader"]).slice(1), languages: [[], ["en"], ["en", "de"]] });
      const flag = [true, false];
      const articles = combinations({ id: ["a"], authorId: ["ann", "cleo"], language: ["en", "fr"], published: flag, locked: flag });
      const differences = [], answered = {};
      let asked = 0;
      for (const user of users) for (const action of ["read", "update", "delete", "share"]) for (const article of articles) {
        const found = [before, after, (...request) => both(...request, (one) => differences.push(one))].map((may) => may(user, action, article));
        asked++;
        answered[found[0]] = (answered[found[0]] ?? 0) + 1;
        if (new Set(found).size > 1) differences.push({ user, action, article, found });
      }
      console.log(JSON.stringify({ asked, answered, differences }));`,
    );
    expect(differences).toEqual([]);
    expect(asked).toBe(2 * 7 * 3 * 4 * 16);
    expect(answered.true).toBeGreaterThan(asked / 10);
    expect(answered.false).toBeGreaterThan(asked / 10);
  });

  test("from CASL: an article without `locked` is the difference that the page names, and it is logged", () => {
    const found = answers<unknown>(
      folderOf("docs/from-casl.md"),
      `import { may } from "./both.mjs";
      const logged = [];
      const article = { id: "a", authorId: "ann", language: "en", published: false };
      const before = may({ id: "ann", roles: ["author"], languages: [] }, "update", article, (one) => logged.push(one));
      const [{ decision }] = logged;
      console.log(JSON.stringify([before, logged.length, decision.outcome, decision.permission.errors[0].message]));`,
    );
    expect(found).toEqual([true, 1, "insufficient_permissions", expect.stringContaining("locked")]);
  });

  test("from ifs: the same answers for all data in order", () => {
    const { asked, answered, differences } = answers<Compared>(
      folderOf("docs/from-ifs.md"),
      `${WITH_COMBINATIONS}
      import { authorize as before } from "./authorize.mjs";
      import { authorize as after } from "./decided.mjs";
      const keys = combinations({ id: ["k"], roles: subsets(["admin", "manager", "clerk"]).slice(1), accountId: ["acc_1", "acc_2"], limit: [0, 500] });
      const invoices = combinations({ id: ["i"], accountId: ["acc_1", "acc_2"], state: ["draft", "sent", "paid"], amount: [0, 499.5, 500, 501] });
      const accounts = combinations({ id: ["acc_1"], status: ["active", "suspended"] });
      const differences = [], answered = {};
      let asked = 0;
      for (const key of keys) for (const operation of ["view", "edit", "approve", "burn"])
        for (const invoice of invoices) for (const account of accounts) {
          const found = [before, after].map((authorize) => authorize(key, operation, invoice, account));
          asked++;
          answered[found[0]] = (answered[found[0]] ?? 0) + 1;
          if (found[0] !== found[1]) differences.push({ key, operation, invoice, account, found });
        }
      console.log(JSON.stringify({ asked, answered, differences }));`,
    );
    expect(differences).toEqual([]);
    expect(asked).toBe(7 * 4 * 4 * 24 * 2);
    for (const outcome of ["allow", "insufficient_permissions", "forbidden"]) {
      expect(answered[outcome], outcome).toBeGreaterThan(asked / 10);
    }
  });

  test("from ifs: data that is not in order is answered as the page says", () => {
    const page = "docs/from-ifs.md";
    const output = execFileSync(process.execPath, ["damaged.mjs"], { cwd: folderOf(page), encoding: "utf8" });
    expect(output).toBe(blocksOf(page).find(({ language }) => language === "text")?.text);
  });

  test.each([
    ["keys.mjs", ["kw_abc", "kw_abc", "kw_abc", "kw_abc", "several"]],
    [
      "statuses.mjs",
      [
        ...["200", "402 payment_required", "409 conflict"],
        ...["403 insufficient_permissions", "402 payment_required", "409 conflict"],
      ],
    ],
  ])("embedding: %s prints what its last lines say", (name, printed) => {
    const block = blocksOf("docs/embedding.md").find(({ text }) => text.startsWith(`// ${name}\n`))?.text ?? "";
    const said = [...block.matchAll(/^\/\/ (?:\w+: )?(.*, .*)$/gm)].flatMap(([, line = ""]) => line.split(", "));
    expect(said).toEqual(printed);
    const options = { cwd: ROOT, encoding: "utf8", input: block } as const;
    expect(execFileSync(process.execPath, ["--input-type=module", "-"], options).trim().split("\n")).toEqual(printed);
  });

  test("ask or stop: the program prints the hints that the page shows", () => {
    const blocks = blocksOf("docs/ask-or-stop.md");
    const [program, printed] = ["js", "json"].map((wanted) => blocks.find(({ language }) => language === wanted)?.text);
    const options = { cwd: ROOT, encoding: "utf8", input: program } as const;
    const output = execFileSync(process.execPath, ["--input-type=module", "-"], options);
    expect(JSON.parse(output)).toEqual(JSON.parse(printed ?? ""));
  });
});
