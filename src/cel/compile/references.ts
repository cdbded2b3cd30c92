/** Names and field selections: reads of the request, of variables and constants, and of other values. */

import type { Expr, Has } from "../ast.js";
import { contains } from "../equality.js";
import { type Evaluation, type EvaluationResult, failAt, isExhausted } from "../evaluation.js";
import type { NameReference } from "../expression-usage.js";
import { Hierarchy } from "../functions/hierarchy-value.js";
import { isPresent, MessageValue } from "../message-value.js";
import { ATTRIBUTES, follow, type Leaf, type Message, type Root } from "../roots.js";
import { type CelValue, isForeign, isMap, isPlain, type JsonMap, NOT_DATA, OptionalValue } from "../values.js";
import { compileContainer, compileValidatedRead } from "./attributes.js";
import { type Code, type CompileScope, codeOf } from "./code.js";
import { missingText, NO_INDEX, selectFrom } from "./select.js";

export function compileReference(reference: NameReference, expr: Expr, scope: CompileScope): Code {
  switch (reference.of) {
    case "local":
      return localCode(defined(scope.locals.get(reference.name), reference));
    case "variable": {
      const code = defined(scope.variables.get(reference.name), reference);
      return scope.nullIfErring === true ? nullIfErring(code) : code;
    }
    case "constant": {
      const constant = defined(scope.constants.get(reference.name), reference);
      return () => constant;
    }
    case "global":
      return compileGlobal(reference.name, expr.at);
    case "request": {
      const { root, path } = reference;
      if (root.kind === "message") return (ev) => messageValue(ev, root);
      return root.attributes ? compileValidatedRead(root, path, expr.at, scope) : compileField(root, path, expr.at);
    }
  }
}

/** Checking has made sure that names are defined. */
function defined<T>(found: T | undefined, { of, name }: Exclude<NameReference, { readonly of: "request" }>): T {
  if (found === undefined) throw new Error(`keyward: cannot compile ${name}: there is no such ${of}`);
  return found;
}

function localCode(local: number): Code {
  return (ev) => ev.locals[local];
}

function messageValue(ev: Evaluation, message: Message): MessageValue {
  const fields = new Map<string, CelValue>();
  const shown: { [field: string]: CelValue } = Object.create(null);
  const named = new Set<Root>();
  for (const [name, field] of message.fields) {
    const value = field.kind === "message" ? messageValue(ev, field) : leafValue(ev, field);
    if (value === undefined) continue;
    fields.set(name, value);
    // A field has two spellings; the JSON one comes first.
    if (!named.has(field) && isPresent(value)) shown[name] = value;
    named.add(field);
  }
  return new MessageValue(message.type.name, fields, shown);
}

function leafValue(ev: Evaluation, leaf: Leaf): EvaluationResult {
  return leaf.attributes ? ev.attributes[leaf.index] : ev.roots[leaf.index];
}

/** Errs if the configuration does not have the value. */
function compileGlobal(name: string, at: number): Code {
  return (ev) => {
    const globals = ev.attributes[ATTRIBUTES.globals] ?? NOTHING;
    return Object.hasOwn(globals, name) ? globals[name] : failAt(ev, `undefined field '${name}'`, at);
  };
}

/** A field of the request other than attributes, and the selections below it. */
function compileField({ index }: Leaf, path: readonly string[], at: number): Code {
  const code: Code = (ev) => ev.roots[index] ?? failAt(ev, ev.rootFault, at);
  return path.reduce((operand, field) => selectFrom({ field, at }, operand), code);
}

/** On the server `runtime` is not a message, so its list counts as present even if it is empty. */
const EFFECTIVE_ROLES = follow("runtime", ["effectiveDerivedRoles"])?.root;

const NOTHING: JsonMap = Object.freeze(Object.create(null));

/** An exhausted step budget stays an error: it ends every evaluation. */
function nullIfErring(code: Code): Code {
  return (ev) => code(ev) ?? (isExhausted(ev) ? undefined : null);
}

/**
 * `has(operand.field)`: whether a map has the key. As on the server it is an error for a list or a hierarchy, which
 * have numeric indexes, and false for any other value.
 */
export function compileHas(expr: Has, reference: NameReference | undefined, scope: CompileScope): Code {
  const { field, at } = expr;
  const fixed = hasReference(reference, scope);
  if (fixed !== undefined) return fixed;
  const operand = compileContainer(expr.operand, scope) ?? codeOf(expr.operand, scope);
  return (ev) => {
    const value = operand(ev);
    return value === undefined ? undefined : hasField(ev, value, field, at);
  };
}

function hasField(ev: Evaluation, value: CelValue, field: string, at: number): boolean | undefined {
  if (typeof value !== "object" || value === null) return false;
  if (isPlain(value)) return Object.hasOwn(value, field);
  if (Array.isArray(value) || value instanceof Hierarchy) return failAt(ev, NO_INDEX, at);
  if (value instanceof MessageValue) {
    const inner = value.fields.get(field);
    return inner === undefined ? failAt(ev, missingText(field), at) : isPresent(inner);
  }
  if (value instanceof OptionalValue) return value.value !== undefined && hasField(ev, value.value, field, at);
  if (isForeign(value)) return failAt(ev, NOT_DATA, at);
  return isMap(value) && contains(value, field);
}

/** `has()` of a message's field, a variable, a constant or a global; undefined for any other expression. */
export function hasReference(reference: NameReference | undefined, scope: CompileScope): Code | undefined {
  switch (reference?.of) {
    case "request": {
      const { root, path } = reference;
      if (root.kind === "message") return (ev) => isPresent(messageValue(ev, root));
      if (root === EFFECTIVE_ROLES) return () => true;
      // A message's field is present unless it is empty, as in protobuf.
      return path.length > 0 ? undefined : (ev) => isPresent(leafValue(ev, root));
    }
    case "variable": {
      const code = scope.variables.get(reference.name);
      const otherwise = scope.nullIfErring === true;
      return (ev) => code?.(ev) !== undefined || (isExhausted(ev) ? undefined : otherwise);
    }
    case "constant":
      return () => true;
    case "global":
      return (ev) => Object.hasOwn(ev.attributes[ATTRIBUTES.globals] ?? NOTHING, reference.name);
    default:
      return undefined;
  }
}
