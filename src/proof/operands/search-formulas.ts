/** The answers of generated functions that search a list (`search-syntax.ts`), for all requests at once. */

import type { Expression, MemberExpression } from "acorn";
import type { Formula } from "../../engine/formula/formula.js";
import type { RawValue } from "../../engine/formula/raw-value.js";
import type { FormulaWorld } from "../../engine/formula/world.js";
import type { AnswerBits, HelperFormulas } from "./helper-formulas.js";
import type { IndexSyntax, SearchSyntax } from "./search-syntax.js";
import { type CodeType, type CodeValue, lengthValue, type PlainValue, textValue } from "./symbolic-values.js";
import type { ValueFormulas } from "./value-formulas.js";

/** Why a search that has another form is not proved. */
export const SEARCH = "it searches a list";

/** The searches that code may call, their lists and their indexes. */
export interface SearchNames {
  valueOf(name: string): PlainValue | undefined;
  /** The functions that the code may call, and the indexes that it may give to them. */
  readonly searches: ReadonlyMap<string, SearchSyntax>;
  readonly indexes: ReadonlyMap<string, IndexSyntax>;
  /** When all elements of a list are texts. Undefined: it is not known. */
  areTexts(list: RawValue): Formula | undefined;
}

/** The code that calls a search. */
export interface CallingCode {
  argument(code: Expression | undefined, path: Formula): PlainValue;
  /** Claims nothing where a value has none of these types. */
  only(value: PlainValue, types: readonly CodeType[], path: Formula): void;
  text(value: string): Formula;
  counting(steps: Expression | undefined, answer: AnswerBits): CodeValue;
  /** Says why the code has no translation. */
  untold(why: string): PlainValue;
  tell(why: string | undefined): void;
  /** Code inside another function, with its own names. It is always reached. */
  inside(bound: ReadonlyMap<string, PlainValue>): InnerCode;
}

export interface InnerCode {
  /** Why the code has no translation. None of it may be stuck, set the flag or ask a helper. */
  readonly whyUnclear: string | undefined;
  value(code: Expression, path: Formula): CodeValue;
  plain(value: CodeValue): PlainValue;
  /** When a value counts as true. */
  truth(value: CodeValue, path: Formula): Formula;
}

export class SearchFormulas {
  private readonly world: FormulaWorld;
  private readonly values: ValueFormulas;
  private readonly helpers: HelperFormulas;
  private readonly names: SearchNames;
  private readonly code: CallingCode;

  constructor(
    world: FormulaWorld,
    values: ValueFormulas,
    helpers: HelperFormulas,
    names: SearchNames,
    code: CallingCode,
  ) {
    this.world = world;
    this.values = values;
    this.helpers = helpers;
    this.names = names;
    this.code = code;
  }

  /** The answer of a function that searches a list: see `search-syntax.ts`. */
  answer(name: string, given: readonly Expression[], path: Formula): CodeValue {
    const { code, names, values, world, helpers } = this;
    const { formulas } = world;
    const search = names.searches.get(name);
    const [first, steps, ...more] = given;
    const list = code.argument(first, path);
    if (search === undefined || list.list === undefined) return code.untold(SEARCH);
    const { lookup, texts, constants } = search;
    const index = lookup === undefined ? undefined : this.indexOf(more.shift(), list.list);
    if (more.length !== texts.length) return code.untold(SEARCH);
    const bound = new Map<string, PlainValue>();
    for (const [i, text] of texts.entries()) {
      const value = code.argument(more[i], path);
      code.only(value, ["text"], path);
      bound.set(text, value);
    }
    const inside = code.inside(bound);
    for (const { name: constant, value } of constants) {
      bound.set(constant, inside.plain(inside.value(value, formulas.yes)));
    }
    code.tell(inside.whyUnclear);
    const { some } = world.some(list.list, (element) => {
      const holds = formulas.and(world.terms.is(element, "text"), this.passes(search, bound, element.text));
      return { holds, fails: formulas.not(holds) };
    });
    const areTexts = search.areTexts ? names.areTexts(list.list) : undefined;
    const isList = formulas.and(values.isOf(list, "list"), areTexts ?? formulas.yes);
    if (lookup === undefined) return code.counting(steps, helpers.declining(isList, some));
    const found = index && this.lookup(lookup, index, bound, list.list);
    if (found === undefined) return code.untold(SEARCH);
    const isFound = formulas.choose(helpers.any("is of an index"), found, some);
    return code.counting(steps, helpers.declining(isList, isFound));
  }

  /** When an element of a list passes one of the tests. */
  private passes({ tests }: SearchSyntax, bound: ReadonlyMap<string, PlainValue>, text: Formula | undefined): Formula {
    const { code, values } = this;
    const { formulas } = this.world;
    if (text === undefined) return formulas.no;
    const names = new Map(bound)
      .set("s", textValue(text, formulas))
      .set("w", lengthValue(values.units(text), formulas));
    const inside = code.inside(names);
    const passes = tests.map((test) => inside.truth(inside.value(test, formulas.yes), formulas.yes));
    code.tell(inside.whyUnclear);
    return formulas.or(...passes);
  }

  /** The index that a name stands for, if it is the index of this list. */
  private indexOf(code: Expression | undefined, list: RawValue): IndexSyntax | undefined {
    const index = code?.type === "Identifier" ? this.names.indexes.get(code.name) : undefined;
    return index !== undefined && this.names.valueOf(index.list)?.list === list ? index : undefined;
  }

  /** `b.has || K(m0, b.middles[0]) || …`: whether a list has one of the texts of its index. Undefined: other code. */
  private lookup(
    code: Expression,
    index: IndexSyntax,
    bound: ReadonlyMap<string, PlainValue>,
    list: RawValue,
  ): Formula | undefined {
    const { world } = this;
    const { formulas } = world;
    const isIn = (text: Formula) => world.isIn(world.terms.of("text", { text }), list);
    if (code.type === "LogicalExpression" && code.operator === "||") {
      const [left, right] = [code.left, code.right].map((one) => this.lookup(one, index, bound, list));
      return left && right && formulas.or(left, right);
    }
    if (code.type === "MemberExpression" && isOf(code, "has")) {
      return formulas.or(...index.known.map((text) => isIn(this.code.text(text))));
    }
    if (code.type !== "CallExpression" || code.callee.type !== "Identifier") return undefined;
    const [middle, place, ...more] = code.arguments;
    if (code.callee.name !== "K" || middle?.type !== "Identifier" || more.length > 0) return undefined;
    if (place?.type !== "MemberExpression" || !place.computed || place.property.type !== "Literal") return undefined;
    const { object, property } = place;
    if (object.type !== "MemberExpression" || !isOf(object, "middles")) return undefined;
    const text = bound.get(middle.name)?.text;
    const [prefix, suffix] = index.built[Number(property.value)] ?? [];
    if (text === undefined || prefix === undefined || suffix === undefined) return undefined;
    return isIn(formulas.join(formulas.join(this.code.text(prefix), text), this.code.text(suffix)));
  }
}

/** True for the code `b.name`. */
function isOf({ object, property, computed, optional }: MemberExpression, name: string): boolean {
  const isMember = !computed && !optional && property.type === "Identifier" && property.name === name;
  return isMember && object.type === "Identifier" && object.name === "b";
}
