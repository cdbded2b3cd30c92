/** @module-tag long */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { run } from "../../src/cli/run.js";
import { changed } from "../audit/seeds.js";
import { permissions, policy, when } from "../support/compose.js";
import { SHIPPED_ROOT, shippedFiles } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { type Files, keyward, withFiles } from "../support/terminal.js";

const filesOf = (files: readonly { path: string; text: string }[], below = ""): Files =>
  Object.fromEntries(files.map(({ path, text }) => [below + path, text]));
const WIDENED = changed("platform/api.yaml", "R.attr.keyCount == 0", "R.attr.keyCount <= 1");

const ESCAPE = "\u001b";

describe("keyward explain", () => {
  const explain = (input: string, ...args: string[]) =>
    keyward(["explain", "--policies", SHIPPED_ROOT, ...args], input);
  const refused = JSON.stringify(ask("apis.deleteApi", { roles: ["viewer"] }));

  test("text, without colours unless they are asked for", async () => {
    const { code, out, err } = await explain(refused);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^insufficient_permissions: /);
    expect(out).not.toContain(ESCAPE);
    let colored = "";
    const streams = {
      stdin: (async function* () {
        yield refused;
      })(),
      out: (text: string) => {
        colored += text;
      },
      err: () => {},
      colors: true,
    };
    expect(await run(["explain", "--policies", SHIPPED_ROOT], streams)).toBe(0);
    expect(colored).toContain(`${ESCAPE}[`);
    // Without its colours, it is the same text.
    expect(stripVTControlCharacters(colored)).toBe(out);
  });

  test("JSON, one explanation a line; a line that is no request says so", async () => {
    const { code, out } = await explain(`${refused}\n{}\n`, "--format", "json");
    expect(code).toBe(2);
    const [first, second] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ outcome: "insufficient_permissions", alternatives: { found: expect.anything() } });
    expect(second.invalid[0].path).toBe("key");
  });

  test("for the caller: the outcome, the text of the contract and the hints, and nothing else", async () => {
    const { code, out, err } = await keyward(["explain", SHIPPED_ROOT, "--for", "caller"], refused);
    expect([code, err]).toEqual([0, ""]);
    expect(
      out,
    ).toBe(`insufficient_permissions: The authenticated API key does not have permission to perform this operation
The key would be allowed with any one of these, the least powerful first:
- permission api.api_1.delete_api
- permission api.*.delete_api
- role admin
`);
    const others = [
      ask("apis.deleteApi"),
      ask("apis.deleteApi", { roles: ["viewer"], resource: { system: true } }),
      ask("apis.deleteApi", { roles: ["viewer"], key: { environment: "development" } }),
      ask("apis.renameApi"),
    ];
    const json = await explain(
      others.map((one) => JSON.stringify(one)).join("\n"),
      "--for",
      "caller",
      "--format",
      "json",
    );
    const told = json.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(told).toEqual([
      { outcome: "allow", hints: [] },
      { outcome: "forbidden", detail: "This operation is not allowed", hints: [] },
      { outcome: "insufficient_permissions", detail: expect.stringContaining("does not have permission"), hints: [] },
      { outcome: "error", hints: [] },
    ]);
  });

  test("usage", async () => {
    expect((await keyward(["explain"], "")).code).toBe(2);
    expect((await explain(refused, "--for", "auditor")).code).toBe(2);
    expect((await explain(refused, SHIPPED_ROOT)).code).toBe(2);
    expect((await explain(refused, "--format", "html")).code).toBe(2);
  });
});

