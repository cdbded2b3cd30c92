/**
 * Prints formulas as SMT-LIB 2.6 (https://smt-lib.org), with the theories of strings and reals, and reads the answers
 * of solvers.
 */

import {
  type Formula,
  type FormulaOperation,
  type FormulaSort,
  JSON_KINDS,
  type Rational,
  rational,
  unknownsIn,
} from "./formula.js";

/** A question for a solver: do some values of the unknowns make all of `holds` true? If so, find them. */
export interface SolverQuery {
  readonly holds: readonly Formula[];
  /** The formulas to report the values of. */
  readonly wanted: readonly Formula[];
  /**
   * `symbols` is an abstraction: texts can only be equal or different, and operations on texts are uninterpreted
   * functions. It is decided much faster. If the abstract query is unsatisfiable, so is the one with texts, because
   * texts are one way in which symbols can behave. Its values are not texts, so do not ask for `wanted` formulas.
   */
  readonly texts: "whole" | "symbols";
}

/** Prints a query as a script. The output of the script is `sat` and then the values, `unsat`, or `unknown`. */
export function scriptOf({ holds, wanted, texts }: SolverQuery): string {
  const writer = new SmtWriter([...holds, ...wanted], texts === "symbols" ? new SmtSymbols() : undefined);
  const asserted = holds.map((one) => `(assert ${writer.text(one)})`);
  const values = wanted.map((one) => writer.text(one));
  return [
    `(declare-datatypes ((Kind 0)) ((${JSON_KINDS.map((kind) => `(k.${kind})`).join(" ")})))`,
    ...writer.symbols,
    ...writer.declarations,
    ...writer.definitions,
    ...asserted,
    "(check-sat)",
    ...(values.length === 0 ? [] : [`(get-value (${values.join(" ")}))`]),
    "",
  ].join("\n");
}

const SORTS: { readonly [sort in FormulaSort]: string } = { bool: "Bool", real: "Real", text: "String", kind: "Kind" };

const OPERATIONS: { readonly [op in FormulaOperation]: string } = {
  and: "and",
  or: "or",
  not: "not",
  "=": "=",
  ite: "ite",
  "<": "<",
  "<=": "<=",
  "+": "+",
  "-": "-",
  "*": "*",
  whole: "is_int",
  floor: "to_int",
  "text.join": "str.++",
  "text.length": "str.len",
  "text.starts": "str.prefixof",
  "text.ends": "str.suffixof",
  "text.contains": "str.contains",
  "text.less": "str.<",
};

/** Operations that take the part before the text in SMT-LIB. */
const TURNED: ReadonlySet<FormulaOperation> = new Set(["text.starts", "text.ends"]);

/** Operations with integer results in SMT-LIB, where formulas have reals. */
const INTEGERS: ReadonlySet<FormulaOperation> = new Set(["text.length", "floor"]);

class SmtWriter {
  readonly declarations: string[] = [];
  /** Definitions of formulas that are used several times, each before its first use. */
  readonly definitions: string[] = [];
  private readonly names = new Map<string, string>();
  private readonly written = new Map<Formula, string>();
  private readonly uses = new Map<Formula, number>();
  private readonly symbolic: SmtSymbols | undefined;

  /** `symbolic` replaces texts by symbols. Undefined: texts are printed as they are. */
  constructor(formulas: readonly Formula[], symbolic: SmtSymbols | undefined) {
    this.symbolic = symbolic;
    for (const one of unknownsIn(formulas)) this.declare(one.name, one.sort, one.args);
    for (const one of formulas) this.count(one);
  }

  /** Declarations that come before all others. They are complete after everything is printed. */
  get symbols(): readonly string[] {
    return this.symbolic?.declarations ?? [];
  }

  text(formula: Formula): string {
    const known = this.written.get(formula);
    if (known !== undefined) return known;
    // Innermost first, on a stack of its own, so that deep formulas do not overflow the call stack.
    const rest: Formula[] = [formula];
    for (let one = rest.at(-1); one !== undefined; one = rest.at(-1)) {
      const missing = one.op === "constant" ? [] : one.args.filter((arg) => !this.written.has(arg));
      if (missing.length > 0 && !this.written.has(one)) {
        rest.push(...missing);
        continue;
      }
      rest.pop();
      if (!this.written.has(one)) this.written.set(one, this.named(one, this.whole(one)));
    }
    return this.written.get(formula) ?? "";
  }

