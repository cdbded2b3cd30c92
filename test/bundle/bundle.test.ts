/** Bundles: the same policies give the same bytes, and each fault of a bundle is refused. */

import { generateKeyPairSync, sign } from "node:crypto";
import { isLeft } from "fp-ts/lib/Either.js";
import { beforeAll, expect, test } from "vitest";
import { type BundleFault, checksumOf, FORMAT } from "../../src/bundle/bundle.js";
import { CORE } from "../../src/bundle/core.js";
import { sha256 } from "../../src/bundle/digest.js";
import { BundleError, type BundleOptions, loadBundle, loadBundleOrThrow } from "../../src/bundle/load.js";
import { bundleText, firstLine } from "../../src/bundle/module.js";
import { loadBundleText, readBundleText, type SignedBy } from "../../src/bundle/text.js";
import { helpersIn } from "../../src/bundle/written-functions.js";
import { FUNCTIONS } from "../../src/cel/functions/registry.js";
import { loadCheckEngine } from "../../src/cerbos/runtime.js";
import { quoted } from "../../src/engine/frame/js.js";
import { HELPERS } from "../../src/engine/generate/helpers.js";
import { decide, deciderFor, planDecisions, policySetHash } from "../../src/index.js";
import { bundledSets, imported } from "../support/bundles.js";
import { policy, supportAll, when } from "../support/compose.js";
import { watchFunctions } from "../support/functions.js";
import { compiled, shipped, shippedFiles } from "../support/policies.js";
import { ask, KINDS } from "../support/requests.js";

let TEXT = "";
beforeAll(async () => {
  TEXT = await bundleText(shipped, { version: 5 });
});
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const PEM = publicKey.export({ type: "spki", format: "pem" }).toString();
const signatureOf = (text: string) => sign(null, Buffer.from(text), privateKey).toString("base64");

async function faultOf(text: string | Uint8Array, options: BundleOptions & SignedBy = {}) {
  const { platform, platformVersion: _, ...rest } = options;
  const loaded = await (platform === undefined
    ? loadBundleText(text, options)
    : loadBundleText(text, { ...rest, platform }));
  if (isLeft(loaded)) return loaded.left.kind;
  expect(loaded).toMatchObject({ _tag: "Right", right: { configuration: expect.anything() } });
  return undefined;
}

function importedFault(bundle: unknown, options: BundleOptions = {}): BundleFault["kind"] | undefined {
  // Callers without types can pass anything.
  const loaded = loadBundle(bundle as ReturnType<typeof imported>, options);
  return loaded._tag === "Left" ? loaded.left.kind : undefined;
}

test("the same policies give the same bytes, in whatever order their files are given", async () => {
  expect(await bundleText(compiled([...shippedFiles].reverse()), { version: 5 })).toBe(TEXT);
  expect(await bundleText(shipped, { version: 6 })).not.toBe(TEXT);
});

test("the set has the hash of the files, and decides as they do, by functions from the first request on", async () => {
  const { module, text } = await bundledSets(shipped);
  for (const set of [module, text]) expect(await policySetHash(set)).toBe(await policySetHash(shipped));
  for (const operation of Object.keys(KINDS)) {
    for (const roles of [["admin"], ["viewer"], ["custom"], ["custom", "viewer"]]) {
      const request = ask(operation, { roles });
      for (const set of [module, text]) expect(decide(set, request)).toEqual(decide(shipped, request));
    }
  }
});

