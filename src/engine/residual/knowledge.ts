/** What is known of a request before its row is: the principal, the time, and some attributes of the resource. */

import type { Expr } from "../../cel/ast.js";
import { type Code, type CompileEnv, compile, Slots } from "../../cel/compile.js";
import { isExhausted, spend } from "../../cel/evaluation.js";
import { FunctionSet } from "../../cel/functions/functions.js";
import { keepShapeAlive } from "../../cel/keep-alive.js";
import type { TypeDeclaration } from "../../cel/type-declaration.js";
import type { JsonMap, Timestamp } from "../../cel/values.js";
import type { Definitions } from "../../policy/model.js";
import { Activation, NO_TYPES } from "../evaluate/activation.js";
import { compileDefinitions } from "../evaluate/definitions.js";

import type { DeclaredAttributeTypes, PrincipalInput, ResourceInput } from "../plan/subjects.js";
import { ERROR, literal, UNKNOWN } from "./residue.js";

/** The code of what is known in plans of one layer. It is the same for each. */
export class KnownCode {
  readonly functions: FunctionSet;
  private readonly slots = new Slots();
  private readonly envs = new Map<Definitions, CompileEnv>();
  private readonly codes = new Map<Definitions, Map<Expr, Code>>();

  constructor(functions: FunctionSet) {
    this.functions = functions;
  }

  /** What names stand for. */
  env(definitions: Definitions): CompileEnv {
    const known = this.envs.get(definitions);
    if (known !== undefined) return known;
    const made = compileDefinitions(this.functions, definitions, this.slots, String(this.envs.size), "error");
    this.envs.set(definitions, made);
    return made;
  }

  /** The code of an expression, or of a part of one, as a policy has it. */
  of(expr: Expr, definitions: Definitions): Code {
    const codes = this.codes.get(definitions) ?? new Map<Expr, Code>();
    this.codes.set(definitions, codes);
    const known = codes.get(expr);
    if (known !== undefined) return known;
    const made = compile(expr, this.env(definitions));
    codes.set(expr, made);
    return made;
  }
}

/** What evaluates what is known in plans of one layer. */
export interface Evaluator {
  readonly code: KnownCode;
  /**
   * There is one for all plans of a layer, one after the other: nothing that is read in it asks for a plan, since a request
   * is a copy.
   */
  readonly activation: Activation;
  readonly globals: JsonMap;
  /** What is declared of the attributes that a plan reads. */
  readonly types: DeclaredAttributeTypes;
  /** What finding out what is known may take. */
  readonly steps: number;
}

/** What is known, by which plans are asked for rows. */
export interface Known {
  /** With what is the same for every row. */
  readonly resource: ResourceInput;
  /** Whether all rows have the id of `resource`; otherwise each has one of its own. */
  readonly knowsId: boolean;
  readonly now: Timestamp | undefined;
}

export class Knowledge {
  readonly principal: PrincipalInput;
  readonly known: Known;
  readonly evaluator: Evaluator;
  /** Begun with what is known. */
  readonly activation: Activation;
  private hasReadClock = false;

  constructor(principal: PrincipalInput, known: Known, evaluator: Evaluator) {
    const { activation, globals, types, steps } = evaluator;
    this.principal = principal;
    this.known = known;
    this.evaluator = evaluator;
    this.activation = activation;
    activation.begin(principal, known.resource, known.now, globals, types);
    activation.steps = steps;
  }

  /** Lets go of the request: what has begun after this one has to be ended before. */
  end(): void {
    this.activation.end();
  }

  get code(): KnownCode {
    return this.evaluator.code;
  }

  get knowsId(): boolean {
    return this.known.knowsId;
  }

  /** What is declared of the attributes of the resource. */
  get declared(): TypeDeclaration | undefined {
    return this.evaluator.types.resource;
  }

  /** Whether some attribute of the resource is known. */
  get knowsAny(): boolean {
    return Object.keys(this.known.resource.attr).length > 0;
  }

  /** Whether an attribute of the resource is known, for every row. */
  knows(name: string | undefined): boolean {
    return name !== undefined && Object.hasOwn(this.known.resource.attr, name);
  }

  /** Whether something was found out by the clock. */
  get readsClock(): boolean {
    return this.hasReadClock || this.activation.readsClock;
  }

  /** The value of an expression that reads what is known alone. */
  evaluate(code: Code): Expr {
    const value = code(this.activation);
    if (this.isExhausted) return UNKNOWN;
    return value === undefined ? ERROR : literal(value);
  }

  /** Pays some steps; false if there are fewer left. */
  pays(cost: number): boolean {
    return spend(this.activation, cost);
  }

  /** Pays for passes of a macro, each of which makes an expression of its own. */
  spendOnPasses(passes: number, weight: number): boolean {
    return this.pays(passes * weight * COST_OF_PASS);
  }

  /** Whether what is being found out takes more than the budget. Then nothing is found out of it. */
  get isExhausted(): boolean {
    return isExhausted(this.activation);
  }

  /** Gives what is found out next a budget of its own, if this one is spent. */
  renew(): void {
    if (!this.isExhausted) return;
    this.hasReadClock = this.readsClock;
    this.activation.restart();
    this.activation.steps = this.evaluator.steps;
  }

  /** Whether something is declared of what is in an attribute, so that to read it whole is more than to read a part. */
  hasParts(path: readonly string[]): boolean {
    return declaredAt(this.declared, path)?.hasParts === true;
  }
}

const NOBODY = { id: "", roles: [], attr: {}, scope: "" };
const NOTHING: Known = { resource: { ...NOBODY, kind: "" }, knowsId: false, now: undefined };
const NO_CODE = new KnownCode(new FunctionSet([]));
const ANY = { code: NO_CODE, activation: new Activation(), globals: {}, types: NO_TYPES, steps: 0 };
keepShapeAlive(new Knowledge(NOBODY, NOTHING, ANY));

/** How much more a pass costs that is written out than one that is made: each compiles some code. */
const COST_OF_PASS = 8;

export function declaredAt(root: TypeDeclaration | undefined, path: readonly string[]): TypeDeclaration | undefined {
  let declared = root;
  for (const name of path) declared = declared?.member(name);
  return declared;
}