  private named(formula: Formula, text: string): string {
    const isSmall = formula.op === "constant" || (formula.op === "unknown" && formula.args.length === 0);
    if (isSmall || (this.uses.get(formula) ?? 0) < 2) return text;
    const name = `d${formula.id}`;
    this.definitions.push(`(define-fun ${name} () ${this.sort(formula.sort)} ${text})`);
    return name;
  }

  private whole(formula: Formula): string {
    if (formula.op === "constant") {
      const isSymbol = formula.sort === "text" && this.symbolic !== undefined;
      return isSymbol ? this.symbolic.named(String(formula.value)) : constantText(formula.value, formula.sort);
    }
    const args = formula.args.map((arg) => this.written.get(arg) ?? "");
    if (formula.op === "unknown") {
      const name = this.names.get(formula.name) ?? "";
      return args.length === 0 ? name : `(${name} ${args.join(" ")})`;
    }
    const symbolic = this.symbolic?.operation(formula.op);
    if (symbolic !== undefined) return `(${symbolic} ${args.join(" ")})`;
    const ordered = TURNED.has(formula.op) ? [...args].reverse() : args;
    const text = `(${OPERATIONS[formula.op]} ${ordered.join(" ")})`;
    return INTEGERS.has(formula.op) ? `(to_real ${text})` : text;
  }

  private declare(name: string, sort: FormulaSort, args: readonly Formula[]): void {
    if (this.names.has(name)) return;
    const symbol = `u${this.names.size}`;
    this.names.set(name, symbol);
    this.declarations.push(
      `(declare-fun ${symbol} (${args.map((arg) => this.sort(arg.sort)).join(" ")}) ${this.sort(sort)})`,
    );
  }

  private sort(sort: FormulaSort): string {
    return sort === "text" && this.symbolic !== undefined ? SYMBOL : SORTS[sort];
  }

  private count(formula: Formula): void {
    const rest = [formula];
    for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
      const uses = (this.uses.get(one) ?? 0) + 1;
      this.uses.set(one, uses);
      if (uses === 1 && one.op !== "constant") rest.push(...one.args);
    }
  }
}

const SYMBOL = "Text";

/** Operations on texts, as uninterpreted functions. */
const SYMBOLIC = {
  "text.join": { name: "join", takes: [SYMBOL, SYMBOL], gives: SYMBOL },
  "text.length": { name: "length", takes: [SYMBOL], gives: "Real" },
  "text.starts": { name: "starts", takes: [SYMBOL, SYMBOL], gives: "Bool" },
  "text.ends": { name: "ends", takes: [SYMBOL, SYMBOL], gives: "Bool" },
  "text.contains": { name: "contains", takes: [SYMBOL, SYMBOL], gives: "Bool" },
  "text.less": { name: "less", takes: [SYMBOL, SYMBOL], gives: "Bool" },
} as const;

function isSymbolic(op: FormulaOperation): op is keyof typeof SYMBOLIC {
  return op in SYMBOLIC;
}

/** Texts as symbols: each text constant has a name, and all names are distinct. */
class SmtSymbols {
  private readonly names = new Map<string, string>();

  named(text: string): string {
    const name = this.names.get(text) ?? `t${this.names.size}`;
    this.names.set(text, name);
    return name;
  }

  operation(op: FormulaOperation): string | undefined {
    return isSymbolic(op) ? `text.${SYMBOLIC[op].name}` : undefined;
  }

  get declarations(): readonly string[] {
    const names = [...this.names.values()];
    return [
      `(declare-sort ${SYMBOL} 0)`,
      ...Object.values(SYMBOLIC).map(
        ({ name, takes, gives }) => `(declare-fun text.${name} (${takes.join(" ")}) ${gives})`,
      ),
      ...names.map((name) => `(declare-const ${name} ${SYMBOL})`),
      ...(names.length > 1 ? [`(assert (distinct ${names.join(" ")}))`] : []),
    ];
  }
}

