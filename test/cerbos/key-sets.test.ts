/**
 * Tokens that key sets verify: by `EmbeddedClient`, the commands and `TokenVerifier`.
 *
 * @module-tag long
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { Timestamp } from "../../src/cel/values.js";
import { compileCheckEngine, EmbeddedClient, keySetVerifier } from "../../src/cerbos/index.js";
import { readKeySets } from "../../src/cerbos/key-sets/read-file.js";
import { policy, when } from "../support/compose.js";
import { keyward, withFiles } from "../support/terminal.js";
import { KEY_FILES, KEY_SET_CASES, TOKENS, type TokenName } from "./key-sets.js";

const DOC = policy({
  rules: [
    'name: all, actions: [view], roles: ["*"], effect: EFFECT_ALLOW',
    `name: revoked, actions: [view], roles: ["*"], effect: EFFECT_DENY, ${when("request.auxData.jwt.sub != 'alice'")}`,
  ],
});

const now = () => new Timestamp(Math.floor(Date.now() / 1_000), 0);

async function accepted(claims: (name: TokenName) => Promise<{ readonly sub?: unknown }>): Promise<readonly string[]> {
  const names = Object.keys(TOKENS) as TokenName[];
  const found = await Promise.all(
    names.map(async (name) => {
      const { sub } = await claims(name).catch(() => ({ sub: undefined }));
      return sub === undefined ? [] : [name];
    }),
  );
  return found.flat();
}

test.each(KEY_SET_CASES)("%s", async (_, jwt, names) => {
  const files = { ...KEY_FILES, "keys/cerbos.yaml": JSON.stringify({ server: {}, auxData: { jwt } }) };
  await withFiles(inFolder(files), async (directory) => {
    const read = await readKeySets(join(directory, "keys/cerbos.yaml"));
    const found = await accepted((name) => read({ token: TOKENS[name], keySetId: "" }, now()));
    expect(found.toSorted()).toEqual(names.toSorted());
    const chosen = await accepted((name) => read({ token: TOKENS[name], keySetId: "k" }, now()));
    if (names.length > 0) expect(chosen).toEqual(found);
    expect(await accepted((name) => read({ token: TOKENS[name], keySetId: "unknown" }, now()))).toEqual([]);
  });
});

/** The files with those of keys in `keys`. */
function inFolder(files: { readonly [path: string]: string }): { readonly [path: string]: string } {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path.includes("/") ? path : `keys/${path}`, text]),
  );
}

describe("EmbeddedClient", () => {
  const compiled = compileCheckEngine([{ path: "doc.yaml", text: DOC }]);
  if (isLeft(compiled)) throw new Error(JSON.stringify(compiled.left));
  const data = Buffer.from(KEY_FILES["full.jwk"]).toString("base64");
  const single = Buffer.from(KEY_FILES["single.jwk"]).toString("base64");

  test("answers requests whose tokens the chosen key set verifies, and refuses others", async () => {
    const decodeJWT = await keySetVerifier({
      keySets: [
        { id: "all", local: { data } },
        { id: "one", local: { data: single } },
      ],
    });
    const client = new EmbeddedClient(compiled.right, { decodeJWT });
    const ask = async (token: string, keySetId?: string) => {
      const jwt = keySetId === undefined ? { token } : { token, keySetId };
      const asked = { principal: { id: "a", roles: ["u"] }, resource: { kind: "doc", id: "1" }, action: "view" };
      try {
        return await client.isAllowed({ ...asked, auxData: { jwt } });
      } catch (error) {
        return String(error);
      }
    };
    expect(await ask(TOKENS.ec, "all")).toBe(true);
    expect(await ask(TOKENS.ec, "one")).toBe(true);
    expect(await ask(TOKENS.rsa, "all")).toBe(true);
    for (const [token, keySet] of [
      [TOKENS.rsa, "one"],
      [TOKENS.ec, undefined],
      [TOKENS.ec, "two"],
      [TOKENS.forged, "all"],
      [TOKENS.expired, "all"],
    ] as const) {
      expect(await ask(token, keySet)).toContain("invalid auxData");
    }
  });

  test("the clock is an option", async () => {
    const at = (millis: number) =>
      keySetVerifier({ keySets: [{ id: "k", local: { data } }], now: () => new Date(Date.now() + millis) });
    expect(await (await at(-60_000))(TOKENS.expired)).toMatchObject({ sub: "alice" });
    await expect((await at(0))(TOKENS.expired)).rejects.toThrow("the token has expired");
  });

  test.each<[string, object, string]>([
    ["no key sets", { keySets: [] }, "keySets"],
    ["no id", { keySets: [{ local: { data } }] }, "id"],
    ["an unknown field", { keySets: [{ id: "k", local: { data }, alg: "RS256" }] }, "alg"],
    ["an id twice", { keySets: [1, 2].map(() => ({ id: "k", local: { data } })) }, "the key set k is there twice"],
    ["no source", { keySets: [{ id: "k" }] }, "one of local and remote"],
    ["two sources", { keySets: [{ id: "k", local: { data }, remote: { url: "https://a.b" } }] }, "one of local and"],
    ["an empty source", { keySets: [{ id: "k", local: {} }] }, "one of local.file and local.data"],
    ["a missing file", { keySets: [{ id: "k", local: { file: "/none" } }] }, "the key set k: ENOENT"],
    ["no JSON", { keySets: [{ id: "k", local: { data: "e30K" } }] }, "neither a JSON Web Key nor a set"],
    ["no PEM", { keySets: [{ id: "k", local: { data, pem: true } }] }, "no key in PEM form"],
    ["http", { keySets: [{ id: "k", remote: { url: "http://a.b/keys" } }] }, "must be an https address"],
    ["no address", { keySets: [{ id: "k", remote: { url: "keys" } }] }, "must be an https address"],
    ["no duration", { acceptableTimeSkew: "2", keySets: [{ id: "k", local: { data } }] }, "must be a duration"],
    ["a negative duration", { acceptableTimeSkew: "-2s", keySets: [{ id: "k", local: { data } }] }, "a duration"],
  ])("%s is refused", async (_name, options, message) => {
    await expect(keySetVerifier(Object.assign({ keySets: [] }, options))).rejects.toThrow(message);
  });

  test("a private key verifies as its public part does", async () => {
    const text = Buffer.from(KEY_FILES["private.jwk"]).toString("base64");
    const verify = await keySetVerifier({ keySets: [{ id: "k", local: { data: text } }] });
    expect(await verify(TOKENS.ec)).toMatchObject({ sub: "alice" });
  });
});

