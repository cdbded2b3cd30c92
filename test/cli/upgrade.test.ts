/** `keyward check --upgrade 0.58`: each policy that means something else, with a request that replays. */

import { describe, expect, test } from "vitest";
import { keyward, type Run, withFiles } from "../support/terminal.js";

const policy = (body: object) => JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...body });

const resourcePolicy = (resource: string, expr?: string, scope = "") =>
  policy({
    resourcePolicy: {
      ...{ resource, version: "default" },
      ...(scope === "" ? {} : { scope }),
      rules: [
        {
          ...{ actions: ["view:public", "edit"], roles: ["*"], effect: "EFFECT_ALLOW" },
          ...(expr === undefined ? {} : { condition: { match: { expr } } }),
        },
      ],
    },
  });

const rolePolicy = (resource: string, ...allowActions: string[]) =>
  policy({ rolePolicy: { role: "guest", rules: [{ resource, allowActions }] } });

type Files = { readonly [path: string]: string };

/** Runs the command, and each request that it shows at both levels. */
async function upgraded(files: Files, ...args: readonly string[]) {
  return await withFiles({ ...files, "keyward.yaml": "platform: none\nglobals: {}\n" }, async (directory) => {
    const run = await keyward(["check", directory, "--upgrade", "0.58", "--format", "json", ...args]);
    const { issues } = JSON.parse(run.out);
    const outcomes: string[] = [];
    for (const { message } of issues) {
      const [, request] = /, as in (\{.*\})$/.exec(message) ?? [];
      if (request === undefined) continue;
      const at = async (level: string): Promise<Run> =>
        await keyward(["decide", directory, "--cerbos", level], request);
      const [before, after] = [await at("0.55"), await at("0.58")].map(({ out }) => JSON.parse(out).outcome);
      outcomes.push(`${before} -> ${after}`);
    }
    const shown = issues.map(({ file, severity, code, message }: { [name: string]: string }) => {
      return `${file} ${severity} ${code} ${message?.replace(/, as in \{.*/, "")}`;
    });
    return { code: run.code, err: run.err.replaceAll(directory, "DIR"), shown, outcomes };
  });
}

describe("policies that mean something else", () => {
  test("a pattern in a role policy", async () => {
    expect(await upgraded({ "doc.json": resourcePolicy("doc"), "guest.json": rolePolicy("doc", "view:*") })).toEqual({
      code: 4,
      err: "keyward check: 1 policy means something else at level 0.58 (exit 4)\n",
      shown: [
        'guest.json warning changed_meaning "view:*" is a name in a role policy, and no pattern, since Cerbos 0.57: view:public on doc is decided insufficient_permissions in place of allow',
      ],
      outcomes: ["allow -> insufficient_permissions"],
    });
  });

  test("both: either may be why a decision changes", async () => {
    const files = { "doc.json": resourcePolicy("doc:sub-x"), "guest.json": rolePolicy("doc:sub-x", "view:*", "edit") };
    expect((await upgraded(files)).shown).toEqual([
      expect.stringMatching(
        /^guest.json warning changed_meaning "view:\*" is a name .* since Cerbos 0.57; "doc:sub-x" matches this kind .* since Cerbos 0.56: /,
      ),
    ]);
  });

  test("a kind with special characters in a role policy", async () => {
    const files = { "doc.json": resourcePolicy("doc:sub-x"), "guest.json": rolePolicy("doc:sub-x", "edit") };
    const { code, shown, outcomes } = await upgraded(files);
    expect(code).toBe(4);
    expect(shown).toEqual([
      'guest.json warning changed_meaning "doc:sub-x" matches this kind in a role policy since Cerbos 0.56: edit on doc:sub-x is decided allow in place of insufficient_permissions',
    ]);
    expect(outcomes).toEqual(["insufficient_permissions -> allow"]);
  });

  test.each(['R.attr.path.pathHasPrefix("/a")', '!pathHasPrefix(R.attr.path, "C:\\\\a")'])("%s", async (expr) => {
    const { code, shown, outcomes } = await upgraded({ "doc.json": resourcePolicy("doc", expr) });
    expect(code).toBe(4);
    expect(shown).toEqual([
      expect.stringMatching(
        /^doc.json warning changed_meaning pathHasPrefix\(\) holds for names with a dot in front since Cerbos 0.58: /,
      ),
    ]);
    expect(outcomes.every((outcome) => /^(allow -> insuff|insufficient_permissions -> allow)/.test(outcome))).toBe(
      true,
    );
    expect(outcomes).toHaveLength(1);
  });
});

