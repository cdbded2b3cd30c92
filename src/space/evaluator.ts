/** Evaluates parts of conditions for a request under construction. */

import type { Expr } from "../cel/ast.js";
import { type Code, type CompileEnv, compile, Slots } from "../cel/compile.js";
import type { EvaluationResult } from "../cel/evaluation.js";
import { FUNCTIONS } from "../cel/functions/registry.js";
import type { JsonMap } from "../cel/values.js";
import { Activation } from "../engine/evaluate/activation.js";
import { compileDefinitions } from "../engine/evaluate/definitions.js";
import type { DeclaredAttributeTypes } from "../engine/plan/subjects.js";
import type { Definitions } from "../policy/model.js";
import type { SpaceLayer } from "./dimension.js";
import type { Draft } from "./draft.js";

export class DraftEvaluator {
  private readonly layer: SpaceLayer;
  private readonly globals: JsonMap;
  private readonly envs = new Map<Definitions, CompileEnv>();
  private readonly codes = new Map<CompileEnv, WeakMap<Expr, Code>>();
  private readonly activation = new Activation();

  constructor(layer: SpaceLayer, globals: JsonMap) {
    this.layer = layer;
    this.globals = globals;
  }

  /**
   * The value of `expr`; undefined if it errs. `types`: the declared types of attributes. Without `types`, attributes
   * can have any type.
   */
  value(expr: Expr, definitions: Definitions, draft: Draft, types?: DeclaredAttributeTypes): EvaluationResult {
    this.activation.begin(draft.principal(this.layer), draft.resource, draft.clock(), this.globals, types);
    return this.code(expr, definitions)?.(this.activation);
  }

  /** Undefined if the expression cannot be compiled by itself. */
  private code(expr: Expr, definitions: Definitions): Code | undefined {
    const env = this.envs.get(definitions) ?? compileDefinitions(FUNCTIONS, definitions, new Slots(), "", "error");
    this.envs.set(definitions, env);
    const codes = this.codes.get(env) ?? new WeakMap<Expr, Code>();
    this.codes.set(env, codes);
    const known = codes.get(expr);
    if (known !== undefined) return known;
    try {
      const code = compile(expr, env);
      codes.set(expr, code);
      return code;
    } catch {
      return undefined;
    }
  }
}
