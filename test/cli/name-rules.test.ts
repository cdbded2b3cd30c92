/** `keyward check --name-rules` writes names into rules, and changes no decision. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keyward, withFiles } from "../support/terminal.js";

const TEXT = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    # Readers.
    - actions: [view]
      roles: [user]
      effect: EFFECT_ALLOW
    - name: edits
      actions: [edit]
      roles: [user]
      effect: EFFECT_ALLOW
`;

const REQUEST = JSON.stringify({
  key: { id: "k", roles: ["user"], attr: {} },
  operation: "view",
  resource: { kind: "doc", id: "1", attr: {} },
});

test("a rule gets the name that is its reason", async () => {
  await withFiles({ "doc.yaml": TEXT }, async (directory) => {
    const decided = async () => JSON.parse((await keyward(["decide", directory, "--permission-only"], REQUEST)).out);
    const before = await decided();
    const [{ reason }] = before.permission.reasons;
    const run = await keyward(["check", directory, "--permission-only", "--name-rules", "--format", "json"]);
    expect(run.code).toBe(0);
    expect(JSON.parse(run.out).issues).toContainEqual({
      ...{ file: "doc.yaml", line: 7, column: 7, severity: "note", code: "named_rule" },
      message: `the rule is named ${reason}`,
    });
    expect(readFileSync(join(directory, "doc.yaml"), "utf8")).toBe(
      TEXT.replace("- actions: [view]", `- name: ${reason}\n      actions: [view]`),
    );
    const after = await decided();
    expect([after.outcome, after.permission.reasons]).toEqual([
      before.outcome,
      before.permission.reasons.map((one: object) => ({ ...one, rule: reason })),
    ]);
    expect((await keyward(["check", directory, "--permission-only", "--name-rules", "--format", "json"])).out).toBe(
      (await keyward(["check", directory, "--permission-only", "--format", "json"])).out,
    );
  });
});

test("suites expect outputs by the new names", async () => {
  const output = (value: string) => `      output: {when: {ruleActivated: '"${value}"'}}\n`;
  const policies = `${TEXT.replace("    - name", `${output("seen")}    - name`)}${output("edited")}`;
  const suite = `name: outputs
options: {now: "2026-01-01T00:00:00Z"}
principals: {u: {id: u, roles: [user]}}
resources: {d: {id: d, kind: doc}}
tests:
  - name: views
    input: {principals: [u], resources: [d], actions: [view, edit]}
    expected:
      - principal: u
        resource: d
        actions: {view: EFFECT_ALLOW, edit: EFFECT_ALLOW}
        outputs:
          - action: view
            expected: [{src: resource.doc.vdefault#rule-001, val: seen}]
          - {action: edit, expected: [{src: "resource.doc.vdefault#edits", val: edited}]}
# Not resource.doc.vdefault#rule-0012 or resource.doc.vdefault/acme#rule-001.
`;
  await withFiles({ "doc.yaml": policies, "doc_test.yaml": suite }, async (directory) => {
    const tested = async () => (await keyward(["test", directory])).code;
    expect(await tested()).toBe(0);
    const run = await keyward(["check", directory, "--permission-only", "--name-rules", "--format", "json"]);
    const [naming, renaming] = JSON.parse(run.out).issues.filter(({ code }: { code: string }) => code === "named_rule");
    expect(renaming).toMatchObject({ file: "doc_test.yaml", severity: "note", message: "outputs have the new names" });
    const [, name = ""] = /^the rule is named (\S+)$/.exec(naming.message) ?? [];
    expect(readFileSync(join(directory, "doc_test.yaml"), "utf8")).toBe(suite.replace("#rule-001,", `#${name},`));
    expect(await tested()).toBe(0);
  });
});

test("nothing is written where a name has no clear place", async () => {
  const text = TEXT.replace("- actions: [view]", "- &view\n      actions: [view]").replace(
    "- name: edits\n      actions: [edit]\n      roles: [user]\n      effect: EFFECT_ALLOW\n",
    "- *view\n",
  );
  await withFiles({ "doc.yaml": text }, async (directory) => {
    const run = await keyward(["check", directory, "--permission-only", "--name-rules"]);
    expect(run).toMatchObject({ code: 2, err: expect.stringContaining("no rule was named") });
    expect(readFileSync(join(directory, "doc.yaml"), "utf8")).toBe(text);
  });
});

test("one note for a set says how many rules have no name", async () => {
  const unnamed = async (files: { readonly [path: string]: string }) =>
    await withFiles(files, async (directory) => {
      const { code, out } = await keyward(["check", directory, "--permission-only", "--format", "json"]);
      expect(code).toBe(0);
      return JSON.parse(out).issues.filter((one: { readonly code: string }) => one.code === "unnamed_rules");
    });
  const nameless = TEXT.replace("- name: edits\n      actions", "- actions");
  const at = { line: 7, column: 7, severity: "note", code: "unnamed_rules" };
  const hint = "keyward check DIR --name-rules writes these reasons into the files, as names";
  const reasons = "so their reasons are made of their words: allow_view_for_user_";
  expect(await unnamed({ "doc.yaml": TEXT })).toEqual([
    {
      ...{ ...at, file: "doc.yaml", hint },
      message: expect.stringMatching(
        /^this rule has no name, so its reason is made of its words: allow_view_for_user_/,
      ),
    },
  ]);
  expect(await unnamed({ "doc.yaml": nameless })).toEqual([
    { ...at, file: "doc.yaml", hint, message: expect.stringContaining(`2 rules have no name, ${reasons}`) },
  ]);
  expect(await unnamed({ "a.yaml": TEXT, "b.yaml": nameless.replace("doc", "album") })).toEqual([
    { ...at, file: "a.yaml", hint, message: expect.stringContaining(`3 rules have no name in 2 files, ${reasons}`) },
  ]);
  expect(await unnamed({ "doc.yaml": TEXT.replace("- actions", "- name: views\n      actions") })).toEqual([]);
});

test("a suite that cannot be read is named, and no file changes", async () => {
  await withFiles({ "doc.yaml": TEXT, ".more/doc_test.yaml": "" }, async (directory) => {
    writeFileSync(join(directory, ".more/doc_test.yaml"), Uint8Array.of(0xff));
    const run = await keyward(["check", directory, "--permission-only", "--name-rules"]);
    expect([run.code, run.err]).toEqual([2, expect.stringContaining("no rule was named: ")]);
    expect(run.err).toContain(".more/doc_test.yaml");
    expect(readFileSync(join(directory, "doc.yaml"), "utf8")).toBe(TEXT);
  });
});
