/** What is known of a request before its row is: the principal, the time, and some attributes of the resource. */

import type { Expr } from "../../cel/ast.js";
import { type Code, type CompileEnv, compile, Slots } from "../../cel/compile.js";
import type { Declared } from "../../cel/declared.js";
import { isExhausted, spend } from "../../cel/evaluation.js";
import type { Functions } from "../../cel/functions/functions.js";
import type { JsonMap } from "../../cel/values.js";
import type { Definitions } from "../../policy/model.js";
import type { Activation } from "../evaluate/activation.js";
import { compileDefinitions } from "../evaluate/definitions.js";
import { ERROR, literal, UNKNOWN } from "./residue.js";

/** The code of what is known in plans of one layer. It is the same for each. */
export class KnownCode {
  private readonly functions: Functions;
  private readonly slots = new Slots();
  private readonly envs = new Map<Definitions, CompileEnv>();
  private readonly codes = new Map<Definitions, Map<Expr, Code>>();

  constructor(functions: Functions) {
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

export class Knowledge {
  readonly code: KnownCode;
  /** Begun with what is known. */
  readonly activation: Activation;
  readonly knowsId: boolean;
  /** What is declared of the attributes of the resource. */
  readonly declared: Declared | undefined;
  private readonly attr: JsonMap;
  private hasReadClock = false;

  constructor(
    code: KnownCode,
    activation: Activation,
    attr: JsonMap,
    knowsId: boolean,
    declared: Declared | undefined,
  ) {
    this.code = code;
    this.activation = activation;
    this.attr = attr;
    this.knowsId = knowsId;
    this.declared = declared;
  }

  /** Whether some attribute of the resource is known. */
  get knowsAny(): boolean {
    return Object.keys(this.attr).length > 0;
  }

  /** Whether an attribute of the resource is known, for every row. */
  knows(name: string | undefined): boolean {
    return name !== undefined && Object.hasOwn(this.attr, name);
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

  /** Pays for passes of a macro, each of which makes an expression of its own. */
  spendOnPasses(passes: number, weight: number): boolean {
    return spend(this.activation, passes * weight * COST_OF_PASS);
  }

  /** Whether what is being found out takes more than the budget. Then nothing is found out of it. */
  get isExhausted(): boolean {
    return isExhausted(this.activation);
  }

  /** Gives what is found out next the whole budget, if it is spent. */
  renew(): void {
    if (!this.isExhausted) return;
    this.hasReadClock = this.readsClock;
    this.activation.restart();
  }

  /** Whether something is declared of what is in an attribute, so that to read it whole is more than to read a part. */
  hasParts(path: readonly string[]): boolean {
    return declaredAt(this.declared, path)?.hasParts === true;
  }
}

/** How much more a pass costs that is written out than one that is made: each compiles some code. */
const COST_OF_PASS = 8;

export function declaredAt(root: Declared | undefined, path: readonly string[]): Declared | undefined {
  let declared = root;
  for (const name of path) declared = declared?.member(name);
  return declared;
}
