/** Expressions as formulas: of which type the value is, and which value, for whatever request. */

import {
  type Bind,
  type Call,
  children,
  type Expr,
  type Has,
  type Macro,
  type MemberCall,
  operandsOf,
} from "../../cel/ast.js";
import { chainOf } from "../../cel/facts.js";
import { isList, type JsonValue } from "../../cel/json.js";
import { isOptionalAccess, OPERATORS, type Operator } from "../../cel/operators.js";
import { follow } from "../../cel/roots.js";
import { type CelValue, isMap, Uint } from "../../cel/values.js";
import type { Definitions } from "../../policy/model.js";
import { type Formula, nearestDouble } from "./formula.js";
import { Functions } from "./functions.js";
import { MAX_ITEMS, Operators } from "./operators.js";
import { anything, type Place, presenceIn, type Reading, Reads, selected } from "./reads.js";
import { MAX_CHAR } from "./smtlib.js";
import { ERRING, keyOf, type ListValue, type Term, type Three } from "./terms.js";
import type { Subject, World } from "./world.js";

/** Where an expression stands. */
export interface Scope {
  readonly definitions: Definitions;
  readonly reading: Reading;
  /** What names stand for that macros bind. */
  readonly locals: ReadonlyMap<string, Term>;
}

const NO_LOCALS: ReadonlyMap<string, Term> = new Map();

export class Expressions {
  private readonly world: World;
  private readonly reads: Reads;
  private readonly operators: Operators;
  private readonly functions: Functions;
  private readonly variables = new Map<Definitions, Map<string, Map<string, Term>>>();

  constructor(world: World) {
    this.world = world;
    this.reads = new Reads(world);
    this.operators = new Operators(world);
    this.functions = new Functions(world, this.operators);
  }

  /** The value of an expression that stands by itself. `locals`: what names stand for beside those of policies. */
  value(expr: Expr, definitions: Definitions, reading: Reading, locals = NO_LOCALS): Term {
    return this.term(expr, { definitions, reading, locals });
  }

  /** Adds what follows from all that was translated. */
  close(): void {
    this.world.close((a, b) => this.operators.same(a, b));
    this.reads.close();
    this.functions.close();
  }

  private term(expr: Expr, scope: Scope): Term {
    // What the server could not plan always errs.
    if (expr.doom !== undefined) return ERRING;
    const named = this.named(expr, scope);
    if (named !== undefined) return named;
    switch (expr.kind) {
      case "literal":
        return this.literal(expr.value);
      case "ident":
      case "select":
        return expr.kind === "select"
          ? selected(this.world, this.term(expr.operand, scope), expr.field)
          : this.opaque(expr, scope);
      case "has":
        return this.presence(expr, scope);
      case "list":
        return this.list(expr.elements, scope);
      case "map":
        return this.map(expr, scope);
      case "bind":
        return this.bound(expr, scope);
      case "macro":
        return this.macro(expr, scope);
      case "call":
        return this.call(expr, scope);
      case "member":
        return this.applied(expr, [expr.target, ...expr.args], scope);
      case "optional":
        return this.term(expr.value, scope);
    }
  }

  /** What starts from a name of the environment; undefined for all else. */
  private named(expr: Expr, scope: Scope): Term | undefined {
    const place = this.placeOf(expr, scope);
    if (place !== undefined) return this.reads.whole(place);
    const chain = chainOf(expr);
    if (chain === undefined) return undefined;
    const { of, root, fields } = chain;
    if (of === "local") return fields.length === 0 ? (scope.locals.get(root) ?? this.opaque(expr, scope)) : undefined;
    if (of === "request") return this.field(root, fields, scope);
    const [name, ...rest] = fields;
    if (name === undefined) return undefined;
    const value = this.defined(of, name, scope);
    return rest.reduce((operand, field) => selected(this.world, operand, field), value);
  }

  private defined(of: "variable" | "constant" | "global", name: string, scope: Scope): Term {
    if (of === "variable") return this.variable(name, scope);
    if (of === "constant") {
      const value = scope.definitions.constants.get(name);
      return value === undefined ? ERRING : this.json(value);
    }
    const { globals } = scope.reading;
    const value = Object.hasOwn(globals, name) ? globals[name] : undefined;
    return value === undefined ? ERRING : this.literal(value);
  }