describe("keyward diff", () => {
  test("directories: 0 without a difference, 4 with one, which `keyward decide` replays", async () => {
    const same = await keyward(["diff", SHIPPED_ROOT, SHIPPED_ROOT]);
    expect([same.code, same.out]).toEqual([0, expect.stringMatching(/^No decision changes\. This is proved\./)]);
    await withFiles(filesOf(WIDENED), async (directory) => {
      const text = await keyward(["diff", SHIPPED_ROOT, directory]);
      expect(text.code).toBe(4);
      expect(text.out).toMatch(/^WIDENED: /);
      const json = await keyward(["diff", SHIPPED_ROOT, directory, "--format", "json"]);
      expect(json.code).toBe(4);
      const [change] = JSON.parse(json.out).changes;
      expect(change).toMatchObject({ class: "widening", operation: "apis.deleteApi", from: "forbidden", to: "allow" });
      for (const [policies, outcome] of [
        [SHIPPED_ROOT, change.from],
        [directory, change.to],
      ]) {
        const decided = await keyward(["decide", "--policies", policies], JSON.stringify(change.request));
        expect([decided.code, JSON.parse(decided.out).outcome]).toEqual([0, outcome]);
      }
    });
  });

  test("what is neither shown nor proved ends it with 5, or with 0 if that is allowed", async () => {
    const reading = (pattern: string) =>
      filesOf(
        permissions({
          "doc.yaml": policy({
            rules: [
              `name: read, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(`R.attr.s.matches("${pattern}")`)}`,
            ],
          }),
        }).files,
      );
    await withFiles(reading("^a+$"), async (before) => {
      await withFiles(reading("^aa*$"), async (after) => {
        for (const more of [[], ["--no-solver"]]) {
          const { code, out } = await keyward(["diff", before, after, ...more]);
          expect([code, out]).toEqual([5, expect.stringContaining("not proved: read on doc: ")]);
        }
        const allowed = await keyward(["diff", before, after, "--no-solver", "--allow-unproven", "--format", "json"]);
        expect(allowed.code).toBe(0);
        const { result, changes, unproven } = JSON.parse(allowed.out);
        expect([result, changes, unproven.map((one: { class: string }) => one.class)]).toEqual([
          "unproven",
          [],
          ["widening", "narrowing", "fault"],
        ]);
        const github = await keyward(["diff", before, after, "--no-solver", "--format", "github"]);
        expect(github.out).toContain("unproven");
      });
    });
    expect((await keyward(["diff", SHIPPED_ROOT, SHIPPED_ROOT, "--time-limit", "0"])).code).toBe(2);
    expect((await keyward(["diff", SHIPPED_ROOT, SHIPPED_ROOT, "--total-time", "0"])).code).toBe(2);
  });

  test("a short time for all leaves it unproven, and says so", async () => {
    await withFiles(filesOf(changed("_schemas/api.json", "Must be", "MUST be")), async (directory) => {
      const { code, out } = await keyward(["diff", SHIPPED_ROOT, directory, "--total-time", "0.0001"]);
      expect([code, out]).toEqual([5, expect.stringContaining(" s) was reached)")]);
    });
  });

  test("on a terminal it says how far it is", async () => {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => {
      now += 100;
      return now;
    });
    const said: string[] = [];
    await withFiles(filesOf(WIDENED), (directory) =>
      run(["diff", SHIPPED_ROOT, directory, "--no-solver"], {
        stdin: (async function* () {})(),
        out: () => undefined,
        err: (text) => said.push(text),
        errIsTerminal: true,
      }),
    );
    vi.restoreAllMocks();
    expect(said.at(-1)).toMatch(/^keyward diff: .* \(exit 4\)\n$/);
    expect(said.at(-2)).toBe("\r\u001b[K");
    expect(said.slice(0, -2).join("\n")).toMatch(/\d+ of \d+ operations compared/);
  });

  test("invalid policies end it with 3, wrong usage with 2", async () => {
    await withFiles({ "a.yaml": "apiVersion: nothing\n" }, async (directory) => {
      const { code, err } = await keyward(["diff", SHIPPED_ROOT, directory]);
      expect(code).toBe(3);
      expect(err).toContain("a.yaml:1:");
    });
    expect((await keyward(["diff", SHIPPED_ROOT])).code).toBe(2);
    expect((await keyward(["diff", "a", "b", "c", "d"])).code).toBe(2);
    expect((await keyward(["diff", SHIPPED_ROOT, SHIPPED_ROOT, "--output", "json"])).err).toContain("--format json");
    expect((await keyward(["diff", SHIPPED_ROOT, SHIPPED_ROOT, "--format", "html"])).code).toBe(2);
  });
});

describe.skipIf(!hasGit())("keyward diff of git revisions (skipped where there is no git)", () => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd, stdio: "pipe" });

  function commit(root: string, files: Files, message: string): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    git(root, "add", "-A");
    git(root, "commit", "-q", "-m", message);
  }

  test("a file takes what a command says, and the exit code stays", async () => {
    await withFiles(filesOf(WIDENED), async (directory) => {
      const file = join(directory, "changes.txt");
      const args = ["diff", SHIPPED_ROOT, directory, "--no-solver", "--format", "json"];
      const printed = await keyward(args);
      const written = await keyward([...args, "--output", file]);
      expect(written).toEqual({ ...printed, out: "" });
      expect(readFileSync(file, "utf8")).toBe(printed.out);
      const check = await keyward(["check", directory, "--output", join(directory, "none", "x")]);
      expect([check.code, check.err]).toEqual([2, expect.stringContaining("cannot write")]);
    });
  });

  test("two revisions, a revision and a directory, and from within a directory", async () => {
    await withFiles({ "README.md": "" }, async (root) => {
      git(root, "init", "-q");
      commit(root, filesOf(shippedFiles, "authz/policies/"), "first");
      commit(
        root,
        { ...filesOf(WIDENED, "authz/policies/"), "authz/policies/testdata/x.yaml": "no: policy" },
        "second",
      );
      let cwd = root;
      const codes = async (...args: string[]) => (await keyward(["diff", ...args], "", cwd)).code;
      expect(await codes("HEAD~1", "HEAD", "--", "authz/policies")).toBe(4);
      expect(await codes("HEAD", "HEAD", "--", "authz/policies")).toBe(0);
      expect(await codes("HEAD~1:authz/policies", "authz/policies")).toBe(4);
      expect(await codes("HEAD:authz/policies", "authz/policies", "--reasons")).toBe(0);
      cwd = join(root, "authz");
      expect(await codes("HEAD~1", "HEAD", "--", "policies")).toBe(4);
      for (const wrong of [
        ["nowhere", "HEAD"],
        ["-x", "HEAD"],
        ["HEAD^{tree}", "HEAD"],
      ]) {
        expect(await codes(...wrong, "--", "policies")).toBe(2);
      }
      expect(await codes("HEAD", "HEAD", "--", "nothing/here")).toBe(2);
      commit(root, { "docs/README.md": "" }, "third");
      const none = await keyward(["diff", "HEAD:docs", "authz/policies"], "", root);
      const err = "HEAD:docs:1:1 error no_policies there is no policy file here\n";
      expect(none).toEqual({ code: 3, out: "", err });
    });
  });

  test("a revision where there is no repository is bad usage", async () => {
    await withFiles(filesOf(shippedFiles), async (root) => {
      const { code, err } = await keyward(["diff", "HEAD:.", "."], "", root);
      expect(code).toBe(2);
      expect(err).toContain("not a git repository");
    });
  });
});

function hasGit(): boolean {
  try {
    execFileSync("git", ["--version"], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}
