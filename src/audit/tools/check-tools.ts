/** Checks the tools of an MCP server, as `tools/list` gives them, against policies. */

import { children, type Syntax } from "../../cel/ast.js";
import { isObject, type JsonObject, type JsonValue } from "../../cel/json.js";
import { parseExpression } from "../../cel/parse.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Layer } from "../../engine/evaluate/layer.js";
import type { SourcePosition } from "../../policy/issue.js";
import { compareText } from "../../policy/issue-log.js";
import { Source } from "../../policy/text/source.js";
import { operationsOf, rolesNamed } from "../findings/findings.js";
import type { OperationFacts } from "../operations/types.js";

export type ToolFindingCode =
  | "tool_without_mapping" // no mapping to an operation: a guard refuses each call
  | "mapping" // a mapping of another form, or an expression that does not parse
  | "unknown_argument" // an expression reads an argument that the input schema does not have
  | "unknown_operation" // no policy knows the operation on the kind
  | "unchecked_operation" // the operation or the kind is an expression
  | "read_only_hint"; // the tool says that it only reads, and some roles may read but not do this

export interface ToolFinding extends SourcePosition {
  readonly severity: "error" | "warning";
  readonly code: ToolFindingCode;
  /** The tool's name. */
  readonly tool: string;
  readonly message: string;
}

const MAPPING = "x-authzen-mapping";

/**
 * The findings about the tools in `text`: the JSON of an answer to `tools/list`, of its result, or of the list itself.
 * Undefined for any other text. A tool's mapping to an operation is `x-authzen-mapping` in its input schema.
 */
export function toolFindings(policies: PolicySet, path: string, text: string): readonly ToolFinding[] | undefined {
  const tools = toolsIn(text);
  if (tools === undefined) return undefined;
  const checker = new ToolChecker(policies, new Source(path, text));
  return tools.flatMap((tool) => checker.tool(tool));
}

function toolsIn(text: string): readonly JsonObject[] | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    const result = isObject(value) && value.result !== undefined ? value.result : value;
    const tools = isObject(result) ? result.tools : result;
    return Array.isArray(tools) && tools.every(isTool) ? tools.filter(isObject) : undefined;
  } catch {
    return undefined;
  }
}

function isTool(value: JsonValue): boolean {
  return isObject(value) && typeof value.name === "string";
}

class ToolChecker {
  private readonly policies: PolicySet;
  private readonly source: Source;
  private readonly operations: readonly OperationFacts[];
  private from = 0;

  constructor(policies: PolicySet, source: Source) {
    this.policies = policies;
    this.source = source;
    this.operations = operationsOf(policies, rolesNamed(policies));
  }

  tool(tool: JsonObject): readonly ToolFinding[] {
    const name = String(tool.name);
    // Tools stand in the order of the text.
    const at = this.source.text.indexOf(JSON.stringify(name), this.from);
    this.from = Math.max(this.from, at);
    const finding = (
      severity: ToolFinding["severity"],
      code: ToolFindingCode,
      message: string,
      offset = this.from,
    ) => ({
      severity,
      code,
      tool: name,
      message: `${name}: ${message}`,
      ...this.source.position(offset),
    });
    const schema = isObject(tool.inputSchema) ? tool.inputSchema : {};
    const mapping = schema[MAPPING] ?? tool[MAPPING];
    if (mapping === undefined) {
      const message = `the tool has no mapping to an operation, so a guard refuses each call: add ${MAPPING} to its input schema`;
      return [finding("error", "tool_without_mapping", message)];
    }
    const evaluations = evaluationsOf(mapping);
    if (evaluations === undefined) {
      return [finding("error", "mapping", `${MAPPING} must have exactly one of evaluation and evaluations`)];
    }
    const expressions = textsIn(mapping).flatMap((text) => this.expression(text, schema, finding));
    return [...expressions, ...evaluations.flatMap((one) => this.evaluation(one, tool, finding))];
  }

  private expression(
    text: string,
    schema: JsonObject,
    finding: (severity: "error", code: ToolFindingCode, message: string, offset?: number) => ToolFinding,
  ): readonly ToolFinding[] {
    if (!text.startsWith("$") || text.startsWith("$$")) return [];
    const quoted = this.source.text.indexOf(JSON.stringify(text), this.from);
    const start = quoted < 0 ? this.from : quoted + 2;
    const parsed = parseExpression(text.slice(1));
    if (!parsed.ok) return [finding("error", "mapping", `${text}: ${parsed.message}`, start + parsed.at)];
    return argumentsIn(parsed.syntax).flatMap(({ path, at }) => {
      const missing = missingIn(path, schema);
      if (missing === undefined) return [];
      const message = `${text} reads the argument ${JSON.stringify(missing)}, which the input schema does not have`;
      return [finding("error", "unknown_argument", message, start + at)];
    });
  }

