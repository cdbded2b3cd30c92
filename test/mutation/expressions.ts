/** Mutations of the expressions in a file. */

import type { Random } from "../differential/random.js";
import type { TextMutation } from "./texts.js";
import { inDocument, type Slot } from "./values.js";

const TOKEN = /[A-Za-z_]\w*|\d+(\.\d+)?|"[^"]*"|'[^']*'|[=!<>&|]{1,2}|[-+*/%?:.,()[\]{}!]/g;

const OPERATORS = ["==", "!=", "<", "<=", ">", ">=", "&&", "||", "+", "-", "*", "/", "%", "in", "?", ":", ".", ","];

const OPERANDS = [
  "true",
  "null",
  "1",
  "1.0",
  "1u",
  "-9223372036854775808",
  "9223372036854775808",
  "1e400",
  '"a"',
  'b"a"',
  "r'\\d'",
  "[]",
  "{}",
  '[1, "a", 2.5]',
  '{"a": 1, "a": 2}',
  "P",
  "P.id",
  "P.roles",
  "P.attr",
  "R.attr.x.y",
  'R.attr["x"]',
  "request",
  "request.auxData.jwt",
  "V",
  "V.missing",
  "C.missing",
  "G.environment",
  "runtime.effectiveDerivedRoles",
  "now()",
  "type(1)",
  "unknown",
  "x",
  "has(R.attr.x)",
  "dyn(1)",
  'timestamp("2021-01-01T00:00:00Z")',
  'duration("1h")',
  'hierarchy("a.b")',
  'spiffeID("spiffe://a/b")',
];

const CALLS = [
  "size(X)",
  "string(X)",
  "int(X)",
  "timestamp(X)",
  "!X",
  "-X",
  "-(-(X))",
  "[X][0]",
  '{"k": X}.k',
  "X.size()",
  "X.matches('(a|b)*')",
  "X.matches('(')",
  "X.all(x, x == 1)",
  "X.exists(x, X.exists(y, X.exists(z, x == y && y == z)))",
  "[1, 2, 3].map(x, X)",
  "X.filter(x, x)",
  "X.exists_one(i, v, i == v)",
  "cel.bind(x, X, x == x)",
  "has(X.y)",
  "has(X)",
  "X.unknownMethod()",
  "unknownFunction(X)",
  "X ? X : X",
  'X.inIPAddrRange("10.0.0.0/8")',
  "X.timeSince()",
  'X.format(["%s"])',
  '"%d".format([X])',
  "math.greatest(X, 1)",
  "base64.decode(X)",
  "X.sortBy(x, x)",
  "X in [1, 2]",
  "lists.range(10000000).all(x, x >= 0)",
  "lists.range(1000).all(x, lists.range(1000).all(y, x + y >= 0))",
];

type ExpressionMutation = (random: Random, expression: string, others: readonly string[]) => string;

const MUTATIONS: { readonly [name: string]: ExpressionMutation } = {
  "token deleted": (random, expression) => onTokens(random, expression, () => ""),
  "token twice": (random, expression) => onTokens(random, expression, (token) => `${token} ${token}`),
  "operator changed": (random, expression) =>
    onTokens(random, expression, () => ` ${random.pick(OPERATORS)} `, /^[^\w"'()[\]{}]+$|^in$/),
  "operand changed": (random, expression) => onTokens(random, expression, () => random.pick(OPERANDS), /^[\w"']/),
  "operand called": (random, expression) =>
    onTokens(
      random,
      expression,
      (token) => random.pick(CALLS).replaceAll("X", () => token),
      /^["'\d]|^[PRVCG]$|^true$/,
    ),
  "expression called": (random, expression) => random.pick(CALLS).replaceAll("X", () => `(${expression})`),
  "another expression": (random, _, others) => random.pick(others),
  "with another": (random, expression, others) =>
    `(${expression}) ${random.pick(OPERATORS)} (${random.pick([random.pick(others), random.pick(OPERANDS)])})`,
  nested: (random, expression) => {
    const depth = random.pick([5, 60, 400, 5_000]);
    const [open, close] = random.pick([
      ["(", ")"],
      ["!", ""],
      ["-", ""],
      ["[", "]"],
      ["size(", ")"],
      ["true ? (", ") : false"],
      ["[1].all(x, ", ")"],
      ["{1: ", "}"],
    ] as const);
    return open.repeat(depth) + expression + close.repeat(depth);
  },
  long: (random, expression) =>
    Array.from({ length: random.pick([10, 100, 2_000]) }, () => `(${expression})`).join(
      random.pick([" && ", " + ", ", "]),
    ),
};

export const EXPRESSION_MUTATIONS: { readonly [name: string]: TextMutation } = Object.fromEntries(
  Object.entries(MUTATIONS).map(([name, mutate]) => [
    `expression: ${name}`,
    inDocument((random, slots) => {
      const expressions = slots.filter(isExpression);
      if (expressions.length === 0) return;
      const others = expressions.map(({ value }) => String(value));
      const slot = random.pick(expressions);
      slot.replace(mutate(random, String(slot.value), others));
    }),
  ]),
);

/** Whether a value is an expression. Variables and outputs may have any key, so those are recognized by their text. */
function isExpression({ key, value }: Slot): boolean {
  return (
    typeof value === "string" && (/^(expr|ruleActivated|conditionNotMet)$/.test(key) || /[=<>(]|\b[PRVC]\./.test(value))
  );
}

function onTokens(random: Random, text: string, change: (token: string) => string, only = /./): string {
  const tokens = [...text.matchAll(TOKEN)].filter(([token]) => only.test(token));
  if (tokens.length === 0) return text;
  const token = random.pick(tokens);
  return text.slice(0, token.index) + change(token[0]) + text.slice(token.index + token[0].length);
}
