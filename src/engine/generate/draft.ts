/**
 * One generated function while it is written: it judges the conditions of one layer by two frames. Its names are short,
 * since source takes memory:
 *
 * | name | meaning |
 * |---|---|
 * | `p`, `P` | the frame of the principal (a key or an account, never both), and the slots of it |
 * | `r`, `v` | the frame of the resource, and the slots that this layer has of it |
 * | `n` | the clock |
 * | `h`, `h1`, … | the words of the set of conditions that hold |
 * | `z` | the flag: not 0 once something was unusual, after which the function leaves all to closures |
 * | `k` | the steps that were counted so far (`budget.ts`) |
 * | `pi`, `pr`, `ri`, `rk` | id and roles of the principal, id and kind of the resource |
 * | `a0`, …, `x0`, … | values of attributes, and indexes of lists (`reads.ts`) |
 * | `t0`, … | values on the way |
 * | `f0`, …, `g0`, …, `q0`, … | functions and values beside the function, made once |
 * | capitals | helpers (`helpers.ts`) |
 */

import type { Expr } from "../../cel/ast.js";
import { type Definitions, NO_DEFINITIONS } from "../../policy/model.js";
import { MAX_FIXED } from "../frame/budget.js";
import { type Js, joined, js, marked } from "../frame/js.js";
import type { AttributeOwner, DeclaredAttributeTypes } from "../plan/subjects.js";
import { ASK } from "./answers.js";
import { answer, type JsOperand } from "./operands.js";
import { type AttributeLocal, type FrameField, FrameReads, type IndexPlaces, type ReadAttributes } from "./reads.js";
import { NO_SET } from "./written.js";

/** A function of more nodes than this is too long to be worth compiling. */
const MAX_NODES = 20_000;

/** The deepest nesting of variables that macros bind. */
const MAX_DEPTH = 3;

/** The code of a variable that is read more than once, with the local variables in it. */
interface Definition {
  readonly operand: JsOperand;
  readonly locals: readonly Js[];
}

/** The body of one function: of the generated one, or of a function for a macro's predicate. */
class FunctionBody {
  readonly outer: FunctionBody | undefined;
  readonly depth: number;
  readonly temps: Js[] = [];
  /** The local variables of outer bodies that it reads: its function has them as parameters. */
  readonly needs = new Map<string, Js>();
  /** The fixed cost of one pass through it (see `budget.ts`). */
  steps = 0;

  constructor(outer: FunctionBody | undefined) {
    this.outer = outer;
    this.depth = outer === undefined ? 0 : outer.depth + 1;
  }
}

/** The value of a macro's variable: each element in turn, or a constant. */
export type MacroBinding =
  | { readonly kind: "element"; readonly local: Js; readonly inside: ReadAttributes; readonly body: FunctionBody }
  | { readonly kind: "constant"; readonly value: string };

/** The body of a macro's function. */
interface MacroBody<T> {
  readonly made: T;
  readonly temps: readonly Js[];
  readonly needs: readonly Js[];
  readonly steps: number;
}

/** The search in a list that was written last, and the temporary variable with its answer. */
export interface FinalSearch {
  readonly list: Js;
  readonly answer: Js;
}

/** The variables and constants that names refer to. */
interface DraftNamespace {
  readonly definitions: Definitions;
  readonly uses: ReadonlyMap<string, number>;
  readonly variables: Map<string, Definition>;
}

/** An operand of a condition, and the definitions that its names refer to. */
export interface MarkedOperand {
  readonly expr: Expr;
  readonly definitions: Definitions;
}

/** The operands of conditions, in the order in which their code was marked. */
export type MarkedOperands = MarkedOperand[];

/** How often variables are read, by the definitions that they stand in. */
type Uses = ReadonlyMap<Definitions, ReadonlyMap<string, number>>;

export class FunctionDraft {
  readonly reads: FrameReads;
  private readonly allUses: Uses;
  private readonly operands: MarkedOperands | undefined;
  private readonly spaces = new Map<Definitions, DraftNamespace>();
  private space: DraftNamespace = { definitions: NO_DEFINITIONS, uses: new Map(), variables: new Map() };
  private nodes = 0;
  private names = 0;
  private readonly top = new FunctionBody(undefined);
  private body = this.top;
  private bound: ReadonlyMap<string, MacroBinding> = new Map();
  private readonly outside: Js[] = [];
  private readonly statements: Js[] = [];
  private latest: FinalSearch | undefined = undefined;

  /**
   * `types`: the declared types of attributes. `uses`: how often each variable is read, by the definitions it stands
   * in. `operands`: if given, operands of conditions are marked in the code, and added to it.
   */
  constructor(types: DeclaredAttributeTypes, uses: Uses, places: IndexPlaces, operands?: MarkedOperands) {
    this.reads = new FrameReads(types, places);
    this.allUses = uses;
    this.operands = operands;
  }

  /** The code of an operand of a condition, marked if the operands are. */
  operand(expr: Expr, code: Js): Js {
    const { operands, definitions } = this;
    return operands === undefined ? code : marked(operands.push({ expr, definitions }) - 1, code);
  }

  /** `P.id` and the other fields. */
  field(subject: AttributeOwner, field: FrameField): Js {
    return this.reads.field(subject, field);
  }

  /** `P.attr.a.b`. Undefined if all objects inherit one of the names. */
  attribute(subject: AttributeOwner, path: readonly string[]): AttributeLocal | undefined {
    return this.reads.attribute(subject, path);
  }

