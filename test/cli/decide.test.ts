import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { decide } from "../../src/index.js";
import { SHIPPED_ROOT, shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { keyward, type Run, withFiles } from "../support/terminal.js";

const EXAMPLES = new URL("../../examples/requests.jsonl", import.meta.url);

const ALLOWED = ask("apis.deleteApi");
const INSUFFICIENT = ask("apis.deleteApi", { roles: ["editor"] });
const FORBIDDEN = ask("apis.deleteApi", { resource: { system: true } });

function decisions(input: string | readonly (string | Uint8Array)[], ...args: string[]): Promise<Run> {
  return keyward(["decide", "--policies", SHIPPED_ROOT, ...args], input);
}

/** Summarizes an output line: the outcome, or the paths of the issues. */
function summary({ out }: Run): unknown[] {
  const lines = out.split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => {
    const value = JSON.parse(line);
    return value.outcome ?? value.invalid?.map((issue: { path: string }) => issue.path) ?? value;
  });
}

const line = (value: unknown) => JSON.stringify(value);

describe("input", () => {
  test("one request on one line gives its decision, whole", async () => {
    const { code, out, err } = await decisions(line(FORBIDDEN));
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toEqual(JSON.parse(line(decide(shipped, FORBIDDEN))));
    expect(out).toMatch(/^[^\n]+\n$/);
  });

  test("one request over many lines", async () => {
    const run = await decisions(JSON.stringify(INSUFFICIENT, null, 2));
    expect([run.code, summary(run)]).toEqual([0, ["insufficient_permissions"]]);
  });

  test("JSON lines, decided in their order", async () => {
    const run = await decisions([ALLOWED, INSUFFICIENT, FORBIDDEN, ALLOWED].map((one) => `${line(one)}\n`).join(""));
    expect([run.code, summary(run)]).toEqual([0, ["allow", "insufficient_permissions", "forbidden", "allow"]]);
  });

  test("a key that is there twice is invalid, on one line or over many", async () => {
    const twice = line(FORBIDDEN).replace('"system":true', '"system":true,"system":false');
    expect(JSON.parse(twice).resource.attr.system).toBe(false);
    const invalid = [{ path: "resource.attr.system", message: 'the key "system" is there twice' }];
    const lines = await decisions(`${line(ALLOWED)}\n${twice}\n${line(FORBIDDEN)}\n`);
    expect([lines.code, summary(lines)]).toEqual([2, ["allow", ["resource.attr.system"], "forbidden"]]);
    expect(JSON.parse(lines.out.split("\n")[1] ?? "")).toEqual({ invalid });
    const whole = await decisions(twice.replaceAll(",", ",\n"));
    expect([whole.code, JSON.parse(whole.out)]).toEqual([2, { invalid }]);
    const first = await decisions(`${twice}\n${line(ALLOWED)}\n`);
    expect([first.code, summary(first)]).toEqual([2, [["resource.attr.system"], "allow"]]);
  });

  test.each([
    ["no end of line at the end", (a: string, b: string) => `${a}\n${b}`],
    ["CRLF", (a: string, b: string) => `${a}\r\n${b}\r\n`],
    ["blank lines", (a: string, b: string) => `\n\n${a}\n  \n\t\r\n${b}\n\n`],
    ["a byte order mark", (a: string, b: string) => `\ufeff${a}\n${b}\n`],
  ])("JSON lines with %s", async (_, join) => {
    const run = await decisions([new TextEncoder().encode(join(line(ALLOWED), line(FORBIDDEN)))]);
    expect([run.code, summary(run)]).toEqual([0, ["allow", "forbidden"]]);
  });

  test("chunks that end anywhere, within characters as well", async () => {
    const text = `${line({ ...FORBIDDEN, key: { ...FORBIDDEN.key, id: "clé 🔑" } })}\n${line(ALLOWED)}`;
    const bytes = new TextEncoder().encode(text);
    const run = await decisions(Array.from(bytes, (byte) => Uint8Array.of(byte)));
    expect([run.code, summary(run)]).toEqual([0, ["forbidden", "allow"]]);
  });

  test.each(["", "\n", " \r\n\n"])("nothing (%j) gives nothing", async (input) => {
    expect(await decisions(input)).toEqual({ code: 0, out: "", err: "" });
  });

  test("a file", async () => {
    await withFiles({ "requests.jsonl": `${line(ALLOWED)}\n${line(FORBIDDEN)}\n` }, async (directory) => {
      const run = await decisions("not read", "--input", `${directory}/requests.jsonl`);
      expect([run.code, summary(run)]).toEqual([0, ["allow", "forbidden"]]);
    });
  });

  describe("--parent decides for a chain of keys", () => {
    const parent = (key: object) => ({ "parent.json": line(key), "above.json": JSON.stringify(ALLOWED.key, null, 2) });

    test("the parent first, then the key above it", async () => {
      await withFiles(parent(INSUFFICIENT.key), async (directory) => {
        const above = ["--parent", `${directory}/above.json`];
        const run = await decisions(`${line(ALLOWED)}\n${line(FORBIDDEN)}\n`, ...above);
        expect([run.code, run.err, summary(run)]).toEqual([0, "", ["allow", "forbidden"]]);
        const both = await decisions(line(ALLOWED), ...above, "--parent", `${directory}/parent.json`);
        expect([both.code, JSON.parse(both.out)]).toMatchObject([0, { outcome: "insufficient_permissions", link: 2 }]);
      });
    });

    test.each([
      ["no key", {}, "parent.json has no key: key.roles is missing"],
      ["an unknown field", { ...ALLOWED.key, name: "x" }, "parent.json has no key: key.name unknown field"],
      ["a request", ALLOWED, "parent.json has no key: key.key unknown field"],
    ])("%s is bad usage", async (_, key, message) => {
      await withFiles(parent(key), async (directory) => {
        const run = await decisions(line(ALLOWED), "--parent", `${directory}/parent.json`);
        expect([run.code, run.out]).toEqual([2, ""]);
        expect(run.err).toContain(message);
      });
    });

    test("a file that is not there, and too many keys, are bad usage", async () => {
      const missing = await decisions(line(ALLOWED), "--parent", "missing.json");
      expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("cannot read missing.json")]);
      const many = await decisions(line(ALLOWED), ...Array.from({ length: 16 }, () => ["--parent", "x"]).flat());
      expect([many.code, many.err]).toEqual([2, expect.stringContaining("at most 16 keys")]);
    });
  });

  test("the examples as they are shipped: what is said about a request is left aside", async () => {
    const text = readFileSync(EXAMPLES, "utf8");
    const examples = text
      .trim()
      .split("\n")
      .map((one) => JSON.parse(one));
    const run = await decisions(text);
    expect([run.code, summary(run)]).toEqual([0, examples.map((example) => example.expect)]);
    const bare = examples.map(({ example: _e, expect: _x, reasons: _r, ...rest }) => line(rest)).join("\n");
    expect(await decisions(bare)).toEqual(run);
    const explain = ["explain", "--policies", SHIPPED_ROOT, "--format", "json"];
    const explained = await keyward([...explain, "--input", fileURLToPath(EXAMPLES)]);
    expect([explained.code, summary(explained)]).toEqual([0, summary(run)]);
    expect(await keyward(explain, bare)).toEqual(explained);
  });
});