function constantText(value: boolean | Rational | string, sort: FormulaSort): string {
  if (typeof value === "boolean") return String(value);
  if (sort === "kind") return `k.${String(value)}`;
  return typeof value === "string" ? quoted(value) : realText(value);
}

function realText({ num, den }: Rational): string {
  const size = `${num < 0n ? -num : num}.0`;
  const whole = num < 0n ? `(- ${size})` : size;
  return den === 1n ? whole : `(/ ${whole} ${den}.0)`;
}

/** Greatest code point in the theory of strings. */
export const MAX_CHAR = 0x2ffff;

function quoted(text: string): string {
  const chars = Array.from(text, (char) => {
    const point = char.codePointAt(0) ?? 0;
    if (char === '"') return '""';
    return point < 0x20 || point > 0x7e || char === "\\" ? `\\u{${point.toString(16)}}` : char;
  });
  return `"${chars.join("")}"`;
}

/** A value of the solver's answer. Undefined: it is not a rational number (a root, for example). */
export type ModelValue = boolean | Rational | string | undefined;

/** The values in the text of an answer, in the order of `wanted`. */
export function valuesIn(answer: string): readonly ModelValue[] {
  const { tree } = readTree(answer, 0);
  return Array.isArray(tree) ? tree.map((pair) => (Array.isArray(pair) ? valueIn(pair[1] ?? []) : undefined)) : [];
}

type SmtTree = string | readonly SmtTree[];

function isBranch(tree: SmtTree): tree is readonly SmtTree[] {
  return typeof tree !== "string";
}

function readTree(text: string, from: number): { readonly tree: SmtTree; readonly end: number } {
  let at = from;
  while (/\s/.test(text[at] ?? "")) at++;
  if (text[at] === "(") {
    const parts: SmtTree[] = [];
    at++;
    for (;;) {
      while (/\s/.test(text[at] ?? "")) at++;
      if (at >= text.length || text[at] === ")") return { tree: parts, end: at + 1 };
      const { tree, end } = readTree(text, at);
      parts.push(tree);
      at = end;
    }
  }
  const start = at;
  if (text[at] === '"') {
    at++;
    while (at < text.length && (text[at] !== '"' || text[at + 1] === '"')) at += text[at] === '"' ? 2 : 1;
    return { tree: text.slice(start, at + 1), end: at + 1 };
  }
  while (/[^\s()]/.test(text[at] ?? "")) at++;
  return { tree: text.slice(start, at), end: at };
}

function valueIn(tree: SmtTree): ModelValue {
  if (isBranch(tree)) return realIn(tree);
  if (tree === "true" || tree === "false") return tree === "true";
  if (tree.startsWith('"')) return unquoted(tree);
  if (tree.startsWith("k.")) return tree.slice(2);
  return realIn(tree);
}

function realIn(tree: SmtTree): Rational | undefined {
  if (!isBranch(tree)) {
    const [, whole, fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(tree) ?? [];
    if (whole === undefined) return undefined;
    const den = 10n ** BigInt(fraction.length);
    return rational(BigInt(whole) * den + BigInt(fraction), den);
  }
  const [op, first, second] = tree;
  const a = first === undefined ? undefined : realIn(first);
  if (a === undefined) return undefined;
  if (op === "-" && second === undefined) return { num: -a.num, den: a.den };
  const b = second === undefined ? undefined : realIn(second);
  if (op === "/" && b !== undefined && b.num !== 0n) return rational(a.num * b.den, a.den * b.num);
  return op === "to_real" ? a : undefined;
}

function unquoted(text: string): string {
  return text
    .slice(1, -1)
    .replaceAll('""', '"')
    .replaceAll(/\\u\{([0-9a-fA-F]+)\}|\\u([0-9a-fA-F]{4})/g, (_all, braced: string, four: string) =>
      String.fromCodePoint(Number.parseInt(braced ?? four, 16)),
    );
}
