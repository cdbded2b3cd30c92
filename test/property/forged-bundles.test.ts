/**
 * Bundles that were changed or forged decide as their texts do, or somebody says that they do not: `keyward verify`
 * always, and the loader unless the forger gave it the checksum of the changed functions.
 *
 * @module-tag long
 */

import { isDeepStrictEqual } from "node:util";
import { isLeft, isRight } from "fp-ts/lib/Either.js";
import { beforeAll, expect, test } from "vitest";
import { type Bundle, checksumOf, codeChecksumOf } from "../../src/bundle/bundle.js";
import { sha256 } from "../../src/bundle/digest.js";
import { loadBundle } from "../../src/bundle/load.js";
import { bundleText, firstLine } from "../../src/bundle/module.js";
import { loadBundleText } from "../../src/bundle/text.js";
import { unpack } from "../../src/bundle/unpack.js";
import { rebuildFault } from "../../src/cli/bundle-rebuild.js";
import { CLOSURES_ONLY } from "../../src/engine/evaluate/full-equipment.js";
import { type DecisionRequest, decide, type PolicySet } from "../../src/index.js";
import { Random } from "../differential/random.js";
import { imported } from "../support/bundles.js";
import { policy, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";
import { SEED, say } from "../support/seed.js";
import { sized } from "../support/size.js";

const FORGERIES = sized(10_000, 300);

const rule = (name: string, roles: string, effect: string, expr: string) =>
  `name: ${name}, actions: [read], roles: [${roles}], effect: EFFECT_${effect}, ${when(expr)}`;

const SET = compiled([
  {
    path: "doc.yaml",
    text: policy({
      rules: [
        rule("own", "user", "ALLOW", "R.attr.owner == P.id && R.attr.size < 10.0"),
        rule("listed", "user, admin", "ALLOW", `"doc.read" in P.attr.permissions || R.attr.open`),
        rule("system", '"*"', "DENY", "R.attr.system"),
      ],
    }),
  },
  {
    path: "platform.yaml",
    text: policy({
      version: "platform",
      rules: [
        `name: supported, actions: [read], roles: [account], effect: EFFECT_ALLOW`,
        rule("held", "account", "DENY", `P.attr.plan != "pro" && !R.attr.open`),
      ],
    }),
  },
]);
let BUILT = "";
beforeAll(async () => {
  BUILT = await bundleText(SET, { version: 3 });
});

const REQUESTS: readonly DecisionRequest[] = ["user", "admin"].flatMap((role) =>
  [true, false].flatMap((system) =>
    [true, false].flatMap((open) =>
      [9, 10].flatMap((size) =>
        ["doc.read", "doc.write"].map((permission) => ({
          key: { id: "k", roles: [role], attr: { permissions: [permission] } },
          operation: "read",
          resource: { kind: "doc", id: "d", attr: { owner: size === 9 ? "k" : "l", size, open, system } },
          account: { id: "a", attr: { plan: open === system ? "pro" : "free" } },
        })),
      ),
    ),
  ),
);

const decisionsOf = (set: PolicySet) => REQUESTS.map((request) => decide(set, request));

/** Places in code where another text is still code: operators, numbers, texts and names of slots and bits. */
const TOKENS = /===|!==|&&|\|\||<|true|false|\+=|\bz = 1|\b\d+\b|"[a-z.]+"|\b[as]\d\b|return h|!(?=\()/g;
const OTHERS = [
  "===",
  "!==",
  "&&",
  "||",
  "<",
  ">=",
  "true",
  "false",
  "+=",
  "-=",
  "z = 0",
  "0",
  "1",
  "2",
  '"k"',
  "a0",
  "a1",
  "s0",
  "s1",
  "return 3",
  "",
  "!",
];

type Forge = (text: string, random: Random) => string | Promise<string>;

/** Changes a token between two lines of the module. */
function changed(text: string, random: Random, from: string, to: string): string {
  const start = text.lastIndexOf(from);
  const end = text.indexOf(to, start);
  const tokens = [...text.slice(start, end).matchAll(TOKENS)];
  const found = random.pick(tokens);
  const at = start + found.index;
  return text.slice(0, at) + random.pick(OTHERS) + text.slice(at + found[0].length);
}

const FUNCTIONS: Forge = (text, random) => changed(text, random, "\nfunctions: [", "\nlayers: [");
/** Changes a token in the code of one condition. */
const CONDITIONS: Forge = (text, random) => {
  const line = random.pick(text.split("\n").filter((one) => / h \+= \d+;$/.test(one)));
  return changed(text, random, line, line.slice(line.lastIndexOf(" h += ")));
};
const TABLES: Forge = (text, random) => changed(text, random, "\nlayers: [", "\ncode: ");
const CERTIFICATE: Forge = (text, random) => changed(text, random, "\ncertificate: ", "},\n};");
const CHARACTER: Forge = (text, random) => {
  const at = random.int(0, text.length - 1);
  return text.slice(0, at) + random.pick(["", "x", "1", '"', "\n", " "]) + text.slice(at + random.int(0, 1));
};
const CUT: Forge = (text, random) => text.slice(0, random.int(0, text.length));
const LINES: Forge = (text, random) => {
  const lines = text.split("\n");
  const [a, b] = [random.int(1, lines.length - 1), random.int(1, lines.length - 1)];
  return lines.with(a, lines[b] ?? "").join("\n");
};
const TEXTS: Forge = (text, random) => {
  const { texts } = imported(BUILT);
  const some = random.pick(texts.filter((one) => one.includes('"') && one.length > 40));
  const other = some.replace(
    random.pick(["allow", "deny", "user", "admin", "own", "10", "true"]),
    random.pick(["deny", "allow", "user", "9", "false"]),
  );
  const literal = (one: string) => `'${one.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  return text.replace(literal(some), () => literal(other));
};

/** The module with its checksums made anew, as far as it is still a module. */
async function sealed(text: string, all: boolean): Promise<string> {
  let [, ...lines] = text.split("\n");
  if (all) {
    try {
      const bundle = imported(`// Written by keyward build\n${lines.join("\n")}`);
      const code = codeChecksumOf(
        bundle.functions.map(([checks, factory]) => [checks, String(factory)]),
        bundle,
      );
      lines = lines.map((line) =>
        line.startsWith("code: ")
          ? `code: "${code}",`
          : line.startsWith("checksum: ")
            ? `checksum: "${checksumOf(bundle)}",`
            : line,
      );
    } catch {
      // Not a module any more.
    }
  }
  const body = lines.join("\n");
  return `${firstLine(await sha256(body))}\n${body}`;
}