test("lists are planned as the files plan them, and a set of another copy of keyward is refused", async () => {
  const { module, text } = await bundledSets(shipped);
  for (const [operation, kind] of Object.entries(KINDS)) {
    for (const roles of [["admin"], ["viewer"], ["custom"]]) {
      const { key, account } = ask(operation, { roles });
      const plan = planDecisions(shipped, { key, account, operation, kind });
      for (const set of [module, text]) {
        decide(set, ask(operation, { roles }));
        expect(planDecisions(set, { key, account, operation, kind })).toEqual(plan);
      }
    }
  }
  const { key, account } = ask("apis.getApi");
  const { platform, tables } = shipped;
  const foreign = { platform, tables, permission: { verdict: () => undefined } };
  const plan = Reflect.apply(planDecisions, undefined, [
    foreign,
    { key, account, operation: "apis.getApi", kind: "api" },
  ]);
  expect(plan).toMatchObject({ outcome: "none", fault: { kind: "invalid_policies" } });
  expect(plan.fault.message).toContain("another copy of keyward loaded them");
});

test("deciders of a bundle decide by its functions from the first request on", async () => {
  const { module } = await bundledSets(shipped);
  const counts = { asked: 0, found: 0 };
  for (const operation of Object.keys(KINDS)) {
    for (const roles of [["admin"], ["viewer"], ["custom", "viewer"]]) {
      const { key, resource, account } = ask(operation, { roles, key: { permissions: [`api.*.${roles[0]}`] } });
      const expected = decide(shipped, { key, operation, resource, account });
      for (const [subjects, rest] of [
        [{ key }, { operation, resource, account }],
        [
          { key, account },
          { operation, resource },
        ],
      ] as const) {
        const decider = deciderFor(module, subjects);
        const unwatch = watchFunctions((_, isFound) => {
          counts.asked++;
          if (isFound) counts.found++;
        });
        for (let i = 0; i < 4; i++) expect(decider.decide(rest)).toEqual(expected);
        unwatch();
      }
    }
  }
  // Each decision has two verdicts. Plans without conditions have no generated functions.
  const verdicts = Object.keys(KINDS).length * 3 * 2 * 4 * 2;
  expect(counts.found).toBe(counts.asked);
  expect(counts.asked).toBeGreaterThan(verdicts * 0.8);
});

test("functions that were rewritten are not used, unless a program says so: the decisions are the same", () => {
  const { functions, ...rest } = imported(TEXT);
  const rewritten = functions.map(
    ([checks, factory]) => [checks, (...given: Parameters<typeof factory>) => factory(...given)] as const,
  );
  const swapped = rest.layers.map(([key, needs, judge, reader], i) =>
    i === 0 ? ([key, needs, reader, judge] as const) : ([key, needs, judge, reader] as const),
  );
  const request = ask("apis.getApi", { roles: ["viewer"] });
  const expected = decide(shipped, request);
  for (const [bundle, isUsed] of [
    [{ ...rest, functions }, true],
    [{ ...rest, functions: rewritten }, false],
    [{ ...rest, functions, layers: swapped }, false],
  ] as const) {
    for (const options of [{}, { rewritten: true }] as const) {
      if (bundle.layers === swapped && "rewritten" in options) continue;
      const set = loadBundleOrThrow(bundle, options);
      let found = 0;
      const unwatch = watchFunctions((_, isFound) => {
        if (isFound) found++;
      });
      expect(decide(set, request)).toEqual(expected);
      unwatch();
      const isAccepted = isUsed || "rewritten" in options;
      const warning = { code: "rewritten_functions", hint: expect.stringContaining("rewritten: true") };
      expect([found > 0, set.warnings]).toEqual([isAccepted, isAccepted ? [] : [expect.objectContaining(warning)]]);
    }
  }
});

test("functions are handed the helpers that there are, by their names", () => {
  const all = Object.keys(HELPERS);
  expect(
    helpersIn(quoted(all.join(" ")))
      .text.split(", ")
      .sort(),
  ).toEqual([...all].sort());
  const found = new Set<string>();
  for (const [, names = "", code = ""] of TEXT.matchAll(/, \(\{ ([A-Z, ]*) \}, d\) => \{$(.*?)^\}\],$/gms)) {
    const called = all.filter((name) => new RegExp(`\\b${name}\\(|in ${name}\\b`).test(code));
    expect(names.split(", ")).toEqual(expect.arrayContaining(called));
    for (const name of called) found.add(name);
  }
  expect(found.size).toBeGreaterThan(4);
});