describe("lines that are no request", () => {
  test("stand in their place, and the exit code is 2 at the end", async () => {
    const run = await decisions([line(ALLOWED), "{", line(INSUFFICIENT), "[]", "null", line(FORBIDDEN)].join("\n"));
    expect(run.code).toBe(2);
    expect(run.err).toBe("");
    expect(summary(run)).toEqual(["allow", [""], "insufficient_permissions", [""], [""], "forbidden"]);
  });

  test.each(["{", "nonsense", '{"key":', "{}{}", "'a'", "\u0000"])("%j", async (text) => {
    const run = await decisions(text);
    expect([run.code, summary(run)]).toEqual([2, [[""]]]);
    expect(JSON.parse(run.out).invalid[0].message).toMatch(/^not JSON: /);
  });

  test.each(["NaN", "Infinity", "undefined", "1n", "new Date(0)", "() => true", "[1,,2]", "new Map()", "Symbol()"])(
    "what JSON does not have as an attribute: %s",
    async (value) => {
      const run = await decisions(line(ALLOWED).replace('"attr":{', `"attr":{"x":${value},`));
      expect([run.code, summary(run)]).toEqual([2, [[""]]]);
      expect(JSON.parse(run.out).invalid[0].message).toMatch(/^not JSON: /);
    },
  );

  test("a line that is no UTF-8 is none, wherever the bytes stand; others are read", async () => {
    const bad = Buffer.from(line({ ...ALLOWED, key: { ...ALLOWED.key, id: "clé" } }), "latin1");
    const [end, good] = [Buffer.from("\n"), Buffer.from(line(FORBIDDEN))];
    const message = "not UTF-8 text";
    for (const [lines, paths] of [
      [
        [good, end, bad, end, good],
        ["forbidden", [""], "forbidden"],
      ],
      [
        [bad, end, good],
        [[""], "forbidden"],
      ],
      [
        [bad.subarray(0, bad.length - 1), end, good],
        [[""], "forbidden"],
      ],
    ] as const) {
      const run = await decisions([Buffer.concat(lines)]);
      expect([run.code, summary(run)]).toEqual([2, paths]);
      expect(run.out).toContain(line({ invalid: [{ path: "", message }] }));
      // Chunks may end at any byte.
      expect(await decisions(Array.from(Buffer.concat(lines), (byte) => Uint8Array.of(byte)))).toEqual(run);
    }
    const spread = Buffer.from(JSON.stringify({ ...ALLOWED, key: { ...ALLOWED.key, id: "clé" } }, null, 2), "latin1");
    const whole = await decisions([spread]);
    expect([whole.code, JSON.parse(whole.out)]).toEqual([2, { invalid: [{ path: "", message }] }]);
    // The replacement character itself is valid text.
    const replaced = await decisions(line({ ...ALLOWED, key: { ...ALLOWED.key, id: "cl\ufffd" } }));
    expect([replaced.code, summary(replaced)]).toEqual([0, ["allow"]]);
  });

  const { key, resource, account } = ALLOWED;
  test.each<[string, unknown, string[]]>([
    ["nothing", {}, ["key", "operation", "resource", "account"]],
    ["an unknown field", { ...ALLOWED, principal: {} }, ["principal"]],
    [
      "an unknown field beside what is said about the request",
      { ...ALLOWED, expect: "allow", expected: 1 },
      ["expected"],
    ],
    ["what is said about a request in a part of it", { ...ALLOWED, key: { ...key, example: "x" } }, ["key.example"]],
    ["an unknown field of the key", { ...ALLOWED, key: { ...key, tenant: "acme" } }, ["key.tenant"]],
    ["an unknown field of the resource", { ...ALLOWED, resource: { ...resource, name: "x" } }, ["resource.name"]],
    ["an unknown field of the account", { ...ALLOWED, account: { ...account, roles: ["admin"] } }, ["account.roles"]],
    ["no roles", { ...ALLOWED, key: { ...key, roles: [] } }, ["key.roles"]],
    ["text for attributes", { ...ALLOWED, account: { ...account, attr: "x" } }, ["account.attr"]],
    ["a number for an operation", { ...ALLOWED, operation: 1 }, ["operation"]],
    ["a list for a key", { ...ALLOWED, key: [] }, ["key.roles"]],
    ["now in another form", { ...ALLOWED, now: "yesterday" }, ["now"]],
    ["now as a number", { ...ALLOWED, now: 1_700_000_000 }, ["now"]],
    ["now as null", { ...ALLOWED, now: null }, ["now"]],
    ["now on a day that is none", { ...ALLOWED, now: "2024-02-30T00:00:00Z" }, ["now"]],
  ])("%s", async (_, request, paths) => {
    const run = await decisions(line(request));
    expect([run.code, summary(run)]).toEqual([2, [paths]]);
  });

  test("in the words of explain, each in a line, with its place if it has one", async () => {
    const { account: _, ...others } = ALLOWED;
    const input = `${line(others)}\n[]\n{\n${line({ ...ALLOWED, operation: 1, extra: 1 })}`;
    const { code, out } = await keyward(["explain", "--policies", SHIPPED_ROOT], input);
    expect(code).toBe(2);
    expect(out.split("\n")).toEqual([
      "invalid request: account is missing",
      "",
      "invalid request: must be an object",
      "",
      expect.stringMatching(/^invalid request: not JSON: /),
      "",
      "invalid request: extra unknown field",
      "invalid request: operation must be a string of 1 to 4096 characters",
      "",
    ]);
  });

  test("__proto__ is a field like any other, and so unknown", async () => {
    const run = await decisions(`{"__proto__": ${line(ALLOWED)}}`);
    expect([run.code, summary(run)]).toEqual([2, [["__proto__", "key", "operation", "resource", "account"]]]);
  });
});