describe("remote keys", () => {
  async function serving(use: (url: string, served: { text: string | undefined; count: number }) => Promise<void>) {
    const served: { text: string | undefined; count: number } = { text: KEY_FILES["full.jwk"], count: 0 };
    const server = createServer((_request, response) => {
      served.count++;
      if (served.text === undefined) response.writeHead(503).end();
      else response.setHeader("content-type", "application/json").end(served.text);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`, served);
    } finally {
      server.close();
    }
  }

  test("are asked for once, and stay while the address does not answer", async () => {
    await serving(async (url, served) => {
      const verify = await keySetVerifier({ keySets: [{ id: "k", remote: { url, refreshInterval: "1ms" } }] });
      await Promise.all([1, 2, 3].map(() => verify(TOKENS.ec)));
      served.text = undefined;
      expect(await verify(TOKENS.rsa)).toMatchObject({ sub: "alice" });
      for (let i = 0; i < 50; i++) await expect(verify(TOKENS.ecUnknownId)).rejects.toThrow("no key of the set");
      expect(served.count).toBe(1);
    });
  });

  test("without any, tokens are refused", async () => {
    await serving(async (url, served) => {
      served.text = undefined;
      const verify = await keySetVerifier({ keySets: [{ id: "k", remote: { url } }] });
      await expect(verify(TOKENS.ec)).rejects.toThrow("the keys cannot be had");
    });
  });
});

describe("the commands", () => {
  const body = JSON.stringify({
    requestId: "r",
    principal: { id: "a", roles: ["u"] },
    resources: [{ actions: ["view"], resource: { kind: "doc", id: "1" } }],
    auxData: { jwt: { token: TOKENS.ec } },
  });
  const files = inFolder({
    ...KEY_FILES,
    "policies/doc.yaml": DOC,
    "keys/cerbos.yaml": "auxData:\n  jwt:\n    keySets:\n      - { id: k, local: { file: full.jwk } }\n",
    "keys/other.yaml": "auxdata: {}\n",
  });

  test("check-resources --key-sets verifies tokens", async () => {
    await withFiles(files, async (directory) => {
      const ask = (text: string) =>
        keyward(
          ["check-resources", join(directory, "policies"), "--key-sets", join(directory, "keys/cerbos.yaml")],
          text,
        );
      const { code, out } = await ask(body);
      expect([code, JSON.parse(out).results[0].actions]).toEqual([0, { view: "EFFECT_ALLOW" }]);
      const refused = await ask(body.replace(TOKENS.ec, TOKENS.forged));
      expect([refused.code, JSON.parse(refused.out)]).toMatchObject([
        2,
        { code: 3, message: expect.stringMatching(/^invalid auxData/) },
      ]);
    });
  });

  test("a file without key sets, and two ways to read tokens, are usage errors", async () => {
    await withFiles(files, async (directory) => {
      const base = ["check-resources", join(directory, "policies"), "--key-sets", join(directory, "keys/other.yaml")];
      for (const [args, message] of [
        [base, "there is no section auxData.jwt"],
        [[...base, "--insecure-jwt"], "exclude each other"],
      ] as const) {
        const { code, err } = await keyward([...args], body);
        expect([code, err]).toEqual([2, expect.stringContaining(message)]);
      }
    });
  });
});
