/**
 * One generated function while it is written. Its names are short, since source takes memory:
 *
 * | name | what it is |
 * |---|---|
 * | `p`, `r`, `e`, `n` | its parameters: the principal, the resource, the evaluation of closures, the clock |
 * | `h`, `h1`, … | the words of the set of conditions that hold |
 * | `z` | the flag: not 0 once something was unusual, after which the function returns `-1` |
 * | `k` | the steps that were counted so far (`budget.ts`) |
 * | `a0`, … | values of the request (`reads.ts`) |
 * | `t0`, … | values on the way |
 * | `b0`, …, `k0` | in two stages: what lists of the principal have of the texts looked for, and what reading it has cost |
 * | `f0`, …, `q0`, … | functions and values beside the function, made once |
 * | `c`, `d` | the closures that it calls, the checks of declared types |
 * | `s`, `w` | where closures look for what was read, the array for words after the first |
 * | capitals | helpers (`helpers.ts`) |
 */

import type { Definitions } from "../../policy/model.js";
import { MAX_FIXED } from "./budget.js";
import { type Js, joined, js } from "./js.js";
import type { Operand } from "./operands.js";
import { type Attributes, Reads } from "./reads.js";
import type { AttributeTypes } from "./written.js";

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

/** What names of variables and constants stand for. */
interface Namespace {
  readonly definitions: Definitions;
  readonly uses: ReadonlyMap<string, number>;
  readonly variables: Map<string, Definition>;
}

const NO_DEFINITIONS: Definitions = { constants: new Map(), variables: [] };

export class Draft {
  readonly reads: Reads;
  /** How often each variable is read, by the definitions that it stands in. */
  private readonly allUses: ReadonlyMap<Definitions, ReadonlyMap<string, number>>;
  private readonly spaces = new Map<Definitions, Namespace>();
  private space: Namespace = { definitions: NO_DEFINITIONS, uses: new Map(), variables: new Map() };
  /** Whether the function reads the clock. */
  readsClock = false;
  private nodes = 0;
  private names = 0;
  private readonly top = new Frame(undefined);
  private frame = this.top;
  private bound: ReadonlyMap<string, Bound> = new Map();
  private readonly outside: Js[] = [];
  private readonly statements: Js[] = [];
  /** Whether the function is written in two stages. */
  readonly isStaged: boolean;

  /** `uses`: how often each variable is read, by the definitions that it stands in. `types`: those of attributes. */
  constructor(uses: ReadonlyMap<Definitions, ReadonlyMap<string, number>>, types: AttributeTypes, isStaged = false) {
    this.allUses = uses;
    this.isStaged = isStaged;
    this.reads = new Reads(types);
  }

  /** Runs `write`, for which variables and constants are those of `definitions`. */
  within<T>(definitions: Definitions, write: () => T): T {
    const outer = this.space;
    const known = this.spaces.get(definitions);
    this.space = known ?? { definitions, uses: this.allUses.get(definitions) ?? new Map(), variables: new Map() };
    this.spaces.set(definitions, this.space);
    const made = write();
    this.space = outer;
    return made;
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
    for (let at: Frame | undefined = this.frame; at !== undefined && at !== home; at = at.outer) {
      at.needs.set(local.text, local);
    }
    return local;
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
   * Evaluates `code`, which was written outside of any macro, once and before all conditions. The returned piece is its
   * value. If evaluating it sets the flag, that is taken back and made good where the piece is reached, if it is: as if
   * `code` stood there.
   */
  ahead(code: Js): { readonly code: Js; readonly locals: readonly Js[] } {
    const [value, failed] = this.atTop(() => [this.temp(), this.temp()] as const);
    this.statements.push(js`${value} = ${code};\n${failed} = z;\nz = 0;`);
    return { code: js`(${failed} === 0 ? ${value} : (z = 1, ${value}))`, locals: [value, failed] };
  }

  /** Runs `write` outside of any macro: what it writes stands in the generated function itself. */
  atTop<T>(write: () => T): T {
    const { frame, bound } = this;
    this.frame = this.top;
    this.bound = new Map();
    const made = write();
    this.frame = frame;
    this.bound = bound;
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
   * The whole text: `rules` adds to the words of the set and may set the flag; `closures` comes after the flag is looked
   * at. Without a clock, what reads it sets the flag.
   */
  source(rules: Js, closures: Js): Js {
    const parts = [
      ...this.outside,
      js`return function (p, r, e, n) {`,
      this.reads.declaration("principal", "resource") ?? js``,
      js`let ${joined([js`z = 0`, js`k = 0`, ...this.top.temps], ", ")};`,
      ...this.reads.statements(),
      ...this.statements,
      rules,
      js`if (z !== 0) return -1;`,
      closures,
      js`return h;\n};`,
    ];
    return joined(parts, "\n");
  }

  /**
   * The same in two stages: what reads the principal alone is evaluated when it is bound. Nothing is left to closures. The
   * steps that it counts are counted in each run.
   */
  stagedSource(rules: Js): Js {
    const parts = [
      ...this.outside,
      js`return function (p) {`,
      this.reads.declaration("principal") ?? js``,
      js`let k = 0;`,
      ...this.reads.of("principal", js`undefined`),
      ...this.reads.indexes(),
      js`const k0 = k;`,
      js`return function (r, n) {`,
      this.reads.declaration("resource") ?? js``,
      js`let ${joined([js`z = 0`, js`k = k0`, ...this.top.temps], ", ")};`,
      ...this.reads.of("resource", js`-1`),
      ...this.reads.polluted(),
      ...this.statements,
      rules,
      js`if (z !== 0) return -1;`,
      js`return h;\n};\n};`,
    ];
    return joined(parts, "\n");
  }
}