describe("policies that mean the same", () => {
  test.each(["doc:*", "doc:{a,b}", "do?"])("a role policy for the pattern %s", async (resource) => {
    const files = { "doc.json": resourcePolicy("doc:a"), "guest.json": rolePolicy(resource, "edit") };
    expect(await upgraded(files)).toMatchObject({ code: 0, shown: [] });
  });

  test("a pattern of a role policy that no resource policy allows", async () => {
    const files = { "doc.json": resourcePolicy("doc"), "guest.json": rolePolicy("doc", "other:*") };
    expect(await upgraded(files)).toMatchObject({ code: 0, shown: [] });
  });

  test("a kind that no resource policy is about", async () => {
    const files = { "doc.json": resourcePolicy("doc"), "guest.json": rolePolicy("other:x", "edit") };
    expect(await upgraded(files)).toMatchObject({ code: 0, shown: [] });
  });
});

test("a policy whose decisions are neither known to change nor proved to stay", async () => {
  const expr = 'R.attr.path.pathHasPrefix("/a") && R.attr.path.reverse() == "x"';
  const { code, err, shown } = await upgraded({ "doc.json": resourcePolicy("doc", expr) });
  expect(shown).toEqual([
    "doc.json note changed_meaning pathHasPrefix() holds for names with a dot in front since Cerbos 0.58: no request was found that is decided otherwise, and none was ruled out",
  ]);
  expect([code, err]).toEqual([5, "keyward check: it is not proved that the decisions of 1 policy stay (exit 5)\n"]);
});

test.each([
  ["has(R.attr.a)", "query plans keep has() of an attribute of the resource since Cerbos 0.57"],
  ['request.principal.policyVersion == "v2"', "query plans know P.policyVersion since Cerbos 0.58"],
  ['R.policyVersion == "v2"', "query plans know R.policyVersion since Cerbos 0.58"],
])("%s changes query plans alone: a note", async (expr, what) => {
  const { code, shown } = await upgraded({ "doc.json": resourcePolicy("doc", expr) });
  expect(code).toBe(0);
  expect(shown).toEqual([`doc.json note changed_meaning ${what}`]);
});

const principalPolicy = (...effects: string[]) =>
  policy({
    principalPolicy: {
      ...{ principal: "ann", version: "default" },
      rules: [{ resource: "doc", actions: effects.map((effect) => ({ action: "edit", effect: `EFFECT_${effect}` })) }],
    },
  });

test("DENY rules of a principal policy change query plans alone: one note", async () => {
  const files = { "doc.json": resourcePolicy("doc"), "ann.json": principalPolicy("ALLOW", "DENY", "DENY") };
  expect(await upgraded(files)).toMatchObject({
    code: 0,
    shown: [
      "ann.json note changed_meaning query plans heed a principal policy that denies every resource since Cerbos 0.56",
    ],
  });
  expect(await upgraded({ ...files, "ann.json": principalPolicy("ALLOW") })).toMatchObject({ code: 0, shown: [] });
});

test("other policies are not listed", async () => {
  const files = {
    "doc.json": resourcePolicy("doc", 'R.attr.path.startsWith("/a") && has(P.attr.x)'),
    "guest.json": rolePolicy("doc", "*", "edit"),
  };
  expect(await upgraded(files)).toMatchObject({ code: 0, shown: [] });
  expect(await upgraded({ ...files, "guest.json": rolePolicy("doc", "view:*") }, "--cerbos", "0.58")).toMatchObject({
    code: 0,
    shown: [],
  });
});

test("a level that is not later is a usage error", async () => {
  const run = await withFiles({ "doc.json": resourcePolicy("doc") }, (directory) =>
    keyward(["check", directory, "--upgrade", "0.55"]),
  );
  expect(run).toMatchObject({ code: 2, err: expect.stringContaining("--upgrade") });
});
