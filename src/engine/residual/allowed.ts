/** The rows that a layer allows something on, for one principal. */

import type { Expr } from "../../cel/ast.js";
import { compile, Slots } from "../../cel/compile.js";
import { isExhausted } from "../../cel/evaluation.js";
import { factsOf } from "../../cel/facts.js";
import type { JsonMap, Timestamp } from "../../cel/values.js";
import { positionText } from "../../policy/issue.js";
import { sanitise } from "../../policy/names.js";
import { expressionsOfCondition } from "../../policy/walk.js";
import { Activation } from "../evaluate/activation.js";
import type { Finding } from "../evaluate/examination.js";
import type { Layer } from "../evaluate/layer.js";
import { evaluatePlan } from "../evaluate/strict-verdict.js";
import type { AttributeTypes } from "../generate/written.js";
import { makePlan } from "../plan/make-plan.js";
import type { Conditional, Plan, PlannedRule, Step } from "../plan/plan.js";
import type { PrincipalInput, ResourceInput } from "../plan/subjects.js";
import type { LayerVerdict } from "../plan/verdict.js";
import { allowedWhen } from "../plan/walk.js";
import { Residuals } from "./conditions.js";
import { type Filter, isEvery, isNo, type Row } from "./filter.js";
import { all, any } from "./join.js";
import { Knowledge, KnownCode } from "./knowledge.js";
import type { Truths } from "./logic.js";
import { TruthMaker } from "./truths.js";

/** What is asked of a layer: what is known of each resource is given as one. */
export interface RowsQuestion {
  readonly principal: PrincipalInput;
  readonly resource: ResourceInput;
  /** Whether all rows have the id of `resource`; otherwise each has one of its own. */
  readonly knowsId: boolean;
  readonly action: string;
  readonly now: Timestamp | undefined;
}

export interface AllowedRows {
  readonly filter: Filter;
  /** The verdict on rows for which whatever depends on the row is as good as it can be. */
  readonly best: LayerVerdict;
  /** The rules whose conditions depend on the row. */
  readonly open: readonly PlannedRule[];
  /** Whether something is declared of the attributes of resources. */
  readonly hasSchema: boolean;
  readonly readsClock: boolean;
}

export function allowedRows(layer: Layer, question: RowsQuestion): AllowedRows {
  const { principal, resource, now, knowsId } = question;
  const plan = planOf(layer, question);
  const types = layer.typesOf(plan);
  const activation = new Activation();
  activation.begin(principal, resource, now, layer.globals, types);
  const known = new Knowledge(codeOf(layer), activation, resource.attr, knowsId, types.resource);
  const residuals = new Residuals(known);
  const rows = new RowExpressions(layer, plan, question);
  const truths = new TruthMaker(known, (expr) => rows.evaluator(expr));
  const truthsOf: TruthsOf = (what, step) => truths.of(residuals.condition(what, step));
  const filter = allowedWhen(plan, { all, any }, { truthsOf });
  const best = new BestCase(plan, truthsOf);
  const { verdict } = evaluatePlan(plan, layer.defaultReason, (what, step) => best.finding(what, step));
  const open = plan.rules.filter((rule) => best.open.has(rule));
  const hasSchema = plan.schemas.resource !== undefined;
  return { filter, best: verdict, open, hasSchema, readsClock: known.readsClock || rows.readsClock };
}

const codes = new WeakMap<Layer, KnownCode>();

function codeOf(layer: Layer): KnownCode {
  const known = codes.get(layer) ?? new KnownCode(layer.equipment.functions);
  codes.set(layer, known);
  return known;
}

type TruthsOf = (what: Conditional, step: Step) => Truths;

function planOf(layer: Layer, { principal, resource, action }: RowsQuestion): Plan {
  const place = layer.placeOf(principal.scope, resource.scope);
  const roles = [...new Set(principal.roles)].sort();
  return makePlan(layer.index, place, { kind: sanitise(resource.kind), action, principalId: principal.id, roles });
}

/** What depends on the row allows, and does not deny. */
class BestCase {
  /** The rules that depend on the row, and those that a derived role which does makes depend on it. */
  readonly open = new Set<PlannedRule>();
  private readonly truthsOf: TruthsOf;
  private readonly denying: ReadonlySet<Conditional>;

  constructor(plan: Plan, truthsOf: TruthsOf) {
    this.truthsOf = truthsOf;
    const rows = [...plan.personal, ...plan.roles.flatMap(({ steps }) => steps)].flatMap((step) =>
      step.rows.map((row) => ({ ...row, step })),
    );
    for (const { rule, guard, step } of rows) {
      const isOpen = (what: Conditional) => !isSettled(truthsOf(what, step));
      if (isOpen(rule) || (guard !== undefined && isOpen(guard))) this.open.add(rule);
    }
    this.denying = new Set(rows.flatMap(({ rule }) => (rule.effect === "deny" ? rule : [])));
  }

  finding(what: Conditional, step: Step): Finding {
    const truths = this.truthsOf(what, step);
    if (isEvery(truths.holds)) return true;
    if (isEvery(truths.fails)) return false;
    const [expression] = expressionsOfCondition(what.condition);
    if (!isSettled(truths) || expression === undefined) return !this.denying.has(what);
    return { expression, message: "it errs, whatever the row", position: positionText(expression.position(0)) };
  }
}

/** Whether a condition holds of every row, or of none, or errs for each. */
function isSettled({ holds, fails }: Truths): boolean {
  return isEvery(holds) || isEvery(fails) || (isNo(holds) && isNo(fails));
}

/** What is left of expressions, evaluated for rows by the code of decisions. */
class RowExpressions {
  readsClock = false;
  private readonly layer: Layer;
  private readonly types: AttributeTypes;
  private readonly question: RowsQuestion;
  private readonly slots = new Slots();
  private readonly activation = new Activation();

  constructor(layer: Layer, plan: Plan, question: RowsQuestion) {
    this.layer = layer;
    this.types = layer.typesOf(plan);
    this.question = question;
  }

  evaluator(expr: Expr): (row: Row) => boolean | undefined {
    const { layer, types, question, slots, activation } = this;
    const { principal, resource, knowsId, now } = question;
    this.readsClock ||= factsOf(expr).needsTime;
    const code = compile(expr, {
      functions: layer.equipment.functions,
      variables: new Map(),
      constants: new Map(),
      slots,
    });
    return ({ id, attr }) => {
      const known = knowsId || id === undefined ? resource.id : id;
      const row = { ...resource, id: known, attr: isAttributes(attr) ? attr : {} };
      activation.begin(principal, row, now, layer.globals, types);
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
