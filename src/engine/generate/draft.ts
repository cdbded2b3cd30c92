/**
 * One generated function while it is written. Its names are short, since source takes memory:
 *
 * | name | what it is |
 * |---|---|
 * | `y`, `m`, `v` | its first parameter: which of its conditions are asked for, as bits, and what each counts (`selection.ts`) |
 * | `pi`, `pr`, `pa` | the others: id, roles and attributes of the principal |
 * | `qi`, `qr`, `qa` | those of the account |
 * | `rk`, `ri`, `ra`, `n` | kind, id and attributes of the resource; the clock |
 * | `h`, `h1`, … | the words of the set of conditions that hold |
 * | `z` | the flag: not 0 once something was unusual, after which the function leaves all to closures |
 * | `k` | the steps that were counted so far (`budget.ts`) |
 * | `a0`, …, `c0`, … | values of the request, and whether lists among them were copied (`reads.ts`) |
 * | `t0`, … | values on the way |
 * | `s` | in two stages: what the second is given of the first |
 * | `s.b0`, …, `k0` | there, what lists that are bound have of the texts looked for, and what reading them has cost |
 * | `f0`, …, `g0`, …, `q0`, … | functions and values beside the function, made once |
 * | `d` | the checks of declared types |
 * | capitals | helpers (`helpers.ts`) |
 */

import type { Definitions } from "../../policy/model.js";
import type { AttributeTypes, Subject } from "../plan/subjects.js";
import { ASK } from "./answers.js";
import type { Attributes } from "./attributes.js";
import { MAX_FIXED } from "./budget.js";
import { type Js, joined, js } from "./js.js";
import { answer, type Operand } from "./operands.js";
import { type Field, fieldOf, type ListIndex, type Place, parametersOf, Reads } from "./reads.js";
import { ifAsked, type NeedsOf, TAKE_SELECTION } from "./selection.js";
import { NO_SET, type Part } from "./written.js";

/** A function of more nodes than this is too long to be worth compiling. */
const MAX_NODES = 20_000;

/** Variables that macros bind may be nested this deep. */
const MAX_DEPTH = 3;

/** The code of a variable that is read more than once, with the local variables in it. */
interface Definition {
  readonly operand: Operand;
  readonly locals: readonly Js[];
}

/** The body of one function: the generated one's own, or that of a function for a macro's predicate. */
class Frame {
  readonly outer: Frame | undefined;
  readonly depth: number;
  readonly temps: Js[] = [];
  /** The local variables of frames around it that it reads: its function has them as parameters. */
  readonly needs = new Map<string, Js>();
  /** What one pass through it costs (see `budget.ts`). */
  steps = 0;

  constructor(outer: Frame | undefined) {
    this.outer = outer;
    this.depth = outer === undefined ? 0 : outer.depth + 1;
  }
}

/** What the variable of a macro stands for: each element in turn, or a constant. */
export type Bound =
  | { readonly kind: "element"; readonly local: Js; readonly inside: Attributes; readonly frame: Frame }
  | { readonly kind: "constant"; readonly value: string };

/** The body of a macro's function. */
export interface Body<T> {
  readonly made: T;
  readonly temps: readonly Js[];
  readonly needs: readonly Js[];
  readonly steps: number;
}

/** A search in a list, after which nothing was written. */
export interface Ending {
  readonly list: Js;
  /** The local variable with its answer. */
  readonly answer: Js;
}

/** How many outputs there are, and the statements that return what a function finds where it has the values of them. */
interface Outputs {
  readonly count: number;
  readonly statements: readonly Js[];
}

const NO_OUTPUTS: Outputs = { count: 0, statements: [] };

/** What names of variables and constants stand for. */
interface Namespace {
  readonly definitions: Definitions;
  readonly uses: ReadonlyMap<string, number>;
  readonly variables: Map<string, Definition>;
}

const NO_DEFINITIONS: Definitions = { constants: new Map(), variables: [] };

const ALL: ReadonlySet<Part> = new Set(["principal", "account", "resource"]);

/** How often variables are read, by the definitions that they stand in. */
type Uses = ReadonlyMap<Definitions, ReadonlyMap<string, number>>;