  private variable(name: string, { definitions, reading }: Scope): Term {
    const ofDefinitions = this.variables.get(definitions) ?? new Map<string, Map<string, Term>>();
    this.variables.set(definitions, ofDefinitions);
    const known = ofDefinitions.get(reading.key) ?? new Map<string, Term>();
    ofDefinitions.set(reading.key, known);
    const expression = definitions.variables.find((one) => one.name === name)?.expr;
    const term =
      known.get(name) ?? (expression === undefined ? ERRING : this.value(expression.expr, definitions, reading));
    known.set(name, term);
    return term;
  }

  /** A value below the attributes of a subject; undefined for all else. */
  private placeOf(expr: Expr, { reading }: Scope): Place | undefined {
    const chain = chainOf(expr);
    const found = chain?.of === "request" ? follow(chain.root, chain.fields) : undefined;
    if (found?.root.kind !== "leaf" || !found.root.attributes) return undefined;
    const subject: Subject | undefined =
      found.root.path === "P.attr" ? reading.principal : found.root.path === "R.attr" ? "resource" : undefined;
    if (subject === undefined) return undefined;
    return found.path.reduce((place, name) => this.reads.below(place, name), this.reads.attributes(reading, subject));
  }

  /** A value of the request that is no attribute. */
  private field(root: string, fields: readonly string[], scope: Scope): Term | undefined {
    const found = follow(root, fields);
    if (found === undefined) return undefined;
    if (found.root.kind === "message") return anything(this.world, `message ${found.root.path}`);
    const value = this.leaf(found.root.path, scope);
    return found.path.reduce((operand, field) => selected(this.world, operand, field), value);
  }

