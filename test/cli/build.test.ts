/** `keyward build`, `keyward verify`, and the commands that take a bundle. */

import { execFileSync } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { typesModule } from "../../src/audit/types/module.js";
import { checksumOf } from "../../src/bundle/bundle.js";
import { BUILDER } from "../../src/bundle/certificate.js";
import { sha256 } from "../../src/bundle/digest.js";
import { MAX_OPERANDS } from "../../src/bundle/function-proof.js";
import { build, bundleText, firstLine } from "../../src/bundle/module.js";
import { loadBundleText } from "../../src/bundle/text.js";
import { operandsText } from "../../src/cli/bundle-operands.js";
import { provedText } from "../../src/cli/bundle-rebuild.js";
import { singleQuoted } from "../../src/engine/frame/js.js";
import { decide, policySetHash } from "../../src/index.js";
import { changed } from "../audit/seeds.js";
import { BUILT, ROOT } from "../support/built.js";
import { imported } from "../support/bundles.js";
import { policy, supportAll, when } from "../support/compose.js";
import { SHIPPED_ROOT, shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { keyward, withFiles } from "../support/terminal.js";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const KEYS = {
  "private.pem": privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  "public.pem": publicKey.export({ type: "spki", format: "pem" }).toString(),
  "other.pem": generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }).toString(),
};
const RSA = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .publicKey.export({ type: "spki", format: "pem" })
  .toString();
const REQUEST = ask("apis.deleteApi", { roles: ["viewer"] });
const INPUT = JSON.stringify(REQUEST);

test("a bundle is written with its types and its signature, and verified", async () => {
  await withFiles(KEYS, async (directory) => {
    const at = (name: string) => join(directory, name);
    const output = at("policies.mjs");
    const built = await keyward([
      "build",
      SHIPPED_ROOT,
      "--output",
      output,
      "--set-version",
      "7",
      "--sign",
      at("private.pem"),
    ]);
    expect(built).toMatchObject({ code: 0, out: "" });
    expect(await readFile(output, "utf8")).toBe(await bundleText(shipped, { version: 7 }));
    const types = await readFile(at("policies.d.mts"), "utf8");
    expect(types.startsWith(typesModule(shipped))).toBe(true);
    expect(types).toContain("export declare const bundle: Bundle<Policies>;");

    const verified = await keyward(["verify", output, "--public-key", at("public.pem")]);
    expect(verified).toMatchObject({ code: 0, err: "" });
    expect(verified.out).toContain("genuine");
    expect(verified.out).toContain("version 7, layers default platform, functions as built from its policies");
    const proved = /certificate of keyward [\d.]+: \d+ functions; \d+ judge conditions .* proved by enumeration/;
    expect(built.err).toMatch(proved);
    expect(verified.out).toMatch(proved);
    const operands = /\noperands: (\d+) of \1 proved for all requests by z3-solver [\d.]+\n$/;
    expect(built.err).toMatch(operands);
    expect(verified.out.slice(verified.out.indexOf("\noperands: "))).toBe(
      built.err.slice(built.err.indexOf("\noperands: ")),
    );
    const unsigned = await keyward(["verify", output, "--no-solver"]);
    expect(unsigned.out).toMatch(
      /\noperands: none is proved, all are tested; no solver was used: --no-solver was given\n$/,
    );
    expect(unsigned).toMatchObject({ code: 0, err: "", out: expect.stringContaining("signature not checked") });
    expect(unsigned.out).toMatch(proved);
    expect(await keyward(["verify", output, "--public-key", at("other.pem")])).toMatchObject({ code: 4, out: "" });

    const decided = await keyward(["decide", "--policies", output, "--public-key", at("public.pem")], INPUT);
    expect(decided).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(decided.out)).toEqual(decide(shipped, REQUEST));
    const refused = await keyward(["decide", "--policies", output, "--public-key", at("other.pem")], INPUT);
    expect(refused).toMatchObject({ code: 3, out: "" });
    expect(refused.err).toContain("forged");
    expect(await keyward(["decide", "--policies", output, "--permission-only"], INPUT)).toMatchObject({ code: 3 });

    await rm(`${output}.sig`);
    const withoutSignature = await keyward(["verify", output, "--public-key", at("public.pem")]);
    expect(withoutSignature).toMatchObject({ code: 4, out: "" });
    expect(withoutSignature.err).toContain("unsigned");
    await writeFile(output, (await readFile(output, "utf8")).replace("quota_exceeded", "quota_exceedex"));
    const damaged = await keyward(["decide", "--policies", output], INPUT);
    expect(damaged).toMatchObject({ code: 3, out: "" });
    expect(damaged.err).toContain("damaged");
  });
});

