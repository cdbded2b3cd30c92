/** Evidence of reviews: signed, verified, compared, and the same bytes from another directory and date. */

import { generateKeyPairSync } from "node:crypto";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { policy, when } from "../support/compose.js";
import { keyward, withFiles } from "../support/terminal.js";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const KEYS = {
  "private.pem": privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  "public.pem": publicKey.export({ type: "spki", format: "pem" }).toString(),
  "other.pem": generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }).toString(),
};
const docWhere = (expr: string) =>
  policy({ rules: [`actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`] });
const SET = { ...KEYS, "set/doc.yaml": docWhere("R.attr.open == true") };

/** Writes the evidence of a set into `FILE` of the directory. */
async function reviewed(directory: string, file: string, set = "set", date = "2026-03-31") {
  const { code, err } = await keyward(
    [
      "review",
      set,
      "--permission-only",
      "--no-solver",
      "--date",
      date,
      "--evidence",
      file,
      "--sign",
      "private.pem",
    ].concat("--format", "json", "--output", `${file}.page`, "--allow-unproven"),
    "",
    directory,
  );
  expect([code, err]).toEqual([0, expect.any(String)]);
  return await readFile(join(directory, file), "utf8");
}

test("signed evidence is verified; a wrong signature, a damaged file and other keys are refused", async () => {
  await withFiles(SET, async (directory) => {
    const at = (name: string) => join(directory, name);
    const text = await reviewed(directory, "q1.json");
    const verify = (...args: readonly string[]) => keyward(["verify", at("q1.json"), ...args]);
    const fine = await verify("--public-key", at("public.pem"));
    expect(fine).toMatchObject({ code: 0, err: "" });
    expect(fine.out).toContain(`genuine evidence of ${JSON.parse(text).policies.hash}`);
    const other = await verify("--public-key", at("other.pem"));
    expect(other).toMatchObject({ code: 4, out: "" });
    expect(other.err).toContain("error forged its signature is not by the key, or not of this text");
    await writeFile(at("q1.json"), text.replace('"sha256": "', '"sha256": "0'));
    expect(await verify("--public-key", at("public.pem"))).toMatchObject({ code: 4, out: "" });
    await writeFile(at("q1.json"), "{");
    expect(await verify("--public-key", at("public.pem"))).toMatchObject({ code: 4, out: "" });
    expect((await verify("--public-key", at("public.pem"), "--signature", at("none"))).code).toBe(2);
    expect((await verify("--public-key", at("private.pem"))).code).toBe(2);
  });
});

test("the evidence has the same bytes, and signature, from another directory and date", async () => {
  await withFiles(SET, async (directory) => {
    const first = await reviewed(directory, "q1.json");
    await cp(join(directory, "set"), join(directory, "deep/other"), { recursive: true });
    const second = await reviewed(directory, "q2.json", "deep/other", "2027-01-01");
    expect(second).toBe(first);
    const signatures = ["q1.json.sig", "q2.json.sig"].map((name) => readFile(join(directory, name), "utf8"));
    const [one, two] = await Promise.all(signatures);
    expect(two).toBe(one);
    const same = await keyward(["diff", "--evidence", "q1.json", "q2.json"], "", directory);
    expect(same).toEqual({ code: 0, out: "Both pieces of evidence say the same.\n", err: "" });
  });
});

test("the differences between two dates", async () => {
  await withFiles(SET, async (directory) => {
    await reviewed(directory, "q1.json");
    await writeFile(join(directory, "set/doc.yaml"), docWhere("R.attr.open == true || R.attr.size > 3"));
    await writeFile(join(directory, "set/new.yaml"), docWhere("true").replace("doc", "note"));
    await reviewed(directory, "q2.json");
    const text = await keyward(["diff", "--evidence", "q1.json", "q2.json"], "", directory);
    expect(text.code).toBe(4);
    expect(text.out).toMatch(/^changed {2}policies: sha256:\w+, layers default -> sha256:\w+, layers default$/m);
    expect(text.out).toMatch(/^changed {2}file doc\.yaml: \w{64} -> \w{64}$/m);
    expect(text.out).toMatch(/^new {6}file new\.yaml: \w{64}$/m);
    expect(text.err).toMatch(/^keyward diff: the evidence differs in \d+ places \(exit 4\)\n$/);
    const json = await keyward(["diff", "--evidence", "q2.json", "q1.json", "--format", "json"], "", directory);
    expect(JSON.parse(json.out).changes).toContainEqual({ kind: "file", name: "new.yaml", before: expect.any(String) });
  });
});