test("what the core has as many overloads of as there are, it has in their order", () => {
  for (const style of ["global", "member"] as const) {
    for (const name of CORE.functions.names) {
      const all = FUNCTIONS.overloadsOf(name, style);
      const core = CORE.functions.overloadsOf(name, style);
      if (core.length === all.length) expect(core.map(({ params }) => params)).toEqual(all.map(({ params }) => params));
    }
  }
});

test.each([
  ['R.attr.name.matches("^a+$")', true],
  ['R.attr.name.startsWith("a")', false],
])("%s needs more than the core: %s", async (expr, isMore) => {
  const rule = `name: r, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`;
  const set = compiled([{ path: "a.yaml", text: policy({ rules: [rule] }) }, ...supportAll("doc")]);
  const text = await bundleText(set);
  expect(text.includes('from "keyward/runtime/everything"')).toBe(isMore);
  const { module } = await bundledSets(set);
  for (const name of ["aaa", "b", 1]) {
    const one = {
      key: { id: "u", roles: ["user"], attr: {} },
      operation: "read",
      resource: { kind: "doc", id: "d", attr: { name } },
      account: { id: "a", attr: {} },
    };
    expect(decide(module, one)).toEqual(decide(set, one));
  }
});

test("actions of the same conditions and other outputs have functions of their own, which read each value once", async () => {
  const rule = (name: string, actions: string, more: string) =>
    `name: ${name}, actions: [${actions}], roles: [user], effect: EFFECT_ALLOW, ${more}`;
  const says = (expr: string) => `output: {when: {ruleActivated: ${JSON.stringify(expr)}}}`;
  const rules = [
    rule("r", "none, one, two", when(`R.attr.name == "a"`)),
    rule("s", "one", says(`"read " + R.attr.name`)),
    rule("t", "two", says(`timestamp(R.attr.name)`)),
    rule("u", "two", says(`{"id": R.id}`)),
  ];
  const set = compiled([{ path: "a.yaml", text: policy({ rules }) }, ...supportAll("doc")]);
  const { module, text } = await bundledSets(set);
  for (const operation of ["none", "one", "two"]) {
    for (const other of [module, text]) {
      let reads = 0;
      const about = (attr: object) => ({
        key: { id: "u", roles: ["user"], attr: {} },
        operation,
        resource: { kind: "doc", id: "d", attr: { ...attr } },
        account: { id: "a", attr: {} },
      });
      const one = about({});
      Object.defineProperty(one.resource.attr, "name", { get: () => (reads++ === 0 ? "a" : "b"), enumerable: true });
      expect(decide(other, one)).toStrictEqual(decide(set, about({ name: "a" })));
      expect(reads).toBe(1);
    }
  }
});

test("nothing of a policy becomes code", async () => {
  const hostile = `x'];globalThis.broken = 1;//\\u2028\\"\n\`\${1}`;
  const rule = `name: r, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(`R.attr.name == ${JSON.stringify(hostile)}`)}`;
  const text = policy({ rules: [rule] });
  const set = compiled([{ path: "a.yaml", text }, ...supportAll("doc")]);
  const { module, text: read } = await bundledSets(set);
  for (const name of [hostile, "x"]) {
    const one = {
      key: { id: "u", roles: ["user"], attr: {} },
      operation: "read",
      resource: { kind: "doc", id: "d", attr: { name } },
      account: { id: "a", attr: {} },
    };
    for (const other of [module, read]) expect(decide(other, one)).toEqual(decide(set, one));
  }
  expect("broken" in globalThis).toBe(false);
});

