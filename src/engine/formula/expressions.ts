/** Translates expressions to formulas: for every request, the type of the value and the value itself. */

import {
  type Bind,
  type Call,
  children,
  type Expr,
  type Has,
  type Ident,
  type ListLiteral,
  type Literal,
  type Macro,
  type MapLiteral,
  type MemberCall,
  type OptionalEntry,
  operandsOf,
  type Select,
} from "../../cel/ast.js";
import { chainOf, type NameReference, requestValueOf } from "../../cel/expression-usage.js";
import { type Domain, interpret } from "../../cel/interpret.js";
import { isList, type JsonValue } from "../../cel/json.js";
import {
  type ArithmeticOperator,
  type EqualityOperator,
  isOptionalAccess,
  type JunctionOperator,
  type OrderingOperator,
} from "../../cel/operators.js";
import type { RequestValue } from "../../cel/roots.js";
import { type CelValue, isMap, Uint } from "../../cel/values.js";
import type { Definitions, Expression } from "../../policy/model.js";
import {
  AttributeFormulas,
  type AttributePlace,
  type FormulaReading,
  hasFieldTerm,
  selectField,
  unknownTerm,
} from "./attribute-formulas.js";
import { type Formula, nearestDouble } from "./formula.js";
import { FunctionFormulas } from "./functions.js";
import { MAX_ITEMS, OperatorFormulas } from "./operators.js";
import type { RawValue } from "./raw-value.js";
import { MAX_CHAR } from "./smtlib.js";
import { ERRING, type FormulaTerm, keyOf, type ListValue, type MapValue, type TruthFormulas } from "./terms.js";
import type { FormulaWorld, RequestSubject } from "./world.js";

/** The context of an expression. */
export interface FormulaScope {
  readonly definitions: Definitions;
  readonly reading: FormulaReading;
  /** The terms of names that macros and `cel.bind` bind. */
  readonly locals: ReadonlyMap<string, FormulaTerm>;
}

const NO_LOCALS: ReadonlyMap<string, FormulaTerm> = new Map();

export class ExpressionFormulas implements Domain<FormulaScope, FormulaTerm> {
  private readonly world: FormulaWorld;
  readonly reads: AttributeFormulas;
  private readonly operators: OperatorFormulas;
  private readonly functions: FunctionFormulas;
  private readonly variables = new Map<Definitions, Map<string, Map<string, FormulaTerm>>>();

  constructor(world: FormulaWorld) {
    this.world = world;
    this.reads = new AttributeFormulas(world);
    this.operators = new OperatorFormulas(world);
    this.functions = new FunctionFormulas(world, this.operators);
  }

  /**
   * Translates an expression. `of`: the expression of a policy or a claim that `expr` is a part of, for messages.
   * `locals` binds names in addition to those of policies.
   */
  value(
    expr: Expr,
    definitions: Definitions,
    reading: FormulaReading,
    { of, locals = NO_LOCALS }: { readonly of?: Expression; readonly locals?: FormulaScope["locals"] } = {},
  ): FormulaTerm {
    return this.world.untranslated.during(of, () => this.term(expr, { definitions, reading, locals }));
  }

  /** Adds the facts that follow from all translated expressions. Call it after the last translation. */
  close(): void {
    this.world.close((a, b) => this.operators.same(a, b));
    this.reads.close();
    this.functions.close();
  }

  private term(expr: Expr, scope: FormulaScope): FormulaTerm {
    // An expression that the server could not plan always errs.
    if (expr.doom !== undefined) return ERRING;
    return this.world.untranslated.part(expr.at, () => interpret(expr, this, scope));
  }

  reference(reference: NameReference, expr: Expr, scope: FormulaScope): FormulaTerm {
    if (reference.of === "local") return scope.locals.get(reference.name) ?? this.opaque(expr, scope);
    if (reference.of !== "request") return this.defined(reference.of, reference.name, scope);
    const place = this.placeOf(reference, scope);
    return place === undefined ? this.field(reference, scope) : this.reads.whole(place);
  }

