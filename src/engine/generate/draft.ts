/** One generated function while it is written. */

import type { Definitions } from "../../policy/model.js";
import { type Js, joined, js } from "./js.js";
import type { Operand } from "./operands.js";
import { Reads } from "./reads.js";

/** Expressions past this size are left to the closures. It also bounds the steps that generated code does not count. */
const MAX_NODES = 1_000;

/** The code of a variable that is read more than once. */
type Variables = Map<string, Operand>;

/** What names of variables and constants stand for. */
interface Namespace {
  readonly definitions: Definitions;
  readonly uses: ReadonlyMap<string, number>;
  readonly variables: Variables;
}

const NO_DEFINITIONS: Definitions = { constants: new Map(), variables: [] };

export class Draft {
  readonly reads = new Reads();
  /** How often each variable is read, by the definitions that it stands in. */
  private readonly allUses: ReadonlyMap<Definitions, ReadonlyMap<string, number>>;
  private readonly spaces = new Map<Definitions, Namespace>();
  private space: Namespace = { definitions: NO_DEFINITIONS, uses: new Map(), variables: new Map() };
  private nodes = 0;
  private temps = 0;
  private readonly functions: Js[] = [];
  private readonly statements: Js[] = [];

  /** `uses`: how often each variable is read, by the definitions that it stands in. */
  constructor(uses: ReadonlyMap<Definitions, ReadonlyMap<string, number>>) {
    this.allUses = uses;
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

  get variables(): Variables {
    return this.space.variables;
  }

  /** Counts a node of an expression; `false` if they are too many. */
  mayGrow(): boolean {
    return ++this.nodes <= MAX_NODES;
  }

  temp(): Js {
    return js`t${this.temps++}`;
  }

  /** A function of its own, beside the generated one; returns its name. */
  helper(parametersAndBody: Js): Js {
    const name = js`f${this.functions.length}`;
    this.functions.push(js`function ${name}${parametersAndBody}`);
    return name;
  }

  /**
   * Evaluates `code` ahead of all rules. What it is worth is in the returned piece, which sets the flag only if
   * evaluating did: as if it were evaluated when it is reached.
   */
  ahead(code: Js): Js {
    const value = this.temp();
    const failed = this.temp();
    this.statements.push(js`${value} = ${code};\n${failed} = z;\nz = 0;`);
    return js`(${failed} === 0 ? ${value} : (z = 1, ${value}))`;
  }

  /** The whole: `rules` adds to `h` and may use the flag `z`; `closures` comes after the flag is looked at. */
  source(rules: Js, closures: Js): Js {
    const temps = Array.from({ length: this.temps }, (_, i) => js`t${i}`);
    const parts = [
      js`"use strict";`,
      ...this.functions,
      js`return function (p, r, e) {`,
      this.reads.declaration() ?? js``,
      ...this.reads.statements(),
      js`let ${joined([js`z = 0`, ...temps], ", ")};`,
      ...this.statements,
      rules,
      js`if (z !== 0) return -1;`,
      closures,
      js`return h;\n};`,
    ];
    return joined(parts, "\n");
  }
}