export class Draft {
  readonly reads = new Reads();
  private allUses: Uses = new Map();
  private readonly spaces = new Map<Definitions, Namespace>();
  private space: Namespace = { definitions: NO_DEFINITIONS, uses: new Map(), variables: new Map() };
  private nodes = 0;
  private names = 0;
  private readonly top = new Frame(undefined);
  private frame = this.top;
  private bound: ReadonlyMap<string, Bound> = new Map();
  private readonly outside: Js[] = [];
  private readonly statements: Ahead[] = [];
  /** The local variables that what is written now reads. */
  private readNow = new Set<string>();
  /** Those that values which are evaluated ahead read, by the local variables of these. */
  private readonly readAhead = new Map<string, ReadonlySet<string>>();
  /** The parts whose share is evaluated when they are bound, where the function is written in two stages. */
  readonly boundParts: ReadonlySet<Part>;
  private layer = 0;
  private types: AttributeTypes | undefined = undefined;
  private latest: Ending | undefined = undefined;

  constructor(boundParts: ReadonlySet<Part> = new Set()) {
    this.boundParts = boundParts;
  }

  /**
   * What is written next is for the conditions of a layer. `uses`: how often each of their variables is read, by the
   * definitions that it stands in.
   *
   * The first layer's principal is `pi`, `pr`, `pa` and the second's is `qi`, `qr`, `qa`, in all that is written for them: so it keeps the invariant
   * "two layers apart" of `decide.ts`. What definitions come to is kept for a layer, since both may have the same.
   */
  enterLayer(layer: number, types: AttributeTypes, uses: Uses): void {
    this.spaces.clear();
    this.layer = layer;
    this.types = types;
    this.allUses = uses;
  }

  /** `P.id` and its like. */
  field(subject: Subject, field: Field): Js {
    return fieldOf(this.partOf(subject), field);
  }

  /** `P.attr.a.b`. Undefined if a name in it is one that objects inherit. */
  attribute(subject: Subject, path: readonly string[]): Place | undefined {
    const root = this.types?.[subject];
    const declarer = root && { layer: this.layer, subject, root };
    const place = this.reads.attribute(this.partOf(subject), path, declarer);
    if (place !== undefined) this.readNow.add(place.local.text);
    return place;
  }

  /** Runs `write`. Returns what it made, and the local variables that this reads. */
  reading<T>(write: () => T): { readonly made: T; readonly read: ReadonlySet<string> } {
    const { readNow } = this;
    this.readNow = new Set();
    const made = write();
    const read = this.readNow;
    this.readNow = readNow;
    return { made, read };
  }

  /** What is written now reads these local variables, too. */
  alsoReads(read: ReadonlySet<string>): void {
    for (const local of read) this.readNow.add(local);
  }

  /** All that is read by what reads these local variables. */
  private allRead(read: ReadonlySet<string>): ReadonlySet<string> {
    const all = new Set(read);
    // What is added while it goes through is gone through as well.
    for (const local of all) for (const inside of this.readAhead.get(local) ?? []) all.add(inside);
    return all;
  }

  /** For which of some conditions a local variable is needed, by what each of them reads. */
  needsOf(conditions: readonly { readonly bit: number; readonly read: ReadonlySet<string> }[]): NeedsOf {
    const bits = new Map<string, number>();
    for (const { bit, read } of conditions) {
      for (const local of this.allRead(read)) bits.set(local, (bits.get(local) ?? 0) | bit);
    }
    return ({ text }) => bits.get(text) ?? 0;
  }

  private partOf(subject: Subject): Part {
    return subject === "principal" && this.layer > 0 ? "account" : subject;
  }

  /** Of what is written next, variables and constants are those of `definitions`. */
  enterSpace(definitions: Definitions): void {
    const known = this.spaces.get(definitions);
    this.space = known ?? { definitions, uses: this.allUses.get(definitions) ?? new Map(), variables: new Map() };
    this.spaces.set(definitions, this.space);
  }

  get definitions(): Definitions {
    return this.space.definitions;
  }

  /** How often each variable is read. */
  get uses(): ReadonlyMap<string, number> {
    return this.space.uses;
  }

  get variables(): Map<string, Definition> {
    return this.space.variables;
  }

  /** Counts a node of an expression, and the `steps` that it costs in any request; `false` if they are too many. */
  pays(steps = 0): boolean {
    this.latest = undefined;
    this.frame.steps += steps;
    return ++this.nodes <= MAX_NODES && this.top.steps <= MAX_FIXED;
  }

  temp(): Js {
    const made = js`t${this.names++}`;
    this.frame.temps.push(made);
    return made;
  }

  /** A local variable of the generated function, or of the `home` of a macro's variable, where it is read. */
  use(local: Js, home: Frame = this.top): Js {
    this.reads.use(local);
    this.readNow.add(local.text);
    for (let at: Frame | undefined = this.frame; at !== undefined && at !== home; at = at.outer) {
      at.needs.set(local.text, local);
    }
    return local;
  }