  select({ operand, field }: Select, scope: FormulaScope): FormulaTerm {
    return selectField(this.world, this.term(operand, scope), field);
  }

  private defined(of: "variable" | "constant" | "global", name: string, scope: FormulaScope): FormulaTerm {
    if (of === "variable") return this.variable(name, scope);
    if (of === "constant") {
      const value = scope.definitions.constants.get(name);
      return value === undefined ? ERRING : this.json(value);
    }
    const { globals } = scope.reading;
    if (globals === undefined) {
      const global = this.world.globals.member(name);
      this.world.untranslated.addName(global.key);
      return this.world.terms.raw(global);
    }
    const value = Object.hasOwn(globals, name) ? globals[name] : undefined;
    return value === undefined ? ERRING : this.constant(value);
  }

  private variable(name: string, { definitions, reading }: FormulaScope): FormulaTerm {
    const ofDefinitions = this.variables.get(definitions) ?? new Map<string, Map<string, FormulaTerm>>();
    this.variables.set(definitions, ofDefinitions);
    const known = ofDefinitions.get(reading.key) ?? new Map<string, FormulaTerm>();
    ofDefinitions.set(reading.key, known);
    const expression = definitions.variables.get(name);
    const translated = () =>
      expression === undefined ? ERRING : this.value(expression.expr, definitions, reading, { of: expression });
    const term = known.get(name) ?? translated();
    known.set(name, term);
    return term;
  }

  /** The place of a value below the attributes of a subject; undefined for any other value. */
  private placeOf(value: RequestValue | undefined, { reading }: FormulaScope): AttributePlace | undefined {
    const root = value?.root.path;
    const subject: RequestSubject | undefined =
      root === "P.attr" ? reading.principal : root === "R.attr" ? "resource" : undefined;
    if (value === undefined || subject === undefined) return undefined;
    return value.path.reduce((place, name) => this.reads.below(place, name), this.reads.attributes(reading, subject));
  }

  /** The term of a request value outside the attributes. */
  private field({ root, path }: RequestValue, scope: FormulaScope): FormulaTerm {
    if (root.kind === "message") return unknownTerm(this.world, `message ${root.path}`);
    const value = this.leaf(root.path, scope);
    return path.reduce((operand, field) => selectField(this.world, operand, field), value);
  }

  private leaf(path: string, { reading }: FormulaScope): FormulaTerm {
    const { world } = this;
    const text = (value: Formula) => world.terms.of("text", { text: value });
    switch (path) {
      case "P.id":
        return text(world.field(reading.principal, "id"));
      case "P.scope":
        return text(world.field(reading.principal, "scope"));
      case "R.id":
        return text(world.field("resource", "id"));
      case "R.kind":
        return text(world.field("resource", "kind"));
      case "R.scope":
        return text(world.field("resource", "scope"));
      case "P.policyVersion":
      case "R.policyVersion":
        return text(world.text(""));
      case "P.roles":
        return this.roles(reading);
      case "request.auxData.jwt":
      case "request.auxData.jwts":
        return world.terms.of("map", { map: { kind: "members", members: new Map() } });
      default: {
        const active = reading.active();
        return active === undefined ? this.json([]) : unknownTerm(world, `${path} of ${active}`);
      }
    }
  }

  private roles(reading: FormulaReading): FormulaTerm {
    if (reading.principal === "account") return this.json(["account"]);
    return this.world.terms.of("list", { list: { kind: "raw", raw: this.world.roles } });
  }

  has({ operand, field }: Has, reference: NameReference | undefined, scope: FormulaScope): FormulaTerm {
    const { world } = this;
    if (reference?.of === "request") {
      // A field of a message: present unless empty.
      if (reference.path.length === 0) return this.isSet(reference.root.path, scope);
    } else if (reference?.of === "constant") return world.terms.bool(world.formulas.yes);
    else if (reference !== undefined && reference.of !== "local") {
      return world.terms.bool(world.terms.exists(this.defined(reference.of, reference.name, scope)));
    }
    const place = this.placeOf(requestValueOf(operand), scope);
    return hasFieldTerm(world, place === undefined ? this.term(operand, scope) : this.reads.container(place), field);
  }

