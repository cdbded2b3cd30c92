/** Values of parts of conditions, in a request that is being made. */

import type { Expr } from "../../cel/ast.js";
import { type Code, type CompileEnv, compile, Slots } from "../../cel/compile.js";
import type { Result } from "../../cel/evaluation.js";
import { Timestamp } from "../../cel/values.js";
import { Activation } from "../../engine/evaluate/activation.js";
import { compileDefinitions } from "../../engine/evaluate/definitions.js";
import type { Definitions } from "../../policy/model.js";
import type { Draft } from "./draft.js";
import type { LayerPolicies } from "./subjects.js";

export class Evaluator {
  private readonly envs = new Map<Definitions, CompileEnv>();
  private readonly codes = new Map<CompileEnv, WeakMap<Expr, Code>>();
  private readonly activation = new Activation();
  private readonly layer: LayerPolicies;

  constructor(layer: LayerPolicies) {
    this.layer = layer;
  }

  /** The value of `expr`; undefined if it errs. */
  value(expr: Expr, definitions: Definitions, draft: Draft, now: Date | undefined): Result {
    const { activation, layer } = this;
    const principal = layer.name === "permission" ? draft.key : { roles: ["account"], ...draft.account };
    const clock = now === undefined ? undefined : new Timestamp(Math.floor(now.getTime() / 1000), 0);
    activation.begin({ scope: "", ...principal }, { scope: "", ...draft.resource }, clock, layer.globals);
    return this.code(expr, definitions)?.(activation);
  }

  /** Undefined if it cannot be compiled by itself. */
  private code(expr: Expr, definitions: Definitions): Code | undefined {
    const env = this.envs.get(definitions) ?? compileDefinitions(definitions, new Slots(), "", "error");
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
