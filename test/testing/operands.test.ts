/** Coverage of operands: of `&&`, `||`, `all`, `any` and `none`. */

import fc from "fast-check";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import type { PolicyFile } from "../../src/index.js";
import { type CoverageReport, coverageLines, lcovOf, runSuites } from "../../src/testing/index.js";
import type { OperandPoint } from "../../src/testing/suites.js";
import { sized } from "../support/size.js";

type Attributes = { readonly [name: string]: boolean | string | readonly string[] };

const SCHEMA = {
  type: "object",
  properties: {
    state: { enum: ["draft", "active", "suspended"] },
    plan: { type: "string", enum: ["free", "pro"] },
    ...Object.fromEntries(["a", "b", "c"].map((name) => [name, { type: "boolean" }])),
  },
};

/** A rule with this condition, in YAML's flow style. */
function policies(match: string, more = ""): readonly PolicyFile[] {
  const text = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  schemas: { resourceSchema: { ref: "cerbos:///doc.json" } }
${more}  rules:
    - name: reader
      actions: [read]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: { match: ${match} }
`;
  return [
    { path: "doc.yaml", text },
    { path: "_schemas/doc.json", text: JSON.stringify(SCHEMA) },
  ];
}

/** Runs a case for each resource. Any outcome will do: coverage counts failed tests, too. */
function covered(files: readonly PolicyFile[], resources: readonly Attributes[]): CoverageReport {
  const names = resources.map((_, i) => `r${i}`);
  const document = {
    name: "S",
    keys: { user: { roles: ["user"] } },
    resources: Object.fromEntries(resources.map((attr, i) => [`r${i}`, { kind: "doc", attr }])),
    cases: [{ name: "all", damaged: true, key: "user", resources: names, operation: "read", expect: "allow" }],
  };
  const suites = new Map([["a.decisions.yaml", stringify(document)]]);
  const report = runSuites(files, suites, { coverage: true, compile: { platform: "none" } });
  if (isLeft(report)) throw new Error(JSON.stringify(report.left));
  const { coverage, decisionSuites } = report.right;
  const issues = decisionSuites.flatMap((suite) => suite.issues);
  if (coverage === undefined || issues.length > 0) throw new Error(JSON.stringify(issues));
  return coverage;
}

function operands({ points }: CoverageReport): readonly OperandPoint[] {
  return points.filter((point) => point.kind === "operand");
}

/** `expression: true/false/errors, decided as true/false`. */
function counts(report: CoverageReport): readonly string[] {
  return operands(report).map(
    ({ expression, trues, falses, errors, decidedTrue, decidedFalse }) =>
      `${expression}: ${trues}/${falses}/${errors}, ${decidedTrue}/${decidedFalse}`,
  );
}

describe("operands of a condition", () => {
  const resources = [
    { a: true, b: true, c: false },
    { a: false, b: true, c: false },
    { a: false, b: false, c: false },
    { a: true, c: false },
  ];

  test.each([
    ["&&", "{ expr: R.attr.a && R.attr.b }"],
    ["all", "{ all: { of: [{ expr: R.attr.a }, { expr: R.attr.b }] } }"],
    ["none", "{ none: { of: [{ expr: '!R.attr.a || !R.attr.b' }] } }"],
  ])("%s: an operand counts that the evaluation passes over; an error decides nothing", (_, match) => {
    expect(counts(covered(policies(match), resources)).map((one) => one.replace(/^!/, ""))).toEqual(
      match.includes("none")
        ? ["R.attr.a: 2/2/0, 1/1", "R.attr.b: 1/2/1, 0/1"]
        : ["R.attr.a: 2/2/0, 1/1", "R.attr.b: 2/1/1, 1/0"],
    );
  });

  test("a tree over `any`, `none` and operators is one tree", () => {
    const match = "{ any: { of: [{ expr: R.attr.a && R.attr.b }, { none: { of: [{ expr: R.attr.c }] } }] } }";
    const report = covered(policies(match), [
      { a: true, b: true, c: true },
      { a: true, b: true, c: false },
      { a: false, b: true, c: true },
    ]);
    expect(counts(report)).toEqual(["R.attr.a: 2/1/0, 1/1", "R.attr.b: 3/0/0, 1/0", "R.attr.c: 2/1/0, 1/0"]);
    expect(coverageLines(report).filter((line) => line.includes("operand"))).toEqual([
      "  operands that decided  4/6 (66.6 %)",
      "doc.yaml:11:61 operand of reader `R.attr.b`: never false",
      "doc.yaml:11:96 operand of reader `R.attr.c`: never decided alone as false",
    ]);
  });

  test("a condition of a single operand has no operand goals", () => {
    expect(counts(covered(policies("{ none: { of: [{ expr: R.attr.a }] } }"), resources))).toEqual([]);
  });

  test("each operand of each tree counts once; no request meets a goal that does not count", { tags: "long" }, () => {
    const anyMatch = fc.letrec<{ match: string; expr: string }>((tie) => ({
      expr: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom("R.attr.a", "R.attr.b", "!R.attr.c", 'R.attr.state == "draft"'),
        fc.tuple(tie("expr"), fc.constantFrom("&&", "||"), tie("expr")).map((parts) => `(${parts.join(" ")})`),
        tie("expr").map((expr) => `!(${expr})`),
      ),
      match: fc.oneof(
        { depthSize: "small" },
        tie("expr").map((expr) => JSON.stringify({ expr })),
        fc
          .tuple(fc.constantFrom("all", "any", "none"), fc.array(tie("match"), { minLength: 1, maxLength: 3 }))
          .map(([name, of]) => `{"${name}": {"of": [${of.join(", ")}]}}`),
      ),
    })).match;
    const anyResource = fc.record(
      {
        ...Object.fromEntries(["a", "b", "c"].map((name) => [name, fc.boolean()])),
        state: fc.constantFrom("draft", "active", "?"),
      },
      { requiredKeys: [] },
    );
    let decided = 0;
    let exempt = 0;
    fc.assert(
      fc.property(anyMatch, fc.array(anyResource, { minLength: 1, maxLength: 8 }), (match, some) => {
        const report = covered(policies(match), some);
        const [first] = operands(report);
        for (const { trues, falses, errors } of operands(report)) {
          expect(trues + falses + errors).toBe((first?.trues ?? 0) + (first?.falses ?? 0) + (first?.errors ?? 0));
        }
        decided += operands(report).filter(({ decidedTrue }) => decidedTrue > 0).length;
        const isExempt = operands(report).some(({ unreachable }) => unreachable.length > 0);
        const all = isExempt ? operands(covered(policies(match), EVERY_RESOURCE)) : [];
        for (const [i, { unreachable }] of operands(report).entries()) {
          for (const value of unreachable) {
            exempt++;
            expect((value ? all[i]?.decidedTrue : all[i]?.decidedFalse) ?? -1, `${match} ${i} ${value}`).toBe(0);
          }
        }
      }),
      { numRuns: sized(500) },
    );
    expect([decided, exempt].map((count) => count > sized(50))).toEqual([true, true]);
  });
});

const EVERY_RESOURCE: readonly Attributes[] = [true, false, undefined].flatMap((a) =>
  [true, false, undefined].flatMap((b) =>
    [true, false, undefined].flatMap((c) =>
      ["draft", "active", "suspended", "?", undefined].map((state) => ({
        ...(a === undefined ? {} : { a }),
        ...(b === undefined ? {} : { b }),
        ...(c === undefined ? {} : { c }),
        ...(state === undefined ? {} : { state }),
      })),
    ),
  ),
);

describe("operands that cannot decide alone are no goals", () => {
  const exempt = (match: string, more = "") =>
    operands(covered(policies(match, more), [{}]))
      .filter(({ unreachable }) => unreachable.length > 0)
      .map(({ expression, unreachable }) => `${expression}: ${unreachable.join(" or ")}`);

  test.each<[match: string, exempt: readonly string[]]>([
    // The schema allows no other values.
    [`{ expr: 'R.attr.a && R.attr.plan in ["free", "pro"]' }`, ['R.attr.plan in ["free", "pro"]: false']],
    [`{ expr: 'R.attr.a && R.attr.plan == "free"' }`, []],
    // The second operand implies the first.
    [
      `{ all: { of: [{ expr: 'R.attr.state != "suspended"' }, { expr: 'R.attr.state == "draft"' }] } }`,
      ['R.attr.state != "suspended": false'],
    ],
    ["{ expr: R.attr.a || !R.attr.a }", ["R.attr.a: false", "!R.attr.a: false"]],
    // Constants, and operands that a constant overrules.
    ["{ expr: true && R.attr.a }", ["true: false"]],
    ["{ expr: R.attr.a && (true || R.attr.owner == P.id) }", ["true: false", "R.attr.owner == P.id: true or false"]],
    // Attributes without listed values, and those that may be absent, have either value.
    ['{ expr: \'R.attr.owner == "a" || R.attr.owner != "a"\' }', []],
    ['{ expr: \'has(R.attr.plan) && R.attr.plan in ["free", "pro"]\' }', ['R.attr.plan in ["free", "pro"]: false']],
  ])("%s", (match, expected) => {
    expect(exempt(match)).toEqual(expected);
  });

  test("through variables, and in the tree of a variable", () => {
    const more = `  variables:
    local:
      known: R.attr.plan in ["free", "pro"]
      both: V.known && R.attr.a
`;
    expect(exempt("{ expr: R.attr.b && V.both }", more)).toEqual(["V.known: false"]);
  });

  test("not in the body of a macro, and not where reads are not held to schemas", () => {
    expect(exempt(`{ expr: 'R.attr.l.exists(x, x.a && R.attr.plan in ["free", "pro"])' }`)).toEqual([]);
    const files = [
      ...policies(`{ expr: 'R.attr.a && R.attr.plan in ["free", "pro"]' }`),
      { path: "keyward.yaml", text: "typedReads: false\n" },
    ];
    expect(operands(covered(files, [{}])).map(({ unreachable }) => unreachable)).toEqual([[], []]);
  });

  test("the text lists them, and they do not count", () => {
    const report = covered(policies(`{ expr: 'R.attr.a && R.attr.plan in ["free", "pro"]' }`), [
      { a: true, plan: "pro" },
      { a: false, plan: "pro" },
    ]);
    expect(report.operands).toEqual({ covered: 3, total: 3 });
    expect(coverageLines(report).at(-1)).toBe(
      'doc.yaml:11:48 operand of reader `R.attr.plan in ["free", "pro"]`: cannot decide alone as false, and need not',
    );
  });
});

describe("trees inside expressions", () => {
  test("in a macro: each element counts", () => {
    const report = covered(policies(`{ expr: 'R.attr.l.exists(x, x == "no" && !R.attr.a) || R.attr.b' }`), [
      { l: ["yes", "no", "yes"], a: false, b: true },
    ]);
    expect(counts(report)).toEqual([
      'R.attr.l.exists(x, x == "no" && !R.attr.a): 1/0/0, 0/0',
      // The macro ends at the second element.
      'x == "no": 1/1/0, 1/1',
      "!R.attr.a: 2/0/0, 1/0",
      "R.attr.b: 1/0/0, 0/0",
    ]);
  });

  test("variables and outputs are trees of their own; a variable that is not read is not evaluated for its operands", () => {
    const more = "  variables: { local: { pair: R.attr.b && R.attr.c } }\n";
    const files = policies("{ expr: R.attr.a || V.pair }", more);
    const report = covered(files, [{ a: true, b: true, c: true }]);
    expect(counts(report)).toEqual([
      "R.attr.b: 0/0/0, 0/0",
      "R.attr.c: 0/0/0, 0/0",
      "R.attr.a: 1/0/0, 0/0",
      "V.pair: 1/0/0, 0/0",
    ]);
    expect(report.points.find(({ kind }) => kind === "variable")).toMatchObject({ trues: 0, falses: 0 });
    const read = covered(files, [{ a: false, b: true, c: true }]);
    expect(counts(read)[0]).toBe("R.attr.b: 1/0/0, 1/0");
  });
});

test("lcov: an operand is two branches, beside those of its condition", () => {
  const text = lcovOf(covered(policies("{ expr: R.attr.a && R.attr.b }"), [{ a: false, b: true }]), "");
  expect(text.split("\n").filter((line) => line.startsWith("BRDA"))).toEqual([
    "BRDA:11,35,0,0",
    "BRDA:11,35,1,1",
    "BRDA:11,35,2,0",
    "BRDA:11,35,3,1",
    "BRDA:11,47,0,0",
    "BRDA:11,47,1,0",
  ]);
});