  private isSet(path: string, scope: FormulaScope): FormulaTerm {
    const { formulas, terms } = this.world;
    if (path === "R.attr" || path === "P.attr") {
      const subject = path === "R.attr" ? "resource" : scope.reading.principal;
      return terms.bool(formulas.unknown("bool", `${subject} has attributes`));
    }
    const value = this.leaf(path, scope);
    if (value.text !== undefined && value.list === undefined) {
      return terms.bool(formulas.not(formulas.same(value.text, formulas.text(""))));
    }
    if (path === "P.roles") return terms.bool(formulas.yes);
    return terms.bool(formulas.unknown("bool", `is set: ${path} of ${scope.reading.active()}`));
  }

  literal({ value }: Literal): FormulaTerm {
    return this.constant(value);
  }

  private constant(value: CelValue): FormulaTerm {
    const { formulas, terms } = this.world;
    switch (typeof value) {
      case "boolean":
        return terms.bool(formulas.bool(value));
      case "string":
        return this.textOf(value);
      case "number":
        if (Number.isNaN(value)) return terms.of("double", { number: formulas.number(0), nan: formulas.yes });
        return terms.of("double", { number: formulas.number(value) });
      case "bigint":
        return terms.of("int", { number: formulas.number(value) });
    }
    if (value === null) return terms.of("null");
    if (value instanceof Uint) return terms.of("uint", { number: formulas.number(value.value) });
    if (value instanceof Uint8Array) return terms.of("other", { origin: `bytes ${value.join()}` });
    if (Array.isArray(value)) return this.json(value);
    if (isMap(value) && !(value instanceof Map)) return this.members(Object.entries(value));
    return unknownTerm(this.world, `literal ${JSON.stringify(value)}`);
  }

  /**
   * A text constant. A text with a character beyond {@link MAX_CHAR}, which solvers do not have, becomes an unknown of
   * its own: no other fact is known of it.
   */
  private textOf(value: string): FormulaTerm {
    const { terms, formulas } = this.world;
    const isKnown = Array.from(value).every((char) => (char.codePointAt(0) ?? 0) <= MAX_CHAR);
    if (isKnown) return terms.of("text", { text: this.world.text(value) });
    return terms.of("text", { text: formulas.unknown("text", `text ${JSON.stringify(value)}`) });
  }

  private json(value: JsonValue | readonly CelValue[]): FormulaTerm {
    if (!isList(value)) return this.constant(value);
    const items = value.map((item) => this.constant(item));
    return this.world.terms.of("list", { list: { kind: "items", items } });
  }

  private members(entries: readonly (readonly [string, CelValue])[]): FormulaTerm {
    const members = new Map(entries.map(([name, value]) => [name, this.constant(value)] as const));
    return this.world.terms.of("map", { map: { kind: "members", members } });
  }

  list({ elements }: ListLiteral, scope: FormulaScope): FormulaTerm {
    if (elements.length > MAX_ITEMS || elements.some(({ kind }) => kind === "optional")) {
      const parts = elements.map((element) => this.term(element, scope));
      return this.restricted(unknownTerm(this.world, `list ${parts.map(keyOf).join()}`), "list");
    }
    const items = elements.map((element) => this.term(element, scope));
    const exist = this.world.formulas.and(...items.map((item) => this.world.terms.exists(item)));
    return this.world.terms.of("list", { list: { kind: "items", items } }, exist);
  }

