/** Packs a policy set as texts: see `packed.ts`. */

import { children, type Expr } from "../cel/ast.js";
import { Spans } from "../cel/spans.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { SourcePosition } from "../policy/issue.js";
import type { Expression, ResourcePolicy } from "../policy/model.js";
import { type CompactReference, CompactWriter } from "./compact.js";
import { packTypes } from "./pack-types.js";
import {
  CONSTANT,
  EXPRESSION,
  type PackedExpression,
  type PackedHead,
  PLACE,
  type ResourceBody,
  type ResourceHead,
  SHARED,
  type Texts,
} from "./packed.js";

/** The result depends only on the policies, not on the order of their files. */
export function pack(policies: PolicySet): Texts {
  const { model, configuration } = policies;
  const packer = new Packer();
  const { resourcePolicies, principalPolicies, rolePolicies, scopePermissions, schemas } = model;
  const { writer } = packer;
  const resources = resourcePolicies.map((policy) => writer.text(bodyOf(policy)));
  const others = [...principalPolicies, ...rolePolicies].map((policy) => writer.text(policy));
  const head: PackedHead = {
    configuration,
    files: packer.files.all,
    scopePermissions: [...scopePermissions],
    resources: resourcePolicies.map(headOf),
    principals: principalPolicies.length,
    roles: rolePolicies.length,
    shared: packer.shared.all.length,
    shapes: writer.shapes,
  };
  return [
    JSON.stringify(head),
    JSON.stringify([...schemas]),
    JSON.stringify(packTypes(policies)),
    ...resources,
    ...others,
    ...packer.shared.all,
    ...packer.expressions.all,
  ];
}

function headOf({ key, version, scope, resource }: ResourcePolicy): ResourceHead {
  return [key, version, scope, resource];
}

function bodyOf({
  annotations,
  definitions,
  at,
  name,
  scopePermissions,
  rules,
  derivedRoles,
  principalSchema,
  resourceSchema,
}: ResourcePolicy): ResourceBody {
  return { annotations, definitions, at, name, scopePermissions, rules, derivedRoles, principalSchema, resourceSchema };
}

/** A list of distinct values, found by key. */
class DistinctValues<T> {
  readonly all: T[] = [];
  private readonly indexes = new Map<unknown, number>();

  /** The index of the value with this `key`; `value` makes it if it is new. Equal values must have equal keys. */
  add(key: unknown, value: () => T): number {
    const known = this.indexes.get(key);
    if (known !== undefined) return known;
    const made = value();
    const index = this.all.push(made) - 1;
    this.indexes.set(key, index);
    return index;
  }
}

class Packer {
  readonly files = new DistinctValues<string>();
  readonly expressions = new DistinctValues<string>();
  /** Objects that several policies share. Each comes after the objects that it contains. */
  readonly shared = new DistinctValues<string>();
  /** Leaves out fields that no decision reads. */
  readonly writer = new CompactWriter(
    (name, value) => this.referenceTo(name, value),
    (field) => !FOR_FINDINGS.has(field),
  );

  private referenceTo(name: string, value: object): CompactReference | undefined {
    if (isExpression(value)) return [EXPRESSION, this.expression(value)];
    if (isPosition(value)) return [PLACE, this.file(value), value.line, value.column];
    if (name === "constants" && !(value instanceof Map)) return [CONSTANT, JSON.stringify(value)];
    const isShared = name === "definitions" || "parentRoles" in value;
    return isShared ? [SHARED, this.shared.add(value, () => this.writer.text(value))] : undefined;
  }

  private file({ file }: SourcePosition): number {
    return this.files.add(file, () => file);
  }

  private expression(expression: Expression): number {
    return this.expressions.add(expression, () => {
      const { source, expr } = expression;
      const file = this.file(expression.position(0));
      const packed: PackedExpression = { source, file, places: placesOf(expression), tree: expr };
      return this.writer.text(packed);
    });
  }
}

/** Fields that only audits and reports read. */
const FOR_FINDINGS: ReadonlySet<string> = new Set(["actionPositions", "rolePositions", "versionAt"]);

/** The positions of the parts of an expression. A position that follows from the one before it is left out. */
function placesOf(expression: Expression): readonly number[] {
  const spans = new Spans(expression.source);
  const offsets = new Set([0]);
  const pending: Expr[] = [expression.expr];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    offsets.add(node.at).add(spans.of(node).start);
    pending.push(...children(node));
  }
  const places: number[] = [];
  let last: SourcePosition & { readonly offset: number } = { file: "", line: 0, column: 0, offset: 0 };
  for (const offset of [...offsets].sort((a, b) => a - b)) {
    const { file, line, column } = expression.position(offset);
    const follows = line === last.line && column - last.column === offset - last.offset;
    if (!follows) places.push(offset, line, column);
    last = { file, line, column, offset };
  }
  return places;
}

function isExpression(value: object): value is Expression {
  return "position" in value && typeof value.position === "function";
}

function isPosition(value: object): value is SourcePosition {
  return "line" in value && "column" in value && "file" in value;
}
