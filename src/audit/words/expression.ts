/**
 * Expressions in plain words. An expression without words keeps its source text, as code. So some words may be missing,
 * but the words never say anything else than the expression.
 */

import { type Call, children, type Expr, type Macro, type MemberCall, operandsOf } from "../../cel/ast.js";
import { type Chain, chainOf, usageOf } from "../../cel/expression-usage.js";
import type { JsonValue } from "../../cel/json.js";
import { isBooleanOperator, OPERATORS } from "../../cel/operators.js";
import { Spans } from "../../cel/spans.js";
import type { Expression } from "../../policy/model.js";
import { GLOBAL, IN_COMMON, MEMBER, testOf } from "./functions.js";
import { type ConditionWords, code, enumerate, group, inline, name, type Phrase, phrase, say, text } from "./phrase.js";

/** The context that the words depend on. */
export interface WordingContext {
  /** The name of the principal: `the key`, `the account`. */
  readonly principal: string;
  /** The values of constants, for `C.name`. */
  readonly constants: ReadonlyMap<string, JsonValue>;
}

/** The condition under which the expression is true. */
export function wordsOf({ expr, source }: Expression, subjects: WordingContext): ConditionWords {
  return partWords(expr, source, subjects, true);
}

/** The condition under which a part of the expression `source` is true (`holds`) or false. */
export function partWords(part: Expr, source: string, subjects: WordingContext, holds: boolean): ConditionWords {
  return new ExpressionWording(source, subjects).condition(part, holds);
}

/** The value of the expression in words: `the number of …`. */
export function valueWordsOf(expression: Pick<Expression, "expr" | "source">, subjects: WordingContext): Phrase {
  return new ExpressionWording(expression.source, subjects).value(expression.expr);
}

class ExpressionWording {
  private readonly subjects: WordingContext;
  private readonly spans: Spans;

  constructor(source: string, subjects: WordingContext) {
    this.subjects = subjects;
    this.spans = new Spans(source);
  }

  /** `holds`: the condition under which the expression is true; otherwise, false. */
  condition(expr: Expr, holds: boolean): ConditionWords {
    if (expr.kind === "literal" && typeof expr.value === "boolean")
      return say(expr.value === holds ? "always" : "never");
    if (expr.kind === "has") {
      return say(this.reads(expr.operand, expr.field), holds ? " is given" : " is not given");
    }
    if (expr.kind === "call") return this.call(expr, holds);
    if (expr.kind === "member") return this.test(expr, holds);
    if (expr.kind === "macro") return this.macro(expr, holds);
    return this.truth(this.value(expr), holds);
  }

  value(expr: Expr): Phrase {
    const chain = this.chain(expr);
    if (chain !== undefined) return chain;
    switch (expr.kind) {
      case "literal":
        return this.written(expr);
      case "list":
        if (expr.elements.length === 0) return text("an empty list");
        return phrase("the list of ", enumerate(this.values(expr.elements), "and"));
      case "select":
        return phrase(code(expr.field), " of ", this.operand(expr.operand));
      case "call":
        return this.valueOfCall(expr);
      case "member": {
        const words = MEMBER.get(expr.fn);
        if (words?.length !== expr.args.length + 1) return this.written(expr);
        return fill(
          words.template,
          children(expr).map((each) => this.operand(each)),
        );
      }
      default:
        return this.written(expr);
    }
  }

  private call(expr: Call, holds: boolean): ConditionWords {
    const [a, b, c] = expr.args;
    const operator = OPERATORS.get(expr.fn);
    switch (operator?.kind) {
      case "junction": {
        // Not (a and b) equals (not a) or (not b), even if one of them errs.
        const kind = operator.decisive === holds ? "any" : "all";
        return group(
          kind,
          expr.args.map((each) => this.condition(each, holds)),
        );
      }
      case "not":
        if (a !== undefined) return this.condition(a, !holds);
        break;
      case "equality":
      case "ordering":
        if (a === undefined || b === undefined) break;
        return say(this.operand(a), ` ${operator.said[holds ? 0 : 1]} `, this.operand(b));
      case "membership": {
        if (a === undefined || b === undefined) break;
        const not = holds ? "" : "not ";
        if (b.kind === "list" && b.elements.length > 0) {
          return say(this.operand(a), ` is ${not}one of `, enumerate(this.values(b.elements), "or"));
        }
        return say(this.operand(a), ` is ${not}in `, this.operand(b));
      }
      case "conditional": {
        if (a === undefined || b === undefined || c === undefined) break;
        const [condition, then, otherwise] = [
          this.condition(a, true),
          this.condition(b, holds),
          this.condition(c, holds),
        ].map((words) => (words.kind === "phrase" ? words.phrase : phrase("(", inline(words), ")")));
        return say("if ", condition ?? [], ", then ", then ?? [], "; otherwise ", otherwise ?? []);
      }
    }
    return this.test(expr, holds);
  }

  private test(expr: Call | MemberCall, holds: boolean): ConditionWords {
    const args = children(expr);
    const words = testOf(expr);
    if (words?.length !== args.length) return this.truth(this.value(expr), holds);
    const [a, b] = args;
    if (words === IN_COMMON && a !== undefined && b !== undefined) {
      const listed = [a, b].find((each) => each.kind === "list" && each.elements.length > 0);
      if (listed?.kind === "list") {
        const other = this.operand(listed === a ? b : a);
        const elements = enumerate(this.values(listed.elements), "or");
        return say(other, holds ? " has at least one of " : " has none of ", elements);
      }
    }
    const values = args.map((each) => this.operand(each));
    return say(fill(holds ? words.holds : words.doesNot, values));
  }