  /** What is looked into as a list in place of a local variable: see {@link Reads.list}. */
  list(local: Js): Js {
    return this.reads.list(local, !this.isInMacro);
  }

  /**
   * Whether a helper finds what it looks for in a list: it is given the list, the steps, `fixed`, `sought` and `rest`. Once the
   * flag is set nothing is read in the list any more. The helper reads each element once at most, and none if it answers
   * that the closures must be asked.
   */
  search(helper: Js, list: Js, fixed: readonly Js[], sought: readonly Js[], rest: readonly Js[] = []): Js {
    const temps = sought.map((value) => {
      const temp = this.temp();
      return { temp, first: js`${temp} = ${value}` };
    });
    const given = [this.list(list), js`k`, ...fixed, ...temps.map(({ temp }) => temp), ...rest];
    const asked = js`z !== 0 ? ${ASK} : ${helper}(${joined(given, ", ")})`;
    const found = this.temp();
    const made = answer(js`(${joined([...temps.map(({ first }) => first), asked], ", ")})`, found);
    this.latest = this.isInMacro ? undefined : { list, answer: found };
    return made;
  }

  /** The index of a list of a bound part: it is made where it is first asked for, and kept. */
  keptIndex({ name, made }: ListIndex): Js {
    const kept = js`${this.use(js`s`)}.${name}`;
    return js`(${kept} === undefined ? (${kept} = ${made}) : ${kept})`;
  }

  /** See {@link Reads.leaveInPlace}; of what was written with these searches, one alone is evaluated, and that last. */
  leaveInPlace(endings: readonly Ending[]): boolean {
    const [first] = endings;
    const answers = endings.map((one) => one.answer);
    return first !== undefined && this.reads.leaveInPlace(first.list, answers, this.others);
  }

  /** The parts that are read when the function runs. */
  private get others(): ReadonlySet<Part> {
    return new Set([...ALL].filter((part) => !this.boundParts.has(part)));
  }

  /** The search that was written last, if nothing was after it. */
  get ending(): Ending | undefined {
    return this.latest;
  }

  /** A function of its own, beside the generated one; returns its name. */
  helper(parametersAndBody: Js): Js {
    const name = js`f${this.names++}`;
    this.outside.push(js`function ${name}${parametersAndBody}`);
    return name;
  }

  /** A value that is made once, with the generated function; returns its name. */
  fixed(code: Js): Js {
    const name = js`q${this.names++}`;
    this.outside.push(js`const ${name} = ${code};`);
    return name;
  }

  /**
   * Evaluates `code`, which was written outside of any macro and reads the local variables `read`, once and before all
   * conditions. The returned piece is its value. If evaluating it sets the flag, that is taken back and made good where the
   * piece is reached, if it is: as if `code` stood there.
   */
  ahead(code: Js, read: ReadonlySet<string>): { readonly code: Js; readonly locals: readonly Js[] } {
    this.latest = undefined;
    const [value, failed] = this.atTop(() => [this.temp(), this.temp()] as const);
    this.statements.push({ value, code: js`${value} = ${code};\n${failed} = z;\nz = 0;` });
    this.readAhead.set(value.text, read);
    return { code: js`(${failed} === 0 ? ${value} : (z = 1, ${value}))`, locals: [value, failed] };
  }

  /** Runs `write` outside of any macro, whose variables it does not read: what it writes stands in the generated function itself. */
  atTop<T>(write: () => T): T {
    const { frame } = this;
    this.frame = this.top;
    const made = write();
    this.frame = frame;
    return made;
  }

  /** Whether what is written now stands in the body of a macro. */
  get isInMacro(): boolean {
    return this.frame !== this.top;
  }

  /** What a macro's variable stands for. */
  boundTo(name: string): Bound | undefined {
    return this.bound.get(name);
  }

  /** Runs `write` with `name` bound to a constant. */
  withConstant<T>(name: string, value: string, write: () => T): T {
    const { bound } = this;
    this.bound = new Map(bound).set(name, { kind: "constant", value });
    const made = write();
    this.bound = bound;
    return made;
  }

  /** Runs `write` in a body of its own, with `name` bound to the elements of a list. Undefined if it is too deep. */
  withElement<T>(name: string, local: Js, inside: Attributes, write: () => T): Body<T> | undefined {
    const { bound, frame } = this;
    const own = new Frame(frame);
    if (own.depth > MAX_DEPTH) return undefined;
    this.frame = own;
    this.bound = new Map(bound).set(name, { kind: "element", local, inside, frame: own });
    const made = write();
    this.frame = frame;
    this.bound = bound;
    return { made, temps: own.temps, needs: [...own.needs.values()], steps: own.steps };
  }