test("a signed bundle without a version is warned of: every older one is as new", async () => {
  await withFiles(KEYS, async (directory) => {
    const built = ["build", SHIPPED_ROOT, "--no-solver", "--output", join(directory, "policies.mjs")];
    const signed = [...built, "--sign", join(directory, "private.pem")];
    const warnings: boolean[] = [];
    for (const args of [built, signed, [...built, "--set-version", "0"], [...signed, "--set-version", "0"]]) {
      const { code, err } = await keyward(args);
      expect(code).toBe(0);
      warnings.push(err.includes("warning: ") && err.includes("--set-version"));
    }
    expect(warnings).toEqual([false, true, false, false]);
  });
});

test("a build without --sign keeps a signature that fits, and removes any other", async () => {
  await withFiles(KEYS, async (directory) => {
    const output = join(directory, "policies.mjs");
    const build = (...args: readonly string[]) =>
      keyward(["build", SHIPPED_ROOT, "--no-solver", "--output", output, ...args]);
    const verify = () => keyward(["verify", "--no-solver", output, "--public-key", join(directory, "public.pem")]);
    await build("--set-version", "1", "--sign", join(directory, "private.pem"));
    expect((await build("--set-version", "1")).err).not.toContain("signature");
    expect(await verify()).toMatchObject({ code: 0 });
    const { code, err } = await build("--set-version", "2");
    expect([code, err.split("\n")[0]]).toEqual([
      0,
      `${output}.sig is removed: it was the signature of another policies.mjs`,
    ]);
    expect(await verify()).toMatchObject({ code: 4, err: expect.stringContaining("unsigned") });
  });
});

test("--deciders changes nothing, and says so", async () => {
  await withFiles({}, async (directory) => {
    const [plain, other] = [join(directory, "plain.mjs"), join(directory, "other.mjs")];
    const { code, err } = await keyward(["build", SHIPPED_ROOT, "--no-solver", "--output", plain]);
    const notice = "--deciders has no effect any more: every bundle serves deciders\n";
    expect(await keyward(["build", SHIPPED_ROOT, "--no-solver", "--output", other, "--deciders"])).toEqual({
      code,
      out: "",
      err: notice + err.replaceAll(plain, other),
    });
    expect(await readFile(other, "utf8")).toBe(await readFile(plain, "utf8"));
  });
});

test("a key or a signature that is none is bad input, and says nothing of the bundle", async () => {
  const keys = { ...KEYS, "text.pem": "no key", "rsa.pem": RSA, "empty.pem": "" };
  await withFiles(keys, async (directory) => {
    const at = (name: string) => join(directory, name);
    const output = at("policies.mjs");
    await keyward(["build", SHIPPED_ROOT, "--no-solver", "--output", output, "--sign", at("private.pem")]);
    for (const name of ["text.pem", "rsa.pem", "private.pem", "empty.pem"]) {
      for (const [command = "", ...args] of [
        ["verify", output],
        ["decide", "--policies", output],
        ["explain", "--policies", output],
        ["who", "read", "--policies", output],
        ["check-resources", "--policies", output],
        ["diff", output, SHIPPED_ROOT],
      ]) {
        const err = `keyward ${command}: ${at(name)} is not an Ed25519 public key in PEM form\n`;
        expect(await keyward([command, ...args, "--public-key", at(name)], INPUT)).toEqual({ code: 2, out: "", err });
      }
    }
    const signature = ["--public-key", at("public.pem"), "--signature", at("none.sig")];
    const missing = await keyward(["verify", output, ...signature]);
    expect(missing).toMatchObject({ code: 2, out: "" });
    expect(missing.err).toMatch(/^keyward verify: cannot read .*none\.sig: ENOENT/);
    const [data, key] = [await readFile(output), await readFile(at("text.pem"), "utf8")];
    const fault = { kind: "forged", message: "the public key is not an Ed25519 key in PEM form" };
    expect(await loadBundleText(data, { publicKey: key, signature: "AAAA" })).toEqual({ _tag: "Left", left: fault });
  });
});