  private evaluation(
    evaluation: JsonObject,
    tool: JsonObject,
    finding: (severity: ToolFinding["severity"], code: ToolFindingCode, message: string) => ToolFinding,
  ): readonly ToolFinding[] {
    const operation = isObject(evaluation.action) ? evaluation.action.name : undefined;
    const kind = isObject(evaluation.resource) ? evaluation.resource.type : undefined;
    if (typeof operation !== "string" || typeof kind !== "string") {
      return [finding("error", "mapping", "the mapping needs action.name and resource.type")];
    }
    if ([operation, kind].some((text) => text.startsWith("$") && !text.startsWith("$$"))) {
      return [
        finding("warning", "unchecked_operation", "the operation or the kind is an expression, so it is not checked"),
      ];
    }
    const { permission, platform } = this.policies;
    const knows = ({ known }: Layer) => known.names(kind, operation) || known.mayAllow(kind, operation);
    const unknowing = !knows(permission) ? "permission" : platform !== undefined && !knows(platform) ? "platform" : "";
    if (unknowing !== "") {
      return [
        finding("error", "unknown_operation", `no policy of the ${unknowing} layer knows ${operation} on ${kind}`),
      ];
    }
    const { annotations } = tool;
    if (!isObject(annotations) || annotations.readOnlyHint !== true) return [];
    const reader = this.readerWithout(kind, operation);
    if (reader === undefined) return [];
    const message = `readOnlyHint is true, but the role ${reader} may do other operations on ${kind} and not ${operation}`;
    return [finding("warning", "read_only_hint", message)];
  }

  /** A role that may do some operations on a kind by its own rules, and never this one. */
  private readerWithout(kind: string, operation: string): string | undefined {
    const ofKind = this.operations.filter((one) => one.kind === kind);
    const rolesOf = (facts: readonly OperationFacts[]) =>
      facts.flatMap(({ scopes }) => scopes.flatMap(({ cells }) => cells.filter(({ through }) => through === "role")));
    const able = new Set(rolesOf(ofKind.filter((one) => one.operation === operation)).map(({ role }) => role));
    const others = rolesOf(ofKind).map(({ role }) => role);
    return [...new Set(others)].filter((role) => !able.has(role)).sort(compareText)[0];
  }
}

function evaluationsOf(mapping: JsonValue): readonly JsonObject[] | undefined {
  if (!isObject(mapping)) return undefined;
  const { evaluation, evaluations } = mapping;
  if (isObject(evaluation) && evaluations === undefined) return [evaluation];
  if (evaluation !== undefined) return undefined;
  const { evaluations: list, ...defaults } = isObject(evaluations) ? evaluations : { evaluations };
  if (!Array.isArray(list) || list.length === 0 || !list.every(isObject)) return undefined;
  return list.map((one) => ({ ...defaults, ...one }));
}

/** The texts in a value, at any depth. */
function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

interface ArgumentRead {
  readonly path: readonly string[];
  readonly at: number;
}

/** The reads of `params`; those of `.?` may be absent. */
function argumentsIn(syntax: Syntax): readonly ArgumentRead[] {
  const path: string[] = [];
  let node = syntax;
  while (node.kind === "select") {
    path.unshift(node.field);
    node = node.operand;
  }
  if (node.kind === "ident") return node.name === "params" && path.length > 0 ? [{ path, at: node.at }] : [];
  return children(node).flatMap(argumentsIn);
}

/** The first name of a path that the schema does not have. `params.arguments.x` is the same as `params.x`. */
function missingIn([first = "", ...rest]: readonly string[], schema: JsonObject): string | undefined {
  const { properties } = schema;
  if (!isObject(properties)) return first;
  if (first === "arguments" && properties.arguments === undefined) {
    return rest.length === 0 ? undefined : missingIn(rest, schema);
  }
  const inner = properties[first];
  if (inner === undefined) return first;
  return rest.length > 0 && isObject(inner) && isObject(inner.properties) ? missingIn(rest, inner) : undefined;
}
