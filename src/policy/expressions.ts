/** CEL expressions as they stand in policy files. */

import type { Expr, StaticError } from "../cel/ast.js";
import { type CheckedExpression, checkExpression, type DefinitionNames, NO_DEFINITION_NAMES } from "../cel/check.js";
import type { CerbosLevel } from "../cel/levels.js";
import { parseExpression } from "../cel/parse.js";
import { MAX_EXPRESSION_LENGTH } from "../limits.js";
import type { SourcePosition } from "./issue.js";
import type { IssueLog } from "./issue-log.js";
import type { Expression } from "./model.js";
import { scalarOffset } from "./text/offsets.js";
import type { Source } from "./text/source.js";
import type { ScalarNode } from "./text/tree.js";

class FileExpression implements Expression {
  readonly source: string;
  readonly expr: Expr;
  private readonly file: Source;
  private readonly node: ScalarNode;
  /**
   * Cache by offset. Finding a position reads the text from its beginning, and expressions that err ask for it
   * repeatedly.
   */
  private positions: Map<number, SourcePosition> | undefined = undefined;

  constructor(source: string, expr: Expr, file: Source, node: ScalarNode) {
    this.source = source;
    this.expr = expr;
    this.file = file;
    this.node = node;
  }

  position(offset: number): SourcePosition {
    this.positions ??= new Map();
    const known = this.positions.get(offset);
    if (known !== undefined) return known;
    const position = this.file.position(scalarOffset(this.file.text, this.node, offset));
    this.positions.set(offset, position);
    return position;
  }
}

/** Replaces a refused expression, so that the rest of its policy can still be checked. */
const REFUSED: Expr = { kind: "literal", at: 0, value: null, doom: { at: 0, message: "the expression was refused" } };

/**
 * Parses and checks the expressions of a load, or of several loads by one reader. Equal texts are parsed and checked
 * once: policy sets repeat themselves, and exported variables are checked again for each policy that imports them.
 */
export class ExpressionCache {
  /** The level of the policy language that the expressions are in. */
  readonly level: CerbosLevel;
  /** Expressions by text, checked as if all variables and constants that they read were defined. Only texts that parse. */
  private readonly known = new Map<string, CheckedExpression>();

  constructor(level: CerbosLevel) {
    this.level = level;
  }

  /** The expression of a text scalar. Syntax errors go to `log`. */
  read(node: ScalarNode, file: Source, log: IssueLog): Expression {
    const source = String(node.data);
    if (source.length > MAX_EXPRESSION_LENGTH) {
      log.error(
        "too_large",
        file.position(node.start),
        `the expression is longer than ${MAX_EXPRESSION_LENGTH} characters`,
      );
      return new FileExpression(source, REFUSED, file, node);
    }
    let known = this.known.get(source);
    if (known === undefined) {
      const parsed = parseExpression(source);
      if (!parsed.ok) {
        const at = file.position(scalarOffset(file.text, node, parsed.at));
        log.error("expression", at, parsed.message, parsed.hint);
        return new FileExpression(source, REFUSED, file, node);
      }
      known = checkExpression(parsed.syntax, undefined, this.level);
      this.known.set(source, known);
    }
    return new FileExpression(source, known.ok ? known.expr : REFUSED, file, node);
  }

  /** The number of cached texts. */
  get size(): number {
    return this.known.size;
  }

  /** The variables and constants that an expression reads. */
  readsOf({ source }: Expression): DefinitionNames {
    return this.known.get(source)?.reads ?? NO_DEFINITION_NAMES;
  }

  /** Why an expression that passes the checks always fails; undefined if it need not fail. */
  staticErrorOf({ source }: Expression): StaticError | undefined {
    const known = this.known.get(source);
    return known?.ok === true ? known.expr.doom : undefined;
  }

  /** Reports the problems of an expression that can read these names. */
  check(expression: Expression, names: DefinitionNames, log: IssueLog): void {
    const known = this.known.get(expression.source);
    if (known === undefined) return;
    const { variables, constants } = known.reads;
    const isDefined = isSubset(variables, names.variables) && isSubset(constants, names.constants);
    const checked = isDefined ? known : checkedWith(expression, names, this.level);
    if (checked === undefined) return;
    for (const issue of checked.ok ? [] : checked.issues) {
      log.error(issue.code, expression.position(issue.at), issue.message, issue.hint);
    }
  }
}

/** Parses and checks an expression again, because it reads undefined names. Its syntax was not kept. */
function checkedWith(
  { source }: Expression,
  names: DefinitionNames,
  level: CerbosLevel,
): CheckedExpression | undefined {
  const parsed = parseExpression(source);
  return parsed.ok ? checkExpression(parsed.syntax, names, level) : undefined;
}

function isSubset(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  for (const item of part) if (!whole.has(item)) return false;
  return true;
}