  /** Only `all` and `exists`: other macros have no words. */
  private macro(expr: Macro, holds: boolean): ConditionWords {
    const { macro, range, v1, v2, filter } = expr;
    if (filter === undefined || v2 !== undefined || (macro !== "all" && macro !== "exists")) {
      return this.truth(this.written(expr), holds);
    }
    const every = (macro === "all") === holds;
    const start = phrase(every ? "for every " : "for at least one ", code(v1), " of ", this.operand(range), ": ");
    return say(start, inline(this.condition(filter, holds)));
  }

  private truth(value: Phrase, holds: boolean): ConditionWords {
    const [only] = value;
    if (value.length === 1 && only?.kind === "name") return say(value, holds ? " holds" : " does not hold");
    return say(value, holds ? " is true" : " is false");
  }

  private valueOfCall(expr: Call): Phrase {
    const [a, b] = expr.args;
    const operator = OPERATORS.get(expr.fn);
    if (operator?.kind === "arithmetic" && a !== undefined && b !== undefined) {
      const terms = operandsOf(expr);
      if (terms.some(isText)) return this.joined(terms);
      return phrase(this.operand(a), ` ${operator.said} `, this.operand(b));
    }
    if (operator?.kind === "negative" && a !== undefined) return phrase(`${operator.said} `, this.operand(a));
    if (operator?.kind === "index" && a !== undefined && b !== undefined) {
      return phrase("the entry ", this.operand(b), " of ", this.operand(a));
    }
    const words = GLOBAL.get(expr.fn);
    if (words?.length !== expr.args.length) return this.written(expr);
    return fill(
      words.template,
      expr.args.map((each) => this.operand(each)),
    );
  }

  /** Concatenated text. `"" + x` only says that x is a string. */
  private joined(terms: readonly Expr[]): Phrase {
    const given = terms.filter((each) => !(each.kind === "literal" && each.value === ""));
    const [only] = given;
    if (only === undefined) return code('""');
    if (given.length === 1) return isText(only) ? this.written(only) : phrase(this.operand(only), " (a text)");
    const parts = given.flatMap((each, i) => [i === 0 ? "" : " + ", this.operand(each)]);
    return phrase("the text ", ...parts);
  }

  /** A value inside a larger phrase: expressions with operators are put in brackets. */
  private operand(expr: Expr): Phrase {
    if (expr.kind === "call" && this.chain(expr) === undefined) {
      if (isBooleanOperator(expr.fn)) return phrase("whether (", inline(this.condition(expr, true)), ")");
      const isSum = OPERATORS.get(expr.fn)?.kind === "arithmetic" && !operandsOf(expr).some(isText);
      if (isSum) return phrase("(", this.value(expr), ")");
    }
    return this.value(expr);
  }

  private values(elements: readonly Expr[]): readonly Phrase[] {
    return elements.map((each) => this.operand(each));
  }

  /** An attribute, a variable or a constant. */
  private chain(expr: Expr): Phrase | undefined {
    const chain = chainOf(expr);
    return chain && this.named(expr, chain);
  }

  /** `operand.field`, as `has` reads it. */
  private reads(operand: Expr, field: string): Phrase {
    return this.value({ kind: "select", operand, field, at: operand.at });
  }

  private named(expr: Expr, { of, root, fields }: Chain): Phrase | undefined {
    const [first, ...rest] = fields;
    if (of === "local") return code([root, ...fields].join("."));
    if (of === "variable" && first !== undefined) return within(name(first), rest);
    if (of === "constant" && first !== undefined) return this.constant(first, rest);
    const [read] = usageOf(expr).reads;
    if (read === undefined) return undefined;
    const path = read.path.join(".");
    switch (read.root) {
      case "P.attr":
        return possessive(this.subjects.principal, path);
      case "R.attr":
        return possessive("the resource", path);
      case "request.auxData.jwt":
        return possessive("the token", path);
      case "G":
        return path === "" ? text("the settings") : phrase("the setting ", code(path));
      default:
        return path === "" ? rootWords(read.root, this.subjects.principal) : undefined;
    }
  }

  private constant(constant: string, fields: readonly string[]): Phrase {
    const value = this.subjects.constants.get(constant);
    if (value === undefined || fields.length > 0) return within(name(constant), fields);
    return phrase(name(constant), " (", code(JSON.stringify(value)), ")");
  }

  /** The expression as it is written. */
  private written(expr: Expr): Phrase {
    if (expr.kind === "literal" && typeof expr.value === "string") return code(JSON.stringify(expr.value));
    return code(this.spans.textOf(expr).replace(/\s+/g, " "));
  }
}

function possessive(subject: string, path: string): Phrase {
  return path === "" ? text(`${subject}'s attributes`) : phrase(`${subject}'s `, code(path));
}

function within(value: Phrase, fields: readonly string[]): Phrase {
  return fields.length === 0 ? value : phrase(code(fields.join(".")), " of ", value);
}

function rootWords(root: string, principal: string): Phrase | undefined {
  const [owner, field] = root.split(".");
  const words = FIELDS.get(field ?? "");
  if (owner === "runtime") return text("the derived roles that are active");
  if (words === undefined) return undefined;
  if (owner === "P") return text(`${principal}'s ${words}`);
  return owner === "R" ? text(`the resource's ${words}`) : undefined;
}

const FIELDS: ReadonlyMap<string, string> = new Map([
  ["id", "id"],
  ["roles", "roles"],
  ["kind", "kind"],
  ["scope", "scope"],
  ["policyVersion", "policy version"],
]);

function isText(expr: Expr): boolean {
  return expr.kind === "literal" && typeof expr.value === "string";
}

/** `{0}` is the first argument. */
function fill(template: string, args: readonly Phrase[]): Phrase {
  return phrase(...template.split(/(\{\d\})/).map((part) => args[Number(/^\{(\d)\}$/.exec(part)?.[1])] ?? part));
}
