import { describe, expect, test } from "vitest";
import { GLOBALS, STORE, token } from "../cerbos/store.js";
import { NO_SERVER, startServer } from "../support/server.js";
import { type Files, keyward, type Run, withFiles } from "../support/terminal.js";

const FILES: Files = {
  ...Object.fromEntries(Object.entries(STORE).map(([path, text]) => [`policies/${path}`, text])),
  "globals.yaml": "limit: 10\n",
};

const document = (attr: object, actions: readonly string[] = ["view", "edit"]) => ({
  actions,
  resource: { kind: "document", id: "d1", attr },
});

const ask = (more: object = {}, ...resources: readonly object[]) => ({
  principal: { id: "ann", roles: ["user"] },
  resources: resources.length > 0 ? resources : [document({ owner: "ann", size: 3 })],
  ...more,
});

const admin = token({ level: "admin", aud: "one" });

function run(requests: readonly unknown[], args: readonly string[] = [], files: Files = {}): Promise<Run> {
  const input = requests.map((request) => (typeof request === "string" ? request : JSON.stringify(request)));
  return withFiles({ ...FILES, ...files }, (root) =>
    keyward(
      ["check-resources", "--policies", `${root}/policies`, ...args.map((arg) => arg.replace("ROOT", root))],
      `${input.join("\n")}\n`,
    ),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: each test says what it expects.
const lines = ({ out }: Run): any[] =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const GLOBALS_FILE = ["--globals", "ROOT/globals.yaml"];

describe("answers", () => {
  test("a response a line, as the HTTP API gives it, without a call id", async () => {
    const result = await run([ask({ requestId: "r1", includeMeta: true }), ask()], GLOBALS_FILE);
    expect([result.code, result.err]).toEqual([0, ""]);
    const [first, second] = lines(result);
    expect(first).toEqual({
      requestId: "r1",
      results: [
        {
          resource: { kind: "document", id: "d1" },
          actions: { view: "EFFECT_ALLOW", edit: "EFFECT_ALLOW" },
          outputs: expect.arrayContaining([
            { src: "resource.document.vdefault#own", action: "edit", val: "mine: d1" },
            { src: "resource.document.vdefault#big", action: "edit", val: "small" },
          ]),
          meta: {
            actions: {
              view: { matchedPolicy: "resource.document.vdefault" },
              edit: { matchedPolicy: "resource.document.vdefault" },
            },
            effectiveDerivedRoles: ["owner"],
          },
        },
      ],
    });
    expect(second.results[0].meta).toBeUndefined();
  });

  test("one request over several lines, from a file", async () => {
    const request = JSON.stringify(ask(), null, 2);
    const result = await run([], ["--input", "ROOT/request.json"], { "request.json": request });
    expect([result.code, lines(result).length]).toEqual([0, 1]);
  });

  test("both spellings of fields", async () => {
    const [resource] = [{ kind: "document", id: "d1", policy_version: "default", attr: { owner: "ann" } }];
    const request = {
      request_id: "r",
      include_meta: true,
      principal: { id: "ann", roles: ["user"], policy_version: "" },
    };
    const result = await run([{ ...request, resources: [{ actions: ["edit"], resource }] }]);
    const [answer] = lines(result);
    expect([result.code, answer.requestId, answer.results[0].meta.effectiveDerivedRoles]).toEqual([0, "r", ["owner"]]);
  });

  test("--schema-enforcement", async () => {
    const effects = async (...args: readonly string[]) => {
      const [answer] = lines(await run([ask({}, document({ size: 1 }, ["view"]))], args));
      return [answer.results[0].actions.view, answer.results[0].validationErrors];
    };
    const faults = [{ path: "/", message: "missing properties: 'owner'", source: "SOURCE_RESOURCE" }];
    expect(await effects()).toEqual(["EFFECT_ALLOW", undefined]);
    expect(await effects("--schema-enforcement", "warn")).toEqual(["EFFECT_ALLOW", faults]);
    expect(await effects("--schema-enforcement", "reject")).toEqual(["EFFECT_DENY", faults]);
  });

  test("--strict-evaluation and --lenient-scope-search", async () => {
    const erring = ask({}, document({ owner: "ann", size: "x" }, ["edit"]));
    expect(lines(await run([erring]))[0].results[0].actions.edit).toBe("EFFECT_ALLOW");
    expect(lines(await run([erring], ["--strict-evaluation"]))[0].results[0].actions.edit).toBe("EFFECT_DENY");
    const deep = ask({}, { actions: ["peek"], resource: { kind: "document", id: "d", scope: "acme.hr" } });
    expect(lines(await run([deep]))[0].results[0].actions.peek).toBe("EFFECT_DENY");
    expect(lines(await run([deep], ["--lenient-scope-search"]))[0].results[0].actions.peek).toBe("EFFECT_ALLOW");
  });

  test("--now", async () => {
    const clock = {
      apiVersion: "api.cerbos.dev/v1",
      resourcePolicy: {
        resource: "clock",
        version: "default",
        rules: [{ actions: ["x"], roles: ["*"], effect: "EFFECT_ALLOW", output: { when: { ruleActivated: "now()" } } }],
      },
    };
    const request = ask({}, { actions: ["x"], resource: { kind: "clock", id: "1" } });
    const files = { "policies/clock.json": JSON.stringify(clock) };
    const [answer] = lines(await run([request], ["--now", "2024-02-29T12:00:00.5Z"], files));
    expect(answer.results[0].outputs[0].val).toBe("2024-02-29T12:00:00.5Z");
    const before = Date.now();
    const [today] = lines(await run([request], [], files));
    const told = Date.parse(today.results[0].outputs[0].val);
    expect([told >= before, told <= Date.now()]).toEqual([true, true]);
  });
});

describe("tokens", () => {
  const request = ask({ auxData: { jwt: { token: admin } } }, document({ owner: "ann" }, ["delete"]));

  test("are refused", async () => {
    const result = await run([request]);
    expect([result.code, lines(result)[0].code]).toEqual([2, 3]);
    expect(lines(result)[0].message).toContain("--insecure-jwt");
  });

  test("are decoded under --insecure-jwt", async () => {
    const result = await run([request], ["--insecure-jwt"]);
    expect([result.code, lines(result)[0].results[0].actions.delete]).toEqual([0, "EFFECT_ALLOW"]);
  });

  test.each(["a.b.c", "x", `Bearer ${admin}`, token({ exp: 1 }), token({ nbf: 4e9 }), token({ exp: "5" }), "e30.e30"])(
    "under --insecure-jwt, %s is refused",
    async (jwt) => {
      const result = await run([ask({ auxData: { jwt: { token: jwt } } })], ["--insecure-jwt"]);
      expect([result.code, lines(result)[0].code]).toEqual([2, 3]);
    },
  );

  test("their time is --now", async () => {
    const expired = ask({ auxData: { jwt: { token: token({ exp: 1000 }) } } });
    const result = await run([expired], ["--insecure-jwt", "--now", "1970-01-01T00:00:01Z"]);
    expect(result.code).toBe(0);
  });
});

describe("what is refused", () => {
  const invalid: readonly [string, unknown, string][] = [
    ["no JSON", "{", "not JSON"],
    ["a list", "[]", "must be a JSON object"],
    ["null", "null", "must be a JSON object"],
    ["nothing in it", {}, "validation errors:\n - principal: value is required\n - resources: value is required"],
    ["an unknown field", ask({ x: 1 }), '"x" is unknown'],
    ["an unknown field within", ask({ principal: { id: "p", roles: ["r"], x: 1 } }), '"x" is unknown'],
    ["a prototype", '{"__proto__": {"principal": {}}}', '"__proto__" is unknown'],
    ["a number for a text", ask({ principal: { id: 5, roles: ["r"] } }), "expected string"],
    ["a field in both spellings", ask({ requestId: "a", request_id: "b" }), "set multiple times"],
    ["a field twice", '{"principal":{"id":"p","id":"q","roles":["r"]}}', 'principal.id: the key "id" is there twice'],
    [
      "an attribute twice",
      '{"principal":{"id":"p","roles":["r"],"attr":{"a":{"x":1,"x":2}}}}',
      'principal.attr.a.x: the key "x" is there twice',
    ],
    ["a number that is none", '{"principal":{"id":"p","roles":["r"],"attr":{"a":[1e400]}}}', "not a finite number"],
    ["an action twice", ask({}, document({}, ["a", "a"])), "repeated value must contain unique items"],
    [
      "too many actions",
      ask(
        {},
        document(
          {},
          Array.from({ length: 51 }, (_, i) => `${i}`),
        ),
      ),
      "(51) exceeds",
    ],
    ["a role twice", ask({ principal: { id: "p", roles: ["r", "r"] } }), "principal.roles: repeated value"],
    ["an empty token", ask({ auxData: { jwt: { token: "" } } }), "aux_data.jwt.token: value is required"],
    [
      "nesting without end",
      `{"principal":{"id":"p","roles":["r"],"attr":{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}}}`,
      "depth",
    ],
  ];

  test("no UTF-8, in its place", async () => {
    await withFiles(
      { ...FILES, "requests.jsonl": Buffer.from(`${JSON.stringify(ask({ requestId: "é" }))}\n`, "latin1") },
      async (root) => {
        const args = ["--policies", `${root}/policies`, "--input", `${root}/requests.jsonl`];
        const { code, out } = await keyward(["check-resources", ...args]);
        expect([code, JSON.parse(out)]).toEqual([2, { code: 3, message: "not UTF-8 text", details: [] }]);
      },
    );
  });

  test.each(invalid)("%s, in its place", async (_, request, message) => {
    const result = await run([ask(), request, ask()]);
    expect(result.code).toBe(2);
    const [first, answer, last] = lines(result);
    expect(answer).toEqual({ code: 3, message: expect.stringContaining(message), details: [] });
    expect([first.results.length, last.results.length]).toEqual([1, 1]);
  });

  test("policies with errors", async () => {
    const result = await run([ask()], [], {
      "policies/bad.yaml": "apiVersion: api.cerbos.dev/v1\nresourcePolicy: {}\n",
    });
    expect([result.code, result.out]).toEqual([3, ""]);
    expect(result.err).toContain("bad.yaml:2:");
  });

  test.each([
    [["--now", "today"], "--now must be"],
    [["--schema-enforcement", "strict"], "must be one of"],
    [["--globals", "ROOT/none.yaml"], "cannot read"],
    [["--input", "ROOT/none.json"], "cannot read"],
    [["--unknown"], "unknown"],
    [["extra"], "the policies are given twice: extra and"],
    [["extra", "more"], "unexpected argument: more"],
  ])("usage: %j", async (args, message) => {
    const result = await run([ask()], args);
    expect([result.code, result.out]).toEqual([2, ""]);
    expect(result.err).toContain(message);
  });

  test("no directory", async () => {
    expect(await keyward(["check-resources"])).toMatchObject({
      code: 2,
      err: expect.stringContaining(": DIR|BUNDLE is missing;"),
    });
  });
});

describe("globals", () => {
  const types = (name: string) =>
    `type(G.${name}) == int ? "int" : type(G.${name}) == double ? "double" : type(G.${name}) == string ? "string" : "other"`;
  const probe = (names: readonly string[]) => ({
    "policies/probe.json": JSON.stringify({
      apiVersion: "api.cerbos.dev/v1",
      resourcePolicy: {
        resource: "probe",
        version: "default",
        rules: names.map((name) => ({
          name,
          actions: ["x"],
          roles: ["*"],
          effect: "EFFECT_ALLOW",
          output: { when: { ruleActivated: `[${types(name)}, G.${name}]` } },
        })),
      },
    }),
  });
  const request = ask({}, { actions: ["x"], resource: { kind: "probe", id: "1" } });

  async function values(yaml: string, names: readonly string[]): Promise<object> {
    const result = await run([request], GLOBALS_FILE, { ...probe(names), "globals.yaml": yaml });
    expect(result.err).toBe("");
    const [answer] = lines(result);
    return Object.fromEntries(
      answer.results[0].outputs.map(({ src, val }: { src: string; val: unknown }) => [src.split("#")[1], val]),
    );
  }

  const YAML = `
int: 5
whole: 5.0
exponent: 1e3
fraction: 2.5
negative: -7
hex: 0x10
large: 9007199254740993
largest: 9223372036854775807
text: "5"
date: 2024-01-01
nested: { list: [1, 2.5], map: { a: 1 } }
nothing: ~
yes_: true
`;
  const NAMES = ["int", "whole", "exponent", "fraction", "negative", "hex", "large", "largest", "text", "date"];
  const ALL = [...NAMES, "nested", "nothing", "yes_"];

  test("integers are integers, as the server reads its configuration", async () => {
    expect(await values(YAML, ALL)).toEqual({
      int: ["int", 5],
      whole: ["int", 5],
      exponent: ["int", 1000],
      fraction: ["double", 2.5],
      negative: ["int", -7],
      hex: ["int", 16],
      large: ["int", "9007199254740993"],
      largest: ["int", "9223372036854775807"],
      text: ["string", "5"],
      date: ["string", "2024-01-01"],
      nested: ["other", { list: [1, 2.5], map: { a: 1 } }],
      nothing: ["other", null],
      yes_: ["other", true],
    });
  });

  test.skipIf(NO_SERVER !== undefined)(`the server says the same ${NO_SERVER ?? ""}`, { tags: "long" }, async () => {
    await withFiles(probe(ALL), async (root) => {
      const globals = JSON.parse(
        '{"int": 5, "whole": 5.0, "exponent": 1e3, "fraction": 2.5, "negative": -7, "hex": 16}',
      );
      const more = {
        text: "5",
        date: "2024-01-01",
        nested: { list: [1, 2.5], map: { a: 1 } },
        nothing: null,
        yes_: true,
      };
      const server = await startServer(`${root}/policies`, { engine: { globals: { ...globals, ...more } } });
      try {
        const { results } = JSON.parse((await server.check(request)).text);
        const found = Object.fromEntries(
          results[0].outputs.map(({ src, val }: { src: string; val: unknown }) => [src.split("#")[1], val]),
        );
        const { large, largest, ...mine }: { [name: string]: unknown } = { ...(await values(YAML, ALL)) };
        const { large: _, largest: __, ...theirs } = found;
        expect(mine).toEqual(theirs);
      } finally {
        await server.stop();
      }
    });
  });

  test("JSON, and an empty file", async () => {
    expect(await values('{"int": 5, "fraction": 2.5}', ["int", "fraction"])).toEqual({
      int: ["int", 5],
      fraction: ["double", 2.5],
    });
    // Reading a missing global is an error.
    expect(await values("# nothing\n", ["int"])).toEqual({ int: undefined });
  });

  test.each([
    ["a: [1", "yaml"],
    ["- a", "must be a map"],
    ["true: 1", "cannot be the name of a global"],
    ["a-b: 1", "cannot be the name of a global"],
    ["a: 1\na: 2", "duplicate"],
    ["a: yes", "YAML 1.2"],
    ["a: [Off]", "YAML 1.2"],
    ["a: 010", "YAML 1.2"],
    ["a: 1_000", "YAML 1.2"],
    ["a: 0b11", "YAML 1.2"],
    [Buffer.from("a: é", "latin1"), "globals.yaml:1:4 error not_text not UTF-8 text"],
  ])("%j is refused", async (yaml, message) => {
    const result = await run([request], GLOBALS_FILE, { "globals.yaml": yaml });
    expect([result.code, result.out]).toEqual([2, ""]);
    expect(result.err).toContain(message);
  });
});

test.skipIf(NO_SERVER !== undefined)(
  `the same requests to the server get the same responses ${NO_SERVER ?? ""}`,
  { tags: "long" },
  async () => {
    const requests = [
      ask({ requestId: "r1", includeMeta: true }),
      ask({ includeMeta: true }, document({ owner: "bob", size: 20 }, ["view", "edit", "values", "none"])),
      ask({ principal: { id: "root", roles: ["x"] }, includeMeta: true }, document({}, ["any"])),
      ask({ includeMeta: true }, { actions: ["view"], resource: { kind: "document", id: "d", scope: "acme" } }),
      ask({ includeMeta: true }, { actions: ["view"], resource: { kind: "other", id: "d" } }),
      ask({ auxData: { jwt: { token: admin } } }, document({ owner: "ann" }, ["delete"])),
      ask({}, document({ size: -1.5 }, ["view"])),
      ask({ x: 1 }),
      ask({}, document({}, [])),
      {},
      '{"principal":{"id":"p","id":"q","roles":["r"]},"resources":[{"actions":["view"],"resource":{"kind":"k","id":"i"}}]}',
      JSON.stringify(ask({}, document({ owner: "ann" }))).replace('"owner":"ann"', '"owner":"bob","owner":"ann"'),
    ];
    const mine = lines(await run(requests, [...GLOBALS_FILE, "--schema-enforcement", "warn", "--insecure-jwt"]));
    await withFiles(FILES, async (root) => {
      const server = await startServer(`${root}/policies`, {
        engine: { globals: GLOBALS },
        schema: { enforcement: "warn" },
        auxData: { jwt: { disableVerification: true } },
      });
      try {
        for (const [i, request] of requests.entries()) {
          const { cerbosCallId: _, ...theirs } = JSON.parse((await server.check(request)).text);
          if (theirs.code === undefined) expect(comparable(mine[i])).toEqual(comparable(theirs));
          else expect(mine[i].code).toBe(theirs.code);
          if (theirs.message?.startsWith("validation")) expect(mine[i].message).toBe(theirs.message);
        }
      } finally {
        await server.stop();
      }
    });
  },
);

interface Result {
  readonly outputs?: readonly { readonly src: string; readonly action: string; readonly val: unknown }[];
  readonly validationErrors?: readonly unknown[];
}

/** Sorts the parts that have no defined order. */
function comparable(response: { readonly results: readonly Result[] }): unknown {
  return {
    ...response,
    results: response.results.map((result) => ({
      ...result,
      outputs: result.outputs?.map(({ src, action, val }) => JSON.stringify([src, action, val])).sort(),
      validationErrors: result.validationErrors?.map((error) => JSON.stringify(error)).sort(),
    })),
  };
}
