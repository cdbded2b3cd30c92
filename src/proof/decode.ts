/** Turns the values that a solver finds into a request, or into several with the same key. */

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

/** The formulas of a request: those of the first one, translated. */
export type RequestView = (formula: Formula) => Formula;

const FIRST: RequestView = (formula) => formula;

export class Decoder {
  /** The formulas that the decoder needs values for. */
  readonly wanted: readonly Formula[];
  /** Those of `wanted` that are numbers of the request. */
  readonly numbers: readonly Formula[];
  private readonly world: FormulaWorld;
  private readonly plans: PlanFormulas;
  private readonly views: readonly RequestView[];
  /** The view of the request that is read. */
  private view: RequestView = FIRST;
  private answers: ReadonlyMap<Formula, ModelValue> = new Map();
  /** The values that are read as elements of others. */
  private readonly outer = new Set<RawValue>();

  /**
   * `known`: the unknowns that the solver is asked about; all others can have any value. `others`: the views of further
   * requests with the same key.
   */
  constructor(
    world: FormulaWorld,
    plans: PlanFormulas,
    known: ReadonlySet<Formula>,
    others: readonly RequestView[] = [],
  ) {
    this.world = world;
    this.plans = plans;
    this.views = [FIRST, ...others];
    const wanted = new Set<Formula>();
    const numbers = new Set<Formula>();
    for (const view of this.views) {
      const want = (one: Formula | undefined) => {
        const seen = one && view(one);
        if (seen !== undefined && seen.op !== "constant" && usesOnly(seen, known)) wanted.add(seen);
      };
      this.wantAll(want, (one) => numbers.add(view(one)));
    }
    this.wanted = [...wanted];
    this.numbers = this.wanted.filter((one) => numbers.has(one));
  }