const AUDITED = {
  "doc.yaml": `${policy({
    rules: [
      `name: read, actions: [read], roles: [reader, writer], effect: EFFECT_ALLOW, ${when("R.attr.owner == P.id")}`,
      "name: write, actions: [write], derivedRoles: [owner], effect: EFFECT_ALLOW",
    ],
    body: "importDerivedRoles: [roles]",
  })}metadata: { annotations: { keyward.roles: "custom", keyward.clause: "c1" } }\n`,
  "roles.yaml": `apiVersion: api.cerbos.dev/v1
derivedRoles: { name: roles, definitions: [{ name: owner, parentRoles: [writer], ${when("R.attr.owner == P.id")} }] }
`,
  ...Object.fromEntries(supportAll("doc").map(({ path, text }) => [path, text])),
};

const AUDITED_DATA = {
  "keys.jsonl": '{"id":"k","roles":["reader"],"attr":{}}\n{"id":"l","roles":["custom"],"attr":{}}\n',
  "resources.jsonl": '{"kind":"doc","id":"d","attr":{"owner":"k"}}\n',
  "accounts.jsonl": '{"id":"a","attr":{}}\n',
};

test.each([
  ["can", ["can", "SET", "--role", "writer"]],
  ["who", ["who", "write", "SET", "--role", "writer"]],
  ["matrix", ["matrix", "SET", "--keys", "KEYS", "--resources", "RESOURCES", "--accounts", "ACCOUNTS"]],
  ["prove", ["prove", "SET"]],
])("%s says of a bundle what it says of its directory", async (_, args) => {
  const sets = Object.fromEntries(Object.entries(AUDITED).map(([path, text]) => [`set/${path}`, text]));
  await withFiles({ ...sets, ...AUDITED_DATA }, async (directory) => {
    const at = (name: string) => join(directory, name);
    await keyward(["build", at("set"), "--no-solver", "--output", at("policies.mjs")]);
    const said = (set: string) => {
      const paths = new Map([
        ["SET", set],
        ...["KEYS", "RESOURCES", "ACCOUNTS"].map((name) => [name, at(`${name.toLowerCase()}.jsonl`)] as const),
      ]);
      return keyward(args.map((arg) => paths.get(arg) ?? arg));
    };
    const [ofFiles, ofBundle] = [await said(at("set")), await said(at("policies.mjs"))];
    expect(ofFiles.out).not.toBe("");
    expect({ code: ofBundle.code, out: ofBundle.out }).toEqual({ code: ofFiles.code, out: ofFiles.out });
  });
});

test("what goes with a directory alone is bad usage with a bundle, as it is the other way round", async () => {
  await withFiles(KEYS, async (directory) => {
    const output = join(directory, "policies.mjs");
    await keyward(["build", SHIPPED_ROOT, "--no-solver", "--output", output]);
    for (const [command = "", ...args] of [
      ["decide", "--policies", output],
      ["explain", "--policies", output],
      ["who", "apis.getApi", "--policies", output],
      ["check-resources", "--policies", output],
      ["plan-resources", "--policies", output],
      ["diff", output, output],
    ]) {
      for (const option of ["--locked", "--follow-links"]) {
        const err = `keyward ${command}: ${option} goes with a directory\n`;
        expect(await keyward([command, ...args, option], INPUT)).toEqual({ code: 2, out: "", err });
      }
    }
    expect(await keyward(["diff", output, SHIPPED_ROOT, "--follow-links", "--no-solver"])).toMatchObject({ err: "" });
  });
});

/** Changes a built bundle and gives it a first line with a matching checksum. */
async function forged(change: (body: string) => string): Promise<string> {
  const [, ...lines] = (await bundleText(shipped)).split("\n");
  const body = change(lines.join("\n"));
  return `${firstLine(await sha256(body))}\n${body}`;
}

/** Removes the attribute declarations; the checksum matches. */
function withoutTypes(body: string): string {
  const { texts, ...bundle } = imported(`// Written by keyward build\n${body}`);
  const checksum = checksumOf({ ...bundle, texts: texts.with(2, "[]") });
  return body.replace(singleQuoted(texts[2] ?? "").text, () => "'[]'").replace(bundle.checksum, checksum);
}

const FUNCTIONS = "\nfunctions: [\n";
const LAYERS = "\nlayers: [\n";
const READERS = "\nreaders: [\n";

