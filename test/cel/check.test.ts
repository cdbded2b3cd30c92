/** The messages, positions and codes of checker errors. */

import { expect, test } from "vitest";
import { checkExpression } from "../../src/cel/check.js";
import { parseExpression } from "../../src/cel/parse.js";

const NAMES = { variables: new Set(["isOwner"]), constants: new Set(["limit"]) };

function issuesOf(source: string): readonly string[] {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw new Error(parsed.message);
  const checked = checkExpression(parsed.syntax, NAMES, "0.55");
  return (checked.ok ? [] : checked.issues).map(
    ({ at, code, message, hint }) => `${at} ${code}: ${message}${hint === undefined ? "" : ` (${hint})`}`,
  );
}

test.each([
  ["V.isOwner && C.limit > 1", []],
  ["V.isowner", ["1 undefined_variable: undefined variable 'isowner' (did you mean `isOwner`?)"]],
  ["C.Limit", ["1 undefined_constant: undefined constant 'Limit' (did you mean `limit`?)"]],
  ["V['isOwner']", ["0 unsupported: V as a whole is not supported: select a field of it"]],
  ["P.attributes", ["1 expression_type: undefined field 'attributes' (did you mean `attr`?)"]],
  ["P.policyversion", ["1 expression_type: undefined field 'policyversion' (did you mean `policyVersion`?)"]],
  [
    "V == V",
    [
      "0 unsupported: V as a whole is not supported: select a field of it",
      "5 unsupported: V as a whole is not supported: select a field of it",
    ],
  ],
  [
    "P == R",
    [
      "2 expression_type: found no matching overload for '_==_' applied to '(cerbos.engine.v1.Request.Principal, cerbos.engine.v1.Request.Resource)'",
    ],
  ],
  ["G.x == 1 && runtime.effectiveDerivedRoles == []", []],
  ["request.auxData.jwts", []],
  ["request.auxData.tokens", ["15 expression_type: undefined field 'tokens'"]],
  ["request.AUX_DATA", ["7 expression_type: undefined field 'AUX_DATA' (did you mean `auxData`?)"]],
  [
    "nope",
    [
      "0 expression_type: undeclared reference to 'nope' (attributes are read as `R.attr.nope` and `P.attr.nope`, variables as `V.nope`, texts stand in quotes)",
    ],
  ],
  ["1 + nope(2)", ["4 unknown_function: there is no function 'nope'"]],
  // For a variable bound by a macro, the checker also looks for constants around the unresolved part.
  ['{"a": 1}.exists(k, v, k == "a" && nope() == 2)', ["34 unknown_function: there is no function 'nope'"]],
  ["[1].map(x, nope() ? x : 2)", ["11 unknown_function: there is no function 'nope'"]],
  ["[1].map(x, R.attr.list[nope()] == x)", ["23 unknown_function: there is no function 'nope'"]],
  ["[1].exists(x, x in [nope()])", ["20 unknown_function: there is no function 'nope'"]],
  [
    "P.id.startswith('a')",
    ["4 unknown_function: there is no member function 'startswith' (did you mean `startsWith`?)"],
  ],
  [
    "startsWith(P.id, 'a')",
    ["0 unknown_function: there is no function 'startsWith' (it is called as x.startsWith(…))"],
  ],
  ["P.id.timestamp()", ["4 unknown_function: there is no member function 'timestamp' (it is called as timestamp(…))"]],
  ["math.cell(1.5)", ["4 unknown_function: there is no function 'math.cell' (did you mean `math.ceil`?)"]],
  [
    "P.roles.all('x')",
    ["7 unknown_function: there is no member function 'all' (it is a macro: `x.all(v, condition)`)"],
  ],
  ["1 == 1.0", ["2 expression_type: found no matching overload for '_==_' applied to '(int, double)'"]],
  ["'abc'[0]", ["5 expression_type: found no matching overload for '_[_]' applied to '(string, int)'"]],
  ["P.roles.exists(r, 1)", ["18 expression_type: expected type 'bool' but found 'int'"]],
  [
    "P.id.all(r, true)",
    [
      "1 expression_type: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
  ],
  ["P.id.name", ["4 expression_type: type 'string' does not support field selection"]],
  [
    "'%d'.format(['a'])",
    [
      "13 expression_type: error during formatting: decimal clause can only be used on ints, uints, doubles, was given string",
    ],
  ],
  [
    "cel.bind(x, [], [x == [1], x == ['a']])",
    ["29 expression_type: found no matching overload for '_==_' applied to '(list(int), list(string))'"],
  ],
])("%s", (source, expected) => {
  expect(issuesOf(source)).toEqual(expected);
});