function moduleOf(text: string): Bundle | undefined {
  try {
    return imported(text);
  } catch {
    return undefined;
  }
}

function withoutHash(text: string): string {
  return text.replace(/^.*\n/, "").replace(/^(?:hash|checksum): .*$/gm, "");
}

test("what decides otherwise than its texts is noticed", { timeout: 3_600_000 }, async () => {
  const random = new Random(SEED);
  const expected = decisionsOf(SET);
  const counts = { refused: 0, warned: 0, otherwise: 0, silent: 0, same: 0 };
  for (let i = 0; i < FORGERIES; i++) {
    const forge = random.pick([
      CONDITIONS,
      CONDITIONS,
      CONDITIONS,
      FUNCTIONS,
      TABLES,
      CERTIFICATE,
      CHARACTER,
      CUT,
      LINES,
      TEXTS,
    ]);
    const seal = random.pick([undefined, false, true, true]);
    const changedText = await forge(BUILT, random);
    const text = seal === undefined ? changedText : await sealed(changedText, seal);
    if (text === BUILT) continue;
    const said = await rebuildFault(Buffer.from(text));
    // A bundle has no source files, so nobody can tell that the hash of these files was forged.
    if (said === undefined) expect([i, withoutHash(text)]).toEqual([i, withoutHash(BUILT)]);

    const read = await loadBundleText(text);
    if (isRight(read)) {
      const { texts } = moduleOf(text) ?? { texts: undefined };
      if (texts !== undefined) expect(decisionsOf(read.right)).toEqual(decisionsOf(unpack(texts, CLOSURES_ONLY)));
    }

    const module = moduleOf(text);
    const loaded = module && loadBundle(module);
    if (module === undefined || loaded === undefined || isLeft(loaded)) {
      counts.refused++;
      continue;
    }
    const isWarned = loaded.right.warnings.some(({ code }) => code === "rewritten_functions");
    const ofTexts = decisionsOf(unpack(module.texts, CLOSURES_ONLY));
    const isSame = isDeepStrictEqual(decisionsOf(loaded.right), ofTexts);
    if (isWarned) {
      counts.warned++;
      expect([i, isSame]).toEqual([i, true]);
      const trusted = loadBundle(module, { rewritten: true });
      if (isRight(trusted) && !isDeepStrictEqual(decisionsOf(trusted.right), ofTexts)) counts.otherwise++;
    } else if (isSame) counts.same++;
    else {
      counts.silent++;
      expect([i, seal]).toEqual([i, true]);
    }
  }
  say(`forged bundles: ${JSON.stringify({ FORGERIES, ...counts })}`);
  expect(decisionsOf(SET)).toEqual(expected);
  expect(counts.refused).toBeGreaterThan(FORGERIES / 10);
  expect(counts.warned).toBeGreaterThan(FORGERIES / 20);
  expect(counts.otherwise + counts.silent).toBeGreaterThan(FORGERIES / 100);
});
