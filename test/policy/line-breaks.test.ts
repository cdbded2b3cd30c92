/**
 * Line breaks, and characters that some readers treat as line breaks, at random places in policies. If this library
 * loads the text, the server loads it too and decides the same.
 *
 * @module-tag long
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { isLeft } from "fp-ts/lib/Either.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { check } from "../../src/engine/evaluate/check.js";
import { compileCheckEngine } from "../../src/engine/evaluate/compile-check-engine.js";
import "../support/seed.js";
import { NO_SERVER, type Server, startServer } from "../support/server.js";
import { sized } from "../support/size.js";

const BLOCKS = `---
apiVersion: api.cerbos.dev/v1
# a comment
resourcePolicy:
  resource: doc
  version: default

  constants:
    local:
      c0: plain text # a comment
      c1: 'in single quotes'
      c2: "in double quotes"
      c3: |
        a literal block
          deeper

        # no comment
      c4: >-
        a folded block
        of two lines

        and a third
      c5: [one, two, "three"]
      c6: &c6 {a: b, "c": 'd'}
      c7: plain text
        of two lines
      c8: 'single quotes
        of two lines

        and a third'
      c9: "double quotes
        of two lines\\
        and \\r\\n a third"

  rules:
    # for users
    - actions: ["view"]
      roles: [user]
      effect: EFFECT_ALLOW
      output: {when: {ruleActivated: "[C.c0, C.c1, C.c2, C.c3, C.c4, C.c5, C.c6, C.c7, C.c8, C.c9]"}}

    - actions:
        - edit
        - view
      roles: ["*"] # for all
      effect: EFFECT_ALLOW
      condition:
        match:
          expr: |-
            true // a comment
            && C.c0 != "x"
    # - actions: ["*"]
    #   roles: ["*"]
    #   effect: EFFECT_DENY
`;

const JSON_TEXT = `{
  "apiVersion": "api.cerbos.dev/v1", # a comment
  "resourcePolicy": {
    "resource": "doc",
    "version": "default",
    "constants": {"local": {"c0": "text", "c1": ["a", 1, true], "c2": {"x": null}}},
    "rules": [
      {"actions": ["view"], "roles": ["user"], "effect": "EFFECT_ALLOW",
       "output": {"when": {"ruleActivated": "[C.c0, C.c1, C.c2]"}}},
      {"actions": ["edit"], "roles": ["*"], "effect": "EFFECT_ALLOW",
       "condition": {"match": {"expr": "true // a comment\\n && true // another\\r && false"}}}
    ]
  }
}
`;

const BRACKETS = `apiVersion: api.cerbos.dev/v1
# a comment
resourcePolicy:
  resource: doc
  version: default
  constants: {local: {c0: text, c1: [a,
    b, 'c',
    "d"], # a comment
    c2: {x: y,
      z: w}}}
  rules:
  - actions: [view]
    roles:
    - user
    effect: EFFECT_ALLOW
    output:
      when:
        ruleActivated: >
          [C.c0,
          C.c1, C.c2] // a comment
  - actions: &a
    - edit
    roles: [ '*' ]
    effect: EFFECT_ALLOW
  - {actions: *a, roles: [guest], effect: EFFECT_DENY}
`;

const BREAKS = [
  ...["\n", "\r", "\r\n", "\n\r", "\u0085", "\u2028", "\u2029", "\f", "\v"],
  ...["\t", "\u00a0", "\u1680", "\u2003", "\u3000", "\u200b", "\ufeff"],
];
const DENY = '    - { actions: ["*"], effect: EFFECT_DENY, roles: ["*"] }\n';

/** A line break next to white space or YAML punctuation, or between a comment and a rule. */
const piece = fc
  .constantFrom(...BREAKS)
  .chain((line) =>
    fc.constantFrom(
      ...[line, `${line}${line}`, ` ${line}`, `${line} `, ` ${line} `, `#${line}`, ` # c${line}`, `${line}# c`],
      ...[
        `# c${line}${DENY}`,
        `${line}${DENY}`,
        `: ${line}`,
        `,${line}`,
        `"${line}`,
        `'${line}`,
        `-${line}`,
        `|${line}`,
      ],
      ...[`${line}c0: other`, `key:${line}x`, `:${line}`, `/${line}`],
    ),
  );

