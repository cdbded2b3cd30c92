/** Turns the values that a solver finds into a request. */

import type { JsonValue } from "../cel/json.js";
import { formatTimestamp } from "../cel/time.js";
import { Timestamp } from "../cel/values.js";
import { type Formula, nearestDouble } from "../engine/formula/formula.js";
import type { PlanFormulas } from "../engine/formula/plan-formulas.js";
import type { RawValue } from "../engine/formula/raw-value.js";
import type { ModelValue } from "../engine/formula/smtlib.js";
import type { FormulaTerm, MembershipTest } from "../engine/formula/terms.js";
import type { FormulaWorld } from "../engine/formula/world.js";
import type { OperationQuestion } from "../engine/plan/questions.js";
import { CLOCK, type RequestJson } from "../space/draft.js";

/** The longest list in a decoded request. */
const MAX_LIST = 200;

const SUBJECTS = ["key", "account", "resource"] as const;

export class Decoder {
  /** The formulas that the decoder needs values for. */
  readonly wanted: readonly Formula[];
  /** Those of `wanted` that are numbers of the request. */
  readonly numbers: readonly Formula[];
  private readonly world: FormulaWorld;
  private readonly plans: PlanFormulas;
  private values: ReadonlyMap<Formula, ModelValue> = new Map();

  /** `known`: the unknowns that the solver is asked about; all others can have any value. */
  constructor(world: FormulaWorld, plans: PlanFormulas, known: ReadonlySet<Formula>) {
    this.world = world;
    this.plans = plans;
    const wanted = new Set<Formula>();
    const numbers = new Set<Formula>();
    const want = (one: Formula | undefined) => {
      if (one !== undefined && one.op !== "constant" && usesOnly(one, known)) wanted.add(one);
    };
    const seen = new Set<RawValue>();
    const value = (raw: RawValue): void => {
      if (seen.has(raw)) return;
      seen.add(raw);
      for (const one of [raw.kind, raw.bool, raw.number, raw.text, raw.size]) want(one);
      numbers.add(raw.number);
      for (const member of raw.members.values()) value(member);
      for (const { element, isIn, raw: own } of world.askedIn(raw).values()) {
        want(isIn);
        for (const one of [...Object.values(element.is), element.bool, element.number, element.text]) want(one);
        if (own !== undefined) value(own);
      }
    };
    value(world.roles);
    for (const subject of SUBJECTS) {
      value(world.attributes(subject));
      want(world.field(subject, "id"));
      want(world.field(subject, "scope"));
    }
    for (const { fit } of world.wholes) want(fit);
    for (const { isOne, nanos } of [...world.times.values(), ...world.durations.values()]) {
      want(isOne);
      want(nanos);
    }
    for (const has of plans.openRoles.values()) want(has);
    want(world.hasNow);
    want(world.now);
    this.wanted = [...wanted];
    this.numbers = this.wanted.filter((one) => numbers.has(one));
  }

  request(
    { kind, operation }: OperationQuestion,
    hasAccount: boolean,
    values: ReadonlyMap<Formula, ModelValue>,
  ): RequestJson {
    this.values = values;
    const { world } = this;
    const now = this.time(world.now);
    const isGiven =
      this.values.get(world.hasNow) !== false && (this.values.has(world.hasNow) || this.values.has(world.now));
    return {
      key: { ...this.subject("key", "key_1"), roles: this.roles() },
      operation,
      resource: { kind, ...this.subject("resource", `${kind.replaceAll(/\W/g, "_")}_1`) },
      ...(hasAccount ? { account: this.subject("account", "account_1") } : {}),
      ...(isGiven ? { now: now ?? CLOCK } : {}),
    };
  }

  private subject(
    name: (typeof SUBJECTS)[number],
    id: string,
  ): { id: string; attr: { [name: string]: JsonValue }; scope?: string } {
    const own = this.values.get(this.world.field(name, "id"));
    const scope = this.values.get(this.world.field(name, "scope"));
    return {
      id: typeof own === "string" && own !== "" ? own : id,
      attr: this.members(this.world.attributes(name)),
      ...(typeof scope === "string" && scope !== "" ? { scope: scope.startsWith(".") ? `.${scope}` : scope } : {}),
    };
  }

  private roles(): readonly string[] {
    const roles = new Set(this.elements(this.world.roles).filter((role) => typeof role === "string"));
    for (const [name, has] of this.plans.openRoles) if (this.values.get(has) === true) roles.add(name);
    return roles.size === 0 ? [[...this.plans.openRoles.keys()][0] ?? "role"] : [...roles];
  }

