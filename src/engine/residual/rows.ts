/** What is asked of a layer about rows, and what is left of expressions, evaluated for rows by the code of decisions. */

import type { Expr } from "../../cel/ast.js";
import { compile, Slots } from "../../cel/compile.js";
import { isExhausted } from "../../cel/evaluation.js";
import type { JsonMap, Timestamp } from "../../cel/values.js";
import { Activation } from "../evaluate/activation.js";
import type { Layer } from "../evaluate/layer.js";
import type { AttributeTypes } from "../generate/written.js";
import type { Plan } from "../plan/plan.js";
import { Plans } from "../plan/plans.js";
import { ScopedPlans } from "../plan/scoped-plans.js";
import type { PrincipalInput, ResourceInput } from "../plan/subjects.js";
import type { Row } from "./filter.js";
import { Knowledge, KnownCode } from "./knowledge.js";

/** What is asked about rows, whoever asks: what is known of each resource is given as one. */
export interface RowsTarget {
  readonly resource: ResourceInput;
  /** Whether all rows have the id of `resource`; otherwise each has one of its own. */
  readonly knowsId: boolean;
  readonly action: string;
  readonly now: Timestamp | undefined;
}

/** A plan of a layer, as it is asked for rows. */
export class RowPlan {
  readonly layer: Layer;
  readonly plan: Plan;
  readonly types: AttributeTypes;
  private readonly code: KnownCode;
  private readonly activation: Activation;

  constructor(layer: Layer, plan: Plan, code: KnownCode, activation: Activation) {
    this.layer = layer;
    this.plan = plan;
    this.types = layer.typesOf(plan);
    this.code = code;
    this.activation = activation;
  }

  /** Whether something is declared of the attributes of resources. */
  get hasSchema(): boolean {
    return this.plan.schemas.resource !== undefined;
  }

  /**
   * What is known, until it is known of another request: there is one activation for all plans of a layer. Nothing that is
   * read in it asks for a plan, since the request is a copy.
   */
  known(principal: PrincipalInput, { resource, knowsId, now }: RowsTarget): Knowledge {
    const { code, activation } = this;
    activation.begin(principal, resource, now, this.layer.globals, this.types);
    return new Knowledge(code, activation, resource.attr, knowsId, this.types.resource);
  }

  /** Lets go of the request. */
  end(): void {
    this.activation.end();
  }

  /** The value of an expression for a row; undefined if it errs. */
  evaluator({ principal, target: { resource, knowsId, now } }: Planned, expr: Expr): (row: Row) => boolean | undefined {
    const { globals, equipment } = this.layer;
    const definitions = { variables: new Map(), constants: new Map() };
    const code = compile(expr, { functions: equipment.functions, slots: new Slots(), ...definitions });
    const activation = new Activation();
    return ({ id, attr }) => {
      const known = knowsId || id === undefined ? resource.id : id;
      const row = { ...resource, id: known, attr: isAttributes(attr) ? attr : {} };
      activation.begin(principal, row, now, globals, this.types);
      const value = code(activation);
      const isOver = isExhausted(activation);
      activation.end();
      return typeof value === "boolean" && !isOver ? value : undefined;
    };
  }
}

function isAttributes(attr: Row["attr"]): attr is JsonMap {
  return typeof attr === "object" && attr !== null;
}

const plans = new WeakMap<Layer, ScopedPlans<RowPlan>>();

/** A question, and the plan that answers it. */
export interface Planned {
  readonly plan: RowPlan;
  readonly principal: PrincipalInput;
  readonly target: RowsTarget;
}

/** The plan is kept with the layer. */
export function plannedRows(layer: Layer, principal: PrincipalInput, target: RowsTarget): Planned {
  let known = plans.get(layer);
  if (known === undefined) {
    known = plansOf(layer);
    plans.set(layer, known);
  }
  return { plan: known.find(principal, target.resource, target.action), principal, target };
}

function plansOf(layer: Layer): ScopedPlans<RowPlan> {
  const code = new KnownCode(layer.equipment.functions);
  const activation = new Activation();
  const kept = new Plans(layer.index, "steady", (plan) => new RowPlan(layer, plan, code, activation));
  return new ScopedPlans(kept, (principal, resource) => layer.placeOf(principal, resource));
}