test.each<readonly [what: string, change: (body: string) => string]>([
  ["a function", (body) => body.replace(/(?<=\nfunctions: \[.*) === /s, " !== ")],
  ["another function", (body) => body.replace(FUNCTIONS, `${FUNCTIONS}[[], () => undefined],\n`)],
  ["functions that are gone", (body) => body.replace(/(?<=\nfunctions: \[).*(?=\n\],\nlayers: \[\n)/s, "")],
  ["a reader", (body) => body.replace(/(?<=\nfunctions: \[.*)f\.first = /s, "f.second = ")],
  ["the functions of a plan", (body) => body.replace(LAYERS, `${LAYERS}["[]", { left: [] }, 0, 0],\n`)],
  ["layers that are gone", (body) => body.replace(/(?<=\nlayers: \[).*(?=\n\],\nreaders: \[\n)/s, "")],
  ["what a reader is for", (body) => body.replace(READERS, `${READERS}["[]", 0],\n`)],
  ["readers that are gone", (body) => body.replace(/(?<=\nreaders: \[).*(?=\n\],\ncode: )/s, "")],
  ["what declares types", withoutTypes],
  ["what the certificate claims", (body) => body.replace(/"combinations":\d+/, '"combinations":1')],
  ["what is equipped", (body) => body.replace("equipment: undefined", "equipment: { }")],
  ["a statement beside the bundle", (body) => `${body}globalThis.broken = 1;\n`],
  ["a space", (body) => body.replace("};\n", "} ;\n")],
])("a bundle is refused by every command where it is not what its policies give: %s", async (_, change) => {
  const [built, text] = [await forged((body) => body), await forged(change)];
  expect(text).not.toBe(built);
  const signature = sign(null, Buffer.from(text), privateKey).toString("base64");
  await withFiles({ ...KEYS, "policies.mjs": text, "policies.mjs.sig": signature }, async (directory) => {
    const output = join(directory, "policies.mjs");
    const signed = ["--public-key", join(directory, "public.pem")];
    const verified = await keyward(["verify", output, ...signed]);
    expect(verified).toMatchObject({
      code: 4,
      out: "",
      err: expect.stringContaining("error damaged it differs from"),
    });
    for (const args of [
      ["decide", "--policies", output],
      ["explain", "--policies", output],
      ["who", "apis.getApi", "--policies", output],
      ["check-resources", "--policies", output],
      ["plan-resources", "--policies", output],
      ["diff", output, SHIPPED_ROOT],
      ["diff", SHIPPED_ROOT, output],
    ]) {
      const refused = await keyward([...args, ...signed], INPUT);
      expect([args, refused]).toEqual([args, { code: 3, out: "", err: expect.stringContaining("damaged") }]);
    }
  });
});

test("verify proves conditions with many operands, and ends with 5 where another release built a bundle", async () => {
  const operands = Array.from({ length: MAX_OPERANDS + 1 }, (_, i) => `R.attr.a${i} == "x"`).join(" && ");
  const rule = `name: r, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(operands)}`;
  const files = {
    "policies/doc.yaml": policy({ rules: [rule] }),
    "old.mjs": await forged((body) => body.replace(BUILDER, "keyward 0.0.1")),
  };
  await withFiles(files, async (directory) => {
    const output = join(directory, "policies.mjs");
    const built = await keyward([
      "build",
      join(directory, "policies"),
      "--permission-only",
      "--no-solver",
      "--output",
      output,
    ]);
    expect(built).toMatchObject({ code: 0, err: expect.stringContaining("comparison of 1 condition node by node") });
    expect(await keyward(["verify", output, "--no-solver"])).toMatchObject({ code: 0, err: "" });
    const old = await keyward(["verify", join(directory, "old.mjs")]);
    expect(old).toMatchObject({ code: 5, out: "", err: expect.stringContaining("keyward 0.0.1 built it") });
  });
});

test("verify reports as JSON", async () => {
  const files = { ...KEYS, "policies.mjs": await bundleText(shipped, { version: 7 }) };
  await withFiles(files, async (directory) => {
    const at = (name: string) => join(directory, name);
    const { certificate } = await build(shipped, { version: 7 });
    const report = {
      file: at("policies.mjs"),
      isSigned: false,
      hash: await policySetHash(shipped),
      version: 7,
      layers: { permissionVersion: "default", platformVersion: "platform" },
      certificate,
      operands: { notAsked: "no solver was used: --no-solver was given" },
    };
    const unsigned = await keyward(["verify", at("policies.mjs"), "--format", "json", "--no-solver"]);
    expect([unsigned.code, JSON.parse(unsigned.out)]).toEqual([0, report]);
    await writeFile(
      at("policies.mjs.sig"),
      sign(null, await readFile(at("policies.mjs")), privateKey).toString("base64"),
    );
    const signed = await keyward(["verify", at("policies.mjs"), "--format", "json", "--public-key", at("public.pem")]);
    const operands = { solver: expect.any(String), proved: expect.any(Number), unproved: expect.any(Array) };
    expect([signed.code, JSON.parse(signed.out)]).toEqual([0, { ...report, isSigned: true, operands }]);
  });
});

test("a certificate is shown with each condition that is not proved", async () => {
  const { certificate } = await build(shipped);
  const text = provedText({ ...certificate, unproved: [{ at: "a\u202e.yaml:3:5", why: "for a reason" }] });
  expect(text).toMatch(/^certificate of keyward .*\nnot proved: a \.yaml:3:5: for a reason$/);
});

test("operands that are not proved are shown by reason", () => {
  const unproved = [
    { at: "a.yaml:3:5", why: "it computes with times" },
    { at: "b\u202e.yaml:4:5", why: "no time" },
    { at: "c.yaml:1:2", why: "it computes with times" },
  ];
  expect(operandsText({ solver: "5.2.0", proved: 1_000, unproved })).toBe(
    [
      "operands: 1000 of 1003 proved for all requests by z3-solver 5.2.0; 3 are tested, not proved",
      "operand not proved: it computes with times: a.yaml:3:5, c.yaml:1:2",
      "operand not proved: no time: b .yaml:4:5",
    ].join("\n"),
  );
});

test("check-resources answers by a bundle as by its policies", async () => {
  await withFiles({}, async (directory) => {
    const output = join(directory, "policies.mjs");
    await keyward(["build", SHIPPED_ROOT, "--no-solver", "--output", output]);
    const { key, resource } = REQUEST;
    const input = JSON.stringify({
      principal: key,
      resources: [{ resource, actions: ["apis.getApi", "apis.deleteApi"] }],
    });
    const [ofTexts, ofBundle] = [
      await keyward(["check-resources", "--policies", SHIPPED_ROOT], input),
      await keyward(["check-resources", "--policies", output], input),
    ];
    expect(ofTexts.code).toBe(0);
    expect(ofBundle).toEqual(ofTexts);
  });
});

test("explain and who answer by a bundle as by its policies, and diff proves that it is built of them", {
  tags: "long",
}, async () => {
  const files = changed("platform/api.yaml", "R.attr.keyCount == 0", "R.attr.keyCount <= 1");
  const WIDENED = Object.fromEntries(files.map(({ path, text }) => [`changed/${path}`, text]));
  await withFiles({ ...KEYS, ...WIDENED }, async (directory) => {
    const at = (name: string) => join(directory, name);
    const output = at("policies.mjs");
    await keyward(["build", SHIPPED_ROOT, "--no-solver", "--output", output, "--sign", at("private.pem")]);
    const signed = ["--public-key", at("public.pem")];
    const forged = ["--public-key", at("other.pem")];
    const commands: readonly (readonly [args: readonly string[], input?: string])[] = [
      [["explain"], INPUT],
      [["explain", "--format", "json"], `${INPUT}\n{}\n`],
      [["who", "keys.createKey"]],
    ];
    for (const [args, input = ""] of commands) {
      const ofTexts = await keyward([...args, "--policies", SHIPPED_ROOT], input);
      expect(ofTexts.out).not.toBe("");
      expect(await keyward([...args, "--policies", output, ...signed], input)).toEqual(ofTexts);
      const refused = await keyward([...args, "--policies", output, ...forged], input);
      expect(refused).toMatchObject({ code: 3, out: "" });
      expect(refused.err).toContain("forged");
      const misplaced = await keyward([...args, "--policies", SHIPPED_ROOT, ...signed], input);
      expect(misplaced).toMatchObject({ code: 2, out: "" });
    }

    for (const sides of [
      [output, SHIPPED_ROOT],
      [SHIPPED_ROOT, output],
      [output, output],
    ]) {
      expect(await keyward(["diff", ...sides, ...signed])).toMatchObject({ code: 0, err: "" });
      const refused = await keyward(["diff", ...sides, ...forged]);
      expect(refused).toMatchObject({ code: 3, out: "" });
      const line = `${output}:1:1 error io the bundle is refused (forged): its signature is not by the key, or not of this text\n`;
      expect(refused.err).toBe(line.repeat(sides[0] === sides[1] ? 2 : 1));
    }
    const widened = await keyward(["diff", output, at("changed"), "--format", "json"]);
    expect(widened).toMatchObject({
      code: 4,
      err: expect.stringMatching(/^keyward diff: Decisions change: .* \(exit 4\)\n$/),
    });
    const { changes } = JSON.parse(widened.out);
    expect(changes).not.toEqual([]);
    for (const { request, before } of changes) {
      const replayed = await keyward(["decide", "--policies", output], JSON.stringify(request));
      expect(JSON.parse(replayed.out)).toMatchObject({ outcome: before.outcome });
    }
    expect(await keyward(["diff", SHIPPED_ROOT, at("changed"), ...signed])).toMatchObject({ code: 2, out: "" });
    await writeFile(output, (await readFile(output, "utf8")).replace("role_may_read", "role_may_reap"));
    const damaged = await keyward(["diff", output, SHIPPED_ROOT]);
    expect(damaged).toMatchObject({ code: 3, out: "" });
    expect(damaged.err).toContain("the bundle is refused (damaged): ");
  });
});

test("bad usage is 2, policies that are not valid 3, and then nothing is written", async () => {
  await withFiles({ ...KEYS, "a.yaml": "apiVersion: nonsense" }, async (directory) => {
    const output = join(directory, "policies.mjs");
    for (const args of [
      [],
      [SHIPPED_ROOT],
      [SHIPPED_ROOT, "--output", join(directory, "policies.json")],
      [SHIPPED_ROOT, "--output", output, "--set-version", "1.5"],
      [SHIPPED_ROOT, "--output", output, "--sign", join(directory, "none.pem")],
      [SHIPPED_ROOT, "--output", output, "--sign", join(directory, "public.pem")],
      [SHIPPED_ROOT, "--output", join(directory, "none", "policies.mjs")],
    ]) {
      expect([args, await keyward(["build", ...args])]).toEqual([args, expect.objectContaining({ code: 2, out: "" })]);
    }
    expect(await keyward(["build", directory, "--output", output])).toMatchObject({ code: 3, out: "" });
    expect(existsSync(output)).toBe(false);
    expect(await keyward(["verify", output, "--public-key", join(directory, "public.pem")])).toMatchObject({ code: 2 });
    expect(await keyward(["verify", output])).toMatchObject({ code: 2 });
    expect(await keyward(["verify", output, "--signature", output])).toMatchObject({ code: 2 });
    const withKey = ["decide", "--policies", SHIPPED_ROOT, "--public-key", join(directory, "public.pem")];
    expect(await keyward(withKey, INPUT)).toMatchObject({ code: 2 });
  });
});

test.skipIf(!BUILT)(
  "a program imports it, also where code may not be made from strings",
  { tags: "long" },
  async () => {
    await withFiles({}, async (directory) => {
      const output = join(directory, "policies.mjs");
      await keyward(["build", SHIPPED_ROOT, "--no-solver", "--output", output]);
      const program = `
      import { decide, loadBundleOrThrow } from "keyward/runtime";
      import { loadCheckEngine, EmbeddedClient } from "keyward/runtime/cerbos";
      import { bundle } from ${JSON.stringify(output)};
      const client = new EmbeddedClient(loadCheckEngine(bundle).right);
      const { key: principal, resource } = ${INPUT};
      const { actions } = await client.checkResource({ principal, resource, actions: ["apis.getApi", "apis.deleteApi"] });
      console.log(JSON.stringify([decide(loadBundleOrThrow(bundle), ${INPUT}), actions]));`;
      const args = ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", program];
      const printed = JSON.parse(execFileSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" }));
      expect(printed).toEqual([
        decide(shipped, REQUEST),
        { "apis.getApi": "EFFECT_ALLOW", "apis.deleteApi": "EFFECT_DENY" },
      ]);
    });
  },
);
