/** The part of a request that is known before its row: the principal, the time, and some attributes of the resource. */

import type { Expr } from "../../cel/ast.js";
import { type Code, type CompileEnv, compile, Slots } from "../../cel/compile.js";
import { isExhausted, spend } from "../../cel/evaluation.js";
import { FunctionSet } from "../../cel/functions/functions.js";
import { keepShapeAlive } from "../../cel/keep-alive.js";
import { declaredAt, type TypeDeclaration } from "../../cel/type-declaration.js";
import type { JsonMap, Timestamp } from "../../cel/values.js";
import type { Definitions } from "../../policy/model.js";
import { Activation, NO_TYPES } from "../evaluate/activation.js";
import { compileDefinitions } from "../evaluate/definitions.js";

import type { DeclaredAttributeTypes, PrincipalInput, ResourceInput } from "../plan/subjects.js";
import { ERROR, literal, UNKNOWN } from "./residual-expression.js";

/** Compiled code for known expressions. All plans of a layer share it. */
export class KnownCode {
  readonly functions: FunctionSet;
  private readonly slots = new Slots();
  private readonly envs = new Map<Definitions, CompileEnv>();
  private readonly codes = new Map<Definitions, Map<Expr, Code>>();

  constructor(functions: FunctionSet) {
    this.functions = functions;
  }

  /** The compile environment of some definitions. */
  env(definitions: Definitions): CompileEnv {
    const known = this.envs.get(definitions);
    if (known !== undefined) return known;
    const made = compileDefinitions(this.functions, definitions, this.slots, String(this.envs.size), "error");
    this.envs.set(definitions, made);
    return made;
  }

  /** The code of a policy's expression, or of a part of one. */
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

/** The means to evaluate known expressions in the plans of one layer. */
export interface KnownEvaluator {
  readonly code: KnownCode;
  /**
   * All plans of a layer use one activation, one after the other. Reading a value cannot start another plan, because a
   * request is a copy.
   */
  readonly activation: Activation;
  readonly globals: JsonMap;
  /** The declarations of the attributes that a plan reads. */
  readonly types: DeclaredAttributeTypes;
  /** The step budget for computing known values. */
  readonly steps: number;
}

/** The known part of a request for rows. */
export interface KnownRequestPart {
  /** With the attributes that are the same for every row. */
  readonly resource: ResourceInput;
  /** Whether every row has the id of `resource`. Otherwise each row has an id of its own. */
  readonly knowsId: boolean;
  /** Whether query plans know the version of the resource's policies, as those of Cerbos 0.58. */
  readonly knowsVersion?: boolean;
  readonly now: Timestamp | undefined;
}

export class KnownRequest {
  readonly principal: PrincipalInput;
  readonly known: KnownRequestPart;
  readonly evaluator: KnownEvaluator;
  /** Begun with the known part of the request. */
  readonly activation: Activation;
  private hasReadClock = false;

  constructor(principal: PrincipalInput, known: KnownRequestPart, evaluator: KnownEvaluator) {
    const { activation, globals, types, steps } = evaluator;
    this.principal = principal;
    this.known = known;
    this.evaluator = evaluator;
    this.activation = activation;
    activation.begin(principal, known.resource, known.now, globals, types);
    activation.steps = steps;
  }

  /** Releases the request. If another one was begun after this one, it must be ended first. */
  end(): void {
    this.activation.end();
  }

  get code(): KnownCode {
    return this.evaluator.code;
  }

  get knowsId(): boolean {
    return this.known.knowsId;
  }

  get knowsVersion(): boolean {
    return this.known.knowsVersion === true;
  }

  /** The declarations of the resource's attributes. */
  get declared(): TypeDeclaration | undefined {
    return this.evaluator.types.resource;
  }

  /** Whether any attribute of the resource is known. */
  get knowsAny(): boolean {
    return Object.keys(this.known.resource.attr).length > 0;
  }

  /** Whether an attribute of the resource is known, and the same for every row. */
  knows(name: string | undefined): boolean {
    return name !== undefined && Object.hasOwn(this.known.resource.attr, name);
  }

  /** Whether any value was computed from the clock. */
  get readsClock(): boolean {
    return this.hasReadClock || this.activation.readsClock;
  }

  /** The value of an expression that reads only known values. */
  evaluate(code: Code): Expr {
    const value = code(this.activation);
    if (this.isExhausted) return UNKNOWN;
    return value === undefined ? ERROR : literal(value);
  }

  /** Pays some steps; false if there are fewer left. */
  pays(cost: number): boolean {
    return spend(this.activation, cost);
  }

  /** Pays for passes of a macro that are written out: each pass becomes an expression of its own. */
  spendOnPasses(passes: number, weight: number): boolean {
    return this.pays(passes * weight * COST_OF_PASS);
  }

  /** Whether the step budget is exhausted. If so, the result is unknown. */
  get isExhausted(): boolean {
    return isExhausted(this.activation);
  }

  /** Gives the next evaluation a step budget of its own if the current one is exhausted. */
  renew(): void {
    if (!this.isExhausted) return;
    this.hasReadClock = this.readsClock;
    this.activation.restart();
    this.activation.steps = this.evaluator.steps;
  }

  /**
   * Whether the contents of an attribute have a declaration, so that reading it as a whole checks more than reading a
   * part.
   */
  hasParts(path: readonly string[]): boolean {
    return declaredAt(this.declared, path)?.hasParts === true;
  }
}

const NOBODY = { id: "", roles: [], attr: {}, scope: "" };
const NOTHING: KnownRequestPart = { resource: { ...NOBODY, kind: "" }, knowsId: false, now: undefined };
const NO_CODE = new KnownCode(new FunctionSet([]));
const ANY = { code: NO_CODE, activation: new Activation(), globals: {}, types: NO_TYPES, steps: 0 };
keepShapeAlive(new KnownRequest(NOBODY, NOTHING, ANY));

/** A pass that is written out costs this many times one that is run, because each compiles some code. */
const COST_OF_PASS = 8;