describe("now", () => {
  const policy = (version: string, role: string, expr: string) => `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: api
  version: ${version}
  rules:
    - name: by_time
      actions: ["*"]
      roles: [${role}]
      effect: EFFECT_ALLOW
      condition: {match: {expr: '${expr}'}}
`;
  const files = {
    "a.yaml": policy("default", "admin", 'now() >= timestamp("2024-01-01T00:00:00Z")'),
    "b.yaml": policy("platform", "account", "true"),
  };

  test.each([
    ["2024-01-01T00:00:00Z", "allow"],
    ["2023-12-31T23:59:59.999Z", "insufficient_permissions"],
    ["2024-01-01T01:00:00+01:00", "allow"],
    ["2024-01-01T00:59:59.999+01:00", "insufficient_permissions"],
  ])("%s: %s", async (now, outcome) => {
    await withFiles(files, async (directory) => {
      const run = await keyward(["decide", "--policies", directory], line({ ...ALLOWED, now }));
      expect([run.code, summary(run)]).toEqual([0, [outcome]]);
    });
  });

  test("a policy that needs it and is given none is an error, which denies", async () => {
    await withFiles(files, async (directory) => {
      const { out } = await keyward(["decide", "--policies", directory], line(ALLOWED));
      const { outcome, permission } = JSON.parse(out);
      expect([outcome, permission.errors[0].rule]).toEqual(["insufficient_permissions", "by_time"]);
    });
  });
});