test("controls are a part of it, and of its comparison", async () => {
  const files = { ...SET, "set/keyward.yaml": 'platform: none\ncontrols: { "1.1": ["SOC2 CC6.3"] }\n' };
  await withFiles(files, async (directory) => {
    const evidence = JSON.parse(await reviewed(directory, "q1.json"));
    expect(evidence.controls).toEqual([
      { control: "SOC2 CC6.3", clauses: [{ clause: "1.1", rules: [], tested: [] }], coverage: "missing" },
    ]);
    const named = docWhere("true").replace("actions: [read]", "name: readers, actions: [read]");
    const annotated = 'metadata: { annotations: { keyward.clause/readers: "1.1" } }\nresourcePolicy:';
    await writeFile(join(directory, "set/doc.yaml"), named.replace("resourcePolicy:", annotated));
    await reviewed(directory, "q2.json");
    const { out } = await keyward(["diff", "--evidence", "q1.json", "q2.json"], "", directory);
    expect(out).toContain(
      "control SOC2 CC6.3: missing: 1.1 by no rule -> untested: 1.1 by resource.doc.vdefault#readers\n",
    );
  });
});

test.each([
  ["text", "it is not evidence of a review: it is not JSON"],
  ['{"format":"keyward-evidence/1"}', "it is not evidence of a review: missing properties"],
])("%j is no evidence", async (text, message) => {
  await withFiles({ "a.json": text }, async (directory) => {
    const { code, out, err } = await keyward(["diff", "--evidence", "a.json", "a.json"], "", directory);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`a.json: ${message}`);
  });
});

test("a register has the evidence of each quarter, and an index", async () => {
  await withFiles(SET, async (directory) => {
    const review = (date: string, ...args: readonly string[]) =>
      keyward(
        [
          "review",
          "set",
          "--permission-only",
          "--no-solver",
          "--allow-unproven",
          "--format",
          "json",
          "--date",
          date,
        ].concat("--register", "evidence", ...args),
        "",
        directory,
      );
    const index = async () => JSON.parse(await readFile(join(directory, "evidence/index.json"), "utf8"));
    expect((await review("2026-06-30")).code).toBe(0);
    expect((await review("2026-03-31", "--sign", "private.pem")).code).toBe(0);
    const { format, entries } = await index();
    expect(format).toBe("keyward-register/1");
    const entry = (quarter: string, signed: boolean) => ({ quarter, file: `${quarter}.json`, signed });
    expect(entries).toEqual(
      [entry("2026-Q1", true), entry("2026-Q2", false)].map((one) => expect.objectContaining(one)),
    );
    const verified = [
      "verify",
      join(directory, "evidence/2026-Q1.json"),
      "--public-key",
      join(directory, "public.pem"),
    ];
    expect((await keyward(verified)).code).toBe(0);
    // A signature stays as long as it fits.
    expect((await review("2026-01-01")).code).toBe(0);
    expect((await index()).entries[0]).toMatchObject(entry("2026-Q1", true));
    await writeFile(join(directory, "set/doc.yaml"), docWhere("R.attr.open == false"));
    const unsigned = await review("2026-01-01");
    expect([unsigned.code, unsigned.err]).toEqual([
      0,
      expect.stringContaining("2026-Q1.json.sig is removed: it was the signature of another 2026-Q1.json\n"),
    ]);
    expect((await index()).entries[0]).toMatchObject(entry("2026-Q1", false));
    await writeFile(join(directory, "evidence/2025-Q4.json"), "{}");
    const damaged = await review("2026-06-30");
    expect(damaged.code).toBe(2);
    expect(damaged.err).toMatch(/evidence\/2025-Q4\.json: it is not evidence of a review: missing properties/);
    expect((await review("2026-06-30", "--evidence", "e.json")).code).toBe(2);
  });
});

test("evidence without a signature removes that of other evidence", async () => {
  await withFiles(SET, async (directory) => {
    await reviewed(directory, "q1.json");
    await writeFile(join(directory, "set/doc.yaml"), docWhere("true"));
    const args = ["review", "set", "--permission-only", "--no-solver", "--allow-unproven", "--evidence", "q1.json"];
    const { code, err } = await keyward(args, "", directory);
    expect([code, err]).toEqual([0, "q1.json.sig is removed: it was the signature of another q1.json\n"]);
    const verified = ["verify", join(directory, "q1.json"), "--public-key", join(directory, "public.pem")];
    expect(await keyward(verified)).toMatchObject({ code: 4, err: expect.stringContaining("unsigned") });
  });
});

test("--sign goes with --evidence, and takes a private key", async () => {
  await withFiles(SET, async (directory) => {
    const review = (...args: readonly string[]) =>
      keyward(["review", "set", "--permission-only", ...args], "", directory);
    expect(await review("--sign", "private.pem")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--sign goes with --evidence"),
    });
    const wrong = await review("--evidence", "e.json", "--sign", "public.pem");
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("is not an Ed25519 private key in PEM form") });
  });
});