  map(expr: MapLiteral, scope: FormulaScope): FormulaTerm {
    const { terms, formulas } = this.world;
    const members = new Map<string, FormulaTerm>();
    for (const { key, value } of expr.entries) {
      if (key.kind !== "literal" || typeof key.value !== "string" || value.kind === "optional") {
        return this.restricted(this.opaque(expr, scope), "map");
      }
      members.set(key.value, this.term(value, scope));
    }
    const exist = formulas.and(...[...members.values()].map((value) => terms.exists(value)));
    return terms.of("map", { map: { kind: "members", members } }, exist);
  }

  private restricted(term: FormulaTerm, type: "list" | "map"): FormulaTerm {
    return { ...term, is: { [type]: this.world.terms.is(term, type) } };
  }

  /** A term of which only the parts are known: equal parts give equal values. */
  private opaque(expr: Expr, scope: FormulaScope): FormulaTerm {
    const inner =
      expr.kind === "macro" ? this.unbound(expr, scope) : children(expr).map((part) => keyOf(this.term(part, scope)));
    const own =
      expr.kind === "call" || expr.kind === "member" ? expr.fn : expr.kind === "macro" ? macroName(expr) : expr.kind;
    const kinds = children(expr)
      .map(({ kind }) => (kind === "optional" ? "?" : ""))
      .join();
    return unknownTerm(this.world, `${own} ${kinds} ${inner.join(" & ")}`);
  }

  /** The keys of a macro's range and bodies. Each bound name stands for an arbitrary value. */
  private unbound(expr: Macro, scope: FormulaScope): readonly string[] {
    const range = this.term(expr.range, scope);
    const locals = new Map(scope.locals);
    for (const name of [expr.v1, expr.v2]) {
      if (name !== undefined)
        locals.set(name, unknownTerm(this.world, `${name === expr.v1 ? "first" : "second"} of ${keyOf(range)}`));
    }
    const bodies = [expr.filter, expr.transform].map((body) =>
      body === undefined ? "" : keyOf(this.term(body, { ...scope, locals })),
    );
    return [keyOf(range), ...bodies];
  }

  part(expr: OptionalEntry | Ident, scope: FormulaScope): FormulaTerm {
    return expr.kind === "optional" ? this.term(expr.value, scope) : this.opaque(expr, scope);
  }

  bind({ name, init, body }: Bind, scope: FormulaScope): FormulaTerm {
    const locals = new Map(scope.locals).set(name, this.term(init, scope));
    return this.term(body, { ...scope, locals });
  }

  macro(expr: Macro, scope: FormulaScope): FormulaTerm {
    const { macro, v1, v2, filter } = expr;
    if ((macro !== "all" && macro !== "exists") || v2 !== undefined || filter === undefined)
      return this.opaque(expr, scope);
    const { formulas, terms } = this.world;
    const range = this.term(expr.range, scope);
    const { list } = range;
    const over = (type: "list" | "map", values: ListValue): FormulaTerm => {
      const found = this.operators.some(values, (element) => {
        const truth = terms.truth(this.term(filter, { ...scope, locals: new Map(scope.locals).set(v1, element) }));
        return macro === "exists" ? truth : { holds: truth.fails, fails: truth.holds };
      });
      const exists = formulas.or(found.some, formulas.not(found.errs));
      const value = macro === "exists" ? found.some : formulas.not(found.some);
      return terms.bool(value, formulas.and(terms.is(range, type), exists));
    };
    const isMap = terms.is(range, "map");
    this.world.prefer(formulas.not(isMap));
    const held = range.map?.kind === "raw" ? range.map.raw : undefined;
    const keys = held && this.world.within(held, `keys of ${held.key}`);
    if (isMap !== formulas.no && keys === undefined) return this.opaque(expr, scope);
    const inMap = isMap === formulas.no || keys === undefined ? ERRING : over("map", { kind: "raw", raw: keys });
    const inList = list === undefined ? ERRING : over("list", list);
    return terms.choose(terms.is(range, "list"), inList, inMap);
  }

  private truth(expr: Expr, scope: FormulaScope): TruthFormulas {
    return this.world.terms.truth(this.term(expr, scope));
  }

