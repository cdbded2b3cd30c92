/** CEL expressions as they stand in policy files. */

import type { Expr } from "../cel/ast.js";
import { checkExpression, type ExpressionIssue, type Names } from "../cel/check.js";
import { readsOf } from "../cel/facts.js";
import { MAX_EXPRESSION_LENGTH } from "../cel/limits.js";
import { parseExpression } from "../cel/parse.js";
import type { CelVersion } from "../cel/versions.js";
import type { Position } from "./issue.js";
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
  /** By offset: finding one reads the text from its beginning, and evaluations that err ask again and again. */
  private positions: Map<number, Position> | undefined = undefined;

  constructor(source: string, expr: Expr, file: Source, node: ScalarNode) {
    this.source = source;
    this.expr = expr;
    this.file = file;
    this.node = node;
  }

  position(offset: number): Position {
    this.positions ??= new Map();
    const known = this.positions.get(offset);
    if (known !== undefined) return known;
    const position = this.file.position(scalarOffset(this.file.text, this.node, offset));
    this.positions.set(offset, position);
    return position;
  }
}

/** Stands in for an expression that does not parse, so that the rest of its policy can still be checked. */
const UNREADABLE: Expr = { kind: "literal", at: 0, value: true };

/**
 * Parses and checks the expressions of one load. Equal text is parsed and checked once: policy sets repeat
 * themselves, and exported variables are checked again for every policy that imports them.
 */
export class Expressions {
  private readonly version: CelVersion;
  private readonly parsed = new Map<string, ReturnType<typeof parseExpression>>();
  private readonly reads = new Map<Expr, Names>();
  private readonly checked = new Map<Expr, readonly ExpressionIssue[]>();

  constructor(version: CelVersion) {
    this.version = version;
  }

  /** The expression of a text scalar; what is wrong with it goes to `log`. */
  read(node: ScalarNode, file: Source, log: IssueLog): Expression {
    const source = String(node.data);
    if (source.length > MAX_EXPRESSION_LENGTH) {
      log.error(
        "too_large",
        file.position(node.start),
        `the expression is longer than ${MAX_EXPRESSION_LENGTH} characters`,
      );
      return new FileExpression(source, UNREADABLE, file, node);
    }
    let parsed = this.parsed.get(source);
    if (parsed === undefined) {
      parsed = parseExpression(source, this.version);
      this.parsed.set(source, parsed);
    }
    if (parsed.ok) return new FileExpression(source, parsed.expr, file, node);
    const at = file.position(scalarOffset(file.text, node, parsed.at));
    log.error("expression", at, parsed.message);
    return new FileExpression(source, UNREADABLE, file, node);
  }

  readsOf(expr: Expr): Names {
    let reads = this.reads.get(expr);
    if (reads === undefined) {
      reads = readsOf(expr);
      this.reads.set(expr, reads);
    }
    return reads;
  }

  /** Checks an expression against the names that it can read. */
  check(expression: Expression, names: Names, log: IssueLog): void {
    for (const issue of this.issuesOf(expression.expr, names)) {
      log.error(issue.code, expression.position(issue.at), issue.message, issue.hint);
    }
  }

  /** If all that the expression reads is defined, which names there are besides makes no difference. */
  private issuesOf(expr: Expr, names: Names): readonly ExpressionIssue[] {
    const reads = this.readsOf(expr);
    if (!isSubset(reads.variables, names.variables) || !isSubset(reads.constants, names.constants)) {
      return checkExpression(expr, names, this.version);
    }
    let issues = this.checked.get(expr);
    if (issues === undefined) {
      issues = checkExpression(expr, names, this.version);
      this.checked.set(expr, issues);
    }
    return issues;
  }
}

function isSubset(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  for (const item of part) if (!whole.has(item)) return false;
  return true;
}
