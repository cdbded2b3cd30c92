/** Query plans as PlanResources returns them: trees of operators, values and variables. */

import { areFinite, isList, type JsonValue } from "../../cel/json.js";
import { compareStrings } from "../../cel/text.js";

export type QueryOperand =
  | { readonly value: JsonValue }
  /** `request.resource.attr.owner`, or a variable that a `lambda` binds. */
  | { readonly variable: string }
  | { readonly expression: QueryOperation };

export interface QueryOperation {
  readonly operator: string;
  readonly operands: readonly QueryOperand[];
}

/** The resources for which an action is allowed. */
export type QueryFilter =
  | { readonly kind: "always_allowed" | "always_denied" }
  | { readonly kind: "conditional"; readonly condition: QueryOperand };

export const ALLOWED: QueryFilter = Object.freeze({ kind: "always_allowed" });
export const DENIED: QueryFilter = Object.freeze({ kind: "always_denied" });

export function operation(operator: string, operands: readonly QueryOperand[]): QueryOperand {
  return { expression: { operator, operands } };
}

const TRUE: QueryOperand = Object.freeze({ value: true });
const FALSE: QueryOperand = Object.freeze({ value: false });

function truthOf(operand: QueryOperand): boolean | undefined {
  return "value" in operand && typeof operand.value === "boolean" ? operand.value : undefined;
}

/** A filter in the form of the server's `filterDebug`. */
export function filterText(filter: QueryFilter): string {
  if (filter.kind === "conditional") return operandText(filter.condition);
  return filter.kind === "always_allowed" ? "(true)" : "(false)";
}

export function operandText(operand: QueryOperand): string {
  if ("variable" in operand) return operand.variable;
  if ("value" in operand) return valueText(operand.value);
  const { operator, operands } = operand.expression;
  return `(${operator} ${operands.map(operandText).join(" ")})`;
}

/** The JSON of a value, with NaN and the infinities by their names. */
function valueText(value: JsonValue): string {
  if (typeof value === "number") return `${value}`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(valueText).join(",")}]`;
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}:${valueText(one)}`)
    .join(",")}}`;
}

/** True if a filter has only finite numbers. The API's messages cannot carry NaN or an infinity. */
export function isFiniteFilter(filter: QueryFilter): boolean {
  return filter.kind !== "conditional" || isFiniteOperand(filter.condition);
}

function isFiniteOperand(operand: QueryOperand): boolean {
  if ("variable" in operand) return true;
  return "value" in operand ? areFinite(operand.value) : operand.expression.operands.every(isFiniteOperand);
}

/** Converts a tree to a filter, without redundant parts. */
export function filterOf(tree: QueryOperand): QueryFilter {
  const condition = simplified(tree);
  const truth = truthOf(condition);
  if (truth === undefined) return { kind: "conditional", condition };
  return truth ? ALLOWED : DENIED;
}

/** The resources that match all filters. Equal conditions occur once, in the order of their texts. */
export function allFilters(filters: readonly QueryFilter[]): QueryFilter {
  const conditions = new Map<string, QueryOperand>();
  for (const filter of filters) {
    if (filter.kind === "always_denied") return DENIED;
    if (filter.kind === "conditional") conditions.set(operandText(filter.condition), filter.condition);
  }
  const [first, ...more] = [...conditions].sort(([a], [b]) => compareStrings(a, b)).map(([, condition]) => condition);
  if (first === undefined) return ALLOWED;
  return { kind: "conditional", condition: more.length === 0 ? first : operation("and", [first, ...more]) };
}

/** The server's own simplification, which looks at each operator separately. */
function simplified(operand: QueryOperand): QueryOperand {
  if (!("expression" in operand)) return operand;
  const made = membership(operand.expression);
  if (!("expression" in made)) return made;
  const { operator, operands } = made.expression;
  if (operator === "not") return negation(operands);
  if (operator === "and" || operator === "or") return junction(operator, operands);
  return operation(operator, operands.map(simplified));
}

/** `in` with one value, or with a value that is not a list, is an equality. `in` with an empty list is false. */
function membership({ operator, operands }: QueryOperation): QueryOperand {
  const [element, container] = operands;
  if (operator !== "in" || operands.length !== 2 || element === undefined || container === undefined) {
    return operation(operator, operands);
  }
  if (!("value" in container)) return operation(operator, operands);
  const { value } = container;
  if (!isList(value)) return operation("eq", operands);
  const [only] = value;
  if (only === undefined) return FALSE;
  return value.length === 1 ? operation("eq", [element, { value: only }]) : operation(operator, operands);
}

function negation(operands: readonly QueryOperand[]): QueryOperand {
  const left = operands.map(simplified);
  const [only] = left;
  const truth = only && truthOf(only);
  return truth === undefined ? operation("not", left) : { value: !truth };
}

/** The operator of a test whether a field is there. */
export const HAS = "has";

/** Operators that err if a field is not there. */
const GUARDING: ReadonlySet<string> = new Set(["eq", "ne", "lt", "le", "gt", "ge", "in"]);

/** The field that a test for presence is about. */
function testedField(operand: QueryOperand): string | undefined {
  if (!("expression" in operand) || operand.expression.operator !== HAS) return undefined;
  const [field] = operand.expression.operands;
  return field !== undefined && "variable" in field ? field.variable : undefined;
}

/** Leaves out tests whether a field is there, beside a comparison of the field. */
function withoutGuarded(operands: readonly QueryOperand[]): readonly QueryOperand[] {
  const compared = new Set(
    operands.flatMap((operand) => {
      if (!("expression" in operand) || !GUARDING.has(operand.expression.operator)) return [];
      return operand.expression.operands.flatMap((one) => ("variable" in one ? one.variable : []));
    }),
  );
  return operands.filter((operand) => {
    const field = testedField(operand);
    return field === undefined || !compared.has(field);
  });
}

function junction(operator: "and" | "or", operands: readonly QueryOperand[]): QueryOperand {
  const decisive = operator === "or";
  const seen = new Set<string>();
  const left: QueryOperand[] = [];
  for (const operand of operands) {
    const made = simplified(operand);
    const truth = truthOf(made);
    if (truth === decisive) return decisive ? TRUE : FALSE;
    const text = operandText(made);
    if (truth !== undefined || seen.has(text)) continue;
    seen.add(text);
    left.push(made);
  }
  const stated = operator === "and" ? withoutGuarded(left) : left;
  const [only] = stated;
  if (only === undefined) return decisive ? FALSE : TRUE;
  return stated.length === 1 ? only : operation(operator, stated);
}