  junction(expr: Call, { decisive }: JunctionOperator, scope: FormulaScope): FormulaTerm {
    const { terms } = this.world;
    const truths = operandsOf(expr).map((operand) => this.truth(operand, scope));
    return terms.three(terms.junction(decisive, truths));
  }

  not(operand: Expr, _: Call, scope: FormulaScope): FormulaTerm {
    const { holds, fails } = this.truth(operand, scope);
    return this.world.terms.three({ holds: fails, fails: holds });
  }

  conditional(test: Expr, yes: Expr, no: Expr, _: Call, scope: FormulaScope): FormulaTerm {
    const { terms, formulas } = this.world;
    const { holds, fails } = this.truth(test, scope);
    const chosen = terms.choose(holds, this.term(yes, scope), this.term(no, scope));
    return terms.where(formulas.or(holds, fails), chosen);
  }

  negative(operand: Expr, _: Call, scope: FormulaScope): FormulaTerm {
    return this.operators.negative(this.term(operand, scope));
  }

  equality(left: Expr, right: Expr, { equal }: EqualityOperator, scope: FormulaScope): FormulaTerm {
    return this.operators.equality(this.term(left, scope), this.term(right, scope), equal);
  }

  ordering(left: Expr, right: Expr, { symbol }: OrderingOperator, _: Call, scope: FormulaScope): FormulaTerm {
    const [a, b] = [this.term(left, scope), this.term(right, scope)];
    const orEqual = symbol === "<=" || symbol === ">=";
    return symbol.startsWith(">") ? this.operators.order(b, a, orEqual) : this.operators.order(a, b, orEqual);
  }

  arithmetic(left: Expr, right: Expr, { symbol }: ArithmeticOperator, _: Call, scope: FormulaScope): FormulaTerm {
    return this.operators.arithmetic(symbol, this.term(left, scope), this.term(right, scope));
  }

  membership(item: Expr, container: Expr, _: Call, scope: FormulaScope): FormulaTerm {
    const { terms, formulas } = this.world;
    const [a, b] = [this.term(item, scope), this.term(container, scope)];
    const inList = b.list === undefined ? formulas.no : this.operators.isIn(a, b.list);
    const isMap = terms.is(b, "map");
    const inMap = isMap === formulas.no ? formulas.no : this.isKey(a, b);
    const open = terms.is(b, "other");
    const unknown = unknownTerm(this.world, `in ${keyOf(a)} ${keyOf(b)}`);
    const known = terms.bool(
      formulas.choose(terms.is(b, "list"), inList, inMap),
      formulas.and(terms.exists(a), formulas.or(terms.is(b, "list"), isMap)),
    );
    return terms.choose(open, unknown, known);
  }

  optionalField(_operand: Expr, _field: string, expr: Call, scope: FormulaScope): FormulaTerm {
    return this.opaque(expr, scope);
  }

  /** `text in map`: whether a map has a key. */
  private isKey(key: FormulaTerm, container: FormulaTerm): Formula {
    const { formulas, terms } = this.world;
    const name = key.text?.op === "constant" ? String(key.text.value) : undefined;
    if (name !== undefined && terms.is(key, "text") === formulas.yes) {
      for (const raw of rawMapsOf(container.map)) this.world.searchedMembers.add(raw.member(name));
      return terms.truth(hasFieldTerm(this.world, { ...container, is: { map: formulas.yes } }, name)).holds;
    }
    const has = formulas.unknown("bool", `key ${keyOf(key)} of ${keyOf(container)}`);
    this.world.search(has, [key, container]);
    return container.map !== undefined && hasTextKeys(container.map) ? formulas.and(terms.is(key, "text"), has) : has;
  }

