/** Commands ask a set as its `keyward.yaml` says, and options override it. */

import { expect, test } from "vitest";
import { policy, when } from "../support/compose.js";
import { type Files, keyward, withFiles } from "../support/terminal.js";

const READ = 'actions: ["notices.read"], effect: EFFECT_ALLOW, name: read';
const CLOSED = `actions: ["notices.read"], roles: ["*"], effect: EFFECT_DENY, name: closed, ${when("G.closed == true")}`;
const notice = (roles: string) => policy({ resource: "notice", rules: [`${READ}, roles: [${roles}]`, CLOSED] });
const REQUEST = JSON.stringify({
  key: { id: "k", roles: ["guest"], attr: {} },
  operation: "notices.read",
  resource: { kind: "notice", id: "n", attr: {} },
});

/** An older and a newer set, both with this configuration, and a file of globals. */
const sets = (configuration: string): Files => ({
  "old/notice.yaml": notice("member"),
  "new/notice.yaml": notice("member, guest"),
  "old/keyward.yaml": configuration,
  "new/keyward.yaml": configuration,
  "globals.yaml": "closed: true\n",
});

test("every command takes the configuration of the set", async () => {
  await withFiles(sets("platform: none\nglobals: { closed: false }\n"), async (directory) => {
    const [older, newer] = [`${directory}/old`, `${directory}/new`];
    const decided = await keyward(["decide", "--policies", newer], REQUEST);
    expect([decided.code, JSON.parse(decided.out).outcome]).toEqual([0, "allow"]);
    const diff = await keyward(["diff", older, newer, "--format", "json"]);
    expect(diff.code).toBe(4);
    expect(JSON.parse(diff.out)).toMatchObject({
      changes: [{ class: "widening", roles: [["guest"]] }],
      configuration: { assumed: [], overridden: [] },
    });
    const who = await keyward(["who", "notices.read", "--policies", newer]);
    expect(who.out).toContain("`guest`");
    expect((await keyward(["check", newer])).code).toBe(0);

    await keyward(["build", newer, "--no-solver", "--output", `${directory}/bundle.mjs`]);
    const bundle = ["--policies", `${directory}/bundle.mjs`];
    const byBundle = await keyward(["decide", ...bundle], REQUEST);
    expect(JSON.parse(byBundle.out).outcome).toBe("allow");
    const closed = await keyward(["decide", ...bundle, "--globals", `${directory}/globals.yaml`], REQUEST);
    expect(JSON.parse(closed.out).outcome).toBe("insufficient_permissions");
    expect(await keyward(["decide", ...bundle, "--typed-reads", "false"], REQUEST)).toMatchObject({ code: 2 });
  });
});

test("options override it, and the result says so", async () => {
  await withFiles(sets("platform: none\nglobals: { closed: false }\n"), async (directory) => {
    const globals = ["--globals", `${directory}/globals.yaml`];
    const text = await keyward(["diff", `${directory}/old`, `${directory}/new`, ...globals]);
    expect(text.code).toBe(0);
    expect(text.out).toMatch(/^No decision changes\. This is proved\./);
    expect(text.out).toContain("options override keyward.yaml: globals");
    const decided = await keyward(["decide", "--policies", `${directory}/new`, ...globals], REQUEST);
    expect(JSON.parse(decided.out).outcome).toBe("insufficient_permissions");
    expect(decided.err).toBe("note: options override keyward.yaml: globals\n");
    const tested = await keyward(["test", `${directory}/new`, "--pass-with-no-tests", ...globals]);
    expect(tested.err).toMatch(/^note: options override keyward\.yaml: globals\n/);
  });
});

test("without globals nothing is proved of what depends on them", async () => {
  await withFiles(sets("platform: none\n"), async (directory) => {
    const diff = await keyward(["diff", `${directory}/old`, `${directory}/new`]);
    expect(diff.code).toBe(5);
    expect(diff.out).toContain("it depends on G.closed");
    const who = await keyward(["who", "notices.read", "--policies", `${directory}/new`]);
    expect([who.code, who.out.includes("never allowed")]).toEqual([5, false]);
    // The laws hold for every value of the setting.
    expect((await keyward(["prove", `${directory}/new`])).code).toBe(0);
  });
  const banned = `${READ}, roles: [member], ${when('G.open == true && !("banned" in P.attr.permissions)')}`;
  const files = { "keyward.yaml": "platform: none\n", "notice.yaml": policy({ resource: "notice", rules: [banned] }) };
  await withFiles(files, async (directory) => {
    const { code, out } = await keyward(["prove", directory]);
    expect([code, out.includes("it depends on G.open")]).toEqual([5, true]);
  });
});

test("faults have their place, and options their values", async () => {
  await withFiles(sets("schemaEnforcement: rejct\n"), async (directory) => {
    const check = await keyward(["check", `${directory}/old`]);
    expect([check.code, check.out]).toEqual([3, expect.stringMatching(/keyward\.yaml:1:20 error shape /)]);
  });
  await withFiles(sets("platform: none\n"), async (directory) => {
    const usage = [
      ["--schema-enforcement", "strict"],
      ["--typed-reads", "no"],
      ["--globals", `${directory}/absent.yaml`],
    ];
    for (const options of usage) {
      expect(await keyward(["check", `${directory}/old`, ...options])).toMatchObject({ code: 2 });
    }
  });
});