/** Where to insert the piece: at the match, or after a character, in place of that character. */
const PLACES: readonly RegExp[] = [/(?:)/g, /(?=\n)/g, /^/gm, /(?<=[#:,\-[\]{}"'|> ])/g, /\n/g, / /g];

interface Edit {
  readonly pattern: RegExp;
  readonly at: number;
  readonly piece: string;
}

const edit = fc.record({ pattern: fc.constantFrom(...PLACES), at: fc.noBias(fc.nat({ max: 1_000_000 })), piece });

function edited(text: string, { pattern, at, piece }: Edit): string {
  const places = [...text.matchAll(pattern)];
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return text;
  return text.slice(0, place.index) + piece + text.slice(place.index + place[0].length);
}

const text = fc
  .record({
    base: fc.constantFrom(BLOCKS, JSON_TEXT, BRACKETS),
    edits: fc.array(edit, { minLength: 1, maxLength: 2 }),
    hasReturns: fc.noBias(fc.nat({ max: 4 })).map((n) => n === 0),
  })
  .map(({ base, edits, hasReturns }) => {
    const changed = edits.reduce(edited, base);
    return hasReturns ? changed.replace(/\r?\n/g, "\r\n") : changed;
  });

const ACTIONS = ["view", "edit", "purge"] as const;

interface Meaning {
  readonly allowed: readonly string[];
  readonly outputs: readonly unknown[];
}

/** Undefined if the text does not load. */
function meaningHere(policy: string): Meaning | undefined {
  const loaded = compileCheckEngine([{ path: "a.yaml", text: policy }]);
  if (isLeft(loaded)) return undefined;
  const { policies, options } = loaded.right;
  const principal = { id: "p", roles: ["user"], attr: {}, policyVersion: "", scope: "" };
  const resource = { kind: "doc", id: "1", attr: {}, policyVersion: "", scope: "" };
  const question = { principal, resource, actions: [...ACTIONS], jwt: {}, now: undefined };
  const { actions, outputs } = check(policies, question, options);
  return {
    allowed: ACTIONS.filter((action) => actions.get(action)?.effect === "allow"),
    outputs: outputs.map(({ val }) => val),
  };
}

/** The meaning, or the server's error if it does not load the text. */
async function meaningThere(server: Server, policy: string): Promise<Meaning | string> {
  const { text: answer } = await server.evaluate({
    playgroundId: "line-breaks",
    files: [{ fileName: "a.yaml", contents: Buffer.from(policy).toString("base64") }],
    principal: { id: "p", roles: ["user"] },
    resource: { kind: "doc", id: "1" },
    actions: ACTIONS,
  });
  const { success } = JSON.parse(answer) as {
    success?: { results: { action: string; effect: string }[]; outputs?: { val: unknown }[] };
  };
  if (success === undefined) return answer;
  const allowed = new Set(success.results.flatMap(({ action, effect }) => (effect === "EFFECT_ALLOW" ? action : [])));
  return {
    allowed: ACTIONS.filter((action) => allowed.has(action)),
    outputs: (success.outputs ?? []).map(({ val }) => val),
  };
}

describe.skipIf(NO_SERVER !== undefined)(`on the server ${NO_SERVER ?? ""}`, () => {
  let server: Server | undefined;
  let directory = "";

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "keyward-line-breaks-"));
    server = await startServer(directory);
  });

  afterAll(async () => {
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test.each([BLOCKS, JSON_TEXT, BRACKETS])("a text without edits means the same", async (policy) => {
    const here = meaningHere(policy);
    expect(here?.allowed).toEqual(["view", "edit"]);
    expect(server && (await meaningThere(server, policy))).toEqual(here);
  });

  test("a text that is loaded here means the same there", { timeout: 3_600_000 }, async () => {
    const count = sized(50_000, 5_000);
    let loaded = 0;
    await fc.assert(
      fc.asyncProperty(text, async (policy) => {
        const here = meaningHere(policy);
        if (here === undefined || server === undefined) return;
        loaded++;
        expect(await meaningThere(server, policy)).toEqual(here);
      }),
      { numRuns: count },
    );
    expect(loaded / count).toBeGreaterThan(1 / 20);
  });
});
