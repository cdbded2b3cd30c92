/** Reads expressions about requests, as claims have them: CEL over `key`, `resource`, `account` and `now()`. */

import type { Expr, Syntax } from "../../cel/ast.js";
import { checkExpression } from "../../cel/check.js";
import { NEWEST_LEVEL } from "../../cel/levels.js";
import { parseExpression } from "../../cel/parse.js";
import type { IssueLog } from "../../policy/issue-log.js";
import type { Expression } from "../../policy/model.js";

/** The root names in expressions about requests. */
const REQUEST_NAMES = ["key", "resource", "account"] as const;

/** Reads an expression about requests, which is one of the newest level. Undefined: it has faults, which are in the log. */
export function readRequestExpression(
  text: string,
  position: Expression["position"],
  log: IssueLog,
): Expression | undefined {
  const parsed = parseExpression(text);
  if (!parsed.ok) {
    log.error("expression", position(parsed.at), parsed.message, parsed.hint);
    return undefined;
  }
  const checked = checkExpression(bound(parsed.syntax), undefined, NEWEST_LEVEL);
  if (!checked.ok) {
    for (const { code, at, message, hint } of checked.issues) log.error(code, position(at), message, hint);
    return undefined;
  }
  return { source: text, expr: unbound(checked.expr), position };
}

/** The expression with the root names bound to a value of unknown type. */
function bound(syntax: Syntax): Syntax {
  const anything: Syntax = { kind: "call", at: 0, fn: "dyn", args: [{ kind: "literal", at: 0, value: null }] };
  return REQUEST_NAMES.reduce<Syntax>((body, name) => ({ kind: "bind", at: 0, name, init: anything, body }), syntax);
}

function unbound(expr: Expr): Expr {
  return REQUEST_NAMES.reduce((inner) => (inner.kind === "bind" ? inner.body : inner), expr);
}