  private leaf(path: string, { reading }: Scope): Term {
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
        return active === undefined ? this.json([]) : anything(world, `${path} of ${active}`);
      }
    }
  }

  private roles(reading: Reading): Term {
    if (reading.principal === "account") return this.json(["account"]);
    return this.world.terms.of("list", { list: { kind: "raw", raw: this.world.roles } });
  }

  private presence({ operand, field }: Has, scope: Scope): Term {
    const { world } = this;
    const chain = chainOf({ kind: "select", at: 0, operand, field });
    const [name] = chain?.fields ?? [];
    if (chain !== undefined && name !== undefined) {
      if (chain.of === "request") {
        const found = follow(chain.root, chain.fields);
        // A field of a message: present unless empty.
        if (found?.path.length === 0) return this.isSet(found.root.path, scope);
      } else if (chain.of !== "local" && chain.fields.length === 1) {
        if (chain.of === "constant") return world.terms.bool(world.formulas.yes);
        const value = this.defined(chain.of, name, scope);
        return world.terms.bool(world.terms.exists(value));
      }
    }
    const place = this.placeOf(operand, scope);
    return presenceIn(world, place === undefined ? this.term(operand, scope) : this.reads.container(place), field);
  }

  private isSet(path: string, scope: Scope): Term {
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

  private literal(value: CelValue): Term {
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
    return anything(this.world, `literal ${JSON.stringify(value)}`);
  }

  /** A text. One with a character that solvers do not have is unlike others, and no more is known of it. */
  private textOf(value: string): Term {
    const { terms, formulas } = this.world;
    const isKnown = Array.from(value).every((char) => (char.codePointAt(0) ?? 0) <= MAX_CHAR);
    if (isKnown) return terms.of("text", { text: this.world.text(value) });
    return terms.of("text", { text: formulas.unknown("text", `text ${JSON.stringify(value)}`) });
  }

  private json(value: JsonValue | readonly CelValue[]): Term {
    if (!isList(value)) return this.literal(value);
    const items = value.map((item) => this.literal(item));
    return this.world.terms.of("list", { list: { kind: "items", items } });
  }

  private members(entries: readonly (readonly [string, CelValue])[]): Term {
    const members = new Map(entries.map(([name, value]) => [name, this.literal(value)] as const));
    return this.world.terms.of("map", { map: { kind: "members", members } });
  }

  private list(elements: readonly Expr[], scope: Scope): Term {
    if (elements.length > MAX_ITEMS || elements.some(({ kind }) => kind === "optional")) {
      const parts = elements.map((element) => this.term(element, scope));
      return this.restricted(anything(this.world, `list ${parts.map(keyOf).join()}`), "list");
    }
    const items = elements.map((element) => this.term(element, scope));
    const exist = this.world.formulas.and(...items.map((item) => this.world.terms.exists(item)));
    return this.world.terms.of("list", { list: { kind: "items", items } }, exist);
  }

  private map(expr: Extract<Expr, { kind: "map" }>, scope: Scope): Term {
    const { terms, formulas } = this.world;
    const members = new Map<string, Term>();
    for (const { key, value } of expr.entries) {
      if (key.kind !== "literal" || typeof key.value !== "string" || value.kind === "optional") {
        return this.restricted(this.opaque(expr, scope), "map");
      }
      members.set(key.value, this.term(value, scope));
    }
    const exist = formulas.and(...[...members.values()].map((value) => terms.exists(value)));
    return terms.of("map", { map: { kind: "members", members } }, exist);
  }

  private restricted(term: Term, type: "list" | "map"): Term {
    return { ...term, is: { [type]: this.world.terms.is(term, type) } };
  }

  /** Of which nothing is known but what it is made of. */
  private opaque(expr: Expr, scope: Scope): Term {
    const inner =
      expr.kind === "macro" ? this.unbound(expr, scope) : children(expr).map((part) => keyOf(this.term(part, scope)));
    const own =
      expr.kind === "call" || expr.kind === "member" ? expr.fn : expr.kind === "macro" ? macroName(expr) : expr.kind;
    const kinds = children(expr)
      .map(({ kind }) => (kind === "optional" ? "?" : ""))
      .join();
    return anything(this.world, `${own} ${kinds} ${inner.join(" & ")}`);
  }

  /** What a macro is made of: its body as it is for a value that stands for any. */
  private unbound(expr: Macro, scope: Scope): readonly string[] {
    const range = this.term(expr.range, scope);
    const locals = new Map(scope.locals);
    for (const name of [expr.v1, expr.v2]) {
      if (name !== undefined)
        locals.set(name, anything(this.world, `${name === expr.v1 ? "first" : "second"} of ${keyOf(range)}`));
    }
    const bodies = [expr.filter, expr.transform].map((body) =>
      body === undefined ? "" : keyOf(this.term(body, { ...scope, locals })),
    );
    return [keyOf(range), ...bodies];
  }

  private bound({ name, init, body }: Bind, scope: Scope): Term {
    const locals = new Map(scope.locals).set(name, this.term(init, scope));
    return this.term(body, { ...scope, locals });
  }

  private macro(expr: Macro, scope: Scope): Term {
    const { macro, v1, v2, filter } = expr;
    if ((macro !== "all" && macro !== "exists") || v2 !== undefined || filter === undefined)
      return this.opaque(expr, scope);
    const { formulas, terms } = this.world;
    const range = this.term(expr.range, scope);
    const { list } = range;
    const over = (type: "list" | "map", values: ListValue): Term => {
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
    const keys = range.map?.kind === "raw" ? this.world.raw(`keys of ${range.map.raw.key}`) : undefined;
    if (isMap !== formulas.no && keys === undefined) return this.opaque(expr, scope);
    const inMap = isMap === formulas.no || keys === undefined ? ERRING : over("map", { kind: "raw", raw: keys });
    const inList = list === undefined ? ERRING : over("list", list);
    return terms.choose(terms.is(range, "list"), inList, inMap);
  }

  private call(expr: Call, scope: Scope): Term {
    const operator = OPERATORS.get(expr.fn);
    const { terms, formulas } = this.world;
    const truths = (of: readonly Expr[]): readonly Three[] =>
      of.map((operand) => terms.truth(this.term(operand, scope)));
    if (operator === undefined) return this.applied(expr, expr.args, scope);
    switch (operator.kind) {
      case "junction":
        return terms.three(terms.junction(operator.decisive, truths(operandsOf(expr))));
      case "not": {
        const [part] = truths(expr.args);
        return part === undefined ? ERRING : terms.three({ holds: part.fails, fails: part.holds });
      }
      case "conditional": {
        const [test, yes, no] = expr.args;
        if (test === undefined || yes === undefined || no === undefined) return ERRING;
        const { holds, fails } = terms.truth(this.term(test, scope));
        const chosen = terms.choose(holds, this.term(yes, scope), this.term(no, scope));
        return terms.where(formulas.or(holds, fails), chosen);
      }
      default:
        return this.operation(expr, operator, scope);
    }
  }

  private operation(expr: Call, operator: Operator, scope: Scope): Term {
    const { terms, formulas } = this.world;
    const [left, right] = expr.args;
    const a = left === undefined ? ERRING : this.term(left, scope);
    if (operator.kind === "negative") return this.operators.negative(a);
    const b = right === undefined ? ERRING : this.term(right, scope);
    switch (operator.kind) {
      case "equality":
        return this.operators.equality(a, b, operator.equal);
      case "ordering": {
        const isTurned = operator.symbol === ">" || operator.symbol === ">=";
        const orEqual = operator.symbol === "<=" || operator.symbol === ">=";
        return isTurned ? this.operators.order(b, a, orEqual) : this.operators.order(a, b, orEqual);
      }
      case "arithmetic":
        return this.operators.arithmetic(operator.symbol, a, b);
      case "membership": {
        const inList = b.list === undefined ? formulas.no : this.operators.isIn(a, b.list);
        const isMap = terms.is(b, "map");
        const inMap = isMap === formulas.no ? formulas.no : this.isKey(a, b);
        const open = terms.is(b, "other");
        const unknown = anything(this.world, `in ${keyOf(a)} ${keyOf(b)}`);
        const known = terms.bool(
          formulas.choose(terms.is(b, "list"), inList, inMap),
          formulas.and(terms.exists(a), formulas.or(terms.is(b, "list"), isMap)),
        );
        return terms.choose(open, unknown, known);
      }
      case "index":
        return this.element(a, b);
      default:
        return this.opaque(expr, scope);
    }
  }

  /** `text in map`. */
  private isKey(key: Term, container: Term): Formula {
    const { formulas, terms } = this.world;
    const name = key.text?.op === "constant" ? String(key.text.value) : undefined;
    if (name !== undefined && terms.is(key, "text") === formulas.yes) {
      return terms.truth(presenceIn(this.world, { ...container, is: { map: formulas.yes } }, name)).holds;
    }
    return formulas.unknown("bool", `key ${keyOf(key)} of ${keyOf(container)}`);
  }

  /** `container[key]`. */
  private element(container: Term, key: Term): Term {
    const { formulas, terms } = this.world;
    const { text, number } = key;
    if (text?.op === "constant" && terms.is(key, "text") === formulas.yes) {
      return selected(this.world, container, String(text.value));
    }
    const opaque = anything(this.world, `[] ${keyOf(container)} ${keyOf(key)}`);
    const any = terms.where(formulas.and(terms.exists(container), terms.exists(key)), opaque);
    if (number?.op !== "constant" || typeof number.value !== "object") return any;
    const at = nearestDouble(number.value);
    const { list } = container;
    if (list === undefined || terms.is(container, "other") !== formulas.no || !Number.isSafeInteger(at)) return any;
    // The keys of maps are texts.
    if (at < 0) return ERRING;
    if (list.kind === "items") return terms.where(terms.is(container, "list"), list.items[at] ?? ERRING);
    if (list.kind !== "raw") return any;
    const raw = this.world.raw(`${list.raw.key}[${at}]`);
    const isIn = this.world.isIn(terms.raw(raw), list.raw, raw);
    const isThere = formulas.less(formulas.number(at), this.world.sizeOf(list.raw));
    this.world.fact(formulas.implies(list.raw.is("list"), formulas.same(raw.isThere(), isThere)));
    this.world.fact(formulas.implies(formulas.and(list.raw.is("list"), raw.isThere()), isIn));
    return terms.where(terms.is(container, "list"), terms.raw(raw));
  }

  private applied(expr: Call | MemberCall, args: readonly Expr[], scope: Scope): Term {
    const [first, second] = args;
    if (expr.kind === "member" && expr.fn === "orValue" && first !== undefined && second !== undefined) {
      const optional = this.orValue(first, second, scope);
      if (optional !== undefined) return optional;
    }
    const given = args.map((arg) => this.term(arg, scope));
    return this.functions.value(expr, given) ?? this.opaque(expr, scope);
  }

  /** `R.attr.?a.b.orValue(c)`, of attributes. */
  private orValue(target: Expr, otherwise: Expr, scope: Scope): Term | undefined {
    const [operand, key] = target.kind === "call" && isOptionalAccess(target.fn) ? target.args : [];
    if (operand === undefined || key?.kind !== "literal" || typeof key.value !== "string") return undefined;
    const place = this.placeOf(operand, scope);
    if (place === undefined) return undefined;
    const { formulas, terms } = this.world;
    const container = this.reads.container(place);
    const member = this.reads.below(place, key.value);
    // Of what is no map, nothing is there; a list errs.
    const isThere = formulas.and(terms.is(container, "map"), member.raw.isThere());
    const value = terms.choose(isThere, this.reads.whole(member), this.term(otherwise, scope));
    const isFine = formulas.and(terms.exists(container), formulas.not(terms.is(container, "list")));
    return terms.where(isFine, value);
  }
}

function macroName({ macro, v2, filter, transform }: Macro): string {
  return `${macro} ${v2 === undefined} ${filter === undefined} ${transform === undefined}`;
}
