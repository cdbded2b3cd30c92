/**
 * The variables and constants that a policy's expressions can read. Imported and local ones share a namespace, in which
 * each name is defined once (`internal/compile/variables.go`).
 */

import type { DefinitionNames } from "../../cel/check.js";
import type { ExpressionCache } from "../expressions.js";
import type { SourcePosition } from "../issue.js";
import type { IssueLog } from "../issue-log.js";
import { type Definitions, type Expression, NO_DEFINITIONS } from "../model.js";
import type { NamedReference, RawConstant, RawDefinitions, RawVariable } from "../read/raw.js";
import type { Catalogue } from "./catalogue.js";
import { type ImportableSets, importLocationText, type RawSet } from "./importable-sets.js";
import { orderByReads } from "./order.js";

/** The context of resolving: the whole set, and the log. */
export interface ResolveContext {
  readonly catalogue: Catalogue;
  readonly expressions: ExpressionCache;
  readonly log: IssueLog;
  /** All namespaces, for checks that run after all are resolved. */
  readonly namespaces: Namespace[];
}

/** The namespace of one policy. */
export class Namespace {
  private readonly variables: ReadonlyMap<string, RawVariable>;
  private readonly constants: ReadonlyMap<string, RawConstant>;
  private readonly order: readonly string[];
  private readonly names: DefinitionNames;
  private readonly resolving: ResolveContext;
  /** Whether an import is missing. It may define names that seem undefined. */
  private readonly incomplete: boolean;
  /** The definitions that expressions of this policy read. */
  readonly used = new Set<NamedReference>();
  readonly imports: readonly Import[];

  constructor(raw: RawDefinitions, resolving: ResolveContext) {
    this.resolving = resolving;
    const { catalogue, log } = resolving;
    const variables = gather(catalogue.exportVariables, raw.variableImports, (set) => set.variables, log);
    const constants = gather(catalogue.exportConstants, raw.constantImports, (set) => set.constants, log);
    this.imports = [...variables.imports, ...constants.imports];
    this.incomplete = variables.incomplete || constants.incomplete;
    this.variables = define("variable", [...variables.found, ...raw.variables.map(local)], log);
    this.constants = define("constant", [...constants.found, ...raw.constants.map(local)], log);
    this.names = { variables: new Set(this.variables.keys()), constants: new Set(this.constants.keys()) };
    for (const variable of this.variables.values()) this.check(variable.expr);
    this.order = this.ordered();
    resolving.namespaces.push(this);
  }

  /** Reports the problems of an expression of this policy. */
  check(expression: Expression): void {
    const { expressions, log } = this.resolving;
    expressions.check(expression, this.incomplete ? this.withReadsOf(expression) : this.names, log);
  }

  /** The definitions that these expressions read, directly or through variables. */
  definitionsFor(readers: readonly Expression[]): Definitions {
    const variables = new Set<string>();
    const constants = new Set<string>();
    const pending = [...readers];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const reads = this.resolving.expressions.readsOf(next);
      for (const name of reads.constants) {
        constants.add(name);
        const constant = this.constants.get(name);
        if (constant !== undefined) this.used.add(constant);
      }
      for (const name of reads.variables) {
        const variable = this.variables.get(name);
        if (variable === undefined || variables.has(name)) continue;
        variables.add(name);
        if (!this.used.has(variable)) this.checkPlannable(variable);
        this.used.add(variable);
        pending.push(variable.expr);
      }
    }
    if (variables.size === 0 && constants.size === 0) return NO_DEFINITIONS;
    return {
      constants: new Map(
        [...this.constants].filter(([name]) => constants.has(name)).map(([name, c]) => [name, c.value]),
      ),
      variables: new Map(this.order.filter((name) => variables.has(name)).flatMap((name) => this.variable(name))),
    };
  }

  /** The server plans the variables that rules read when it starts. It does not start if it cannot plan one. */
  private checkPlannable({ expr }: RawVariable): void {
    const { expressions, log } = this.resolving;
    const doom = expressions.staticErrorOf(expr);
    if (doom === undefined) return;
    const message = `no server starts with a variable that always fails: ${doom.message}`;
    log.error("unsupported", expr.position(doom.at), message, "rewrite this part");
  }

  private variable(name: string): readonly (readonly [string, Expression])[] {
    const variable = this.variables.get(name);
    return variable === undefined ? [] : [[name, variable.expr]];
  }

  private ordered(): readonly string[] {
    const { expressions, log } = this.resolving;
    const reads = new Map([...this.variables].map(([name, v]) => [name, expressions.readsOf(v.expr).variables]));
    const { ordered, cycles } = orderByReads(reads);
    for (const cycle of cycles) {
      const at = this.variables.get(cycle[0] ?? "")?.at;
      if (at !== undefined) log.error("cyclic_variable", at, cycleMessage(cycle));
    }
    return ordered;
  }

  private withReadsOf(expression: Expression): DefinitionNames {
    const reads = this.resolving.expressions.readsOf(expression);
    return {
      variables: new Set([...this.names.variables, ...reads.variables]),
      constants: new Set([...this.names.constants, ...reads.constants]),
    };
  }
}

function cycleMessage(cycle: readonly string[]): string {
  const [first] = cycle;
  if (cycle.length === 1) return `the variable "${first}" reads itself`;
  return `variables read each other in a circle: ${[...cycle, first].join(" → ")}`;
}

/** A definition, and the position that brings it into the policy: its own, or that of the import. */
interface ImportedDefinition<T> {
  readonly definition: T;
  readonly broughtAt: SourcePosition;
}

function local<T extends NamedReference>(definition: T): ImportedDefinition<T> {
  return { definition, broughtAt: definition.at };
}

/** An import of a policy, and the definitions that it brings. */
export interface Import {
  readonly reference: NamedReference;
  readonly brings: readonly NamedReference[];
}

interface Gathered<T> {
  readonly found: readonly ImportedDefinition<T>[];
  readonly imports: readonly Import[];
  readonly incomplete: boolean;
}

function gather<S extends RawSet, T extends NamedReference>(
  library: ImportableSets<S>,
  imports: readonly NamedReference[],
  definitionsOf: (set: S) => readonly T[],
  log: IssueLog,
): Gathered<T> {
  const found: ImportedDefinition<T>[] = [];
  const brought: Import[] = [];
  let incomplete = false;
  for (const reference of imports) {
    const set = library.import(reference, log);
    if (set === undefined) {
      incomplete = true;
      continue;
    }
    log.addAll(set.faults.issues);
    const brings = definitionsOf(set);
    brought.push({ reference, brings });
    for (const definition of brings) found.push({ definition, broughtAt: reference.at });
  }
  return { found, imports: brought, incomplete };
}

function define<T extends NamedReference>(
  noun: string,
  all: readonly ImportedDefinition<T>[],
  log: IssueLog,
): ReadonlyMap<string, T> {
  const defined = new Map<string, T>();
  for (const { definition, broughtAt } of all) {
    const { name } = definition;
    const first = defined.get(name);
    if (first === undefined) defined.set(name, definition);
    else
      log.error(
        "duplicate",
        broughtAt,
        `the ${noun} "${name}" is defined twice: first at ${importLocationText(first)}`,
      );
  }
  return defined;
}