test("text that was changed or cut anywhere is refused", async () => {
  expect(await faultOf(TEXT)).toBe(undefined);
  const step = Math.ceil(TEXT.length / 150);
  for (let at = 0; at < TEXT.length; at += step) {
    const other = TEXT[at] === "x" ? "y" : "x";
    expect([at, await faultOf(TEXT.slice(0, at) + other + TEXT.slice(at + 1))]).toEqual([at, expect.any(String)]);
    expect([at, await faultOf(TEXT.slice(0, at))]).toEqual([at, expect.any(String)]);
  }
  expect(await faultOf("")).toBe("not_a_bundle");
  expect(await faultOf(TEXT.slice(0, -1))).toBe("damaged");
  expect(await readBundleText(TEXT)).toMatchObject({ _tag: "Right" });
  expect(await readBundleText(TEXT.slice(0, -1))).toMatchObject({ _tag: "Left", left: { kind: "damaged" } });
  expect(await faultOf(new Uint8Array([0xff, 0xfe]))).toBe("not_a_bundle");
});

test("of an imported bundle, data that was changed is refused, and what is none", () => {
  const bundle = imported(TEXT);
  expect(importedFault(bundle)).toBe(undefined);
  for (const [i, text] of bundle.texts.entries()) {
    const texts = bundle.texts.with(i, `${text} `);
    expect(importedFault({ ...bundle, texts })).toBe("damaged");
  }
  expect(importedFault({ ...bundle, texts: bundle.texts.slice(1) })).toBe("damaged");
  expect(importedFault({ ...bundle, version: 6 })).toBe("damaged");
  for (const other of [undefined, null, 1, "", {}, []]) expect(importedFault(other)).toBe("not_a_bundle");
  const wrong = [{ texts: undefined }, { texts: [1] }, { version: "5" }, { hash: 1 }, { checksum: 1 }];
  for (const fields of wrong)
    expect([fields, importedFault({ ...bundle, ...fields })]).toEqual([fields, "not_a_bundle"]);
  const texts = ["{", ...bundle.texts.slice(1)];
  expect(importedFault({ ...bundle, texts, checksum: checksumOf({ ...bundle, texts }) })).toBe("damaged");
  expect(() => loadBundleOrThrow({ ...bundle, format: FORMAT + 1 })).toThrow(BundleError);
});

test("a text that cannot be read, in a bundle that is written anew", async () => {
  const bundle = imported(TEXT);
  const texts = bundle.texts.with(1, "{");
  const [, ...lines] = TEXT.replace(bundle.checksum, checksumOf({ ...bundle, texts })).split("\n");
  const body = lines.with(lines.indexOf("texts: [") + 2, "'{',").join("\n");
  expect(await faultOf(`${firstLine(await sha256(body))}\n${body}`)).toBe("damaged");
});

test("another format, other layers, an older version", async () => {
  const bundle = imported(TEXT);
  expect(importedFault({ ...bundle, format: FORMAT + 1 })).toBe("format");
  const faultWith = async (from: string, to: string) => {
    const [, ...lines] = TEXT.replace(from, to).split("\n");
    return faultOf(`${firstLine(await sha256(lines.join("\n")))}\n${lines.join("\n")}`);
  };
  expect(await faultWith(`format: ${FORMAT},`, `format: ${FORMAT + 1},`)).toBe("format");
  // Other formats may have other fields.
  expect(await faultWith(`format: ${FORMAT},\n`, `format: ${FORMAT + 1},\nfield: 1,\n`)).toBe("format");
  expect(await faultWith(`format: ${FORMAT},\n`, `format: ${FORMAT},\nfield: 1,\n`)).toBe("damaged");
  const permissionOnly = compiled(
    shippedFiles.filter(({ path }) => !path.startsWith("platform/")),
    { platform: "none" },
  );
  const other = await bundleText(permissionOnly);
  for (const [text, options, fault] of [
    [TEXT, { permissionVersion: "other" }, "layers"],
    [TEXT, { platformVersion: "other" }, "layers"],
    [TEXT, { platform: "none" }, "layers"],
    [other, {}, "layers"],
    [other, { platform: "none" }, undefined],
    [TEXT, { minVersion: 5 }, undefined],
    [TEXT, { minVersion: 6 }, "older"],
  ] as const) {
    expect([options, await faultOf(text, options), importedFault(imported(text), options)]).toEqual([
      options,
      fault,
      fault,
    ]);
  }
});

