/** Names and field selections: what is read from the request, from variables and constants, and from values. */

import type { Expr, Has, Select } from "../ast.js";
import { contains, lookup } from "../equality.js";
import { ERRED, type Evaluation, failAt, isExhausted, type Result } from "../evaluation.js";
import { type Chain, chainOf } from "../facts.js";
import { Hierarchy } from "../functions/hierarchy-value.js";
import { isPresent, MessageValue } from "../message-value.js";
import { optionalMember } from "../optional-access.js";
import { ATTRIBUTES, follow, type Leaf, type Message, type Root } from "../roots.js";
import { type CelValue, isData, isForeign, isMap, isPlain, type JsonMap, NOT_DATA, OptionalValue } from "../values.js";
import type { Code, Compile, Scope } from "./code.js";
import { pathKey } from "./slot-keys.js";

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
      return root === undefined || path === undefined ? undefined : compilePath(root, path, expr.at, scope);
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
  if (path.length > 0) return expr.kind === "select" ? selectGlobal(expr, compile(expr.operand, scope)) : undefined;
  return (ev) => {
    const globals = ev.attributes[ATTRIBUTES.globals] ?? NOTHING;
    return Object.hasOwn(globals, name) ? globals[name] : failAt(ev, `undefined field '${name}'`, expr.at);
  };
}

/** `G.name.field`. Integers of the configuration are ints, which an attribute never has. */
function selectGlobal({ field, at }: Select, operand: Code): Code {
  const missing = missingText(field);
  return (ev) => {
    const within = operand(ev);
    const isMember = typeof within === "object" && within !== null && isPlain(within) && Object.hasOwn(within, field);
    const value = isMember ? within[field] : undefined;
    return typeof value === "bigint" ? value : read(ev, within, field, missing, at);
  };
}

/** `leaf.path[0].path[1]…`, each prefix with its own slot. */
function compilePath(leaf: Leaf, path: readonly string[], at: number, scope: Scope): Code {
  const { index } = leaf;
  const [first, ...rest] = path;
  if (first === undefined) {
    if (leaf.attributes) return (ev) => ev.attributes[index];
    return (ev) => ev.roots[index] ?? failAt(ev, `${leaf.path} cannot be computed`, at);
  }
  if (!leaf.attributes)
    return path.reduce((code, field) => selectFrom({ field, at }, code), compilePath(leaf, [], at, scope));
  let code = attribute(index, first, at);
  const done = [first];
  code = remembered(code, scope.slots.of(pathKey(leaf.path, done)), at);
  for (const field of rest) {
    done.push(field);
    const slot = scope.slots.of(pathKey(leaf.path, done));
    code = remembered(selectFrom({ field, at }, code), slot, at);
  }
  return code;
}

const NO_INDEX = "unsupported index type 'string' in list";

function missingText(field: string): string {
  return `no such key: ${field}`;
}

/** Of `runtime`, which is no message to the server; its list is there though it is empty. */
const EFFECTIVE_ROLES = follow("runtime", ["effectiveDerivedRoles"])?.root;

const NOTHING: JsonMap = Object.freeze(Object.create(null));

/** A field of what the request brings as a map. That it is a map was looked at when the request was read. */
function attribute(index: number, field: string, at: number): Code {
  const missing = missingText(field);
  return (ev) => ownData(ev, ev.attributes[index] ?? NOTHING, field, missing, at);
}

/** The slot of an attribute, or of what is in one; undefined if it has none. */
export function slotOf(expr: Expr, scope: Scope): number | undefined {
  const found = attributeOf(expr);
  return found && scope.slots.of(pathKey(found.leaf.path, found.path));
}

function attributeOf(expr: Expr): { readonly leaf: Leaf; readonly path: readonly string[] } | undefined {
  const chain = chainOf(expr);
  const { root, path } = (chain?.of === "request" ? follow(chain.root, chain.fields) : undefined) ?? {};
  return root?.kind === "leaf" && root.attributes && path !== undefined ? { leaf: root, path } : undefined;
}

/** Reads by `code` once in an evaluation, and from the slot after that: it keeps the invariant "read once". */
function remembered(code: Code, slot: number, at: number): Code {
  return (ev) => {
    const known = ev.slots[slot];
    if (known === ERRED) return failAt(ev, ev.faults[slot] ?? "", at);
    if (known !== undefined) return known;
    const value = code(ev);
    if (value === undefined) ev.faults[slot] = ev.fault;
    ev.fill(slot, value === undefined ? ERRED : value);
    return value;
  };
}

function read(ev: Evaluation, operand: Result, field: string, missing: string, at: number): Result {
  if (operand === undefined) return undefined;
  if (typeof operand === "object" && operand !== null) {
    if (isPlain(operand)) return ownData(ev, operand, field, missing, at);
    if (isMap(operand)) {
      const value = lookup(operand, field);
      return value === undefined ? failAt(ev, missing, at) : value;
    }
    if (operand instanceof MessageValue) return operand.fields.get(field) ?? failAt(ev, missing, at);
    if (operand instanceof OptionalValue) return optionalMember(ev, operand, field);
    if (Array.isArray(operand)) return failAt(ev, NO_INDEX, at);
  }
  return failAt(ev, missing, at);
}

function ownData(ev: Evaluation, map: JsonMap, field: string, missing: string, at: number): Result {
  if (!Object.hasOwn(map, field)) return failAt(ev, missing, at);
  const value = map[field];
  return isData(value) ? value : failAt(ev, `the value of ${field} is not JSON data`, at);
}

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

export function selectFrom(expr: Pick<Select, "field" | "at">, operand: Code): Code {
  const { field, at } = expr;
  const missing = missingText(field);
  return (ev) => read(ev, operand(ev), field, missing, at);
}

/**
 * `has(operand.field)`: whether a map has the key. Of a list or a hierarchy, which are indexed by numbers, it is an
 * error, and of any other value false, as the server has it.
 */
export function compileHas(expr: Has, scope: Scope, compile: Compile): Code {
  const { field, at } = expr;
  const fixed = hasFixed(expr, scope);
  if (fixed !== undefined) return fixed;
  const operand = compile(expr.operand, scope);
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
