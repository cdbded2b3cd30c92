/** Statements about requests in plain words. */

import { children, type Expr } from "../../cel/ast.js";
import { requestValueOf, usageOf } from "../../cel/expression-usage.js";
import { OPERATORS } from "../../cel/operators.js";
import { Spans } from "../../cel/spans.js";
import type { About, ConditionStatement, Requirement, RoleHeld } from "../../proof/ways/statements.js";
import { PRINCIPAL_NAMES } from "../policies.js";
import { partWords, valueWordsOf, type WordingContext } from "../words/expression.js";
import { IN_COMMON, testOf } from "../words/functions.js";
import { type ConditionWords, code, enumerate, inline, plain, say } from "../words/phrase.js";
import type { SpokenCondition } from "./types.js";

/** A requirement on a request, in words. */
export function requirementWords({ statement: { about }, is }: Requirement): SpokenCondition {
  const words = inline(wordsFor(about, is !== "not so" && is !== "not so or errs"));
  switch (is) {
    case "so":
    case "not so":
      return said(about, wordsFor(about, is === "so"));
    case "either":
      return said(about, listWords(about) ?? valueWords(about) ?? say("checking whether ", words, " causes no error"));
    case "errs":
      return said(about, say("checking whether ", words, " causes an error"));
    case "so or errs":
    case "not so or errs":
      return said(about, say(words, ", or checking this causes an error"));
  }
}

/** The words for a test of an attribute's elements that errs only if the attribute is not a list. */
function listWords(about: About): ConditionWords | undefined {
  if (about.kind !== "part" || (about.expr.kind !== "call" && about.expr.kind !== "member")) return undefined;
  if (testOf(about.expr) !== IN_COMMON) return undefined;
  const [list, ...others] = children(about.expr).filter((operand) => !isKnownText(operand));
  if (list === undefined || others.length > 0 || !/^[PR]\.attr$/.test(requestValueOf(list)?.root.path ?? ""))
    return undefined;
  return say(
    valueWordsOf({ expr: list, source: about.of.source }, subjectsOf(about)),
    " is a valid list (any content)",
  );
}

/** The words for a comparison of an attribute with constants, which errs only if the attribute has no valid value. */
function valueWords(about: About): ConditionWords | undefined {
  if (about.kind !== "part" || about.expr.kind !== "call") return undefined;
  const [a, b] = about.expr.args;
  const kind = OPERATORS.get(about.expr.fn)?.kind;
  if (a === undefined || b === undefined || !isConstant(b) || (kind !== "equality" && kind !== "membership"))
    return undefined;
  const { root, path } = requestValueOf(a) ?? {};
  if (root === undefined || !/^[PR]\.attr$/.test(root.path) || path?.length === 0) return undefined;
  return say(valueWordsOf({ expr: a, source: about.of.source }, subjectsOf(about)), " has a valid value (any content)");
}

function isConstant(expr: Expr): boolean {
  return expr.kind === "literal" || (expr.kind === "list" && expr.elements.every(isConstant));
}

/** Is the value made of literals and ids alone? Joining and listing these never errs. */
function isKnownText(expr: Expr): boolean {
  const { reads, variables, constants, functions } = usageOf(expr);
  const hasOnlyIds = reads.every(({ root }) => root === "P.id" || root === "R.id" || root === "R.kind");
  return hasOnlyIds && variables.size + constants.size === 0 && [...functions].every((name) => name === "_+_");
}

function subjectsOf({ layer, definitions }: ConditionStatement): WordingContext {
  return { principal: PRINCIPAL_NAMES[layer], constants: definitions.constants };
}

function said(about: About, words: ConditionWords): SpokenCondition {
  const text = plain(words);
  if (about.kind !== "part") return { text };
  return { text, source: new Spans(about.of.source).textOf(about.expr), layer: about.layer };
}

function wordsFor(about: About, holds: boolean): ConditionWords {
  switch (about.kind) {
    case "part":
      return partWords(about.expr, about.of.source, subjectsOf(about), holds);
    case "role":
      return roleWords(about, holds);
    case "field": {
      const subject = about.subject === "resource" ? "the resource" : `the ${about.subject}`;
      if (about.value === "") return say(`${subject} has ${holds ? "no" : "a"} ${about.field}`);
      return say(`${subject}'s ${about.field} ${holds ? "is" : "is not"} `, code(about.value));
    }
    case "schemas":
      return say(`the attributes${ownersWords(about)} ${holds ? "satisfy" : "violate"} the schemas`);
  }
}

function ownersWords({ enforcement }: Extract<About, { kind: "schemas" }>): string {
  return enforcement === undefined ? "" : ` of ${PRINCIPAL_NAMES[enforcement.layer]} and the resource`;
}

function roleWords({ role: { name, isOpen, matchedBy, unmatchedBy } }: RoleHeld, holds: boolean): ConditionWords {
  if (!isOpen) return say(`the key ${holds ? "has" : "does not have"} the role `, code(name));
  if (matchedBy.length === 0)
    return say(holds ? "the key has a role that no rule names" : "every role of the key is named in a rule");
  const codes = (patterns: readonly string[]) => patterns.map((pattern) => code(pattern));
  const matches = enumerate(codes(matchedBy), "and");
  if (unmatchedBy.length === 0) return say(`the key has ${holds ? "a" : "no"} role that matches `, matches);
  return say(
    `the key has ${holds ? "a" : "no"} role that matches `,
    matches,
    ", but not ",
    enumerate(codes(unmatchedBy), "or"),
  );
}