  private members(raw: RawValue): { [name: string]: JsonValue } {
    const found = [...raw.members].flatMap(([name, member]) => {
      const value = this.value(member);
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(found);
  }

  /** Undefined: the value is absent. */
  private value(raw: RawValue): JsonValue | undefined {
    switch (this.values.get(raw.kind)) {
      case "null":
        return null;
      case "bool":
        return this.values.get(raw.bool) === true;
      case "number":
        return this.number(raw.number);
      case "text":
        return this.text(raw.text);
      case "list":
        return this.list(raw);
      case "map":
        return { ...this.members(raw), ...this.misfit(raw) };
      default:
        return undefined;
    }
  }

  private number(formula: Formula): number {
    const value = formula.op === "constant" ? formula.value : this.values.get(formula);
    const number = typeof value === "object" ? nearestDouble(value) : 0;
    return Number.isFinite(number) ? number : Math.sign(number) * Number.MAX_VALUE;
  }

  private text(formula: Formula): string {
    if (formula.op === "constant") return String(formula.value);
    const { times, durations } = this.world;
    const time = times.get(formula);
    if (time !== undefined && this.values.get(time.isOne) === true) {
      const written = this.time(time.nanos);
      if (written !== undefined) return written;
    }
    const duration = durations.get(formula);
    if (duration !== undefined && this.values.get(duration.isOne) === true) {
      const nanos = this.values.get(duration.nanos);
      if (typeof nanos === "object")
        return nanos.num % 1_000_000_000n === 0n ? `${nanos.num / 1_000_000_000n}s` : `${nanos.num}ns`;
    }
    const value = this.values.get(formula);
    return typeof value === "string" ? value : "";
  }

  private time(nanos: Formula): string | undefined {
    const value = this.values.get(nanos);
    if (typeof value !== "object" || value.den !== 1n) return undefined;
    const billion = 1_000_000_000n;
    const rest = ((value.num % billion) + billion) % billion;
    return formatTimestamp(new Timestamp(Number((value.num - rest) / billion), Number(rest), 0));
  }

  private list(raw: RawValue): readonly JsonValue[] {
    const known = [...this.elements(raw)];
    if (Object.keys(this.misfit(raw)).length > 0) known.push(null);
    const size = Math.min(MAX_LIST, this.values.has(raw.size) ? this.number(raw.size) : 0);
    const isNumbers = known.length > 0 && known.every((one) => typeof one === "number");
    for (let n = 1; known.length < size; n++) {
      const filler = isNumbers ? 1_000_000 + n : `item_${n}`;
      if (!known.includes(filler)) known.push(filler);
    }
    return known;
  }

  private elements(raw: RawValue): readonly JsonValue[] {
    const placed = new Map<number, JsonValue>();
    const others = new Map<string, JsonValue>();
    for (const asked of this.world.askedIn(raw).values()) {
      if (this.values.get(asked.isIn) !== true && asked.isIn !== this.world.formulas.yes) continue;
      const value = this.element(asked);
      if (value === undefined) continue;
      const [, at] = asked.raw?.key.startsWith(`${raw.key}[`) === true ? (/\[(\d+)\]$/.exec(asked.raw.key) ?? []) : [];
      if (at !== undefined) placed.set(Number(at), value);
      else others.set(JSON.stringify(value), value);
    }
    const inPlace = new Set([...placed.values()].map((value) => JSON.stringify(value)));
    const rest = [...others].flatMap(([key, value]) => (inPlace.has(key) ? [] : [value]));
    const made: JsonValue[] = [];
    const last = Math.max(-1, ...placed.keys());
    for (let at = 0; at <= last && at < MAX_LIST; at++) made.push(placed.get(at) ?? rest.shift() ?? `item_${at + 1}`);
    return [...made, ...rest];
  }

  private element({ element, raw }: MembershipTest): JsonValue | undefined {
    if (raw !== undefined) return this.value(raw);
    const is = (type: keyof FormulaTerm["is"]) => {
      const guard = element.is[type];
      return guard !== undefined && (guard === this.world.formulas.yes || this.values.get(guard) === true);
    };
    if (is("text") && element.text !== undefined) return this.text(element.text);
    if (is("null")) return null;
    if (is("bool") && element.bool !== undefined) {
      return element.bool.op === "constant" ? element.bool.value === true : this.values.get(element.bool) === true;
    }
    if ((is("double") || is("int") || is("uint")) && element.number !== undefined) return this.number(element.number);
    return undefined;
  }

  /** An attribute that violates the declaration, where the solver requires a violation. */
  private misfit(raw: RawValue): { [name: string]: JsonValue } {
    const isMisfit = this.world.wholes.some((whole) => whole.raw === raw && this.values.get(whole.fit) === false);
    return isMisfit ? { unheard_of: null } : {};
  }
}

/** Are all unknowns of a formula among `known`? */
function usesOnly(formula: Formula, known: ReadonlySet<Formula>): boolean {
  const rest = [formula];
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    if (one.op === "unknown" && !known.has(one)) return false;
    if (one.op !== "constant") rest.push(...one.args);
  }
  return true;
}