  /** Chooses the definitions that names refer to in the code that is written next. */
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

  /** Counts a node of an expression and its fixed cost in `steps`; `false` if there are too many nodes or steps. */
  pays(steps = 0): boolean {
    this.latest = undefined;
    this.body.steps += steps;
    return ++this.nodes <= MAX_NODES && this.top.steps <= MAX_FIXED;
  }

  temp(): Js {
    const made = js`t${this.names++}`;
    this.body.temps.push(made);
    return made;
  }

  /**
   * Marks a local variable as read in the current body, and returns it. `home`: the body that declares the variable.
   */
  use(local: Js, home: FunctionBody = this.top): Js {
    this.reads.use(local);
    for (let at: FunctionBody | undefined = this.body; at !== undefined && at !== home; at = at.outer) {
      at.needs.set(local.text, local);
    }
    return local;
  }

  /**
   * Calls a helper that searches a list. The helper gets the list, the steps, `fixed`, `sought` and `rest`. Once the
   * flag is set, nothing is searched any more.
   */
  search(helper: Js, list: Js, fixed: readonly Js[], sought: readonly Js[], rest: readonly Js[] = []): Js {
    const temps = sought.map((value) => {
      const temp = this.temp();
      return { temp, first: js`${temp} = ${value}` };
    });
    const given = [list, js`k`, ...fixed, ...temps.map(({ temp }) => temp), ...rest];
    const asked = js`z !== 0 ? ${ASK} : ${helper}(${joined(given, ", ")})`;
    const found = this.temp();
    this.latest = this.isInMacro ? undefined : { list, answer: found };
    return answer(js`(${joined([...temps.map(({ first }) => first), asked], ", ")})`, found);
  }

  /** The search that was written last, if nothing was written after it. */
  get ending(): FinalSearch | undefined {
    return this.latest;
  }

  /** Adds a function beside the generated one. Returns its name. */
  helper(parametersAndBody: Js): Js {
    const name = js`f${this.names++}`;
    this.outside.push(js`function ${name}${parametersAndBody}`);
    return name;
  }

  /** Adds a value that is made once, with the generated function. Returns its name. */
  fixed(code: Js): Js {
    const name = js`q${this.names++}`;
    this.outside.push(js`const ${name} = ${code};`);
    return name;
  }

  /**
   * Evaluates `code`, which was written outside of any macro, once and before all conditions. The returned piece is its
   * value. If the evaluation sets the flag, the flag is cleared again. It is set where the piece is reached, if it is
   * reached: as if `code` stood there.
   */
  ahead(code: Js): { readonly code: Js; readonly locals: readonly Js[] } {
    this.latest = undefined;
    const [value, failed] = this.atTop(() => [this.temp(), this.temp()] as const);
    this.statements.push(js`${value} = ${code};\n${failed} = z;\nz = 0;`);
    return { code: js`(${failed} === 0 ? ${value} : (z = 1, ${value}))`, locals: [value, failed] };
  }

  /**
   * Runs `write` outside of any macro: the code stands in the generated function itself. It must not read the variables
   * of macros.
   */
  atTop<T>(write: () => T): T {
    const { body } = this;
    this.body = this.top;
    const made = write();
    this.body = body;
    return made;
  }

  /** Whether the current body is that of a macro. */
  get isInMacro(): boolean {
    return this.body !== this.top;
  }

  /** The value of a macro's variable. */
  boundTo(name: string): MacroBinding | undefined {
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
  withElement<T>(name: string, local: Js, inside: ReadAttributes, write: () => T): MacroBody<T> | undefined {
    const { bound, body } = this;
    const own = new FunctionBody(body);
    if (own.depth > MAX_DEPTH) return undefined;
    this.body = own;
    this.bound = new Map(bound).set(name, { kind: "element", local, inside, body: own });
    const made = write();
    this.body = body;
    this.bound = bound;
    return { made, temps: own.temps, needs: [...own.needs.values()], steps: own.steps };
  }

  /**
   * The function, with the functions and values beside it. `rules` adds to the words of the set and may set the flag.
   */
  source(
    words: readonly Js[],
    rules: Js,
    outputs: readonly Js[],
  ): { readonly text: Js; readonly outside: readonly Js[] } {
    const all = [...words.map((word) => js`${word} = 0`), js`z = 0`, js`k = P.k + v.k`, ...this.top.temps];
    const misfits = this.reads.misfits();
    const body = [
      js`const P = p.values;`,
      js`if (P.k < 0 || v.k < 0) return ${NO_SET};`,
      ...this.reads.statements(),
      js`let ${joined(all, ", ")};`,
      ...this.statements,
      rules,
      ...(misfits.length === 0
        ? [js`if (z !== 0) return ${NO_SET};`]
        : [js`if (z !== 0) {\n${joined(misfits, "\n")}\nreturn ${NO_SET};\n}`]),
      ...outputs,
      js`return ${setOf(words)};`,
    ];
    return { text: js`function (p, r, v, n) {\n${joined(body, "\n")}\n}`, outside: this.outside };
  }
}

/** A set as a function returns it without outputs. */
export function setOf(words: readonly Js[]): Js {
  const [only, ...more] = words;
  return only !== undefined && more.length === 0 ? only : js`[${joined(words, ", ")}]`;
}
