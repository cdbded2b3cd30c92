import { describe, expect, test } from "vitest";
import { keyward, type Run, withFiles } from "../support/terminal.js";

const rule = (action: string, more: object = {}) => ({
  actions: [action],
  roles: ["user"],
  effect: "EFFECT_ALLOW",
  ...more,
});
const when = (expr: string) => ({ condition: { match: { expr } } });

const POLICY = JSON.stringify({
  apiVersion: "api.cerbos.dev/v1",
  resourcePolicy: {
    resource: "document",
    version: "default",
    rules: [
      rule("list"),
      rule("view", when("R.attr.owner == P.id || P.attr.team in R.attr.teams")),
      rule("edit", when("R.attr.size < G.limit")),
      rule("share", when("R.attr.size == null || R.attr.size == 1.0 / (1.0 - 1.0)")),
      rule("bind", when("cel.bind(size, R.attr.size, size > 1.0 && size < 3.0)")),
      rule("soon", when("timestamp(R.attr.due) < now()")),
    ],
  },
});

const ask = (more: object = {}) => ({
  principal: { id: "ann", roles: ["user"], attr: { team: "blue" } },
  resource: { kind: "document" },
  ...more,
});

const FILES = { "policies/document.json": POLICY, "globals.yaml": "limit: 10\n" };

function run(requests: readonly unknown[], args: readonly string[] = []): Promise<Run> {
  return withFiles(FILES, (root) =>
    keyward(
      ["plan-resources", "--policies", `${root}/policies`, ...args.map((arg) => arg.replace("ROOT", root))],
      `${requests.map((request) => (typeof request === "string" ? request : JSON.stringify(request))).join("\n")}\n`,
    ),
  );
}

const lines = ({ out }: Run): readonly unknown[] =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const operation = (operator: string, ...operands: readonly unknown[]) => ({ expression: { operator, operands } });
const owned = operation("eq", { variable: "request.resource.attr.owner" }, { value: "ann" });
const shared = operation("in", { value: "blue" }, { variable: "request.resource.attr.teams" });
const small = operation("lt", { variable: "request.resource.attr.size" }, { value: 10 });

describe("keyward plan-resources", () => {
  test("a response a line, as the HTTP API gives it, without a call id", async () => {
    const result = await run(
      [
        ask({ requestId: "r1", includeMeta: true, actions: ["view", "edit"] }),
        ask({ action: "list", includeMeta: true }),
        ask({ actions: ["nothing"] }),
        ask({ action: "view", resource: { kind: "document", attr: { owner: "ann" } } }),
      ],
      ["--globals", "ROOT/globals.yaml"],
    );
    expect([result.code, result.err]).toEqual([0, ""]);
    expect(lines(result)).toEqual([
      {
        requestId: "r1",
        actions: ["view", "edit"],
        resourceKind: "document",
        filter: { kind: "KIND_CONDITIONAL", condition: operation("and", small, operation("or", owned, shared)) },
        meta: {
          filterDebug:
            '(and (lt request.resource.attr.size 10) (or (eq request.resource.attr.owner "ann") (in "blue" request.resource.attr.teams)))',
          matchedScopes: { view: "", edit: "" },
        },
      },
      {
        action: "list",
        resourceKind: "document",
        filter: { kind: "KIND_ALWAYS_ALLOWED" },
        meta: { filterDebug: "(true)" },
      },
      { actions: ["nothing"], resourceKind: "document", filter: { kind: "KIND_ALWAYS_DENIED" } },
      { action: "view", resourceKind: "document", filter: { kind: "KIND_ALWAYS_ALLOWED" } },
    ]);
  });

  test("--cerbos gives the policies a level, and goes with a directory", async () => {
    const files = { "policies/document.json": POLICY.replace("R.attr.size < G.limit", "has(R.attr.size)") };
    const filters = await withFiles(files, async (root) => {
      const asked = (level: string) =>
        keyward(
          ["plan-resources", "--policies", `${root}/policies`, "--cerbos", level],
          JSON.stringify(ask({ requestId: "r", action: "edit" })),
        );
      return [lines(await asked("0.55")), lines(await asked("0.58"))];
    });
    expect(filters).toEqual([
      [expect.objectContaining({ filter: { kind: "KIND_ALWAYS_ALLOWED" } })],
      [
        expect.objectContaining({
          filter: { kind: "KIND_CONDITIONAL", condition: operation("has", { variable: "request.resource.attr.size" }) },
        }),
      ],
    ]);
  });

  test("the time is the request's, and --now stops it", async () => {
    const [response] = lines(await run([ask({ action: "soon" })], ["--now", "2024-05-01T00:00:00Z"]));
    const due = operation("timestamp", { variable: "request.resource.attr.due" });
    const now = operation("timestamp", { value: "2024-05-01T00:00:00Z" });
    expect(response).toMatchObject({ filter: { condition: operation("lt", due, now) } });
  });

  test("what is refused says so in the server's words, and the others are answered", async () => {
    const result = await run([
      ask(),
      ask({ action: "view", actions: ["edit"] }),
      ask({ actions: Array.from({ length: 21 }, (_, i) => `a${i}`) }),
      ask({ action: "view", resource: { kind: "" } }),
      ask({ action: "view", resource: { kind: "document", id: "d1" } }),
      ask({ action: "bind" }),
      ask({ action: "share" }),
      ask({ action: "list" }),
    ]);
    const one = "validation error: Exactly one of 'action' or 'actions' field must be set";
    expect(result.code).toBe(2);
    expect(lines(result)).toEqual([
      { code: 3, message: one, details: [] },
      { code: 3, message: one, details: [] },
      { code: 3, message: "validation error: actions: must contain no more than 20 item(s)", details: [] },
      { code: 3, message: "validation error: resource.kind: value is required", details: [] },
      { code: 3, message: expect.stringContaining('key "id" is unknown'), details: [] },
      { code: 13, message: "there is no query plan: cel.bind cannot be part of a query plan", details: [] },
      { code: 13, message: "there is no query plan: a number of the filter is not finite", details: [] },
      expect.objectContaining({ filter: { kind: "KIND_ALWAYS_ALLOWED" } }),
    ]);
  });

  test("a bundle answers as its policies do", async () => {
    await withFiles(FILES, async (root) => {
      const output = `${root}/policies.mjs`;
      expect(
        (await keyward(["build", `${root}/policies`, "--no-solver", "--output", output, "--permission-only"])).code,
      ).toBe(0);
      const input = JSON.stringify(ask({ action: "view", includeMeta: true }));
      expect(await keyward(["plan-resources", "--policies", output], input)).toEqual(
        await keyward(["plan-resources", "--policies", `${root}/policies`], input),
      );
    });
  });
});
