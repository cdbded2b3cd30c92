/**
 * Finds operands that cannot decide alone, by trying every combination of the attributes that schemas restrict to listed
 * values.
 *
 * INVARIANT (no false exemption): an operand that also reads something else may have either value, independent of the
 * others. An attribute that is absent or of another type is an error. Putting a value in place of an error takes no
 * decision away from another operand. So every combination that can occur is among those tried.
 */

import { type CompileEnv, compile, Slots } from "../../cel/compile.js";
import { usageOf } from "../../cel/expression-usage.js";
import { FUNCTIONS } from "../../cel/functions/registry.js";
import { decidingOperands, type OperandTree, only, operandsIn, type PossibleValues } from "../../cel/operand-tree.js";
import { ATTRIBUTES } from "../../cel/roots.js";
import {
  type AttributeDeclarations,
  declaredAt,
  KIND,
  matchesDeclaration,
  type TypeDeclaration,
} from "../../cel/type-declaration.js";
import { type CelValue, isPlain, type JsonMap, type JsonScalar } from "../../cel/values.js";
import { Activation } from "../../engine/evaluate/activation.js";
import { compileDefinitions } from "../../engine/evaluate/definitions.js";
import type { ConditionOperand } from "../../policy/condition-operands.js";
import type { Definitions } from "../../policy/model.js";
import { reachable } from "../../policy/policy-expressions.js";

/** The values of an operand with which it can decide alone. */
export type DecisiveValues = PossibleValues;

export interface OperandReads {
  readonly definitions: Definitions;
  readonly principalSchema: string | undefined;
  readonly resourceSchema: string | undefined;
}

/** The most combinations of values to try for a tree. */
const MAX_COMBINATIONS = 4_096;

const EITHER: PossibleValues = { true: true, false: true };

export class OperandSearch {
  private readonly declarations: AttributeDeclarations | undefined;
  private readonly envs = new Map<Definitions, CompileEnv>();
  private readonly activation = new Activation();

  /** `declarations`: undefined if reads of attributes are not held to the schemas. */
  constructor(declarations: AttributeDeclarations | undefined) {
    this.declarations = declarations;
  }

  /** For each operand of a tree, in order. An operand for which nothing is found has both values. */
  decisiveValues(tree: OperandTree<ConditionOperand>, context: OperandReads): readonly DecisiveValues[] {
    const operands = operandsIn(tree);
    const known = this.listedReads(operands, context);
    const env = this.env(context.definitions);
    const codes = operands.map(({ expr }, i) => (known.operands.has(i) ? compile(expr, env) : undefined));
    const found = operands.map(() => ({ true: false, false: false }));
    for (const combination of combinations([...known.attributes.values()])) {
      this.begin(combination);
      const possible = codes.map((code) => (code === undefined ? EITHER : only(booleanOf(code(this.activation)))));
      for (const [i, decides] of decidingOperands(tree, possible).entries()) {
        const [values, one] = [possible[i], found[i]];
        if (!decides || values === undefined || one === undefined) continue;
        one.true ||= values.true;
        one.false ||= values.false;
      }
    }
    return found;
  }

  /** The operands that read nothing but attributes with listed values, and those attributes. */
  private listedReads(operands: readonly ConditionOperand[], context: OperandReads): ListedReads {
    const attributes = new Map<string, ListedAttribute>();
    const indexes = new Set<number>();
    let count = 1;
    for (const [i, { expr }] of operands.entries()) {
      const read = this.attributesOf(expr, context);
      if (read === undefined) continue;
      const added = [...read].filter(([name]) => !attributes.has(name));
      const more = added.reduce((product, [, { values }]) => product * values.length, count);
      if (more > MAX_COMBINATIONS) continue;
      count = more;
      indexes.add(i);
      for (const [name, attribute] of added) attributes.set(name, attribute);
    }
    return { operands: indexes, attributes };
  }

  /** Undefined if the operand reads something else. */
  private attributesOf(
    expr: ConditionOperand["expr"],
    { definitions, ...schemas }: OperandReads,
  ): ReadonlyMap<string, ListedAttribute> | undefined {
    const attributes = new Map<string, ListedAttribute>();
    for (const part of reachable({ expressions: [{ expr }], definitions })) {
      const { reads, needsTime } = usageOf(part.expr);
      if (needsTime) return undefined;
      for (const { root, path, has } of reads) {
        const index = SUBJECTS.get(root);
        const ref = index === ATTRIBUTES.principal ? schemas.principalSchema : schemas.resourceSchema;
        const declared = ref === undefined ? undefined : declaredAt(this.declarations?.at(ref), path);
        const values = declared === undefined ? undefined : listedValues(declared);
        if (has || index === undefined || values === undefined) return undefined;
        attributes.set(JSON.stringify([root, ...path]), { index, path, values });
      }
    }
    return attributes;
  }

  private begin(attributes: readonly AttributeValue[]): void {
    const { activation } = this;
    activation.restart();
    for (const index of SUBJECTS.values()) activation.attributes[index] = mapOf(attributes, index);
  }

  private env(definitions: Definitions): CompileEnv {
    const known = this.envs.get(definitions);
    const env = known ?? compileDefinitions(FUNCTIONS, definitions, new Slots(), "", "error");
    this.envs.set(definitions, env);
    return env;
  }
}

interface ListedAttribute {
  /** Into `Evaluation.attributes`. */
  readonly index: number;
  readonly path: readonly string[];
  readonly values: readonly JsonScalar[];
}

interface AttributeValue extends Omit<ListedAttribute, "values"> {
  readonly value: JsonScalar;
}

interface ListedReads {
  readonly operands: ReadonlySet<number>;
  /** By name. */
  readonly attributes: ReadonlyMap<string, ListedAttribute>;
}

const SUBJECTS: ReadonlyMap<string, number> = new Map([
  ["P.attr", ATTRIBUTES.principal],
  ["R.attr", ATTRIBUTES.resource],
]);

/** The values that a declaration lists; undefined if it allows others. */
function listedValues(declared: TypeDeclaration): readonly JsonScalar[] | undefined {
  const { scalars, listed, kinds } = declared;
  if (scalars !== undefined && listed.length === 0) {
    return [...scalars].filter((value) => matchesDeclaration(value, declared));
  }
  return scalars === undefined && kinds === KIND.boolean ? [true, false] : undefined;
}

function* combinations([first, ...rest]: readonly ListedAttribute[]): Iterable<readonly AttributeValue[]> {
  if (first === undefined) {
    yield [];
    return;
  }
  const { index, path, values } = first;
  for (const others of combinations(rest)) for (const value of values) yield [{ index, path, value }, ...others];
}

function mapOf(attributes: readonly AttributeValue[], index: number): JsonMap {
  const map: { [name: string]: CelValue } = {};
  for (const { path, value } of attributes.filter((one) => one.index === index)) put(map, path, value);
  return map;
}

function put(map: { [name: string]: CelValue }, [name, ...rest]: readonly string[], value: JsonScalar): void {
  if (name === undefined) return;
  let to: CelValue = value;
  if (rest.length > 0) {
    const inner: { [name: string]: CelValue } = {};
    const before = map[name];
    if (isJsonMap(before)) Object.assign(inner, before);
    put(inner, rest, value);
    to = inner;
  }
  Object.defineProperty(map, name, { value: to, enumerable: true, configurable: true, writable: true });
}

function isJsonMap(value: CelValue | undefined): value is JsonMap {
  return typeof value === "object" && value !== null && isPlain(value);
}

function booleanOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}