  /**
   * The whole text: `rules` adds to the words of the set and may set the flag. Without a clock, what reads it sets the
   * flag. `keepsReads`: with the words the function returns what it has read. `needs`: for which conditions it reads that,
   * where it is asked for some of them; otherwise it reads all.
   */
  source(words: readonly Js[], rules: Js, keepsReads: boolean, needs?: NeedsOf, outputs = NO_OUTPUTS): Js {
    const parameters = joined([js`y`, ...parametersOf([...ALL]), js`n`], ", ");
    const body = this.statementsOf(ALL, js`0`, words, rules, keepsReads, needs, outputs);
    const run = [js`return function (${parameters}) {`, body, js`};`];
    return joined([...this.outside, ...this.reads.outside, ...run], "\n");
  }

  /**
   * The same in two stages: what reads the bound parts alone is evaluated when they are bound, and what it costs counts. The
   * first returns those of its names that stand in the second, which is given them. What lists have of the texts looked for is found out
   * when that is first asked for, and kept there.
   */
  stagedSource(words: readonly Js[], rules: Js, needs?: NeedsOf): Js {
    const { boundParts: bound, reads, others } = this;
    const own = reads.statements(bound, true);
    // An account that comes with the request does not hide the one that is bound.
    const account = bound.has("account") ? [js`oi`, js`or`, js`oa`] : parametersOf(["account"]);
    const parameters = joined([...account, ...parametersOf(["resource"]), js`n`], ", ");
    const locals = reads.locals(bound);
    const indexes = reads.indexes();
    const body = this.statementsOf(others, js`k0`, words, rules, false, needs, NO_OUTPUTS);
    const named = new Set(body.text.match(/\b[a-z]\w*/g));
    const kept = [...parametersOf([...bound]), ...locals, js`k0`].filter(({ text }) => named.has(text));
    const parts = [
      ...this.outside,
      ...reads.outside,
      js`return [function (${joined(parametersOf(["principal", "account"]), ", ")}) {`,
      declared([...locals, js`z = 0`, js`k = 0`]),
      ...own,
      js`if (z !== 0) return undefined;`,
      js`const k0 = k;`,
      js`return { ${joined([...kept, ...indexes.map(({ name }) => js`${name}: undefined`)], ", ")} };`,
      js`}, function (y, s, ${parameters}) {`,
      js`let { ${joined(kept, ", ")} } = s;`,
      // What is bound was copied.
      ...reads.copyFlags(bound, true).map((flag) => js`let ${flag};`),
      body,
      js`}];`,
    ];
    return joined(parts, "\n");
  }

  private statementsOf(
    parts: ReadonlySet<Part>,
    spent: Js,
    words: readonly Js[],
    rules: Js,
    keepsReads: boolean,
    needs: NeedsOf | undefined,
    outputs: Outputs,
  ): Js {
    const { reads } = this;
    const locals = [...reads.locals(parts), ...reads.copyFlags(parts, keepsReads)];
    const none = Array.from({ length: outputs.count }, () => js`undefined`);
    const values = [...none, ...reads.paths(parts).map(({ attribute }) => attribute.local)];
    const found = keepsReads ? js`[${joined([...words, ...values], ", ")}]` : setOf(words);
    const noSet = words.map((_, i) => (i === 0 ? js`${NO_SET}` : js`0`));
    return joined(
      [
        declared([...locals, ...words.map((word) => js`${word} = 0`), js`z = 0`, js`k = ${spent}`, ...this.top.temps]),
        ...(needs === undefined ? [] : [TAKE_SELECTION]),
        js`x: {`,
        ...reads.statements(parts, keepsReads, needs),
        ...reads.polluted(),
        js`if (z !== 0) break x;`,
        ...this.statements.map(({ value, code }) => (needs === undefined ? code : ifAsked(needs(value), [code]))),
        rules,
        js`if (z !== 0) break x;`,
        ...outputs.statements,
        js`return ${found};`,
        js`}`,
        ...reads.lateCopies(parts, keepsReads),
        js`return [${joined([...noSet, ...values], ", ")}];`,
      ],
      "\n",
    );
  }
}

/** What is evaluated before all conditions, with the local variable of its value. */
interface Ahead {
  readonly value: Js;
  readonly code: Js;
}

/** A set as a function returns it where there is nothing else to say. */
export function setOf(words: readonly Js[]): Js {
  const [only, ...more] = words;
  return only !== undefined && more.length === 0 ? only : js`[${joined(words, ", ")}]`;
}

function declared(names: readonly Js[]): Js {
  return js`let ${joined(names, ", ")};`;
}