  index(within: Expr, subscript: Expr, expr: Call, scope: FormulaScope): FormulaTerm {
    const { formulas, terms } = this.world;
    const container = this.term(within, scope);
    // `V.x["k"]` is `V.x.k`: its key needs no term.
    const chain = chainOf(expr);
    const field = chain?.of === "local" ? undefined : chain?.fields.at(-1);
    if (field !== undefined) return selectField(this.world, container, field);
    const key = this.term(subscript, scope);
    const { text, number } = key;
    if (text?.op === "constant" && terms.is(key, "text") === formulas.yes) {
      return selectField(this.world, container, String(text.value));
    }
    const opaque = unknownTerm(this.world, `[] ${keyOf(container)} ${keyOf(key)}`);
    const any = terms.where(formulas.and(terms.exists(container), terms.exists(key)), opaque);
    if (number?.op !== "constant" || typeof number.value !== "object") return any;
    const at = nearestDouble(number.value);
    const { list, map } = container;
    if (list === undefined || terms.is(container, "other") !== formulas.no || !Number.isSafeInteger(at)) return any;
    if (map !== undefined && !hasTextKeys(map)) return any;
    // A list has no negative index.
    if (at < 0) return ERRING;
    if (list.kind === "items") return terms.where(terms.is(container, "list"), list.items[at] ?? ERRING);
    if (list.kind !== "raw") return any;
    const raw = this.world.within(list.raw, `${list.raw.key}[${at}]`);
    const element = this.world.value(raw);
    const isIn = this.world.isIn(element, list.raw, raw);
    const isThere = formulas.less(formulas.number(at), this.world.sizeOf(list.raw));
    this.world.fact(formulas.implies(list.raw.is("list"), formulas.same(terms.exists(element), isThere)));
    this.world.fact(formulas.implies(formulas.and(list.raw.is("list"), terms.exists(element)), isIn));
    return terms.where(terms.is(container, "list"), element);
  }

  call(expr: Call | MemberCall, args: readonly Expr[], scope: FormulaScope): FormulaTerm {
    const [first, second] = args;
    if (isOptionalAccess(expr.fn)) return this.opaque(expr, scope);
    if (expr.kind === "member" && expr.fn === "orValue" && first !== undefined && second !== undefined) {
      const optional = this.orValue(first, second, scope);
      if (optional !== undefined) return optional;
    }
    const given = args.map((arg) => this.term(arg, scope));
    return this.functions.value(expr, given) ?? this.opaque(expr, scope);
  }

  /** `R.attr.a.?b.orValue(c)` on attributes; undefined for any other target. */
  private orValue(target: Expr, otherwise: Expr, scope: FormulaScope): FormulaTerm | undefined {
    const [operand, key] = target.kind === "call" && isOptionalAccess(target.fn) ? target.args : [];
    if (operand === undefined || key?.kind !== "literal" || typeof key.value !== "string") return undefined;
    const place = this.placeOf(requestValueOf(operand), scope);
    if (place === undefined) return undefined;
    const { formulas, terms } = this.world;
    const container = this.reads.container(place);
    const member = this.reads.below(place, key.value);
    // A container that is not a map has no such member, and a list errs.
    const isThere = formulas.and(terms.is(container, "map"), member.raw.isThere());
    const value = terms.choose(isThere, this.reads.whole(member), this.term(otherwise, scope));
    const isFine = formulas.and(terms.exists(container), formulas.not(terms.is(container, "list")));
    return terms.where(isFine, value);
  }
}

function macroName({ macro, v2, filter, transform }: Macro): string {
  return `${macro} ${v2 === undefined} ${filter === undefined} ${transform === undefined}`;
}

/** The unknown maps that a value may be. */
function rawMapsOf(map: MapValue | undefined): readonly RawValue[] {
  if (map?.kind === "choice") return [...rawMapsOf(map.a), ...rawMapsOf(map.b)];
  return map?.kind === "raw" ? [map.raw] : [];
}

/** Maps of a request have text keys only; maps that expressions make may have others. */
function hasTextKeys(map: MapValue): boolean {
  switch (map.kind) {
    case "raw":
      return map.raw.isData;
    case "members":
      return true;
    case "choice":
      return hasTextKeys(map.a) && hasTextKeys(map.b);
  }
}