  private wantAll(want: (one: Formula | undefined) => void, addNumber: (one: Formula) => void): void {
    const { world, plans } = this;
    const seen = new Set<RawValue>();
    const value = (raw: RawValue): void => {
      if (seen.has(raw)) return;
      seen.add(raw);
      for (const one of [raw.kind, raw.bool, raw.number, raw.text, raw.size]) want(one);
      addNumber(raw.number);
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
    for (const { same, items } of world.spelled) {
      want(same);
      for (const { text, number, bool } of items) for (const one of [text, number, bool]) want(one);
    }
    for (const { isOne, nanos } of [...world.times.values(), ...world.durations.values()]) {
      want(isOne);
      want(nanos);
    }
    for (const [has, terms] of world.searches) {
      want(has);
      want(terms[0]?.text);
    }
    for (const has of plans.openRoles.values()) want(has);
    want(world.hasNow);
    want(world.now);
  }

  /** The first request and, for each of the further `questions`, the request of its view. */
  requests(
    questions: readonly OperationQuestion[],
    hasAccount: boolean,
    values: ReadonlyMap<Formula, ModelValue>,
  ): readonly RequestJson[] {
    this.answers = values;
    const key = { ...this.subject("key", "key_1"), roles: this.roles() };
    return questions.map(({ kind, operation }, i) =>
      this.by(this.views[i] ?? FIRST, () => ({
        key,
        operation,
        resource: { kind, ...this.subject("resource", `${kind.replaceAll(/\W/g, "_")}_1`) },
        ...(hasAccount ? { account: this.subject("account", "account_1") } : {}),
        ...this.clock(),
      })),
    );
  }

  private by<T>(view: RequestView, read: () => T): T {
    const before = this.view;
    this.view = view;
    const found = read();
    this.view = before;
    return found;
  }

  /** The value that the solver gives a formula of the request that is read. Undefined: any. */
  private of(formula: Formula): ModelValue | undefined {
    return this.answers.get(this.view(formula));
  }

  private isTrue(formula: Formula): boolean {
    const seen = this.view(formula);
    return seen === this.world.formulas.yes || this.answers.get(seen) === true;
  }

  private clock(): Pick<RequestJson, "now"> {
    const { hasNow, now } = this.world;
    const given = this.of(hasNow);
    const isGiven = given !== false && (given !== undefined || this.of(now) !== undefined);
    return isGiven ? { now: this.time(now) ?? CLOCK } : {};
  }

  private subject(
    name: (typeof SUBJECTS)[number],
    id: string,
  ): { id: string; attr: { [name: string]: JsonValue }; scope?: string } {
    const own = this.of(this.world.field(name, "id"));
    const scope = this.of(this.world.field(name, "scope"));
    return {
      id: typeof own === "string" && own !== "" ? own : id,
      attr: this.members(this.world.attributes(name)),
      ...(typeof scope === "string" && scope !== "" ? { scope: scope.startsWith(".") ? `.${scope}` : scope } : {}),
    };
  }

  private roles(): readonly string[] {
    const roles = new Set(this.list(this.world.roles).filter((role) => typeof role === "string"));
    for (const role of this.plans.roles) {
      const isHad = role.isOpen && this.isTrue(this.plans.hasRole(role.name));
      if (isHad && ![...roles].some((one) => role.has(one))) roles.add(role.name);
    }
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
    switch (this.of(raw.kind)) {
      case "null":
        return null;
      case "bool":
        return this.isTrue(raw.bool);
      case "number":
        return this.number(raw.number);
      case "text":
        return this.text(raw.text);
      case "list":
        return this.list(raw);
      case "map":
        return { ...this.foundKeys(raw), ...this.members(raw), ...this.misfit(raw) };
      default:
        return undefined;
    }
  }

  /** The keys that a map has by searches for texts that are unknown. */
  private foundKeys(raw: RawValue): { [name: string]: JsonValue } {
    const names = new Set<string>();
    for (const [has, [key, container]] of this.world.searches) {
      const text = key?.text;
      if (text === undefined || container?.map?.kind !== "raw" || container.map.raw !== raw) continue;
      for (const view of this.viewsOf(raw)) this.by(view, () => this.isTrue(has) && names.add(this.text(text)));
    }
    return Object.fromEntries([...names].map((name) => [name, ""]));
  }

  private number(formula: Formula): number {
    const value = formula.op === "constant" ? formula.value : this.of(formula);
    const number = typeof value === "object" ? nearestDouble(value) : 0;
    return Number.isFinite(number) ? number : Math.sign(number) * Number.MAX_VALUE;
  }

  private text(formula: Formula): string {
    if (formula.op === "constant") return String(formula.value);
    const { times, durations } = this.world;
    const time = times.get(formula);
    if (time !== undefined && this.isTrue(time.isOne)) {
      const written = this.time(time.nanos);
      if (written !== undefined) return written;
    }
    const duration = durations.get(formula);
    if (duration !== undefined && this.isTrue(duration.isOne)) {
      const nanos = this.of(duration.nanos);
      if (typeof nanos === "object")
        return nanos.num % 1_000_000_000n === 0n ? `${nanos.num / 1_000_000_000n}s` : `${nanos.num}ns`;
    }
    const value = this.of(formula);
    return typeof value === "string" ? value : "";
  }

  private time(nanos: Formula): string | undefined {
    const value = this.of(nanos);
    if (typeof value !== "object" || value.den !== 1n) return undefined;
    const billion = 1_000_000_000n;
    const rest = ((value.num % billion) + billion) % billion;
    return formatTimestamp(new Timestamp(Number((value.num - rest) / billion), Number(rest), 0));
  }

  private list(raw: RawValue): readonly JsonValue[] {
    const spelled = this.world.spelled.find((one) => one.raw === raw && this.isTrue(one.same));
    if (spelled !== undefined) return spelled.items.map((element) => this.element({ element, raw: undefined }) ?? null);
    const known = [...this.elements(raw)];
    if (Object.keys(this.misfit(raw)).length > 0) known.push(null);
    const size = Math.min(MAX_LIST, this.of(raw.size) === undefined ? 0 : this.number(raw.size));
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
    const add = (asked: MembershipTest): void => {
      const value = this.isTrue(asked.isIn) ? this.element(asked) : undefined;
      if (value === undefined) return;
      const [, at] = asked.raw?.key.startsWith(`${raw.key}[`) === true ? (/\[(\d+)\]$/.exec(asked.raw.key) ?? []) : [];
      if (at !== undefined) placed.set(Number(at), value);
      else others.set(JSON.stringify(value), value);
    };
    for (const view of this.viewsOf(raw)) this.by(view, () => this.world.askedIn(raw).forEach(add));
    const inPlace = new Set([...placed.values()].map((value) => JSON.stringify(value)));
    const rest = [...others].flatMap(([key, value]) => (inPlace.has(key) ? [] : [value]));
    const made: JsonValue[] = [];
    const last = Math.max(-1, ...placed.keys());
    for (let at = 0; at <= last && at < MAX_LIST; at++) made.push(placed.get(at) ?? rest.shift() ?? `item_${at + 1}`);
    return [...made, ...rest];
  }

  /** The requests that ask for elements of a list or for keys of a map: those with the key, if it is of the key. */
  private viewsOf(raw: RawValue): readonly RequestView[] {
    return raw.key.startsWith("key.") ? this.views : [this.view];
  }

  private element({ element, raw }: Pick<MembershipTest, "element" | "raw">): JsonValue | undefined {
    if (raw !== undefined) return this.value(raw);
    const is = (type: keyof FormulaTerm["is"]) => {
      const guard = element.is[type];
      return guard !== undefined && this.isTrue(guard);
    };
    if (is("text") && element.text !== undefined) return this.text(element.text);
    if (is("null")) return null;
    if (is("bool") && element.bool !== undefined) return this.isTrue(element.bool);
    if ((is("double") || is("int") || is("uint")) && element.number !== undefined) return this.number(element.number);
    if (is("list") && element.list?.kind === "raw") return this.within(element.list.raw);
    if (is("map") && element.map?.kind === "raw") return this.within(element.map.raw);
    return undefined;
  }

  /** A list or a map as an element of another. Undefined: it would be an element of itself. */
  private within(raw: RawValue): JsonValue | undefined {
    if (this.outer.has(raw)) return undefined;
    this.outer.add(raw);
    const value = this.value(raw);
    this.outer.delete(raw);
    return value;
  }

  /** An attribute that violates the declaration, where the solver requires a violation. */
  private misfit(raw: RawValue): { [name: string]: JsonValue } {
    const isMisfit = this.world.wholes.some((whole) => whole.raw === raw && this.of(whole.fit) === false);
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