describe("--error-body", () => {
  const options = ["--error-body", "--docs-url", "docs.example.com", "--request-id", "req_1"];

  test("a refusal is what the caller would get; allow is its decision", async () => {
    const run = await decisions([ALLOWED, INSUFFICIENT, FORBIDDEN].map(line).join("\n"), ...options);
    expect(run.code).toBe(0);
    const [allowed, insufficient, forbidden] = run.out
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(allowed).toEqual(JSON.parse(line(decide(shipped, ALLOWED))));
    expect(insufficient).toStrictEqual({
      meta: { requestId: "req_1" },
      error: {
        detail: "The authenticated API key does not have permission to perform this operation",
        status: 403,
        title: "Forbidden",
        type: "https://docs.example.com/api-reference/errors-v2/service/authorization/insufficient_permissions",
      },
    });
    expect(forbidden).toStrictEqual({
      meta: { requestId: "req_1" },
      error: {
        detail: "This operation is not allowed",
        status: 403,
        title: "Forbidden",
        type: "https://docs.example.com/api-reference/errors-v2/service/authorization/forbidden",
      },
    });
  });

  test("a line that is no request is invalid all the same", async () => {
    const run = await decisions("{}", ...options);
    expect([run.code, summary(run)]).toEqual([2, [["key", "operation", "resource", "account"]]]);
  });
});

describe("bad usage: exit 2, a line that says why, nothing decided", () => {
  test.each<[string, string[], RegExp]>([
    ["no policies", [], /^keyward decide: DIR\|BUNDLE is missing; /],
    ["no directory", ["--policies"], /policies/],
    ["an unknown option", ["--policies", SHIPPED_ROOT, "--verbose"], /--verbose/],
    ["an argument too many", ["--policies", SHIPPED_ROOT, "requests.json"], /requests\.json/],
    ["an error body without its parts", ["--policies", SHIPPED_ROOT, "--error-body"], /--docs-url/],
    ["an error body without an id", ["--policies", SHIPPED_ROOT, "--error-body", "--docs-url", "a.b"], /--request-id/],
    ["parts of an error body without it", ["--policies", SHIPPED_ROOT, "--docs-url", "a.b"], /--error-body/],
    [
      "a host with a scheme",
      ["--policies", SHIPPED_ROOT, "--error-body", "--docs-url", "https://a.b", "--request-id", "req_1"],
      /docsUrl/,
    ],
    [
      "an id of another form",
      ["--policies", SHIPPED_ROOT, "--error-body", "--docs-url", "a.b", "--request-id", "1"],
      /requestId/,
    ],
    ["an input that is not there", ["--policies", SHIPPED_ROOT, "--input", "/nowhere/requests.json"], /nowhere/],
    ["an input that is a directory", ["--policies", SHIPPED_ROOT, "--input", SHIPPED_ROOT], /cannot read/],
  ])("%s", async (_, args, message) => {
    const { code, out, err } = await keyward(["decide", ...args], line(ALLOWED));
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
    expect(err).toMatch(/^[^\n]+\n$/);
  });
});

describe("the command", () => {
  test("without arguments: usage, exit 2", async () => {
    const { code, out, err } = await keyward([]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^usage:/);
  });

  test.each(["help", "--help", "-h"])("%s: usage on standard output, exit 0", async (option) => {
    const { code, out, err } = await keyward([option]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/keyward check DIR.*keyward decide DIR/s);
  });

  test.each(["frobnicate", "constructor", "__proto__", ""])("unknown (%j): usage, exit 2", async (name) => {
    const { code, out, err } = await keyward([name]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`unknown command ${JSON.stringify(name)}`);
  });
});

test.each([
  ["key.attr.n", '{"n":1e999}', "{}"],
  ["resource.attr.list[1].n", "{}", '{"list":[1,{"n":-1e999}]}'],
])("a number beyond all doubles is refused before evaluation: %s", async (path, key, resource) => {
  const request = `{"key":{"id":"k","roles":["admin"],"attr":${key}},"operation":"apis.readApi",
    "resource":{"kind":"api","id":"a","attr":${resource}},"account":{"id":"a","attr":{}}}`;
  const run = await decisions(request);
  expect(run.code).toBe(2);
  expect(JSON.parse(run.out).invalid).toContainEqual({
    path,
    message: "the number is too large: it is not a finite number",
  });
});
