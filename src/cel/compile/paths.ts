/** Names and field selections: what is read from the request, from variables and constants, and from values. */

import type { Expr, Has } from "../ast.js";
import { contains } from "../equality.js";
import { type Evaluation, failAt, isExhausted, type Result } from "../evaluation.js";
import { type Chain, chainOf } from "../facts.js";
import { Hierarchy } from "../functions/hierarchy-value.js";
import { isPresent, MessageValue } from "../message-value.js";
import { ATTRIBUTES, follow, type Leaf, type Message, type Root } from "../roots.js";
import { type CelValue, isForeign, isMap, isPlain, type JsonMap, NOT_DATA, OptionalValue } from "../values.js";
import { compileContainer, compileWhole } from "./attributes.js";
import type { Code, Compile, Scope } from "./code.js";
import { missingText, NO_INDEX, selectFrom } from "./select.js";

/** Compiles a name or a selection that starts from the environment; undefined if `expr` is neither. */
export function compileChain(expr: Expr, scope: Scope, compile: Compile): Code | undefined {
  const chain = chainOf(expr);
  if (chain === undefined) return undefined;
  switch (chain.of) {
    case "local": {
      if (expr.kind !== "ident") return compileSelect(expr, scope, compile);
      const local = scope.locals.get(expr.name);
      return local === undefined ? undefined : (ev) => ev.locals[local];
    }
    case "variable":
    case "constant":
      return compileDefinition(chain, expr, scope, compile);
    case "global":
      return compileGlobal(chain, expr, scope, compile);
    case "request": {
      const { root, path } = follow(chain.root, chain.fields) ?? {};
      if (root?.kind === "message") return (ev) => messageValue(ev, root);
      if (root === undefined || path === undefined) return undefined;
      return root.attributes ? compileWhole(root, path, expr.at, scope) : compileField(root, path, expr.at);
    }
  }
}

function messageValue(ev: Evaluation, message: Message): MessageValue {
  const fields = new Map<string, CelValue>();
  const shown: { [field: string]: CelValue } = Object.create(null);
  const named = new Set<Root>();
  for (const [name, field] of message.fields) {
    const value = field.kind === "message" ? messageValue(ev, field) : leafValue(ev, field);
    if (value === undefined) continue;
    fields.set(name, value);
    // Of two spellings of a field the first is the JSON one.
    if (!named.has(field) && isPresent(value)) shown[name] = value;
    named.add(field);
  }
  return new MessageValue(message.type.name, fields, shown);
}

function leafValue(ev: Evaluation, leaf: Leaf): Result {
  return leaf.attributes ? ev.attributes[leaf.index] : ev.roots[leaf.index];
}

/** `G.name…`: an error if the configuration has no such value. */
function compileGlobal(chain: Chain, expr: Expr, scope: Scope, compile: Compile): Code | undefined {
  const [name, ...path] = chain.fields;
  if (name === undefined) return undefined;
  if (path.length > 0) return compileSelect(expr, scope, compile);
  return (ev) => {
    const globals = ev.attributes[ATTRIBUTES.globals] ?? NOTHING;
    return Object.hasOwn(globals, name) ? globals[name] : failAt(ev, `undefined field '${name}'`, expr.at);
  };
}

/** What is below a value that is no attribute. */
function compileField({ index }: Leaf, path: readonly string[], at: number): Code {
  const code: Code = (ev) => ev.roots[index] ?? failAt(ev, ev.rootFault, at);
  return path.reduce((operand, field) => selectFrom({ field, at }, operand), code);
}

/** Of `runtime`, which is no message to the server; its list is there though it is empty. */
const EFFECTIVE_ROLES = follow("runtime", ["effectiveDerivedRoles"])?.root;

const NOTHING: JsonMap = Object.freeze(Object.create(null));

/** `V.name…` and `C.name…`. The loader has checked that the name is defined. */
function compileDefinition(chain: Chain, expr: Expr, scope: Scope, compile: Compile): Code | undefined {
  const [name, ...path] = chain.fields;
  if (name === undefined) return undefined;
  if (path.length > 0) return compileSelect(expr, scope, compile);
  const code = chain.of === "variable" ? scope.variables.get(name) : undefined;
  if (code !== undefined) return scope.nullIfErring === true ? nullIfErring(code) : code;
  const constant = scope.constants.get(name);
  return constant === undefined ? undefined : () => constant;
}

/** An exhausted step budget stays an error: it ends every evaluation. */
function nullIfErring(code: Code): Code {
  return (ev) => code(ev) ?? (isExhausted(ev) ? undefined : null);
}

/** `operand.field`, where the operand is any expression. */
function compileSelect(expr: Expr, scope: Scope, compile: Compile): Code | undefined {
  if (expr.kind === "select") return selectFrom(expr, compile(expr.operand, scope));
  return undefined;
}

/**
 * `has(operand.field)`: whether a map has the key. Of a list or a hierarchy, which are indexed by numbers, it is an
 * error, and of any other value false, as the server has it.
 */
export function compileHas(expr: Has, scope: Scope, compile: Compile): Code {
  const { field, at } = expr;
  const fixed = hasFixed(expr, scope);
  if (fixed !== undefined) return fixed;
  const operand = compileContainer(expr.operand, scope) ?? compile(expr.operand, scope);
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

/** `has()` of a message's field, a variable, a constant or a global; undefined for any other. */
export function hasFixed(expr: Omit<Has, "kind">, scope: Scope): Code | undefined {
  const chain = chainOf({ kind: "select", at: expr.at, operand: expr.operand, field: expr.field });
  const [name] = chain?.fields ?? [];
  if (chain === undefined || name === undefined) return undefined;
  if (chain.of === "request") {
    const { root, path } = follow(chain.root, chain.fields) ?? {};
    if (root?.kind === "message") return (ev) => isPresent(messageValue(ev, root));
    if (root === EFFECTIVE_ROLES) return () => true;
    // A field of a message: present unless empty, as protobuf has it.
    return root === undefined || path?.length !== 0 ? undefined : (ev) => isPresent(leafValue(ev, root));
  }
  if (chain.fields.length > 1) return undefined;
  switch (chain.of) {
    case "variable": {
      const code = scope.variables.get(name);
      const otherwise = scope.nullIfErring === true;
      return (ev) => code?.(ev) !== undefined || (isExhausted(ev) ? undefined : otherwise);
    }
    case "constant":
      return () => true;
    case "global":
      return (ev) => Object.hasOwn(ev.attributes[ATTRIBUTES.globals] ?? NOTHING, name);
    default:
      return undefined;
  }
}
