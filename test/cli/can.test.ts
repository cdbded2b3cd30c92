/** `keyward can`, and `keyward who` under an assumption: forms, bad input and exit codes. */

import { describe, expect, test } from "vitest";
import { policy, when } from "../support/compose.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { keyward, withFiles } from "../support/terminal.js";

const ON_SHIPPED = [SHIPPED_ROOT, "--no-solver"];

describe("bad input", () => {
  test.each<[readonly string[], string]>([
    [["can", ...ON_SHIPPED], "--role R or --key FILE is missing"],
    [["can", ...ON_SHIPPED, "--role", "editor", "--key", "-"], "--role and --key exclude each other"],
    [["can", ...ON_SHIPPED, "--key", "/none.json"], "cannot read /none.json"],
    [["can", ...ON_SHIPPED, "--role", "edtor"], 'no policy knows the role edtor (did you mean "editor"?)'],
    [["can", ...ON_SHIPPED, "--role", "editor", "--assume", "1 +"], "assume:"],
    [["can", ...ON_SHIPPED, "--role", "editor", "--format", "pdf"], "--format must be one of text, csv, json, html"],
    [["who", "apis.getApi", ...ON_SHIPPED, "--assume", "1 +"], "assume:"],
    [["who", "apis.getApi", ...ON_SHIPPED, "--assume", "P.id == 'a'"], "assume:"],
    [["who", "apis.getApi", ...ON_SHIPPED, "--assume", "false) || (true"], "assume:"],
    [["who", "apis.getApi", ...ON_SHIPPED, "--assume", ""], "assume:1: "],
    [["who", "apis.getApi", ...ON_SHIPPED, "--assume", "key.attr.permisions == 1"], 'did you mean "permissions"?'],
    [["who", "apis.getApi", ...ON_SHIPPED, "--role", "edtor"], "no policy knows the role edtor"],
  ])("%j", async (args, message) => {
    const { code, out, err } = await keyward(args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
  });
});

test("without a solver: nothing was looked for, and each operation is named", async () => {
  const { code, out, err } = await keyward(["can", ...ON_SHIPPED, "--role", "editor", "--format", "csv"]);
  expect(code).toBe(5);
  expect(out).toContain("apis.deleteApi,api,,unknown,,,no: no solver was used: --no-solver was given\n");
  expect(err).toContain("not proved complete: apis.getApi on api, ");
});

test("a key that is none", async () => {
  const { code, err } = await keyward(["can", ...ON_SHIPPED, "--key", "-"], '{"id":"k","roles":[]}');
  expect(code).toBe(2);
  expect(err).toContain("- has no key: key.roles ");
});

const DOC = policy({
  rules: [
    "actions: [read], roles: [editor], effect: EFFECT_ALLOW",
    "actions: [delete], roles: [admin], effect: EFFECT_ALLOW",
    `actions: [share], roles: ["*"], effect: EFFECT_ALLOW, ${when('hasIntersection(P.attr.permissions, ["doc.share"])')}`,
  ],
});

const onDoc = (...args: readonly string[]) =>
  withFiles({ "doc.yaml": DOC }, (directory) => keyward([...args, "--policies", directory, "--permission-only"]));

describe("with a solver", { tags: "long" }, () => {
  test("text, JSON and CSV: 0, because it is proved", async () => {
    const text = await onDoc("can", "--role", "editor", "--assume", "size(key.attr.permissions) == 0");
    expect(text).toMatchObject({ code: 0, err: "" });
    expect(text.out).toContain(
      "A key with the role editor alone, assuming size(key.attr.permissions) == 0: of 3 operations",
    );
    expect(text.out).toContain("\nshare on doc: never\n");
    const json = await onDoc("can", "--role", "editor", "--format", "json");
    expect(JSON.parse(json.out)).toMatchObject({ result: "proved", isUnscoped: true });
    const csv = await onDoc("can", "--role", "editor", "--format", "csv");
    expect(csv.out).toMatch(/^share,doc,,conditionally,permissions,.*,yes$/m);
    expect(csv.out).not.toContain("delete");
  });

  test("a known key, as text and as a page", async () => {
    const key = JSON.stringify({ id: "<k>", roles: ["viewer"], attr: { permissions: ["doc.share"] } });
    const onKey = (...args: readonly string[]) =>
      withFiles({ "doc.yaml": DOC }, (directory) =>
        keyward(["can", directory, "--permission-only", "--key", "-", ...args], key),
      );
    const text = await onKey();
    expect(text).toMatchObject({ code: 0, err: "" });
    expect(text.out).toContain(
      "The key <k> with the role viewer: of 3 operations, 1 always, 0 under conditions, 2 never.",
    );
    expect(text.out).toContain("\nshare on doc: always, only by the key's own permissions\n");
    const page = await onKey("--format", "html");
    expect(page.out).toContain("<h1>The key &lt;k&gt; with the role viewer</h1>");
    expect(page.out).toContain(
      '<code>share</code>\n<td><code>doc</code><td><span class="yes">always</span><td>permissions',
    );
    expect(page.out).not.toMatch(/<script|http:/);
  });

  test("who, under an assumption", async () => {
    const none = await onDoc("who", "share", "--assume", "size(key.attr.permissions) == 0 // a comment");
    expect(none).toMatchObject({ code: 0, out: "share on doc is never allowed. This is proved.\n" });
    const role = await onDoc("who", "delete", "--role", "editor");
    expect(role).toMatchObject({ code: 0, out: "delete on doc is never allowed. This is proved.\n" });
    const kind = await onDoc("who", "read", "--assume", 'resource.kind == "doc" && key.roles.all(r, r == "editor")');
    expect(kind.code).toBe(0);
    expect(kind.out).toContain("read on doc is allowed in 1 way.");
  });

  test("an assumption that no request meets says nothing about the policies", async () => {
    const { code, err } = await onDoc("who", "read", "--assume", "key.id == ''");
    expect([code, err]).toEqual([2, "keyward who: assume: no request satisfies it\n"]);
  });
});
