/**
 * Macros that iterate over lists and maps, and `cel.bind`. A macro pays for all its iterations before the first one, so
 * that whether the step budget suffices does not depend on the order of the elements.
 */

import { type Bind, boundBy, iterationCost, type Macro, type MacroName } from "../ast.js";
import { contains, keysOf, lookup, setEntry } from "../equality.js";
import { type Evaluation, type EvaluationResult, failAt, isExhausted, spend } from "../evaluation.js";
import { type CelList, type CelMap, type CelValue, Entries, isMap } from "../values.js";
import { type Code, type CompileScope, codeOf } from "./code.js";

export function compileBind(expr: Bind, scope: CompileScope): Code {
  const init = codeOf(expr.init, scope);
  const local = scope.depth;
  const body = codeOf(expr.body, bound(scope, [expr.name]));
  return (ev) => {
    const value = init(ev);
    // An error in the bound expression counts only where the variable is read.
    ev.locals[local] = value;
    return body(ev);
  };
}

export function compileMacro(expr: Macro, scope: CompileScope): Code {
  const range = codeOf(expr.range, scope);
  const first = scope.depth;
  const inner = bound(scope, boundBy(expr));
  const filter = expr.filter === undefined ? undefined : codeOf(expr.filter, inner);
  const transform = expr.transform === undefined ? undefined : codeOf(expr.transform, inner);
  const weight = iterationCost(expr.filter, expr.transform);
  const walk = WALKS[expr.macro](filter, transform, first, expr.at);
  const { at, v2 } = expr;
  return (ev) => {
    const value = range(ev);
    if (value === undefined) return undefined;
    let elements: CelList;
    let seconds: CelList | undefined;
    if (Array.isArray(value)) {
      if (!spend(ev, value.length * weight)) return undefined;
      elements = v2 === undefined ? value : value.map((_, i) => BigInt(i));
      seconds = v2 === undefined ? undefined : value;
    } else if (isMap(value)) {
      elements = keysOf(value);
      if (!spend(ev, elements.length * weight)) return undefined;
      seconds = v2 === undefined ? undefined : valuesOf(value, elements);
    } else return failAt(ev, "no such overload: not a list or a map", at);
    return walk(ev, elements, seconds);
  };
}

function bound(scope: CompileScope, names: readonly string[]): CompileScope {
  const locals = new Map(scope.locals);
  names.forEach((name, i) => {
    locals.set(name, scope.depth + i);
  });
  return { ...scope, locals, depth: scope.depth + names.length };
}

function valuesOf(map: CelMap, keys: CelList): CelList {
  return keys.map((key) => lookup(map, key) ?? null);
}

type Walk = (ev: Evaluation, elements: CelList, seconds: CelList | undefined) => EvaluationResult;

/** Makes a macro's loop; `first` is the index of its first variable in `Evaluation.locals`. */
type WalkOf = (filter: Code | undefined, transform: Code | undefined, first: number, at: number) => Walk;

const ALWAYS: Code = () => true;
const NOT_BOOL = "no such overload";

function pass(ev: Evaluation, first: number, element: EvaluationResult, second: EvaluationResult): void {
  ev.locals[first] = element;
  if (second !== undefined) ev.locals[first + 1] = second;
}

/**
 * `all` and `exists`: the first iteration equal to `decisive` decides; otherwise the first error is the error of the
 * whole.
 */
function quantifier(decisive: boolean): WalkOf {
  return (filter = ALWAYS, _transform, first, at) =>
    (ev, elements, seconds) => {
      let fault: string | undefined;
      let faultAt = at;
      for (let i = 0; i < elements.length; i++) {
        pass(ev, first, elements[i], seconds?.[i]);
        const value = filter(ev);
        if (value === decisive) return decisive;
        if (value !== !decisive) {
          if (isExhausted(ev)) return undefined;
          if (fault !== undefined) continue;
          if (value !== undefined) failAt(ev, NOT_BOOL, at);
          ({ fault, faultAt } = ev);
        }
      }
      return fault === undefined ? !decisive : failAt(ev, fault, faultAt);
    };
}

/**
 * Runs `keep` for the elements that pass `filter`. An error or a non-boolean makes the whole an error. As in cel-go,
 * the loop goes on after an error, and the last filter that errs gives the message.
 */
function each(filter: Code, first: number, at: number, keep: (ev: Evaluation, i: number) => boolean) {
  return (ev: Evaluation, elements: CelList, seconds: CelList | undefined): boolean => {
    let bad = false;
    for (let i = 0; i < elements.length; i++) {
      const { fault, faultAt } = ev;
      pass(ev, first, elements[i], seconds?.[i]);
      const value = filter(ev);
      if (value === true || value === false) {
        if (bad) failAt(ev, fault, faultAt);
        else if (value && !keep(ev, i)) bad = true;
        continue;
      }
      if (isExhausted(ev)) return false;
      if (value !== undefined) failAt(ev, NOT_BOOL, at);
      bad = true;
    }
    return !bad;
  };
}

const existsOne: WalkOf =
  (filter = ALWAYS, _transform, first, at) =>
  (ev, elements, seconds) => {
    let count = 0;
    const done = each(filter, first, at, () => {
      count++;
      return true;
    })(ev, elements, seconds);
    return done ? count === 1 : undefined;
  };

const filterList: WalkOf =
  (filter = ALWAYS, _transform, first, at) =>
  (ev, elements, seconds) => {
    const kept: CelValue[] = [];
    const done = each(filter, first, at, (_ev, i) => {
      const element = elements[i];
      if (element !== undefined) kept.push(element);
      return element !== undefined;
    })(ev, elements, seconds);
    return done ? kept : undefined;
  };

const mapList: WalkOf =
  (filter = ALWAYS, transform = ALWAYS, first, at) =>
  (ev, elements, seconds) => {
    const made: CelValue[] = [];
    const done = each(filter, first, at, (inner) => {
      const value = transform(inner);
      if (value !== undefined) made.push(value);
      return value !== undefined;
    })(ev, elements, seconds);
    return done ? made : undefined;
  };

/** Adds an entry. A key that is already present is an error. */
function insert(ev: Evaluation, made: Map<CelValue, CelValue>, key: CelValue, value: CelValue, at: number): boolean {
  if (contains(made, key)) return failAt(ev, "insert failed: key already exists", at) !== undefined;
  setEntry(made, key, value);
  return true;
}

const transformMap: WalkOf =
  (filter = ALWAYS, transform = ALWAYS, first, at) =>
  (ev, elements, seconds) => {
    const made = new Entries();
    const done = each(filter, first, at, (inner, i) => {
      const key = elements[i];
      const value = transform(inner);
      if (key === undefined || value === undefined) return false;
      return insert(inner, made, key, value, at);
    })(ev, elements, seconds);
    return done ? made : undefined;
  };

const transformMapEntry: WalkOf =
  (filter = ALWAYS, transform = ALWAYS, first, at) =>
  (ev, elements, seconds) => {
    const made = new Entries();
    const done = each(filter, first, at, (inner) => {
      const entries = transform(inner);
      if (entries === undefined) return false;
      if (!isMap(entries)) return failAt(inner, "no such overload: not a map", at) !== undefined;
      return keysOf(entries).every((key) => insert(inner, made, key, lookup(entries, key) ?? null, at));
    })(ev, elements, seconds);
    return done ? made : undefined;
  };

const WALKS: { readonly [name in MacroName]: WalkOf } = {
  all: quantifier(false),
  exists: quantifier(true),
  exists_one: existsOne,
  map: mapList,
  filter: filterList,
  transformList: mapList,
  transformMap,
  transformMapEntry,
};