test("signatures: where a key is configured, the text must be signed by it", async () => {
  const signature = signatureOf(TEXT);
  expect(await faultOf(TEXT, { publicKey: PEM, signature })).toBe(undefined);
  expect(await faultOf(Buffer.from(TEXT), { publicKey: PEM, signature: `${signature}\n` })).toBe(undefined);
  expect(await faultOf(TEXT, { publicKey: PEM })).toBe("unsigned");
  expect(await faultOf(TEXT, { publicKey: PEM, signature: "" })).toBe("unsigned");
  const other = await bundleText(shipped, { version: 6 });
  expect(await faultOf(other, { publicKey: PEM, signature })).toBe("forged");
  expect(await faultOf(TEXT, { publicKey: PEM, signature: signatureOf(other) })).toBe("forged");
  expect(await faultOf(TEXT, { publicKey: PEM, signature: "???" })).toBe("forged");
  const stranger = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }).toString();
  expect(await faultOf(TEXT, { publicKey: stranger, signature })).toBe("forged");
  const { publicKey: rsa } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  expect(await faultOf(TEXT, { publicKey: rsa.export({ type: "spki", format: "pem" }).toString(), signature })).toBe(
    "forged",
  );
  expect(await faultOf(TEXT, { publicKey: "no key", signature })).toBe("forged");
});

test("a key that is not there asks for no less: what options leave unclear is refused", async () => {
  const signature = signatureOf(TEXT);
  const unset: string | undefined = process.env.KEYWARD_KEY_THAT_IS_NOT_SET;
  // @ts-expect-error: the key must not be undefined.
  const withUnset: SignedBy = { publicKey: unset };
  const cases: readonly (readonly [options: object, ofText: string | undefined, ofModule: string | undefined])[] = [
    [{}, undefined, undefined],
    [{ unsigned: true }, undefined, undefined],
    [{ unsigned: true, signature }, undefined, "unsigned"],
    [withUnset, "unsigned", "unsigned"],
    [{ publicKey: undefined, signature }, "unsigned", "unsigned"],
    [{ publicKey: undefined, unsigned: true }, "unsigned", "unsigned"],
    [Object.create({ publicKey: undefined }), "unsigned", "unsigned"],
    [{ publicKey: null, signature }, "unsigned", "unsigned"],
    [{ publicKey: "", signature }, "forged", "unsigned"],
    [{ publicKey: PEM, signature, unsigned: true }, "unsigned", "unsigned"],
    [{ publicKey: PEM, signature }, undefined, "unsigned"],
    [{ signature }, "unsigned", "unsigned"],
    [{ signature: undefined }, undefined, "unsigned"],
    [{ unsigned: false }, "unsigned", undefined],
    [{ unsigned: undefined }, undefined, undefined],
    [{ minVersion: undefined }, "older", "older"],
    [{ minVersion: Number.NaN }, "older", "older"],
    [{ minVersion: null }, "older", "older"],
    [{ minVersion: 5 }, undefined, undefined],
  ];
  for (const [options, ofText, ofModule] of cases) {
    const loaded = await loadBundleText(TEXT, options);
    const found = loaded._tag === "Left" ? loaded.left.kind : undefined;
    expect([options, found, importedFault(imported(TEXT), options)]).toEqual([options, ofText, ofModule]);
    const loadEngine = () => loadCheckEngine(imported(TEXT), options);
    if ("minVersion" in options && options.minVersion !== undefined) {
      expect(loadEngine).toThrow(new TypeError("there is no option minVersion"));
      continue;
    }
    const engine = loadEngine();
    const ofEngine = ofModule === "unsigned" ? ofModule : undefined;
    expect([options, engine._tag === "Left" ? engine.left.kind : undefined]).toEqual([options, ofEngine]);
  }
});
